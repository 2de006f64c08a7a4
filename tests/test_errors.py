import pytest

from manifoldtheory.errors import InputError, select


def test_selection_keeps_the_order_known():
    assert select("letter", ["a", "b", "c"], None) == ("a", "b", "c")
    assert select("letter", ["a", "b", "c"], ["c", "a"]) == ("a", "c")


def test_what_is_unknown_is_named_with_the_choices():
    with pytest.raises(InputError, match="unknown letter 'd': choose among a, b, c"):
        select("letter", ["a", "b", "c"], ["d"])
