"""Signs of Gaussian numbers, and of the components of a uniform unit vector (see `proofs.adam_step_cap`)."""

import sympy

from proofs.certificate import Chain
from proofs.conditions import gaussian, independent, nonzero
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import At, Expectation, Flow, Slope
from proofs.rules.gaussian import sign, size
from proofs.symbols import ambient_dim, correlation

x, y = sympy.symbols("gradient_1 gradient_2")
length = sympy.Symbol("gradient_norm", positive=True)
unit_1, unit_2 = sympy.symbols("unit_1 unit_2")
"""Two components of a uniform unit vector u."""
along = sympy.Symbol("along", positive=True)
"""⟨sgn u, u⟩ = Σ|u_i|."""


_ROOT = sympy.sqrt(1 - correlation**2)
DENSITY = sympy.exp(-(x**2 - 2 * correlation * x * y + y**2) / (2 * (1 - correlation**2))) / (2 * sympy.pi * _ROOT)
"""φ, of a Gaussian pair of unit variances."""


def plackett() -> tuple[Chain, Chain]:
    """∂φ/∂ρ = ∂²φ/∂x∂y, which the lemma `price` integrates over quadrants, and d/dρ (2/π) arcsin ρ = 4 φ(0, 0)."""
    build = ChainBuilder(
        "plackett",
        "The density of a Gaussian pair of unit variances: its derivative in the correlation less that in both numbers",
        Slope(DENSITY, correlation) - Slope(Slope(DENSITY, x), y),
        conditions=[nonzero(1 - correlation**2)],
    )
    build.rewrite("in x", "differentiation", Slope(DENSITY, x), sympy.diff(DENSITY, x))
    (mixed,) = (found for found in build.current.atoms(Slope) if found.args[1] == y)
    build.rewrite("in y", "differentiation", mixed, sympy.diff(mixed.args[0], y))
    build.rewrite("in ρ", "differentiation", Slope(DENSITY, correlation), sympy.diff(DENSITY, correlation))
    identity = build.tidy("they agree", sympy.Integer(0)).done()
    arcsine = Slope(2 * sympy.asin(correlation) / sympy.pi, correlation)
    build = ChainBuilder(
        "arcsine-slope",
        "The derivative of the arcsine law less four times the density where both numbers are 0",
        arcsine - 4 * At(At(DENSITY, x, 0), y, 0),
        conditions=[nonzero(1 - correlation**2)],
    )
    build.rewrite("differentiate", "differentiation", arcsine, 2 / (sympy.pi * _ROOT))
    for number in (x, y):
        (inner,) = (found for found in build.current.atoms(At) if found.args[1] == number)
        build.evaluate(f"at {number} = 0", inner)
    return identity, build.done()


def sign_correlation() -> Chain:
    """E[sgn x sgn y] = (2/π) arcsin ρ."""
    value, angle = sympy.symbols("sign_product angle")
    deviations = sympy.sqrt(Expectation(x**2)) * sympy.sqrt(Expectation(y**2))
    ratio = (correlation, Expectation(x * y) / deviations)
    sine = (angle, sympy.asin(correlation))
    build = ChainBuilder(
        "sign-correlation",
        "The expected product of the signs of two Gaussian components of a gradient",
        Expectation(sign(x) * sign(y)),
        definitions=[ratio, sine],
        conditions=[gaussian(x, y), nonzero(Expectation(x**2)), nonzero(Expectation(y**2))],
    )
    build.rewrite("Price's theorem", "price", build.current, Flow(2 / sympy.pi, value, 0, angle))
    build.rewrite("integrate from independence on", "flow", build.current, 2 * angle / sympy.pi)
    return build.substitute("the angle whose sine is the correlation", sine).done()


def components() -> tuple[Chain, ...]:
    """E|u_1||u_2| = 2/(πd) for a uniform unit vector u: the components of |g| u are Gaussian if E|g|² = d and so on."""
    polar = ((x, length * unit_1), (y, length * unit_2))
    variances = ((Expectation(x**2), sympy.Integer(1)), (Expectation(y**2), sympy.Integer(1)))
    uncorrelated = (Expectation(x * y), sympy.Integer(0))
    norm = (Expectation(length**2), ambient_dim)
    sizes = Expectation(size(x) * size(y))
    build = ChainBuilder(
        "gaussian-sizes",
        "The sizes of two components of a standard Gaussian vector",
        sizes,
        hypotheses=[*variances, uncorrelated],
        conditions=[gaussian(x, y), nonzero(Expectation(x**2)), nonzero(Expectation(y**2))],
    )
    deviations = sympy.sqrt(Expectation(x**2)) * sympy.sqrt(Expectation(y**2))
    build.rewrite("independent, half normal", "half-normal", sizes, 2 / sympy.pi * deviations)
    of_gaussian = build.substitute("unit variances", *variances).done()
    of_unit = Expectation(size(unit_1) * size(unit_2))
    build = ChainBuilder(
        "polar-coordinates",
        "The sizes of Gaussian components and those of their unit vector",
        sizes / ambient_dim,
        definitions=polar,
        hypotheses=[norm],
        conditions=[independent((length,), (unit_1, unit_2))],
    )
    build.substitute("z = |z| u", *polar)
    (expectation,) = build.current.atoms(Expectation)
    product = Expectation(length**2) * of_unit
    build.rewrite("|z| is independent of u", "independence", expectation, product)
    polar_form = build.substitute("E|z|² = d", norm).done()
    build = ChainBuilder(
        "unit-sizes",
        "The sizes of two components of a uniform unit vector",
        of_unit,
        uses=[of_gaussian, polar_form],
    )
    build.substitute("Gaussian components", turned(fact(polar_form)))
    return of_gaussian, polar_form, build.substitute("their sizes", fact(of_gaussian)).done()


def sign_alignment(unit_sizes: Chain) -> Chain:
    """E⟨sgn u, u⟩² = E(Σ|u_i|)² = 1 + 2(d−1)/π."""
    square = (Expectation(unit_1**2), 1 / ambient_dim)
    sizes = unit_sizes.start
    exchangeable = (Expectation(along**2), ambient_dim * square[0] + ambient_dim * (ambient_dim - 1) * sizes)
    build = ChainBuilder(
        "sign-alignment",
        "The mean square of the part of sgn u along u, for a uniform unit vector u in d dimensions",
        Expectation(along**2),
        hypotheses=[exchangeable, square],
        uses=[unit_sizes],
    )
    build.substitute("d squares and d(d−1) products, alike by symmetry", exchangeable)
    build.substitute("|u| = 1, and the sizes of two components", square, fact(unit_sizes))
    return build.tidy("collect", 1 + 2 * (ambient_dim - 1) / sympy.pi).done()
