r"""The cases of the mean gradient of a linear layer: which power of t leads its tangent part, and which its normal part.

What decides is whether δ₀ = ⟨c, δ(p)⟩ vanishes, whether δ₁ = Dδ u does, whether the cloud drifts (E u ≠ 0), is centred or
symmetric (u and −u of one law), and whether E II(u, u) = 0. That makes 14 cases, seven of them published. Within a case the leading terms are there wherever their
coefficients do not vanish for a further reason.
"""

from dataclasses import dataclass
from typing import Any, Literal

import sympy

from manifoldtheory.ledger import Hypothesis, Prediction
from proofs.certificate import Chain, Equation
from proofs.conditions import nonzero
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Expectation, Remainders, without_remainders
from proofs.gradient_rows import LeadingTerm, Row, leading
from proofs.linear_gradient_expansion import (
    FORMS,
    GRADIENT_FORMS,
    MOMENTS,
    NORMAL_FORMS,
    ORDER,
    TANGENT_FORMS,
    coefficient,
    moment,
    t,
)
from proofs.symbols import (
    base_output_gradient,
    bending_mean,
    direction_mean,
    slope_bending,
    slope_covariance,
)

ZERO = sympy.Integer(0)
bending = sympy.Symbol("bending")
"""⟨e_N, II(u, u)⟩."""
_slope_form, _first, _second = GRADIENT_FORMS[1], TANGENT_FORMS[1], NORMAL_FORMS[2]
BENDING = (_second, bending / 2)
NAMES: tuple[Equation, ...] = (
    (direction_mean, Expectation(_first)),
    (slope_covariance, Expectation(_slope_form * _first)),
    (bending_mean, Expectation(bending)),
    (slope_bending, Expectation(_slope_form * bending)),
)
"""The moments in which leading coefficients are written, where the forms have a geometric meaning."""


@dataclass(frozen=True)
class Case:
    """A case: what vanishes. `stationary` is δ(p) = 0, `flat` Dδ|_T = 0, `minimal` E II(u, u) = 0."""

    name: str
    law: Literal["drifting", "centred", "symmetric"]
    stationary: bool = False
    flat: bool = False
    minimal: bool = False

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """In words, with what must not vanish for the leading terms to be there."""
        law = {
            "drifting": "the mean displacement is of order t: E u ≠ 0",
            "centred": "E u = 0, and odd moments of higher order do not vanish",
            "symmetric": "u and −u have the same law, in graph or normal coordinates",
        }[self.law]
        law = "u and −u do not have the same law" if self.stationary and self.law == "drifting" else law
        gradient = "δ(p) = 0" if self.stationary else "δ(p) ≠ 0"
        found = [Hypothesis("sampling", law), Hypothesis("output gradient", gradient)]
        if self.flat:
            found.append(Hypothesis("slope", "Dδ|_T = 0"))
        elif self.stationary or self.law != "drifting":
            found.append(Hypothesis("slope", "Dδ|_T Σ_T ≠ 0, Σ_T = E[u uᵀ]"))
        if not self.stationary:
            text = "E II(u, u) = 0, as on a minimal submanifold with isotropic u" if self.minimal else "E II(u, u) ≠ 0"
            found.append(Hypothesis("bending", text))
        return tuple(found)

    def vanishing(self, expression: Any, order: int) -> list[Equation]:
        """What of a coefficient of t^n vanishes, as the hypotheses that say so."""
        equations: list[Equation] = []
        if self.stationary and expression.has(base_output_gradient):
            equations.append((base_output_gradient, ZERO))
        if self.flat and expression.has(_slope_form):
            equations.append((_slope_form, ZERO))
        left = expression.xreplace(dict(equations))
        for average in sorted(left.atoms(Expectation), key=str):
            odd = self.law == "symmetric" and order % 2 == 1
            centred = self.law != "drifting" and average.args[0] == _first
            minimal = self.minimal and average.args[0] == _second
            if average != Expectation(ZERO) and (odd or centred or minimal):
                equations.append((average, ZERO))
        return equations


PUBLISHED = (
    Case("drifting", "drifting"),
    Case("symmetric", "symmetric"),
    Case("minimal", "symmetric", minimal=True),
    Case("flat", "symmetric", flat=True),
    Case("stationary-skew", "drifting", stationary=True),
    Case("stationary", "symmetric", stationary=True),
    Case("stationary-flat", "symmetric", stationary=True, flat=True),
)
"""The seven cases of the published discussion, in its order."""
FURTHER = (
    Case("drifting-minimal", "drifting", minimal=True),
    Case("centred", "centred"),
    Case("centred-minimal", "centred", minimal=True),
    Case("centred-flat", "centred", flat=True),
    Case("centred-flat-minimal", "centred", flat=True, minimal=True),
    Case("flat-minimal", "symmetric", flat=True, minimal=True),
    Case("stationary-skew-flat", "drifting", stationary=True, flat=True),
)
"""What they leave out."""
CASES = PUBLISHED + FURTHER


