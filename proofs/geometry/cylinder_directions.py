r"""Directions on the unit cylinder in R³, and their bias under radial laws: 45° against the straight one.

On a shell it is (q₄₅ − q₀)/⟨q⟩ = t²/8 + t⁴/64 + O(t⁵). With x = cos²θ, θ the angle from the curved direction,
|z| = 1 − √(1 − ρ² x) and √det g = 1/√(1 − ρ² x). Under a law with support in (0, R] the contrast is
E t² (1/8 + (1/64 + O(R)) E t⁴/E t²): for small R the constant is 1/8 = c(45°) − c(0) if and only if E t⁴/E t² → 0,
which for bounded t is E[t²; t > ε]/E t² → 0 for every ε, by ε² E[t²; t > ε] ≤ E t⁴ ≤ ε² E t² + R² E[t²; t > ε].
"""

import sympy

from proofs.certificate import Chain
from proofs.conditions import direction_free, remainder, sphere
from proofs.contractions import A, w
from proofs.expansion import ChainBuilder, expand, fact, turned
from proofs.expressions import At, Expectation, Inverse, Mean, Remainders, Slope, is_remainder, without_remainders
from proofs.geometry.projected_density import rho
from proofs.symbols import radius, radius_sq_mean

t = radius
x = sympy.Symbol("direction_cos_sq", nonnegative=True)
far = sympy.Symbol("R", positive=True)
"""The largest radius of a law."""
fourth_share = sympy.Symbol("fourth_share", positive=True)
"""E t⁴/E t²."""


def cylinder_contrast(remainders: Remainders) -> tuple[Chain, ...]:
    """Directions at 45° against the curved direction on the unit cylinder: (q₄₅ − q₀)/⟨q⟩ = t²/8 + t⁴/64 + O(t⁵).

    With x = cos²θ, θ the angle from the curved direction: |z| = 1 − √(1 − ρ² x) and √det g = 1/√(1 − ρ² x).
    """
    rise = 1 - sympy.sqrt(1 - rho**2 * x)
    build = ChainBuilder(
        "cylinder-radius",
        "The ambient radius on the unit cylinder",
        sympy.sqrt(rho**2 + rise**2),
        remainders=remainders,
    )
    radius_of = build.truncate("expand in ρ", build.current, rho, 5).done()
    abscissa = (rho, Inverse(radius_of.start, rho, t))
    build = ChainBuilder(
        "cylinder-abscissa",
        "The tangent part on the unit cylinder",
        abscissa[1],
        remainders=remainders,
        uses=[radius_of],
    )
    build.substitute("ambient radius", fact(radius_of))
    abscissa_of = build.invert("invert the series", build.current, 5).done()
    build = ChainBuilder(
        "cylinder-density",
        "The density of directions on the unit cylinder, x = cos²θ",
        (rho / t) * Slope(rho, t) / sympy.sqrt(1 - rho**2 * x),
        remainders=remainders,
        definitions=[abscissa],
        uses=[abscissa_of],
    )
    build.substitute("ρ is the abscissa at the ambient radius t", abscissa)
    build.substitute("its expansion", fact(abscissa_of))
    rate = expand(sympy.diff(without_remainders(abscissa_of.conclusion), t), t, 4) + remainders() * t**5
    build.rewrite("dρ/dt", "slope", Slope(abscissa_of.conclusion, t), rate, order=4)
    density = build.truncate("expand in t", build.current, t, 4).done()
    means = _cylinder_means()
    half, zero = (At(density.start, x, value) for value in (sympy.Rational(1, 2), sympy.Integer(0)))
    build = ChainBuilder(
        "cylinder-contrast",
        "Directions at 45° against the straight one, on the unit cylinder",
        (half - zero) / Mean(density.start),
        remainders=remainders,
        conditions=[direction_free(t)],
        uses=[density, means[0], means[-1]],
    )
    build.substitute("density of directions", fact(density))
    for part in sorted(build.current.atoms(At), key=str):
        build.evaluate(f"at x = {part.args[2]}", part)
    (average,) = build.current.atoms(Mean)
    (error,) = (symbol for symbol in density.conclusion.free_symbols if is_remainder(symbol))
    terms = sympy.Poly(density.conclusion, x, error).terms()
    linear = sum(weight * (Mean(x**i * error**j) if i + j else 1) for (i, j), weight in terms)
    build.rewrite("linearity of the average", "linearity", average, linear)
    build.substitute("averages over the circle", fact(means[0]), fact(means[-1]))
    contrast = build.truncate("expand in t", build.current, t, 4).done()
    return radius_of, abscissa_of, density, *means, contrast


