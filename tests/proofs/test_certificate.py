"""Derivations hold, chains are what they must be, and steps are printed in the notation of the theory."""

from dataclasses import replace

import pytest
import sympy

import proofs
from proofs.certificate import Chain, Step, check
from proofs.rules import Refused

from .checking import chain, reasons, step, substitution

CLAIMS = tuple(proofs.PROVIDER.claims())
a, b = sympy.symbols("a b")
t = sympy.Symbol("t", positive=True)


@pytest.mark.parametrize("slug", CLAIMS)
def test_derivations_hold(slug: str) -> None:
    derivation = proofs.derive(slug)
    assert derivation.holds
    assert [str(refusal) for refusal in derivation.refusals] == []
    for finding in derivation.findings:
        assert finding.chains
        assert {c.name for c in derivation.support(finding)} >= set(finding.chains)


@pytest.mark.parametrize("slug", CLAIMS)
def test_a_changed_right_side_breaks_the_chain(slug: str) -> None:
    derivation = proofs.derive(slug)
    first = derivation.chains[0]
    broken = replace(first, steps=(replace(first.steps[0], right=first.steps[0].right + a), *first.steps[1:]))
    refused = {refusal.step for refusal in check((*derivation.imports, broken)) if refusal.chain == first.name}
    assert refused >= ({1, 2} if len(first.steps) > 1 else {1})


def test_facts_must_come_from_chains_that_hold() -> None:
    false = chain("false", step("ring-identity", a, a, b))
    user = chain("user", substitution(a, (a, b)), uses=("false",))
    assert [(refusal.chain, refusal.step) for refusal in check([false, user])] == [("false", 1), ("user", 0)]
    assert [refusal.step for refusal in check([replace(user, uses=())])] == [1]
    assert not check([replace(user, uses=(), definitions=((a, b),))])


def test_empty_unknown_and_repeated_chains_are_refused() -> None:
    empty = Chain("empty", "", a, ())
    unknown = chain("unknown", Step("", a, b, "magic"))
    fine = chain("fine", step("ring-identity", (a + b) ** 2, (a + b) ** 2, a**2 + 2 * a * b + b**2))
    assert "no steps" in reasons(empty)
    assert len(check([unknown])) == 1
    assert not check([fine])
    assert "same name" in reasons(fine, fine)


@pytest.mark.parametrize("slug", CLAIMS)
def test_facts_of_other_claims_are_checked_where_they_are_used(slug: str) -> None:
    """A chain of another claim that does not hold takes with it what rests on it."""
    derivation = proofs.derive(slug)
    if not derivation.imports:
        assert not any("/" in name for chain in derivation.chains for name in chain.uses)
        return
    last = derivation.imports[-1]
    broken = replace(last, steps=(*last.steps[:-1], replace(last.steps[-1], right=last.steps[-1].right + t)))
    refused = {refusal.chain for refusal in check((*derivation.imports[:-1], broken, *derivation.chains))}
    assert last.name in refused
    users = {chain.name for chain in derivation.chains if last.name in chain.uses}
    assert users
    assert users <= refused


def test_supports_go_through_to_other_claims() -> None:
    derivation = proofs.derive("bias-attenuation")
    (finding,) = (found for found in derivation.findings if found.quantity == "direction-density")
    names = [chain.name for chain in derivation.support(finding)]
    assert names[-1] == "direction-density"
    assert "curvature-bias/graph-radius" in names


def test_step_latex_is_in_the_notation_of_the_theory() -> None:
    found = proofs.derive("curvature-bias").chain("projected-volume").steps[-1]
    left, right = found.latex()
    assert r"\varepsilon_" in left
    assert "S" in right
    assert "F" in right
    assert "remainder" not in left + right
    for slug in CLAIMS:
        for each in proofs.derive(slug).steps:
            assert "remainder" not in "".join(each.latex())


def test_what_a_chain_takes_for_granted_is_printed() -> None:
    found = proofs.derive("energy-concentration").chain("energy-ratio")
    assert ("condition", "independent: output_gradient; x_T, x_N") in found.given()
    assert ("condition", "ambient_dim - dim is not zero") in found.given()
    assert any("$d - m$ is not zero" in text for _, text in found.given_latex())
    kinds = {kind for slug in CLAIMS for each in proofs.derive(slug).chains for kind, _ in each.given()}
    assert kinds == {"definition", "hypothesis", "condition"}


def test_refused_is_a_value_error() -> None:
    assert issubclass(Refused, ValueError)