@dataclass(frozen=True)
class Derived:
    """A case with its chains: the leading terms of the tangent and normal parts, and of their ratio."""

    case: Case
    tangent: Chain
    normal: Chain
    ratio: Chain

    @property
    def chains(self) -> tuple[Chain, Chain, Chain]:
        """All three."""
        return self.tangent, self.normal, self.ratio

    @property
    def row(self) -> Row:
        """The row of the table."""
        return Row(self.case.name, self.case.hypotheses, leading(self.tangent, t), leading(self.normal, t))

    @property
    def predictions(self) -> dict[str, Prediction]:
        """The leading terms, by the names of the chains; each has as remainder the sum of the next known terms."""
        return {chain.name: _prediction(chain) for chain in self.chains}


def derived(remainders: Remainders, case: Case, tangent_mean: Chain, normal_mean: Chain) -> Derived:
    """Derives the row of a case from the general expansions."""
    tangent, normal = _part(case, "tangent", tangent_mean), _part(case, "normal", normal_mean)
    return Derived(case, tangent, normal, _ratio(remainders, case, tangent, normal))


def _part(case: Case, part: str, general: Chain) -> Chain:
    """The general expansion with what vanishes put in, and the leading coefficient in terms of the geometry."""
    first = min(FORMS[part])
    opened, vanishing = [], {}
    for order in range(first, ORDER + 1):
        expression = coefficient(part, order)
        equations = case.vanishing(expression, order)
        leads = not _is_zero(expression.xreplace(dict(equations)))
        named = leads and order > first and case.stationary and part == "normal" and order == 3
        if order > first and (not leads or named):
            opened.append(moment(part, order))
        vanishing.update(equations if not leads or named else [])
        if leads:
            break
    else:
        raise ValueError(f"nothing is left of the {part} part in the case {case.name!r}")
    names = [name for name in NAMES if name[0] in _named(case, part, order, first)]
    build = ChainBuilder(
        f"{case.name}-{part}",
        f"The {part} part of the mean gradient, case {case.name!r}",
        general.start,
        definitions=[*names, *([BENDING] if part == "normal" and order - first < 2 and names else [])],
        hypotheses=list(vanishing.items()),
        uses=[general],
    )
    build.substitute("the mean gradient", fact(general))
    if part == "tangent" and order == 2:
        opened.append(moment(part, order))
    if opened:
        build.substitute("coefficients", *opened)
    if vanishing:
        build.substitute("what vanishes", *vanishing.items())
    if build.current.has(Expectation(ZERO)):
        build.rewrite("the average of 0", "linearity", Expectation(ZERO), ZERO)
    if part == "normal" and names:
        build.substitute("z₂ = ½⟨e_N, II(u, u)⟩", BENDING)
        (average,) = build.current.atoms(Expectation)
        build.rewrite("linearity", "linearity", average, Expectation(2 * average.args[0]) / 2)
    if names:
        build.substitute("moments by name", *map(turned, names))
    return build.done()


def _named(case: Case, part: str, order: int, first: int) -> set[Any]:
    if part == "tangent":
        return {1: {direction_mean}, 2: {slope_covariance}}.get(order, set())
    if order == first:
        return {bending_mean}
    return {slope_bending} if order == first + 1 and case.stationary else set()


def _is_zero(expression: Any) -> bool:
    return expression.xreplace({Expectation(ZERO): ZERO}) == 0


def _ratio(remainders: Remainders, case: Case, tangent: Chain, normal: Chain) -> Chain:
    below, above = leading(tangent, t), leading(normal, t)
    build = ChainBuilder(
        f"{case.name}-ratio",
        f"Normal over tangent part of the mean gradient, case {case.name!r}",
        normal.start / tangent.start,
        remainders=remainders,
        conditions=list(map(nonzero, sympy.Mul.make_args(below.coefficient))),
        uses=[tangent, normal],
    )
    build.substitute("the two parts", fact(normal), fact(tangent))
    order = above.exponent - below.exponent + FURTHER_TERMS
    into = _quotient(normal, tangent) + remainders() * t ** (order + 1)
    return build.rewrite("expand in t", "truncation", build.current, into, variable=t, order=order).done()


FURTHER_TERMS = 2
"""Terms of a ratio beyond its first: for a symmetric law the very next one vanishes."""


def _quotient(numerator: Chain, denominator: Chain) -> Any:
    """The first terms of the quotient of two conclusions, by long division."""
    (above, first), (below, last) = (_coefficients(chain) for chain in (numerator, denominator))
    quotient: list[Any] = []
    for k in range(FURTHER_TERMS + 1):
        rest = above[k] - sum(quotient[i] * below[k - i] for i in range(k))
        quotient.append(rest / below[0])
    return sum(value * t ** (first - last + k) for k, value in enumerate(quotient))


def _coefficients(chain: Chain) -> tuple[list[Any], int]:
    """The first coefficients of a conclusion, and the power of the first."""
    first = leading(chain, t).exponent
    law = without_remainders(chain.conclusion)
    return [law.coeff(t, first + k) for k in range(FURTHER_TERMS + 1)], first


def _prediction(chain: Chain) -> Prediction:
    law = without_remainders(chain.conclusion)
    term: LeadingTerm = leading(chain, t)
    first = term.coefficient * t**term.exponent
    return Prediction(chain.name, first, Prediction(f"{chain.name} remainder", law - first))
