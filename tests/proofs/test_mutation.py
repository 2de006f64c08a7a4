"""Mutants: what they are, and that the checker refuses every one that is a falsehood."""

import pytest
import sympy

import proofs
from proofs.certificate import Chain, trace
from proofs.mutation import count, mutants, mutants_of

from .checking import chain, step, substitution

CLAIMS = tuple(proofs.PROVIDER.claims())
a, b, c = sympy.symbols("a b c")


@pytest.mark.parametrize("slug", CLAIMS)
def test_a_sample_of_mutants_is_refused(slug: str) -> None:
    derivation = proofs.derive(slug)
    found = derivation.mutations(60)
    assert found.accepted == ()
    assert 30 <= found.refused <= 60


@pytest.mark.thorough
@pytest.mark.parametrize("slug", CLAIMS)
def test_every_mutant_is_refused(slug: str) -> None:
    derivation = proofs.derive(slug)
    found = derivation.mutations()
    assert found.accepted == ()
    assert found.refused > 10 * len(derivation.steps)
    assert 0 < found.declared < found.refused
    assert found.skipped < found.refused / 20


def test_what_is_changed_in_an_expression() -> None:
    found = set(mutants_of(3 * a**2 * (b - c) + b))
    first = a**2 * (b - c)
    for changed in (
        6 * first + b,
        -3 * first + b,
        b,
        3 * first * a + b,
        -3 * a**2 * c + b,
        3 * first,
        3 * first + 2 * b,
    ):
        assert changed in found
    assert 3 * first + b not in found


def test_every_part_of_a_chain_is_changed() -> None:
    derivation = proofs.derive("curvature-bias")
    kinds = {mutant.what for chain in derivation.chains for mutant in mutants(chain)}
    parameters = {"parameter order", "parameter weight", "parameter equations", "parameter renamed"}
    assert kinds == {"right side", "what the part becomes", "definitions", "hypotheses"} | parameters
    last = derivation.chain("ball-volume")
    assert any(m.step == len(last.steps) and m.chain.conclusion != last.conclusion for m in mutants(last))


def test_the_next_left_side_changes_too() -> None:
    found = proofs.derive("curvature-bias").chain("projected-volume")
    for mutant in mutants(found):
        if 0 < mutant.step < len(found.steps):
            assert mutant.chain.steps[mutant.step].left == mutant.chain.steps[mutant.step - 1].right


def test_equal_ones_are_skipped_and_accepted_ones_are_reported() -> None:
    """A chain whose rule does not look at its parameter has mutants that the checker accepts."""
    twice = step("ring-identity", a * 0 + b, b, b)
    fine = count(trace([chain("fine", twice)]))
    assert fine.accepted == ()
    zero = chain("zero", step("linearity", a, a, a), substitution(a, (c, 2 * c)), definitions=((c, 2 * b),))
    with pytest.raises(ValueError, match="does not"):
        count(trace([zero]))
    loose = Chain("loose", "loose", a, (step("ring-identity", a, a, a),), hypotheses=((b, c),))
    unused = count(trace([loose]))
    assert (unused.accepted, unused.declared) == ((), 0)  # nothing rests on the hypothesis: it has no mutants


def test_functions_have_their_argument_changed() -> None:
    found = set(mutants_of(a * sympy.exp(-b) + sympy.sin(c)))
    for changed in (a * sympy.exp(b), a * sympy.exp(-2 * b), -sympy.sin(c), sympy.sin(2 * c)):
        assert any(
            sympy.expand(mutant - changed - (sympy.sin(c) if changed.has(a) else a * sympy.exp(-b))) == 0
            for mutant in found
        )
