r"""Directions at a fixed ambient radius: the density of the direction of P_T ξ, as principal components see it.

Near p the manifold is the graph z of u = ρ w over T; its volume element √det g ρ^{m−1} dρ dw at ambient radius
t = √(ρ² + |z|²) has the density q(w, t) = √det g (ρ/t)^{m−1} dρ/dt against the flat t^{m−1} dt dw, and
q = 1 + c t² + O(t³) with c = S/2 − (m+2)F/8. The average over directions is the volume of a small extrinsic ball
(L. Karp, M. Pinsky, Bull. London Math. Soc. 21, 1989).
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.averages import mean_curvature, mean_shape
from proofs.certificate import Chain
from proofs.conditions import direction_free, remainder, vectors
from proofs.derivation import Derivation, Finding
from proofs.expansion import ChainBuilder, expand, fact
from proofs.expressions import (
    Dot,
    GramRoot,
    Inverse,
    Mean,
    Primitive,
    Remainders,
    Slope,
    is_remainder,
    without_remainders,
)
from proofs.majorants import density_tail
from proofs.symbols import (
    dim,
    normal_curvature_sq,
    radius,
    second_form_sq,
    shape_sq,
    trace_form_sq,
)

CLAIM = Claim(
    slug="curvature-bias",
    title="At a fixed radius the directions of a curved manifold are not uniform",
    section="geometry",
    statements=(
        Statement(
            Form.AS_STATED,
            "At a fixed radius around p, directions of high curvature are over-represented.",
            (Hypothesis("regularity", "M is a C³ submanifold, sampled uniformly by volume"),),
        ),
        Statement(
            Form.REPAIRED,
            "The direction of P_T ξ at ambient radius t has density 1 + (S/2 − (m+2)F/8) t² + O(t³) relative to flat "
            "space under the volume measure; the O(t³) is odd in the direction.",
            (
                Hypothesis("regularity", "M is of class C³"),
                Hypothesis("measure", "points are uniform by volume; the direction is that of P_T ξ"),
            ),
        ),
    ),
)


rho = sympy.Symbol("abscissa", positive=True)
height, jacobian = sympy.symbols("z J")
bending, shape = sympy.symbols("h_ww h_w")
"""h(w, w), a normal vector, and the matrix with rows h^a w."""
NORMAL_CURVATURE = (Dot(bending, bending), normal_curvature_sq)
SHAPE = (Dot(shape, shape), shape_sq)


def derive() -> Derivation:
    """The derivation by the Monge route, the ball's volume by averaging, and counterexamples to the claim as stated."""
    remainders = Remainders()
    radius_of, abscissa_of = _radius(remainders)
    volume = _volume_element(remainders)
    density = _density(remainders, volume, abscissa_of)
    means = (mean_curvature(), mean_shape())
    ball = _ball(remainders, density, means)
    surface, principal = _surface()
    reversed_order = _reversal()
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, "principal-directions", (density.name, surface.name, principal.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, "reversed-order", (density.name, reversed_order.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "projected-volume", (density.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "ball-volume", (ball.name,)),
    )
    chains = (radius_of, abscissa_of, volume, density, *means, ball, surface, principal, reversed_order)
    return Derivation(CLAIM, chains, findings, predictions(density, ball))


def _radius(remainders: Remainders) -> tuple[Chain, Chain]:
    """The ambient radius √(ρ² + |z|²) of a graph point, and its inverse ρ(t)."""
    error = remainders()
    taylor = (height, rho**2 / 2 * bending + rho**3 * error)
    build = ChainBuilder(
        "graph-radius",
        "The ambient radius of a graph point",
        sympy.sqrt(rho**2 + Dot(height, height)),
        remainders=remainders,
        definitions=[taylor],
        hypotheses=[NORMAL_CURVATURE],
        conditions=[vectors(height, bending), remainder(error, rho, 1, vector=True)],
    )
    build.substitute("Taylor expansion of the graph", taylor)
    squares = rho**4 / 4 * Dot(bending, bending) + rho**5 * Dot(bending, error) + rho**6 * Dot(error, error)
    (product,) = build.current.atoms(Dot)
    build.rewrite("bilinearity", "bilinearity", product, squares)
    build.substitute("F = |h(w, w)|²", NORMAL_CURVATURE)
    build.truncate("expand in ρ", build.current, rho, 3)
    radius_of = build.done()
    build = ChainBuilder(
        "abscissa",
        "The length of the tangent part at an ambient radius",
        Inverse(radius_of.start, rho, radius),
        remainders=remainders,
        uses=[radius_of],
    )
    build.substitute("ambient radius of a graph point", fact(radius_of))
    build.invert("invert the series", build.current, 3)
    return radius_of, build.done()


def _volume_element(remainders: Remainders) -> Chain:
    """√det g = √det(I + JᵀJ) = 1 + ½ S ρ² + O(ρ³) for the Jacobian J of the graph."""
    error = remainders()
    taylor = (jacobian, rho * shape + rho**2 * error)
    build = ChainBuilder(
        "volume-element",
        "The volume element of a graph",
        GramRoot(jacobian),
        remainders=remainders,
        definitions=[taylor],
        hypotheses=[SHAPE],
        conditions=[vectors(jacobian, shape), remainder(error, rho, vector=True)],
    )
    build.substitute("Taylor expansion of the Jacobian: row a is h^a w", taylor)
    expanded = build.current.args[0]
    into = 1 + Dot(expanded, expanded) / 2 + remainders() * rho**4
    build.rewrite(
        "Gram determinant to second order",
        "gram-determinant",
        build.current,
        into,
        variable=rho,
        order=3,
    )
    squares = rho**2 * Dot(shape, shape) + 2 * rho**3 * Dot(shape, error) + rho**4 * Dot(error, error)
    build.rewrite("bilinearity", "bilinearity", Dot(expanded, expanded), squares)
    build.substitute("S = Σ |h^a w|²", SHAPE)
    return build.truncate("expand in ρ", build.current, rho, 2).done()


def _density(remainders: Remainders, volume: Chain, abscissa_of: Chain) -> Chain:
    """The density of directions at ambient radius t, relative to flat space."""
    abscissa = (rho, abscissa_of.start)
    build = ChainBuilder(
        "projected-volume",
        "The density of the direction of P_T ξ at ambient radius t, relative to flat space",
        volume.start * (rho / radius) ** (dim - 1) * Slope(rho, radius),
        remainders=remainders,
        definitions=[abscissa],
        uses=[volume, abscissa_of],
    )
    build.substitute("volume element of a graph", fact(volume))
    build.substitute("ρ is the abscissa at the ambient radius t", abscissa)
    build.substitute("its expansion", fact(abscissa_of))
    rate = Slope(abscissa_of.conclusion, radius)
    polynomial = expand(sympy.diff(without_remainders(abscissa_of.conclusion), radius), radius, 2)
    build.rewrite("dρ/dt", "slope", rate, polynomial + remainders() * radius**3, order=2)
    build.truncate("expand in t", build.current, radius, 2)
    error = next(term for term in build.current.args if term.has(radius**3))
    statement = 1 + (shape_sq / 2 - (dim + 2) * normal_curvature_sq / 8) * radius**2 + error
    return build.tidy("collect", statement).done()


def _ball(remainders: Remainders, density: Chain, means: tuple[Chain, Chain]) -> Chain:
    """Vol(M ∩ B(p, t))/(ω_m t^m) = m t^{−m} ∫₀ᵗ τ^{m−1}⟨q⟩ dτ."""
    weight = dim - 1
    build = ChainBuilder(
        "ball-volume",
        "The volume of an extrinsic ball, relative to flat space",
        dim * radius**-dim * Primitive(radius**weight * Mean(density.start), radius),
        remainders=remainders,
        conditions=[direction_free(radius)],
        uses=[density, *means],
    )
    build.substitute("density of directions", fact(density))
    (average,) = build.current.atoms(Mean)
    (error,) = (symbol for symbol in density.conclusion.free_symbols if is_remainder(symbol))
    linear = 1 + (Mean(shape_sq) / 2 - (dim + 2) * Mean(normal_curvature_sq) / 8) * radius**2
    linear += Mean(error) * radius**3
    build.rewrite("linearity of the average", "linearity", average, linear)
    build.substitute("averages over directions", *map(fact, means))
    (integral,) = build.current.atoms(Primitive)
    coefficient_2 = (2 * second_form_sq - trace_form_sq) / (8 * dim)
    into = radius**dim / dim + coefficient_2 * radius ** (dim + 2) / (dim + 2) + remainders() * radius ** (dim + 3)
    build.rewrite("integrate term by term", "primitive", integral, into, order=2, weight=weight)
    error = next(symbol for symbol in into.free_symbols if is_remainder(symbol))
    statement = 1 + (2 * second_form_sq - trace_form_sq) * radius**2 / (8 * (dim + 2)) + dim * error * radius**3
    return build.tidy("collect", statement).done()


def _surface() -> tuple[Chain, Chain]:
    """A surface in R³ with principal curvatures κ₁, κ₂ at angle θ, x = sin²θ: c = (κ₁−κ₂)² sin²2θ/8.

    It vanishes at both principal directions and is positive between them: at the direction of the largest curvature
    the density is the least.
    """
    first, second = sympy.symbols("curvature_1 curvature_2", real=True)
    x = sympy.Symbol("direction_sin_sq", nonnegative=True)
    two = (dim, sympy.Integer(2))
    curvature = (normal_curvature_sq, (first * (1 - x) + second * x) ** 2)
    shapes = (shape_sq, first**2 * (1 - x) + second**2 * x)
    build = ChainBuilder(
        "surface",
        "The coefficient c of a surface in R³ (x = sin²θ, 4x(1−x) = sin²2θ)",
        shape_sq / 2 - (dim + 2) * normal_curvature_sq / 8,
        hypotheses=[two, curvature, shapes],
    )
    build.substitute("Euler's formula at angle θ", two, curvature, shapes)
    surface = build.tidy("factor", (first - second) ** 2 * 4 * x * (1 - x) / 8).done()
    build = ChainBuilder(
        "principal-directions",
        "c at the first principal direction, however large its curvature",
        surface.conclusion,
        hypotheses=[(x, sympy.Integer(0))],
    )
    return surface, build.substitute("θ = 0", (x, sympy.Integer(0))).done()


def _reversal() -> Chain:
    """A 3-manifold in R⁶ with h¹ = diag(−½, 1, 1), h²₁₂ = h³₁₃ = ¾: c + F/2 is the same in all directions."""
    x, y, z = sympy.symbols("x_1 x_2 x_3", nonnegative=True)  # squares of the components of the direction
    off_diagonal = sympy.Rational(3, 4)
    three = (dim, sympy.Integer(3))
    curvature = (normal_curvature_sq, (-x / 2 + y + z) ** 2 + (2 * off_diagonal) ** 2 * (x * y + x * z))
    shapes = (shape_sq, x / 4 + y + z + off_diagonal**2 * (x + y) + off_diagonal**2 * (x + z))
    unit = (z, 1 - x - y)
    build = ChainBuilder(
        "reversed-order",
        "A 3-manifold in R⁶ where c falls as F grows: c + F/2 is constant",
        shape_sq / 2 - (dim + 2) * normal_curvature_sq / 8 + normal_curvature_sq / 2,
        hypotheses=[three, curvature, shapes, unit],
    )
    build.substitute("F = Σ (h^a(v,v))² and S = Σ |h^a v|², x_i = v_i²", three, curvature, shapes)
    build.substitute("unit directions", unit)
    return build.tidy("collect", sympy.Rational(21, 32)).done()


def predictions(density: Chain, ball: Chain) -> dict[str, Prediction]:
    """The coefficient c(v) (``projected-volume``) and the ``ball-volume``.

    - ``projected-volume``: c(v), an inverse length squared: the excess of directions is c(v) t². Its remainder (which
      has the symbol radius) bounds |(q − 1)/t² − c|.
    - ``ball-volume``: Vol(M ∩ B(p, t))/(ω_m t^m).

    The remainders hold for sets of directions symmetric under w → −w (the odd t³ term cancels), exactly so for the
    ball, and for K t ≤ `proofs.majorants.RANGE`.
    """
    tail = density_tail(4, step=2)
    laws = {
        density.name: (without_remainders(density.conclusion).coeff(radius, 2), tail / radius**2),
        ball.name: (without_remainders(ball.conclusion), tail * dim / (dim + 4)),
    }
    return {name: Prediction(name, law, Prediction(f"{name} remainder", bound)) for name, (law, bound) in laws.items()}
