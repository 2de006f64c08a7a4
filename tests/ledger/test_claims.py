import pytest

from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Claim, Form, Statement, select_claims

CLAIM = Claim("round-earth", "The earth is round", "geometry", (Statement(Form.AS_STATED, "It is."),))


def test_statements_by_form():
    assert CLAIM.statement(Form.AS_STATED).text == "It is."
    with pytest.raises(KeyError, match="no repaired statement"):
        CLAIM.statement(Form.REPAIRED)


def test_a_form_is_stated_once():
    twice = (Statement(Form.AS_STATED, "It is."), Statement(Form.AS_STATED, "It is not."))
    with pytest.raises(ValueError, match="once"):
        Claim("round-earth", "The earth is round", "geometry", twice)
    with pytest.raises(ValueError, match="once"):
        Claim("round-earth", "The earth is round", "geometry", ())


def test_selection_keeps_the_order_known():
    assert select_claims(["a", "b", "c"], None) == ("a", "b", "c")
    assert select_claims(["a", "b", "c"], ["c", "a"]) == ("a", "c")
    with pytest.raises(InputError, match="unknown claim 'd': choose among a, b, c"):
        select_claims(["a", "b", "c"], ["d"])
