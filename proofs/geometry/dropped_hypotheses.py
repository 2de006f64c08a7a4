r"""What becomes of |P_N ξ| = ½√F t² + O(t³) where one of its hypotheses is dropped.

- M only C², where γ″ moves by at most ω(s) on [0, s]: ``P_N ξ = s²(½ II(v, v) + ω e)`` with |e| ≤ ½, and ω falls to 0
  with s: |P_N ξ|/s² falls to ½√F still. (On a C^{1,1} one γ″ is bounded, and P_N ξ = O(s²) has no coefficient.)
- M only C^{1,α}: over the graph z = ρ^{1+α}, ``d log z/d log t = (1+α)(1+w)/(1+(1+α)w)`` with w = ρ^{2α}, which falls
  to 1 + α.
- T not tangent to the sheet that x lies on, or tangent at another point: ``P_N ξ = s P_N γ′ + O(s²)`` is of order t.
  Where γ′ is in T after all (T the sum of two tangent spaces, or common to both sheets) it is of order t² again. At a
  point moved by h along M the normal part of γ′ is ``h |II(w, v)| + O(h²)``.
- A centre p − e off M, so that the displacement is ξ_e = ξ + e: |P_N ξ_e| = |P_N e| + O(t²).
- Noise ε with E|P_N ε|² = σ²: E|P_N(ξ + ε)|² = F t⁴/4 + σ² + O(t⁵), flat below the t with ½√F t² = σ.
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import centred, deterministic, independent, remainder, vectors
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import (
    At,
    Dot,
    Expectation,
    LimitAtZero,
    Norm,
    NormalPart,
    Remainders,
    Slope,
    Zero,
    is_remainder,
    without_remainders,
)
from proofs.geometry.chord_continuity import oscillation
from proofs.geometry.curve_jets import displacement, initial, s
from proofs.symbols import normal_curvature_sq, radius

holder_exponent = sympy.Symbol("holder_exponent", positive=True)
"""α of a graph of class C^{1,α}."""
tilt = sympy.Symbol("tilt", positive=True)
"""|P_N γ′| = sin θ for the angle θ of the direction of x with T."""
bend = sympy.Symbol("bend", positive=True)
"""κ = |P_N γ″|, which is √F where γ is a geodesic and N normal to M at p; or |II(w, v)|."""
normal_offset = sympy.Symbol("normal_offset", positive=True)
"""b = |P_N e| of a centre p − e."""
normal_noise = sympy.Symbol("normal_noise", positive=True)
"""σ, where E|P_N ε|² = σ²."""
shift = sympy.Symbol("shift", positive=True)
"""h, how far along M the centre is moved."""
_rho = sympy.Symbol("abscissa", positive=True)
_w = sympy.Symbol("steepness", positive=True)
_velocity, _acceleration, _offset, _turning = sympy.symbols("normal_velocity normal_acceleration offset_normal turning")
_shifted, _moved, _clean, _noise = sympy.symbols("shifted moved_velocity clean_normal normal_noise_vector")
_ratio = sympy.Symbol("normal_ratio")
"""P_N ξ/s²."""


def dropped(remainders: Remainders, arclength_of: Chain, normal: Chain) -> dict[str, Chain]:
    """The chains by name; `arclength_of` gives s at an ambient radius, `normal` the normal part with all hypotheses."""
    local = _local_exponent()
    chains = (
        local,
        _rough_exponent(local),
        _where_c2(remainders),
        *_straight(remainders, normal),
        _along(remainders, "tilted-space", "a direction out of T", 1, _velocity, tilt, arclength_of),
        _along(remainders, "direction-within", "a direction in T", 2, _acceleration, bend, arclength_of),
        _moved_centre(remainders),
        _centre_off(remainders, arclength_of),
        *_noisy(remainders, normal),
    )
    return {chain.name: chain for chain in chains}


def _local_exponent() -> Chain:
    """d log z/d log t along z = ρ^{1+α}, with t² = ρ² + z²."""
    height = _rho ** (1 + holder_exponent)
    square = _rho**2 + _rho ** (2 + 2 * holder_exponent)
    build = ChainBuilder(
        "rough-local-exponent",
        "The local exponent of the height of ρ^{1+α} in its ambient radius",
        2 * Slope(height, _rho) / height * square / Slope(square, _rho),
    )
    for part in (Slope(height, _rho), Slope(square, _rho)):
        build.rewrite("differentiate", "differentiation", part, sympy.diff(part.args[0], _rho))
    rise = _rho ** (2 * holder_exponent)
    return build.tidy("divide by ρ²", (1 + holder_exponent) * (1 + rise) / (1 + (1 + holder_exponent) * rise)).done()


def _rough_exponent(local: Chain) -> Chain:
    """Its limit 1 + α."""
    abscissa = _w ** (1 / (2 * holder_exponent))
    build = ChainBuilder(
        "rough-exponent",
        "The exponent of the normal part on the graph of ρ^{1+α}",
        LimitAtZero(At(local.start, _rho, abscissa), _w),
        uses=[local],
    )
    build.substitute("the local exponent", fact(local))
    build.evaluate("at ρ = w^{1/(2α)}", At(local.conclusion, _rho, abscissa))
    return build.rewrite("w falls to 0 with ρ", "limit", build.current, 1 + holder_exponent).done()


def _where_c2(remainders: Remainders) -> Chain:
    """|P_N ξ|/s² comes as near to ½√F as ω is to 0."""
    error = remainders()
    taylor = (_ratio, initial / 2 + oscillation * error)
    norm = (Norm(initial), sympy.sqrt(normal_curvature_sq))
    build = ChainBuilder(
        "normal-where-c2",
        "The normal part divided by s² where γ″ is only continuous",
        LimitAtZero(Norm(_ratio), oscillation),
        remainders=remainders,
        definitions=[taylor],
        hypotheses=[norm],
        conditions=[vectors(_ratio, initial), remainder(error, oscillation, vector=True)],
    )
    build.substitute("Taylor's expansion of P_N γ", taylor)
    into = Norm(initial) / 2 + remainders() * oscillation
    build.rewrite("triangle inequality", "triangle", build.current.args[0], into, variable=oscillation, order=0)
    build.substitute("|II(v, v)| = √F", norm)
    return build.rewrite("limit", "limit", build.current, norm[1] / 2).done()


def _straight(remainders: Remainders, normal: Chain) -> tuple[Chain, Chain]:
    """F = 0: |P_N ξ| = O(t³), hence o(t²)."""
    flat = At(normal.start, normal_curvature_sq, sympy.Integer(0))
    build = ChainBuilder(
        "straight-direction",
        "The normal part in a direction of curvature 0",
        flat,
        remainders=remainders,
        uses=[normal],
    )
    build.substitute("the normal part", fact(normal))
    build.evaluate("F = 0", build.current)
    found = build.done()
    build = ChainBuilder(
        "straight-limit",
        "In a direction of curvature 0 the normal part is o(t²)",
        LimitAtZero(flat / radius**2, radius),
        remainders=remainders,
        uses=[found],
    )
    build.substitute("the normal part there", fact(found))
    return found, build.rewrite("limit", "limit", build.current, sympy.Integer(0)).done()


def _along(
    remainders: Remainders, name: str, what: str, order: int, leading: Any, size: Any, arclength_of: Chain
) -> Chain:
    """|P_N ξ| = size · t^order/order! + O(t^{order+1}) where its first derivative that is not 0 is `leading`."""
    error = remainders()
    power = s**order / sympy.factorial(order)
    taylor = (NormalPart(displacement), power * leading + s ** (order + 1) * error)
    norm = (Norm(leading), size)
    build = ChainBuilder(
        name,
        f"The normal part in {what} is of order {order}",
        Norm(NormalPart(displacement)),
        remainders=remainders,
        definitions=[(s, arclength_of.start)],
        hypotheses=[taylor, norm],
        conditions=[vectors(leading), remainder(error, s, vector=True)],
        uses=[arclength_of],
    )
    build.substitute("Taylor expansion of P_N γ", taylor)
    into = power * Norm(leading) + remainders() * s ** (order + 1)
    build.rewrite("triangle inequality", "triangle", build.current, into, variable=s, order=order)
    build.substitute("the length of its leading term", norm)
    return _in_radius(build, arclength_of, order)


def _in_radius(build: ChainBuilder, arclength_of: Chain, order: int) -> Chain:
    build.substitute("s is the arclength at the ambient radius t", (s, arclength_of.start))
    build.substitute("its expansion (chord-arc)", fact(arclength_of))
    return build.truncate("expand in t", build.current, radius, order).done()


def _moved_centre(remainders: Remainders) -> Chain:
    """|P_N γ′| = h |II(w, v)| + O(h²) at the point moved by h in the direction w, N that of the first point."""
    error = remainders()
    taylor = (NormalPart(_moved), shift * _turning + shift**2 * error)
    norm = (Norm(_turning), bend)
    build = ChainBuilder(
        "moved-centre",
        "The normal part of a tangent vector at a point moved along M",
        LimitAtZero(Norm(NormalPart(_moved)) / shift, shift),
        remainders=remainders,
        hypotheses=[taylor, norm],
        conditions=[vectors(_moved, _turning), remainder(error, shift, vector=True)],
    )
    build.substitute("a tangent vector field along the way turns by II(w, v)", taylor)
    part = build.current.args[0] * shift
    into = shift * Norm(_turning) + remainders() * shift**2
    build.rewrite("triangle inequality", "triangle", part, into, variable=shift, order=1)
    build.substitute("|II(w, v)|", norm)
    return build.rewrite("limit", "limit", build.current, bend).done()


def _centre_off(remainders: Remainders, arclength_of: Chain) -> Chain:
    """|P_N(ξ + e)| = |P_N e| + O(t²)."""
    error = remainders()
    taylor = (NormalPart(_shifted), _offset + s**2 * error)
    norm = (Norm(_offset), normal_offset)
    build = ChainBuilder(
        "centre-off",
        "The normal part measured from a centre off M",
        Norm(NormalPart(_shifted)),
        remainders=remainders,
        definitions=[(s, arclength_of.start)],
        hypotheses=[taylor, norm],
        conditions=[vectors(_shifted, _offset), remainder(error, s, vector=True)],
        uses=[arclength_of],
    )
    build.substitute("P_N ξ = O(s²)", taylor)
    into = Norm(_offset) + remainders() * s**2
    build.rewrite("triangle inequality", "triangle", build.current, into, variable=s, order=1)
    build.substitute("the length of P_N e", norm)
    return _in_radius(build, arclength_of, 1)


def _noisy(remainders: Remainders, normal: Chain) -> tuple[Chain, Chain, Chain]:
    """E|P_N(ξ + ε)|² = F t⁴/4 + σ² + O(t⁵), its limit σ², and the t at which ½√F t² = σ."""
    part, variance = (Dot(_clean, _clean), normal.start**2), (Expectation(Dot(_noise, _noise)), normal_noise**2)
    whole = Dot(_clean + _noise, _clean + _noise)
    build = ChainBuilder(
        "noisy-normal",
        "The mean square of the normal part with ambient noise",
        Expectation(whole),
        remainders=remainders,
        hypotheses=[part, variance],
        conditions=[
            vectors(_clean, _noise),
            deterministic(_clean),
            independent((_clean,), (_noise,)),
            centred(_noise),
        ],
        uses=[normal],
    )
    mixed = Dot(_clean, _noise)
    build.rewrite("bilinearity", "bilinearity", whole, Dot(_clean, _clean) + 2 * mixed + Dot(_noise, _noise))
    into = Dot(_clean, _clean) + 2 * Expectation(mixed) + Expectation(Dot(_noise, _noise))
    build.rewrite("linearity", "linearity", build.current, into)
    build.rewrite("noise is independent and centred", "independence", Expectation(mixed), sympy.Integer(0))
    build.substitute("|P_N ξ|², and E|P_N ε|² = σ²", part, variance)
    build.substitute("the normal part", fact(normal))
    build.truncate("expand in t", build.current, radius, 4)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    square = build.tidy("collect", normal_noise**2 + normal_curvature_sq * radius**4 / 4 + error * radius**5).done()
    build = ChainBuilder(
        "noise-floor",
        "The mean square of the normal part falls to that of the noise",
        LimitAtZero(square.start, radius),
        remainders=remainders,
        uses=[square],
    )
    build.substitute("its expansion", fact(square))
    floor = build.rewrite("limit", "limit", build.current, normal_noise**2).done()
    curvature = (normal_curvature_sq, bend**2)
    build = ChainBuilder(
        "noise-crossover",
        "The radius at which the normal part without noise is as large as the noise",
        Zero(without_remainders(normal.conclusion) - normal_noise, radius),
        definitions=[curvature],
    )
    build.substitute("√F > 0", curvature)
    into = sympy.sqrt(2 * normal_noise / bend)
    return square, floor, build.rewrite("solve for t", "zero", build.current, into).done()
