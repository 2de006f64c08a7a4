"""The rules of certificates, each with the check that verifies it. See `proofs.certificate`.

Analytic rules (truncation, reversion, slope, primitive, limit) work on Laurent series over rational functions;
algebraic rules on rational functions or canonical tensor networks; the named lemmas state their condition in the
docstring. A check raises ``ValueError`` where a step does not follow, and returns the remainders it introduces.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from proofs.rules import (
    algebraic,
    analytic,
    calculus,
    determinants,
    finite_averages,
    gaussian,
    lemmas,
    probabilistic,
    sequences,
    solutions,
)
from proofs.rules.common import Introduced
from proofs.scope import Scope
from proofs.wellformed import Refused, check_grammar, require

if TYPE_CHECKING:
    from proofs.certificate import Step

__all__ = ["RULES", "Refused", "Rule", "check_parameters"]


@dataclass(frozen=True)
class Rule:
    """A check, and the parameters it takes: names to ``expression``, ``symbol``, ``integer``, ``pairs`` or ``list``."""

    check: Callable[["Step", Scope], Introduced]
    parameters: Mapping[str, str]


_REWRITING = {"part": "expression", "into": "expression"}
_EXPANDING = _REWRITING | {"variable": "symbol", "order": "integer"}

RULES: Mapping[str, Rule] = {
    "substitution": Rule(algebraic.substitution, {"equations": "pairs"}),
    "ring-identity": Rule(algebraic.ring_identity, _REWRITING),
    "truncation": Rule(analytic.truncation, _EXPANDING),
    "reversion": Rule(analytic.reversion, _REWRITING | {"order": "integer"}),
    "slope": Rule(analytic.slope, _REWRITING | {"order": "integer"}),
    "primitive": Rule(analytic.primitive, _REWRITING | {"order": "integer", "weight": "expression"}),
    "limit": Rule(analytic.limit, _REWRITING),
    "evaluation": Rule(analytic.evaluation, _REWRITING | {"renamed": "pairs"}),
    "bilinearity": Rule(algebraic.bilinearity, _REWRITING),
    "linearity": Rule(probabilistic.linearity, _REWRITING),
    "independence": Rule(probabilistic.independence, _REWRITING),
    "finite-derivative": Rule(finite_averages.finite_derivative, _REWRITING),
    "price": Rule(gaussian.price, _REWRITING),
    "half-normal": Rule(gaussian.half_normal, _REWRITING),
    "leibniz": Rule(lemmas.leibniz, _REWRITING),
    "constancy": Rule(lemmas.constancy, _REWRITING),
    "gram-determinant": Rule(lemmas.gram_determinant, _EXPANDING),
    "determinant": Rule(determinants.determinant, _EXPANDING),
    "triangle": Rule(lemmas.triangle, _EXPANDING),
    "contraction": Rule(algebraic.contraction, _REWRITING),
    "differentiation": Rule(calculus.differentiation, _REWRITING),
    "induction": Rule(calculus.induction, _REWRITING),
    "flow": Rule(calculus.flow, _REWRITING),
    "logarithm": Rule(solutions.logarithm, _REWRITING),
    "zero": Rule(solutions.zero, _REWRITING),
    "geometric-limit": Rule(sequences.geometric_limit, _REWRITING | {"terms": "list", "factors": "list"}),
    "chung": Rule(sequences.chung, _REWRITING),
    "chung-critical": Rule(sequences.chung_critical, _REWRITING),
    "chung-slow": Rule(sequences.chung_slow, _REWRITING),
    "isserlis": Rule(probabilistic.isserlis, _REWRITING),
    "invariance": Rule(probabilistic.invariance, _REWRITING | {"moments": "list"}),
}
"""What `Step.rule` can name."""


def check_parameters(step: "Step") -> None:
    """Raises `Refused` unless a step names a rule and has just the parameters it takes, each of its kind."""
    require(step.rule in RULES, "unknown rule {!r}", step.rule)
    kinds = RULES[step.rule].parameters
    require(step.parameters.keys() == kinds.keys(), "takes {}, not {}", ", ".join(kinds), ", ".join(step.parameters))
    for name, kind in kinds.items():
        value = step.parameters[name]
        require(_fits(value, kind), "the parameter {} is no {}", name, kind)
        for expression in _expressions(value):
            check_grammar(expression)


def _fits(value: Any, kind: str) -> bool:
    if kind == "integer":
        return type(value) is int
    if kind == "symbol":
        return isinstance(value, sympy.Symbol)
    if kind == "expression":
        return isinstance(value, sympy.Expr)
    if kind == "list":
        return isinstance(value, tuple) and all(isinstance(entry, sympy.Expr) for entry in value)
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(side, sympy.Expr) for side in pair)
        for pair in value
    )


def _expressions(value: Any) -> list[Any]:
    if isinstance(value, sympy.Expr):
        return [value]
    return [part for entry in value for part in _expressions(entry)] if isinstance(value, tuple) else []
