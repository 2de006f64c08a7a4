r"""A unit-speed geodesic γ from p and its chord ξ = γ − p: symbols, and what holds at each of its points.

Vectors are taken at the moving point γ(s). Seen from there, p lies backward along the curve, so that
``ξ = s γ′ − ½ s² γ″ + …``; with ⟨γ′, γ′⟩ = 1 all along, ⟨ξ, γ″⟩ needs no more of the curve than F = |γ″|² near p, and
``t² = |ξ|²`` follows from ``(t²)″ = 2⟨γ′, γ′⟩ + 2⟨ξ, γ″⟩``.
"""

import sympy

from proofs.conditions import curve
from proofs.expressions import Dot, Primitive

s = sympy.Symbol("arclength", positive=True)
displacement, first, second, third = JETS = sympy.symbols("displacement gamma_1 gamma_2 gamma_3")
"""ξ, γ′, γ″, γ‴ at s."""
curvature_rate = sympy.Symbol("bending_rate", real=True)
"""F′ at s = 0, the derivative of F = |γ″|² along the geodesic."""
CURVE = curve(*JETS)
UNIT_SPEED = (Dot(first, first), sympy.Integer(1))
TWICE_INTEGRATED = (
    Dot(displacement, displacement),
    Primitive(Primitive(2 * Dot(first, first) + 2 * Dot(displacement, second), s), s),
)
"""t² is twice the integral of its second derivative, as both t² and its derivative vanish at s = 0."""
initial = sympy.Symbol("initial_acceleration")
"""γ″ at s = 0, which is II(v, v)."""
