r"""Where R(V) = (V/m + σ²)/(B V² + σ²) is largest: ambient noise against the spread V of a token.

dR/dV = (σ²/m − 2Bσ²V − BV²/m)/(BV² + σ²)² is 1/(mσ²) at V = 0 and changes its sign once, at
V* = σ/(√B (mσ√B + √(1 + m²σ²B))) = σ/√B − mσ² + O(σ³). See `proofs.frequency_alignment`: B = ⟨F⟩κ/(4(d−m)).
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import nonzero
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import LimitAtZero, Remainders, Slope, Zero
from proofs.symbols import ambient_dim, curvature_sq_mean, dim, kurtosis, noise_variance, variance

bending = sympy.Symbol("scaled_bending", positive=True)
"""B = ⟨F⟩κ/(4(d−m)), an inverse length squared."""
noise = sympy.Symbol("noise_scale", positive=True)
"""σ."""
codim = ambient_dim - dim


def variance_slope(law: Any) -> Chain:
    """dR/dV of the leading law."""
    shared = (curvature_sq_mean, 4 * codim * bending / kurtosis)
    ambient = (noise_variance, noise**2)
    build = ChainBuilder(
        "variance-slope",
        "How the ratio changes with the variance, to leading order",
        Slope(law, variance),
        hypotheses=[shared, ambient],
        conditions=[nonzero(codim)],
    )
    build.substitute("b κ and σ", shared, ambient)
    normal = bending * variance**2 + noise**2
    (curved,) = (part for part in build.current.atoms(sympy.Mul) if part.has(bending) and not part.has(noise))
    build.tidy("energy per normal dimension", bending * variance**2, curved)
    sign = noise**2 / dim - 2 * bending * noise**2 * variance - bending * variance**2 / dim
    return build.rewrite("derivative", "differentiation", build.current, sign / normal**2).done()


def tightest_tokens(slope: Chain) -> Chain:
    """dR/dV → 1/(mσ²) > 0 as V → 0."""
    build = ChainBuilder(
        "tightest-tokens",
        "How the ratio changes with the variance for the tightest tokens",
        LimitAtZero(slope.start, variance),
        uses=[slope],
    )
    build.substitute("the slope", fact(slope))
    return build.rewrite("limit", "limit", build.current, 1 / (dim * noise**2)).done()


def peak_variance(slope: Chain) -> Chain:
    """The only zero of dR/dV."""
    build = ChainBuilder(
        "peak-variance",
        "The variance at which the ratio is largest",
        Zero(slope.start, variance),
        uses=[slope],
    )
    build.substitute("the slope", fact(slope))
    root = sympy.sqrt(bending)
    peak = noise / (root * (dim * noise * root + sympy.sqrt(1 + dim**2 * noise**2 * bending)))
    return build.rewrite("the only zero", "zero", build.current, peak).done()


def small_noise_peak(remainders: Remainders, peak: Chain) -> Chain:
    """V* = σ/√(bκ) − mσ² + O(σ³)."""
    build = ChainBuilder(
        "small-noise-peak",
        "The variance at which the ratio is largest, for little noise",
        peak.start,
        remainders=remainders,
        uses=[peak],
    )
    build.substitute("the largest ratio", fact(peak))
    return build.truncate("expand in σ", build.current, noise, 2).done()
