"""The checker refuses what it should: every step of every derivation, mutated; and lemmas misapplied."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import sympy

import proofs
from proofs.certificate import Chain, Step, check
from proofs.expressions import is_remainder
from proofs.rules import RULES, Refused

CLAIMS = tuple(proofs.PROVIDER.claims())
a, b, t = sympy.symbols("a b t")


@cache
def steps(slug: str) -> tuple[tuple[Chain, Step, tuple], ...]:
    """Every step with what its chain may substitute."""
    chains = proofs.derive(slug).chains
    facts = {chain.name: (chain.start, chain.conclusion) for chain in chains}
    return tuple(
        (chain, step, (*chain.definitions, *(facts[name] for name in chain.uses)))
        for chain in chains
        for step in chain.steps
    )


def mutants(expression: Any) -> Iterator[Any]:
    """A coefficient doubled, a sign turned, a term dropped, a power raised."""
    terms = list(sympy.Add.make_args(expression))
    for number, term in enumerate(terms):
        rest = terms[:number] + terms[number + 1 :]
        yield sympy.Add(2 * term, *rest)
        yield sympy.Add(-term, *rest)
        yield sympy.Add(*rest) if rest else sympy.Integer(0)
        powers = [factor for factor in sympy.Mul.make_args(term) if factor.as_base_exp()[0].is_Symbol]
        powers = [factor for factor in powers if not is_remainder(factor)]
        if powers:
            yield sympy.Add(term * powers[-1].as_base_exp()[0], *rest)
    yield expression + 1


@pytest.mark.parametrize("slug", CLAIMS)
def test_derivations_hold(slug: str) -> None:
    derivation = proofs.derive(slug)
    assert derivation.holds
    assert [str(refusal) for refusal in derivation.refusals] == []
    assert {name for finding in derivation.findings for name in finding.chains} <= {c.name for c in derivation.chains}


@pytest.mark.parametrize("slug", CLAIMS)
def test_every_mutated_step_is_refused(slug: str) -> None:
    survivors, tried = [], 0
    for chain, step, known in steps(slug):
        whole = step.rule == "substitution"
        for mutant in mutants(step.right if whole else step.parameters["into"]):
            if mutant == (step.right if whole else step.parameters["into"]):
                continue
            if whole:
                changed = replace(step, right=mutant)
            else:
                right = step.left.xreplace({step.parameters["part"]: mutant})
                changed = replace(step, right=right, parameters={**step.parameters, "into": mutant})
            tried += 1
            try:
                RULES[step.rule](changed, known)
            except (ValueError, KeyError):
                continue
            survivors.append(f"{chain.name}: {step.title}: {mutant}")
    assert not survivors
    assert tried > 3 * len(steps(slug))


@pytest.mark.parametrize("slug", CLAIMS)
def test_a_changed_right_side_breaks_the_chain(slug: str) -> None:
    """Whatever its parameters say, a right side that differs from them is refused, and so is the step after it."""
    for _, step, known in steps(slug):
        with pytest.raises(ValueError, match=r"."):
            RULES[step.rule](replace(step, right=step.right + a), known)
    chain = proofs.derive(slug).chains[0]
    broken = replace(chain, steps=(replace(chain.steps[0], right=chain.steps[0].right + a), *chain.steps[1:]))
    assert {refusal.step for refusal in check([broken])} >= {1, 2} if len(chain.steps) > 1 else {1}


def test_facts_must_come_from_chains_that_hold() -> None:
    false = Chain("false", "", a, (Step("", a, b, "ring-identity", {"part": a, "into": b}),))
    user = Chain("user", "", a, (Step("", a, b, "substitution", {"equations": ((a, b),)}),), uses=("false",))
    assert [(refusal.chain, refusal.step) for refusal in check([false, user])] == [("false", 1), ("user", 0)]
    assert [refusal.step for refusal in check([replace(user, uses=())])] == [1]
    assert not check([replace(user, uses=(), definitions=((a, b),))])


def test_empty_unknown_and_repeated_chains_are_refused() -> None:
    empty = Chain("empty", "", a, ())
    unknown = Chain("unknown", "", a, (Step("", a, b, "magic"),))
    fine = Chain("fine", "", a + a, (Step("", 2 * a, 3 * a - a, "ring-identity", {"part": 2 * a, "into": 2 * a}),))
    assert len(check([empty])) == len(check([unknown])) == 1
    assert not check([fine])
    assert len(check([fine, fine])) == 1


def test_two_chains_can_not_share_a_remainder() -> None:
    remainder = sympy.Symbol("remainder_1")
    parameters = {"part": 1 / (1 - t), "into": 1 + remainder * t, "variable": t, "order": 0}
    chain = Chain("one", "", 1 / (1 - t), (Step("", 1 / (1 - t), 1 + remainder * t, "truncation", parameters),))
    assert not check([chain])
    assert [refusal.chain for refusal in check([chain, replace(chain, name="two")])] == ["two"]


def test_step_latex_is_in_the_notation_of_the_theory() -> None:
    step = proofs.derive("curvature-bias").chain("projected-volume").steps[-1]
    left, right = step.latex()
    assert r"\varepsilon_" in left
    assert "S" in right
    assert "F" in right
    assert "remainder" not in left + right
    for slug in CLAIMS:
        for each in proofs.derive(slug).steps:
            assert "remainder" not in "".join(each.latex())


def test_refused_is_a_value_error() -> None:
    assert issubclass(Refused, ValueError)
