import pytest
import sympy

from proofs.conditions import identity_matrix, remainder, vectors
from proofs.expressions import Determinant, Dot
from proofs.rules import Refused

from ..checking import apply

t = sympy.Symbol("t", positive=True)
m = sympy.Symbol("m", positive=True)
identity, first, error, new = sympy.symbols("identity first remainder_1 remainder_2")
GIVEN = {"conditions": (identity_matrix(identity), vectors(first), remainder(error, t, vector=True))}
MATRIX = identity + t**2 * first + t**3 * error
TRACE = 1 + t**2 * Dot(first, identity) + t**3 * Dot(identity, error)


def expand(matrix, into, order: int, given=GIVEN) -> None:
    apply("determinant", Determinant(matrix), into, variable=t, order=order, given=given)


def test_determinants_near_the_identity() -> None:
    expand(MATRIX, TRACE + new * t**4, 3)
    expand(MATRIX, TRACE + new * t**3, 2)  # less than the lemma gives
    expand(identity + t * first, 1 + t * Dot(identity, first) + new * t**2, 1)
    expand((t * identity + t**3 * first) / t, 1 + t**2 * Dot(identity, first) + new * t**4, 3)


@pytest.mark.parametrize(
    ("matrix", "into", "order", "reason"),
    [
        (MATRIX, TRACE + new * t**5, 4, "not near enough"),
        (identity + t * first, 1 + t * Dot(identity, first) + new * t**3, 2, "not near enough"),
        (identity + first, 1 + Dot(identity, first) + new, -1, "not near enough"),
        (MATRIX, TRACE + t**2 * Dot(first, identity) + new * t**4, 3, "not the expansion"),
        (MATRIX, TRACE - 1 + new * t**4, 3, "not the expansion"),
        (MATRIX, TRACE + t**3 * Dot(first, first) + new * t**4, 3, "not the expansion"),
        (2 * identity + t**2 * first, TRACE + new * t**4, 3, "not I plus"),
        (t**2 * first, TRACE + new * t**4, 3, "not I plus"),
        (identity, 1 + new * t**4, 3, "no expansion"),
    ],
)
def test_near_misses_are_refused(matrix, into, order: int, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        expand(matrix, into, order)


def test_which_matrix_is_the_identity_must_be_said_and_is_not_defined() -> None:
    conditions = (vectors(first, identity), remainder(error, t, vector=True))
    with pytest.raises(Refused, match="which matrix is the identity"):
        expand(MATRIX, TRACE + new * t**4, 3, {"conditions": conditions})
    with pytest.raises(Refused, match="identity has a definition"):
        expand(MATRIX, TRACE + new * t**4, 3, GIVEN | {"definitions": ((identity, 2 * first),)})
    with pytest.raises(Refused, match="needs a symbol"):
        expand(MATRIX, TRACE + new * t**4, 3, {"conditions": (identity_matrix(2 * identity), *conditions)})


def test_what_is_not_bounded_is_refused() -> None:
    """first is 1/t times a bounded matrix: then the matrix is not near enough."""
    given = GIVEN | {"definitions": ((first, error / t),)}
    with pytest.raises(Refused, match="not known to be bounded"):
        expand(identity + t**2 * first, 1 + t**2 * Dot(first, identity) + new * t**4, 3, given)


def test_a_determinant_is_a_number() -> None:
    with pytest.raises(Refused, match="takes vectors"):
        apply("ring-identity", Determinant(m), Determinant(m))
