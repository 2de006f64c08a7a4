r"""What principal components see on a shell: the covariance of P_T ξ leans to the flattest directions.

Uniform by volume on |ξ| = t, P_T ξ = ρ w has the direction density 1 + (c − ⟨c⟩)t² + O(t³), c = S/2 − (m+2)F/8, and
ρ² = t² − F t⁴/4 + O(t⁵). Against a symmetric traceless G, E[ρ² G(w,w)] = t⁴⟨(c − F/4) G(w,w)⟩ + O(t⁵), and by Isserlis
⟨S G(w,w)⟩ = 2 tr(Σ_a h^a h^a G)/(m(m+2)), ⟨F G(w,w)⟩ = (4 Σ_a tr h^a tr(h^a G) + 8 tr(Σ_a h^a h^a G))/(m(m+2)(m+4)):
the terms in h^a h^a cancel, and −t⁴/(2m(m+2)) Σ_a tr(h^a) tr(h^a G) is left. With A = Σ_a tr(h^a) h^a and
G = e eᵀ − f fᵀ that is the variance along e less the one along f: it is the largest along the eigenvector of A to its
least eigenvalue, which therefore is the direction of the first principal component.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.averages import a, i, j, k, mean_curvature
from proofs.bias_attenuation import COEFFICIENT
from proofs.certificate import Chain, Equation
from proofs.conditions import direction_free, sphere
from proofs.contractions import G, h, w
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Mean, Remainders, is_remainder, without_remainders
from proofs.geometry.projected_density import rho
from proofs.majorants import BOUND, normal_energy_tail, shell_tail
from proofs.symbols import curvature_bound, dim, normal_curvature_sq, radius, shape_sq, trace_form_component

CLAIM = Claim(
    slug="shell-covariance",
    title="On a shell the covariance of tangent parts leans to the flattest directions",
    section="geometry",
    statements=(
        Statement(
            Form.REPAIRED,
            "Uniformly by volume on |ξ| = t, the traceless part of E[P_T ξ (P_T ξ)ᵀ] is −t⁴/(2m(m+2)) times that of "
            "A = Σ_a tr(h^a) h^a, up to O(t⁵): the first principal component points along the eigenvector of A to its "
            "least eigenvalue, where that is simple. On a minimal submanifold A = 0, and the traceless part is O(t⁵).",
            (
                Hypothesis("regularity", "M is of class C³"),
                Hypothesis("measure", "points are uniform by volume on the shell of radius t"),
                Hypothesis("no noise", "x lies on M"),
            ),
        ),
    ),
    source="beyond arXiv:2604.08764",
)


t = radius
p, r = sympy.symbols("p r")
direction_component = sympy.Symbol("direction_component", real=True)
"""G(w, w)."""
square_component = sympy.Symbol("square_component", real=True)
"""2 tr(Σ_a h^a h^a G)."""
_VARYING = (direction_component, normal_curvature_sq, shape_sq)
COMPONENT = (direction_component, G[p, r] * w[p] * w[r])
TRACELESS = (G[p, p], sympy.Integer(0))
_SQUARE = (2 * G[i, j] * h[a, i, k] * h[a, k, j], square_component)
_TRACE = (G[i, j] * h[a, i, j] * h[a, k, k], trace_form_component)


def derive() -> Derivation:
    """The derivation: averages against G over directions, the squared length of P_T ξ, and the covariance."""
    remainders = Remainders()
    imports = imported("bias-attenuation/density", remainders)
    (abscissa_of,) = (chain for chain in imports if chain.name == "curvature-bias/abscissa")
    averages = _averages()
    square = _square(remainders, abscissa_of)
    covariance = _covariance(remainders, imports[-1], square, averages)
    gap = _gap(covariance)
    minimal = _minimal(covariance)
    findings = (
        Finding(Form.REPAIRED, Verdict.SUPPORTS, covariance.name, (covariance.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, gap.name, (gap.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, minimal.name, (minimal.name,)),
    )
    chains = (*averages, square, covariance, gap, minimal)
    return Derivation(CLAIM, chains, findings, predictions(covariance), imports)


def _averages() -> tuple[Chain, ...]:
    """⟨G(w,w)⟩ = 0, and G(w,w) averaged against S and F."""
    curvature = (normal_curvature_sq, mean_curvature().steps[0].right.args[0])
    other = sympy.Symbol("b")
    squared = h[other, i, j] * h[other, i, k] * w[j] * w[k]
    six = dim * (dim + 2) * (dim + 4)
    return (
        _average("component-mean", "G over the directions", (), G[p, p] / dim, ()),
        _average(
            "component-shape-mean",
            "G against S over the directions",
            ((shape_sq, squared),),
            (_SQUARE[0] + G[p, p] * h[a, i, j] ** 2) / (dim * (dim + 2)),
            (_SQUARE,),
        ),
        _average(
            "component-curvature-mean",
            "G against F over the directions",
            (curvature,),
            (_TRACE[0] + _SQUARE[0]) / six * 4 + G[p, p] * (2 * h[a, i, j] ** 2 + h[a, i, i] * h[a, j, j]) / six,
            (_SQUARE, _TRACE),
        ),
    )


def _average(
    name: str, title: str, factor: tuple[Equation, ...], average: Any, invariants: tuple[Equation, ...]
) -> Chain:
    """The average of G(w,w), times a factor that is written in components."""
    build = ChainBuilder(
        name,
        title,
        Mean(direction_component * sympy.Mul(*(symbol for symbol, _ in factor))),
        hypotheses=[COMPONENT, *factor, TRACELESS, *invariants],
        conditions=[direction_free(dim), sphere(dim)],
    )
    build.substitute("in components", COMPONENT, *factor)
    build.rewrite("average by pairings", "isserlis", build.current, average)
    build.substitute("G is traceless; invariants", TRACELESS, *invariants)
    return build.done()


def _square(remainders: Remainders, abscissa_of: Chain) -> Chain:
    """|P_T ξ|² = ρ² = t² − F t⁴/4 + O(t⁵)."""
    abscissa = (rho, abscissa_of.start)
    build = ChainBuilder(
        "tangent-square",
        "The squared length of the tangent part at ambient radius t",
        rho**2,
        remainders=remainders,
        definitions=[abscissa],
        uses=[abscissa_of],
    )
    build.substitute("ρ is the abscissa at the ambient radius t", abscissa)
    build.substitute("its expansion (curvature-bias)", fact(abscissa_of))
    return build.truncate("expand in t", build.current, t, 4).done()


def _covariance(remainders: Remainders, density: Chain, square: Chain, averages: tuple[Chain, ...]) -> Chain:
    """E[ρ² G(w,w)] on the shell of radius t, where directions have the density q/⟨q⟩."""
    build = ChainBuilder(
        "traceless-covariance",
        "The covariance of P_T ξ on the shell of radius t against a symmetric traceless matrix G",
        Mean(square.start * direction_component * density.start) / Mean(density.start),
        remainders=remainders,
        conditions=[direction_free(t)],
        uses=[density, square, *averages],
    )
    build.substitute("density of directions; |P_T ξ|² = ρ²", fact(density), fact(square))
    weighted = square.conclusion * direction_component * density.conclusion
    build.truncate("expand in t", weighted, t, 4)
    build.truncate("to first order", density.conclusion, t, 1)
    build.substitute("c = S/2 − (m+2)F/8", COEFFICIENT)
    for average in sorted(build.current.atoms(Mean), key=str):
        build.rewrite("linearity", "linearity", average, _averaged(average.args[0]))
    build.substitute("averages of G(w,w)", *map(fact, averages))
    build.truncate("expand in t", build.current, t, 4)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    return build.tidy("collect", -(t**4) * trace_form_component / (2 * dim * (dim + 2)) + error * t**5).done()


def _averaged(expanded: Any) -> Any:
    """The average of a polynomial in t whose coefficients are linear in F and S, times G(w,w) or not."""
    total: Any = sympy.Integer(0)
    term: Any
    for term in sympy.Add.make_args(sympy.expand(expanded)):
        varying = [factor for factor in term.free_symbols if factor in _VARYING or is_remainder(factor)]
        product = sympy.Mul(*varying)
        total += term / product * Mean(product) if varying else term
    return total


def _gap(covariance: Chain) -> Chain:
    """G = e eᵀ − f fᵀ for two eigenvectors of A = Σ_a tr(h^a) h^a: the variance along e less the one along f."""
    first, second = sympy.symbols("eigenvalue_1 eigenvalue_2", real=True)
    eigenvalues = (trace_form_component, first - second)
    build = ChainBuilder(
        "leading-direction",
        "Variance along one eigenvector of A less the one along another: larger where the eigenvalue is less",
        covariance.start,
        hypotheses=[eigenvalues],
        uses=[covariance],
    )
    build.substitute("the covariance against G", fact(covariance))
    build.substitute("⟨e, A e⟩ − ⟨f, A f⟩", eigenvalues)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    return build.tidy("turn the sign", t**4 * (second - first) / (2 * dim * (dim + 2)) + error * t**5).done()


def _minimal(covariance: Chain) -> Chain:
    """On a minimal submanifold every tr(h^a) is 0."""
    flat = (trace_form_component, sympy.Integer(0))
    build = ChainBuilder(
        "minimal-submanifold",
        "On a minimal submanifold the covariance is isotropic up to fifth order",
        covariance.start,
        hypotheses=[flat],
        uses=[covariance],
    )
    build.substitute("the covariance against G", fact(covariance))
    return build.substitute("tr(h^a) = 0", flat).done()


def predictions(covariance: Chain) -> dict[str, Prediction]:
    """``traceless-covariance``: E⟨G, P_T ξ (P_T ξ)ᵀ⟩ for a symmetric traceless G, ``trace_form_component`` = ⟨G, A⟩.

    A squared length. The remainder is a bound for G with eigenvalues in [−1, 1], for K t ≤ `proofs.majorants.RANGE` and
    dim ≤ 20. With r the relative density, G(w,w) ρ² r = G(w,w)(t² r − |P_N ξ|² r): the even part of r beyond t² counts
    t² times, and what |P_N ξ|² r leaves out is bounded as its average is.
    """
    law = without_remainders(covariance.conclusion)
    bound = t**2 * shell_tail() + normal_energy_tail() / curvature_bound**2
    name = covariance.name
    return {name: Prediction(name, law, Prediction(f"{name} remainder", bound, note=BOUND))}
