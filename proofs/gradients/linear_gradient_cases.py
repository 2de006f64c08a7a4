r"""The cases of the mean gradient of a linear layer: which power of t leads its tangent and its normal part.

What decides is whether δ₀ = ⟨c, δ(p)⟩ vanishes, whether δ₁ = Dδ u does, whether the cloud drifts (E u ≠ 0), is centred
or symmetric (u and −u of one law), and whether E II(u, u) = 0. That makes 14 cases, seven of them published. Within a
case the leading terms are there wherever their coefficients do not vanish for a further reason.
"""

from dataclasses import dataclass
from typing import Any, Literal

import sympy

from manifoldtheory.ledger import Hypothesis, Prediction
from manifoldtheory.ledger.predictions import NEXT_TERMS
from proofs.certificate import Chain, Equation
from proofs.conditions import nonzero
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Expectation, Remainders, without_remainders
from proofs.gradients.gradient_rows import Row, leading
from proofs.gradients.linear_gradient_expansion import (
    FORMS,
    GRADIENT_FORMS,
    MOMENTS,
    NORMAL_FORMS,
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
bending = sympy.Symbol("b_N")
"""⟨e_N, II(u, u)⟩."""
_slope_form, _first, _second = GRADIENT_FORMS[1], TANGENT_FORMS[1], NORMAL_FORMS[2]
BENDING = (_second, bending / 2)
GEOMETRY: dict[Any, Equation] = {
    Expectation(_first): (direction_mean, Expectation(_first)),
    Expectation(_slope_form * _first): (slope_covariance, Expectation(_slope_form * _first)),
    Expectation(_second): (bending_mean, Expectation(bending)),
    Expectation(_slope_form * _second): (slope_bending, Expectation(_slope_form * bending)),
}
"""The averages with a geometric meaning, and the definitions of their names."""


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
        """The leading terms, by the names of the chains; what is left of the expansion to order t⁶ is the remainder."""
        (below, less), (above, more), (ratio, _) = map(_terms, self.chains)
        laws = ((below, less), (above, more), (ratio, (more - ratio * less) / (below + less)))
        return {
            chain.name: Prediction(chain.name, law, Prediction(f"{chain.name} remainder", rest, note=NEXT_TERMS))
            for chain, (law, rest) in zip(self.chains, laws, strict=True)
        }


def derived(remainders: Remainders, case: Case, tangent_mean: Chain, normal_mean: Chain) -> Derived:
    """Derives the row of a case from the general expansions."""
    tangent, normal = _part(case, "tangent", tangent_mean), _part(case, "normal", normal_mean)
    return Derived(case, tangent, normal, _ratio(remainders, case, tangent, normal))


def _part(case: Case, part: str, general: Chain) -> Chain:
    """The general expansion with what vanishes put in, and the leading coefficient in terms of the geometry."""
    opened: list[Equation] = []
    names: list[Equation] = []
    vanishing: dict[Any, Any] = {}
    left, order = ZERO, min(FORMS[part])
    while left == ZERO:
        expression = coefficient(part, order)
        equations = dict(case.vanishing(expression, order))
        left = expression.xreplace(equations).xreplace({Expectation(ZERO): ZERO})
        averages = left.atoms(Expectation)
        names = [GEOMETRY[average] for average in averages if averages <= GEOMETRY.keys()]
        if left == ZERO or names:
            vanishing |= equations
            opened += [moment(part, order)] if order in MOMENTS[part] else []
        order += 1
    bends = bool(names) and part == "normal"
    build = ChainBuilder(
        f"{case.name}-{part}",
        f"The {part} part of the mean gradient, case {case.name!r}",
        general.start,
        definitions=[*names, BENDING] if bends else names,
        hypotheses=list(vanishing.items()),
        uses=[general],
    )
    build.substitute("the mean gradient", fact(general))
    if opened:
        build.substitute("its coefficients", *opened)
    if vanishing:
        build.substitute("what vanishes", *vanishing.items())
    if build.current.has(Expectation(ZERO)):
        build.rewrite("the average of 0", "linearity", Expectation(ZERO), ZERO)
    if bends:
        build.substitute("z₂ = ½⟨e_N, II(u, u)⟩", BENDING)
        (average,) = build.current.atoms(Expectation)
        build.rewrite("linearity", "linearity", average, Expectation(2 * average.args[0]) / 2)
    if names:
        build.substitute("moments by name", *map(turned, names))
    return build.done()


def _ratio(remainders: Remainders, case: Case, tangent: Chain, normal: Chain) -> Chain:
    below, above = leading(tangent, t), leading(normal, t)
    build = ChainBuilder(
        f"{case.name}-ratio",
        f"Normal over tangent part of the mean gradient, case {case.name!r}",
        normal.start / tangent.start,
        conditions=list(map(nonzero, sympy.Mul.make_args(below.coefficient))),
        uses=[tangent, normal],
    )
    build.substitute("the two parts", fact(normal), fact(tangent))
    order = above.exponent - below.exponent
    into = above.coefficient / below.coefficient * t**order + remainders() * t ** (order + 1)
    return build.rewrite("expand in t", "truncation", build.current, into, variable=t, order=order).done()


def _terms(chain: Chain) -> tuple[Any, Any]:
    """The leading term of a conclusion, and the other terms known."""
    term = leading(chain, t)
    first = term.coefficient * t**term.exponent
    return first, without_remainders(chain.conclusion) - first
