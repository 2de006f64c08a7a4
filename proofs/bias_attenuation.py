r"""The bias of directions under a radial law g: proportional to the mean square radius, if g is concentrated enough.

On the shell of radius t the density relative to uniform is 1 + (c − ⟨c⟩) t² + O(t³); mixed over g it is
1 + (c − ⟨c⟩) E t² + O(E t³), with divergence ½ Var(c) (E t²)² from uniform.
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import deterministic, direction_free, remainder, sphere
from proofs.contractions import A, w
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, expand, fact, turned
from proofs.expressions import (
    At,
    Expectation,
    Inverse,
    LimitAtZero,
    Mean,
    Remainders,
    Slope,
    is_remainder,
    without_remainders,
)
from proofs.majorants import COEFFICIENT_SPREAD, at_range, shell_odd_tail, shell_tail
from proofs.symbols import (
    coefficient,
    coefficient_mean,
    coefficient_variance,
    curvature_bound,
    dim,
    normal_curvature_sq,
    radius,
    radius_4_mean,
    radius_sq_mean,
    shape_sq,
)

CLAIM = Claim(
    slug="bias-attenuation",
    title="Concentration around the base point attenuates the bias of directions",
    section="geometry",
    statements=(
        Statement(
            Form.AS_STATED,
            "As the radial law g concentrates at p, the bias of directions is (c − ⟨c⟩) E_g[t²](1 + o(1)).",
            (Hypothesis("concentration", "E_g[t²] → 0"),),
        ),
        Statement(
            Form.REPAIRED,
            "The density of directions relative to uniform is 1 + (c − ⟨c⟩) E_g[t²](1 + o(1)), and its divergence from "
            "uniform ½ Var(c) (E_g[t²])²(1 + o(1)).",
            (
                Hypothesis("support", "g has compact support within the range of the expansion"),
                Hypothesis("uniform integrability", "E_g[t²; t > ε]/E_g[t²] → 0 for every ε (E t³/E t² → 0 suffices)"),
                Hypothesis("shell", "given t, the direction is distributed as on the shell of radius t"),
            ),
        ),
    ),
)


e = sympy.Symbol("radius_scale", positive=True)
"""√(E t²)."""
eta = sympy.Symbol("tail_ratio", positive=True)
"""E t³/E t², which falls to 0 with √(E t²) when g is concentrated (else 0 is replaced by E[t²; t > ε]/E[t²] + ε)."""
t = radius
rho = sympy.Symbol("abscissa", positive=True)
x = sympy.Symbol("direction_cos_sq", nonnegative=True)


def derive() -> Derivation:
    """The derivation: the density on a shell, mixed over g, its divergence, and a two-point law as counterexample."""
    remainders = Remainders()
    imports = imported("curvature-bias/projected-volume", remainders)
    density = _density(imports[-1])
    shell = _shell(remainders, density)
    mixture = _mixture(remainders, shell)
    divergence = _divergence(remainders)
    cylinder = _cylinder(remainders)
    two_points = _two_points(remainders, cylinder[-1])
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, "two-point-law", (two_points.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "direction-density", (mixture.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "kl-divergence", (divergence.name,)),
    )
    chains = (density, shell, mixture, divergence, *cylinder, two_points)
    return Derivation(CLAIM, chains, findings, predictions(mixture, divergence), imports)


COEFFICIENT = (coefficient, shape_sq / 2 - (dim + 2) * normal_curvature_sq / 8)
"""c, for points uniform by volume and the direction of P_T ξ."""


def _density(projected: Chain) -> Chain:
    """q = 1 + c t² + O(t³) (`proofs.curvature_bias`), under a name."""
    density = (sympy.Symbol("density"), projected.start)
    build = ChainBuilder(
        "density",
        "The density of directions on the shell of radius t, relative to flat space",
        density[0],
        definitions=[density, COEFFICIENT],
        uses=[projected],
    )
    build.substitute("the density", density)
    build.substitute("its expansion (curvature-bias)", fact(projected))
    return build.substitute("c = S/2 − (m+2)F/8", turned(COEFFICIENT)).done()


def _shell(remainders: Remainders, density: Chain) -> Chain:
    """q/⟨q⟩ = 1 + (c − ⟨c⟩)t² + O(t³)."""
    average = (coefficient_mean, Mean(coefficient))
    relative = (sympy.Symbol("relative_density"), density.start / Mean(density.start))
    build = ChainBuilder(
        "shell-density",
        "The density of directions on the shell of radius t, relative to uniform",
        relative[0],
        remainders=remainders,
        definitions=[relative, average],
        conditions=[direction_free(t)],
        uses=[density],
    )
    build.substitute("relative to its average", relative)
    build.substitute("density relative to flat space", fact(density))
    (mean,) = build.current.atoms(Mean)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    build.rewrite("linearity of the average", "linearity", mean, 1 + Mean(coefficient) * t**2 + Mean(error) * t**3)
    build.substitute("⟨c⟩", turned(average))
    return build.truncate("expand in t", build.current, t, 2).done()


def _mixture(remainders: Remainders, shell: Chain) -> Chain:
    """E_g[q/⟨q⟩] = 1 + (c − ⟨c⟩) E t² + O(η E t²)."""
    (error,) = (symbol for symbol in shell.conclusion.free_symbols if is_remainder(symbol))
    bound = remainders()
    second = (Expectation(t**2), e**2)
    third = (Expectation(error * t**3), bound * eta * e**2)
    build = ChainBuilder(
        "direction-density",
        "The density of directions under the radial law g, relative to uniform",
        Expectation(shell.start),
        remainders=remainders,
        hypotheses=[second, third],
        conditions=[
            deterministic(coefficient, coefficient_mean, shape_sq, normal_curvature_sq, dim),
            remainder(bound, e),
        ],
        uses=[shell],
    )
    build.substitute("density on a shell", fact(shell))
    coefficient_2 = without_remainders(shell.conclusion).coeff(t, 2)
    linear = 1 + coefficient_2 * Expectation(t**2) + Expectation(error * t**3)
    build.rewrite("linearity", "linearity", build.current, linear)
    build.substitute("E t² = e², and E t³ = η e² times a bounded factor by uniform integrability", second, third)
    return build.tidy("collect", 1 + (coefficient - coefficient_mean) * e**2 + bound * eta * e**2).done()


def _divergence(remainders: Remainders) -> Chain:
    """⟨p log p⟩ = ½ Var(c) e⁴ + O(η e⁴) + O(e⁶) for p = 1 + e²(κ + η E), ⟨p⟩ = 1 and ⟨κ⟩ = 0, κ = c − ⟨c⟩."""
    density, error, deviation, excess = sympy.Symbol("p"), remainders(), *sympy.symbols("kappa b")
    form = (density, 1 + e**2 * excess)
    normalised = (Mean(excess), sympy.Integer(0))
    split = (excess, deviation + eta * error)
    variance = (coefficient_variance, Mean(deviation**2))
    build = ChainBuilder(
        "kl-divergence",
        "The divergence of the direction density from uniform",
        Mean(density * sympy.log(density)),
        remainders=remainders,
        definitions=[form, split, variance],
        hypotheses=[normalised],
        conditions=[direction_free(e, eta), remainder(error, e)],
    )
    build.substitute("p = 1 + e² b", form)
    (argument,) = build.current.args
    build.truncate("expand in e", argument, e, 5)
    (expanded,) = build.current.args
    (rest,) = (symbol for symbol in expanded.free_symbols if is_remainder(symbol))
    linear = e**2 * Mean(excess) + e**4 * Mean(excess**2) / 2 + e**6 * Mean(rest)
    build.rewrite("linearity of the average", "linearity", build.current, linear)
    build.substitute("p is normalised: ⟨b⟩ = 0", normalised)
    build.substitute("b = κ + O(η), κ = c − ⟨c⟩", split)
    square = Mean(deviation**2) + 2 * eta * Mean(deviation * error) + eta**2 * Mean(error**2)
    average = Mean(split[1] ** 2)
    build.rewrite("linearity of the average", "linearity", average, square)
    build.substitute("⟨κ²⟩ = Var(c)", turned(variance))
    return build.truncate("name the remainder", build.current, e, 4).done()


def _cylinder(remainders: Remainders) -> tuple[Chain, ...]:
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
        "Directions at 45° against those along the curvature, on the unit cylinder",
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


def _two_points(remainders: Remainders, contrast: Chain) -> Chain:
    """Under g = (1−s)δ_s + sδ_R the contrast over E t² tends to 1/8 + R²/64 + …: not to c(45°) − c(0) = 1/8."""
    scale, far = sympy.symbols("s R", positive=True)
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


def predictions(mixture: Chain, divergence: Chain) -> dict[str, Prediction]:
    """``direction-density`` relative to uniform, and ``kl-divergence`` from uniform (nats).

    Both remainders need K t ≤ `proofs.majorants.RANGE` on the support of g and dim ≤ 20; the density's holds for sets
    of directions symmetric under w → −w. For the divergence, p = 1 + ε with ε = (c − ⟨c⟩)E t² + even + odd,
    |even| ≤ B K⁴ E t⁴, |odd| ≤ O K³ E t³ ≤ O K³ √(E t² E t⁴), and |p log p − ε − ε²/2| ≤ |ε|³/(6(1 − |ε|)²); it
    needs |ε| ≤ ½.
    """
    scale = {e: sympy.sqrt(radius_sq_mean), eta: sympy.Integer(0)}
    density = without_remainders(mixture.conclusion.xreplace(scale))
    divergence_law = without_remainders(divergence.conclusion.xreplace(scale))
    even = at_range(shell_tail(), 4) * curvature_bound**4 * radius_4_mean
    odd = at_range(shell_odd_tail(), 3) * curvature_bound**3 * sympy.sqrt(radius_sq_mean * radius_4_mean)
    largest = COEFFICIENT_SPREAD * curvature_bound**2 * radius_sq_mean + even + odd
    spread = sympy.sqrt(coefficient_variance) * radius_sq_mean
    second_order = spread * even + even**2 / 2 + odd**2 / 2
    third_order = sympy.Rational(2, 3) * largest * ((spread + even) ** 2 + odd**2)
    return {
        "direction-density": Prediction("direction-density", density, Prediction("direction-density remainder", even)),
        "kl-divergence": Prediction(
            "kl-divergence", divergence_law, Prediction("kl-divergence remainder", second_order + third_order)
        ),
    }
