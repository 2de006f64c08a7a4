r"""The bias of directions under a radial law g: proportional to the mean square radius, if g is concentrated enough.

On the shell of radius t the density relative to uniform is 1 + (c − ⟨c⟩) t² + O(t³); mixed over g it is
1 + (c − ⟨c⟩) E t² + O(E t³), with divergence ½ Var(c) (E t²)² from uniform. That E t³/E t² → 0 is sufficient; what is
necessary is E[t²; t > ε]/E t² → 0 for every ε: with it the remainder O(t³) mixes to O(ε E t² + E[t²; t > ε]), and on
the unit cylinder the constant is another without it (`proofs.geometry.cylinder_directions`; the two inequalities
between this condition and E t⁴/E t² → 0 are stated there, not derived in steps). Laws that fail:
`proofs.geometry.radial_failures`.
"""

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import deterministic, direction_free, remainder
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import (
    Expectation,
    Mean,
    Remainders,
    is_remainder,
    without_remainders,
)
from proofs.geometry.cylinder_directions import bounded_law, cylinder_contrast
from proofs.geometry.radial_failures import truncated_pareto, two_points, unbounded_radius
from proofs.geometry.radial_instances import instances
from proofs.majorants import BOUND, COEFFICIENT_SPREAD, SYMMETRIC_BOUND, at_range, shell_odd_tail, shell_tail
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
            "uniform ½ Var(c) (E_g[t²])²(1 + o(1)). For bounded radii uniform integrability can't be weakened: on the "
            "unit cylinder, for support in (0, R] with R small, the constant is right only with it.",
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


def derive() -> Derivation:
    """The derivation: the density on a shell, mixed over g, its divergence, and a two-point law as counterexample."""
    remainders = Remainders()
    imports = imported("curvature-bias/projected-volume", remainders)
    density = _density(imports[-1])
    shell = _shell(remainders, density)
    mixture = _mixture(remainders, shell)
    divergence = _divergence(remainders)
    cylinder = cylinder_contrast(remainders)
    bounded = bounded_law(remainders, cylinder[-1])
    pair = two_points(remainders, cylinder[-1])
    moments, heavy, light = truncated_pareto(remainders)
    on_set, unbounded = unbounded_radius(remainders, shell)
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, pair.name, (bounded.name, pair.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, heavy.name, (bounded.name, heavy.name)),
        Finding(Form.AS_STATED, Verdict.REFUTES, unbounded.name, (unbounded.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "necessity", (bounded.name, heavy.name, light.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "direction-density", (mixture.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "kl-divergence", (divergence.name,)),
    )
    failures = (bounded, pair, moments, heavy, light, on_set, unbounded)
    chains = (density, shell, mixture, divergence, *cylinder, *failures)
    objects = instances({chain.name: chain for chain in chains})
    return Derivation(CLAIM, chains, findings, predictions(mixture, divergence), imports, objects)


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
        "direction-density": Prediction(
            "direction-density", density, Prediction("direction-density remainder", even, note=SYMMETRIC_BOUND)
        ),
        "kl-divergence": Prediction(
            "kl-divergence",
            divergence_law,
            Prediction("kl-divergence remainder", second_order + third_order, note=BOUND),
        ),
    }
