r"""Radial laws under which the bias of directions is not (c − ⟨c⟩) E t²(1 + o(1)), however small E t² is.

- All mass but s at s, the rest at R: the far shell has s R² of E t² = s R² + O(s²), and its own bias.
- Density ∝ t^{−α−1} on [s, R]: for α < 2 E t² comes from radii of order R, and E t⁴/E t² → R²(2 − α)/(4 − α) as
  s → 0; for 2 < α < 4 it comes from radii near s, and E t⁴/E t² → 0.
- Unbounded radii: mass s² at R = s^{−1/2} and the rest at s. Then E t² = s + O(s²) falls to 0, but the bias of any set
  of directions is O(s²), the order of (E t²)²: the rate itself is another.
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import nonzero, remainder
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, LimitAtZero, Mean, Remainders, Slope, is_remainder
from proofs.geometry.cylinder_directions import far, fourth_share, t
from proofs.symbols import coefficient, coefficient_mean, radius_4_mean, radius_sq_mean

SHARE = (fourth_share, radius_4_mean / radius_sq_mean)
scale = sympy.Symbol("s", positive=True)
"""The least radius of a law."""
offset = sympy.Symbol("index_offset", positive=True)
"""|α − 2| for the index α of a Pareto law."""
nearness = sympy.Symbol("nearness", positive=True)
"""s^{|α−2|}, which falls to 0 with s."""
indicator = sympy.Symbol("indicator", nonnegative=True)
"""1 for directions of a set, else 0."""
set_coefficient = sympy.Symbol("set_coefficient", real=True)
SET_COEFFICIENT = (set_coefficient, Mean(coefficient * indicator) - coefficient_mean * Mean(indicator))


def two_points(remainders: Remainders, contrast: Chain) -> Chain:
    """Under g = (1−s)δ_s + sδ_R the contrast over E t² tends to 1/8 + R²/64 + …: not to c(45°) − c(0) = 1/8."""
    distant = (sympy.Symbol("contrast_at_R"), At(contrast.start, t, far))
    mixed = (1 - scale) * At(contrast.start, t, scale) + scale * distant[0]
    build = ChainBuilder(
        "two-point-law",
        "The bias under g = (1−s)δ_s + sδ_R relative to E t², as s falls to 0, on the unit cylinder",
        LimitAtZero(mixed / ((1 - scale) * scale**2 + scale * far**2), scale),
        remainders=remainders,
        definitions=[distant],
        uses=[contrast],
    )
    build.substitute("contrast on a shell", fact(contrast))
    build.evaluate("at the near radius s", At(contrast.conclusion, t, scale))
    build.rewrite("limit", "limit", build.current, distant[0] / far**2)
    build.substitute("the contrast at the far radius R", distant)
    build.substitute("contrast on a shell", fact(contrast))
    build.evaluate("at the far radius R", At(contrast.conclusion, t, far))
    return build.truncate("expand in R", build.current, far, 2).done()


def truncated_pareto(remainders: Remainders) -> tuple[Chain, Chain, Chain]:
    """Moments of a density ∝ t^{−α−1} on [s, R], and the limit of E t⁴/E t² for α = 2 − β and for α = 2 + β."""
    order, index = sympy.symbols("moment_order index", positive=True)
    excess = order - index
    build = ChainBuilder(
        "pareto-moments",
        "An antiderivative of t^k t^{−α−1}",
        Slope(t**excess / excess, t),
        conditions=[nonzero(excess)],
    )
    moments = build.rewrite("differentiate", "differentiation", build.current, t ** (excess - 1)).done()
    return moments, _heavy_tail(remainders, moments), _light_tail(remainders, moments)


def _heavy_tail(remainders: Remainders, moments: Chain) -> Chain:
    """α = 2 − β: E t^k = N (R^{k−2+β} − s^{k−2+β})/(k − 2 + β), with s^β = σ and s bounded."""
    nearest, mass = remainders(), sympy.Symbol("normalisation", positive=True)
    second = (radius_sq_mean, mass * (far**offset - nearness) / offset)
    fourth = (radius_4_mean, mass * (far ** (offset + 2) - nearness * nearest**2) / (offset + 2))
    build = ChainBuilder(
        "heavy-tail",
        "E t⁴/E t² under a truncated Pareto law of index α = 2 − β, as its least radius falls to 0",
        LimitAtZero(fourth_share, nearness),
        definitions=[SHARE],
        hypotheses=[second, fourth],
        conditions=[remainder(nearest, nearness)],
        uses=[moments],
    )
    build.substitute("as a quotient of moments", SHARE)
    build.substitute("moments, s^β = σ", second, fourth)
    return build.rewrite("limit", "limit", build.current, far**2 * offset / (offset + 2)).done()


def _light_tail(remainders: Remainders, moments: Chain) -> Chain:
    """α = 2 + β, β < 2: s^{−β} = 1/σ, and s^{2−β} is bounded."""
    bounded, mass = remainders(), sympy.Symbol("normalisation", positive=True)
    second = (radius_sq_mean, mass * (1 / nearness - far**-offset) / offset)
    fourth = (radius_4_mean, mass * (far ** (2 - offset) - bounded) / (2 - offset))
    build = ChainBuilder(
        "light-tail",
        "E t⁴/E t² under a truncated Pareto law of index α = 2 + β < 4, as its least radius falls to 0",
        LimitAtZero(fourth_share, nearness),
        definitions=[SHARE],
        hypotheses=[second, fourth],
        conditions=[remainder(bounded, nearness), nonzero(2 - offset)],
        uses=[moments],
    )
    build.substitute("as a quotient of moments", SHARE)
    build.substitute("moments, s^β = σ", second, fourth)
    return build.rewrite("limit", "limit", build.current, sympy.Integer(0)).done()


def unbounded_radius(remainders: Remainders, shell: Chain) -> tuple[Chain, Chain]:
    """The bias of a set of directions on a shell, and under mass s² at R = s^{−1/2}, the rest at s, over E t²."""
    build = ChainBuilder(
        "set-bias",
        "The share of a set of directions on the shell of radius t, less its share of all directions",
        Mean(indicator * shell.start) - Mean(indicator),
        remainders=remainders,
        definitions=[SET_COEFFICIENT],
        uses=[shell],
    )
    build.substitute("density relative to uniform", fact(shell))
    average = Mean(indicator * shell.conclusion)
    (error,) = (symbol for symbol in shell.conclusion.free_symbols if is_remainder(symbol))
    linear = Mean(indicator) + t**2 * SET_COEFFICIENT[1] + t**3 * Mean(error * indicator)
    build.rewrite("linearity of the average", "linearity", average, linear)
    build.tidy("collect", t**2 * SET_COEFFICIENT[1] + t**3 * Mean(error * indicator))
    build.substitute("the coefficient of the set", turned(SET_COEFFICIENT))
    on_shell = build.truncate("name the remainder", build.current, t, 2).done()
    distant = remainders()
    biases = (1 - scale**2) * At(on_shell.start, t, scale) + scale**2 * distant
    build = ChainBuilder(
        "unbounded-radius",
        "The bias of a set of directions under g = (1−s²)δ_s + s²δ_{1/√s} relative to E t², as s falls to 0",
        LimitAtZero(biases / ((1 - scale**2) * scale**2 + scale), scale),
        remainders=remainders,
        conditions=[remainder(distant, scale)],
        uses=[on_shell],
    )
    build.substitute("bias on a shell", fact(on_shell))
    build.evaluate("at the near radius s", At(on_shell.conclusion, t, scale))
    return on_shell, build.rewrite("limit", "limit", build.current, sympy.Integer(0)).done()
