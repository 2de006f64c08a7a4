import pytest

from manifoldtheory.ledger import Claim, Form, Statement

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