def _cylinder_means() -> tuple[Chain, ...]:
    """⟨cos²θ⟩ = ½ and ⟨cos⁴θ⟩ = ⅜ over the circle: x = A_ij w_i w_j with a projector A on a line.

    The square is the product of x with a second name for it, whose indices are named otherwise.
    """
    i, j, k, q = sympy.symbols("i j k q")
    again = sympy.Symbol("direction_cos_sq_again")
    first, second = (x, A[i, j] * w[i] * w[j]), (again, A[k, q] * w[k] * w[q])
    projector = ((A[i, i], sympy.Integer(1)), (A[j, j], sympy.Integer(1)), (A[i, j] ** 2, sympy.Integer(1)))
    circle = sphere(sympy.Integer(2))
    build = ChainBuilder(
        "mean-cos-2", "Average of cos² over the circle", Mean(x), hypotheses=[first, *projector], conditions=[circle]
    )
    build.substitute("in components", first)
    build.rewrite("average by pairings", "isserlis", build.current, A[i, i] / 2)
    single = build.substitute("A is a projector of rank 1", *projector).done()
    build = ChainBuilder("cos-2-again", "The same under another name", again, definitions=[second], hypotheses=[first])
    build.substitute("in components", second)
    build.rewrite("other indices", "contraction", build.current, first[1])
    same = build.substitute("x", turned(first)).done()
    build = ChainBuilder("cos-4", "The product of the two is the square", Mean(x * again), uses=[same])
    product = build.substitute("they are the same", fact(same)).done()
    build = ChainBuilder(
        "mean-cos-4",
        "Average of cos⁴ over the circle",
        Mean(x**2),
        hypotheses=projector,
        conditions=[circle],
        uses=[product],
    )
    build.substitute("the square as a product", turned(fact(product)))
    build.substitute("in components", first, second)
    average = (A[i, i] * A[j, j] + 2 * A[i, j] ** 2) / 8
    build.rewrite("average by pairings", "isserlis", build.current, average)
    return single, same, product, build.substitute("A is a projector of rank 1", *projector).done()


def bounded_law(remainders: Remainders, contrast: Chain) -> Chain:
    """Under a law on (0, R] the contrast is E t² (1/8 + (1/64 + O(R)) E t⁴/E t²)."""
    (error,) = (symbol for symbol in contrast.conclusion.free_symbols if is_remainder(symbol))
    bound = remainders()
    second = (radius_sq_mean, Expectation(t**2))
    fourth = (Expectation(t**4), fourth_share * radius_sq_mean)
    rest = (Expectation(error * t**5), bound * far * fourth_share * radius_sq_mean)
    build = ChainBuilder(
        "bounded-law",
        "The contrast under a law with support in (0, R], relative to E t², on the unit cylinder",
        Expectation(contrast.start) / radius_sq_mean,
        definitions=[second],
        hypotheses=[fourth, rest],
        conditions=[remainder(bound, far)],
        uses=[contrast],
    )
    build.substitute("contrast on a shell", fact(contrast))
    (average,) = build.current.atoms(Expectation)
    linear = Expectation(t**2) / 8 + Expectation(t**4) / 64 + Expectation(error * t**5)
    build.rewrite("linearity", "linearity", average, linear)
    build.substitute("moments; t⁵ ≤ R t⁴", turned(second), fourth, rest)
    return build.tidy("divide", sympy.Rational(1, 8) + (sympy.Rational(1, 64) + bound * far) * fourth_share).done()
