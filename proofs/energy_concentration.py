r"""Energy of per-token gradients: concentrated in the tangent space like t⁻².

A per-token gradient is δ ξᵀ. With δ, ξ and ambient noise independent, the energy per dimension in T over the one in N
is (E t²/m + σ²)/(⟨F⟩E t⁴/(4(d−m)) + σ²). The null: Haar rank-k subspaces of an n-dimensional complement.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.averages import mean_curvature
from proofs.certificate import Chain, Equation
from proofs.conditions import Condition, centred, deterministic, independent, nonzero, remainder, vectors
from proofs.derivation import Derivation, Finding, imported
from proofs.energy.haar_moments import null_moments
from proofs.energy.noisy_sphere import noisy_sphere
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import (
    Dot,
    Expectation,
    LimitAtZero,
    Mean,
    Remainders,
    is_remainder,
    without_remainders,
)
from proofs.geometry.projected_density import NORMAL_CURVATURE, bending, height, rho
from proofs.majorants import BOUND, at_range, normal_energy_tail
from proofs.symbols import (
    ambient_dim,
    curvature_bound,
    curvature_sq_mean,
    dim,
    noise_variance,
    normal_curvature_sq,
    radius,
    radius_4_mean,
    radius_6_mean,
    radius_sq_mean,
)

CLAIM = Claim(
    slug="energy-concentration",
    title="Gradient energy concentrates in the tangent space",
    section="energy",
    statements=(
        Statement(
            Form.AS_STATED,
            "The closer tokens are to their centre, the more their gradient energy concentrates in tangent directions.",
            (Hypothesis("regularity", "tokens lie near a C³ submanifold"),),
        ),
        Statement(
            Form.REPAIRED,
            "R = (E t²/m + σ²)/(⟨F⟩ E t⁴/(4(d−m)) + σ²) to leading order: it grows like t⁻² without ambient noise, and "
            "falls back to 1 below t ~ √(σ/√b), b = ⟨F⟩/(4(d−m)), with it.",
            (
                Hypothesis("independence", "output gradient, displacement and noise are independent"),
                Hypothesis("centre", "p is the point that the gradient's input is measured from"),
                Hypothesis("moments", "E t⁴/(E t²)² and E t⁶/(E t² E t⁴) stay bounded as E t² → 0, and ⟨F⟩ > 0"),
            ),
        ),
    ),
)


delta = sympy.Symbol("output_gradient")
tangent, normal = sympy.symbols("x_T x_N")
"""The tangent and normal parts of the input, measured from p, noise included."""
clean_tangent, clean_normal = sympy.symbols("xi_T xi_N")
noise_tangent, noise_normal = sympy.symbols("epsilon_T epsilon_N")
t = radius
e = sympy.Symbol("radius_scale", positive=True)
second_moment, fourth_moment = sympy.symbols("mu_2 mu_4", positive=True)


def derive() -> Derivation:
    """The derivation: energies per dimension, their ratio, its law without and with noise, and the null's moments."""
    remainders = Remainders()
    imports = imported("bias-attenuation/shell-density", remainders)
    curvature = _curvature(remainders, imports[-1])
    graph = {chain.name: chain for chain in imports}
    (taylor,) = graph["curvature-bias/graph-radius"].definitions
    square = _normal_square(remainders, taylor, graph["curvature-bias/abscissa"])
    normal_energy = _normal_energy(remainders, curvature, square)
    tangent_energy = _tangent_energy(remainders)
    ratio = _ratio(normal_energy, tangent_energy)
    law = _noise_free_law(remainders, ratio)
    limit = _noisy_limit(ratio)
    null = null_moments()
    average = mean_curvature()
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, "noisy-limit", (limit.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "energy-ratio", (ratio.name, law.name, limit.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, average.name, (average.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "null-mean", ("trace", "null-mean")),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "null-variance", tuple(chain.name for chain in null)),
    )
    chains = (average, curvature, square, normal_energy, tangent_energy, ratio, law, limit, *null)
    laws = predictions(ratio, average, null)
    instance = noisy_sphere(limit, laws[ratio.name])
    return Derivation(CLAIM, chains, findings, laws, imports, (instance,))


MEAN_CURVATURE = (curvature_sq_mean, Mean(normal_curvature_sq))
FOURTH = (radius_4_mean, Expectation(t**4))
SECOND = (radius_sq_mean, Expectation(t**2))


def _curvature(remainders: Remainders, shell: Chain) -> Chain:
    """The mean of F over the shell of radius t, where the density is 1 + O(t²) (`proofs.bias_attenuation`)."""
    build = ChainBuilder(
        "shell-curvature",
        "The average of F over the directions on a shell",
        Mean(normal_curvature_sq * shell.start),
        remainders=remainders,
        definitions=[MEAN_CURVATURE],
        uses=[shell],
    )
    build.substitute("density relative to uniform (bias-attenuation)", fact(shell))
    build.truncate("to order t", shell.conclusion, t, 1)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    linear = Mean(normal_curvature_sq) + t**2 * Mean(normal_curvature_sq * error)
    build.rewrite("linearity of the average", "linearity", build.current, linear)
    build.substitute("⟨F⟩", turned(MEAN_CURVATURE))
    return build.truncate("name the remainder", build.current, t, 1).done()


def _normal_square(remainders: Remainders, taylor: Equation, abscissa_of: Chain) -> Chain:
    """|ξ_N|² = F t⁴/4 + O(t⁵): the height of the graph over T, from the abscissa of `proofs.curvature_bias`."""
    abscissa = (rho, abscissa_of.start)
    height_of = (clean_normal, height)
    build = ChainBuilder(
        "normal-square",
        "Square of the normal part",
        Dot(clean_normal, clean_normal),
        remainders=remainders,
        definitions=[height_of, abscissa],
        conditions=[vectors(clean_normal)],
        uses=[abscissa_of],
    )
    build.substitute("the height of the graph over T", height_of)
    build.substitute("its Taylor expansion", taylor)
    (product,) = build.current.atoms(Dot)
    (error,) = (symbol for symbol in build.current.free_symbols if is_remainder(symbol))
    squares = rho**4 / 4 * Dot(bending, bending) + rho**5 * Dot(bending, error) + rho**6 * Dot(error, error)
    build.rewrite("bilinearity", "bilinearity", product, squares)
    build.substitute("F = |h(w, w)|²", NORMAL_CURVATURE)
    build.substitute("ρ is the abscissa at the ambient radius t", abscissa)
    build.substitute("its expansion", fact(abscissa_of))
    return build.truncate("expand in t", build.current, t, 4).done()


def _add_noise(build: ChainBuilder, split: Equation, clean: sympy.Symbol, noise: sympy.Symbol) -> None:
    """E|ξ + ε|² = E|ξ|² + E|ε|² for independent ξ and centred ε."""
    build.substitute("displacement and noise", split)
    (product,) = build.current.atoms(Dot)
    squares = Dot(clean, clean) + 2 * Dot(*sorted((clean, noise), key=str)) + Dot(noise, noise)
    build.rewrite("bilinearity", "bilinearity", product, squares)
    terms = (Dot(clean, clean), Dot(*sorted((clean, noise), key=str)), Dot(noise, noise))
    linear = Expectation(terms[0]) + 2 * Expectation(terms[1]) + Expectation(terms[2])
    build.rewrite("linearity", "linearity", build.current, linear)
    build.rewrite("noise is independent and centred", "independence", Expectation(terms[1]), sympy.Integer(0))


def _noisy(clean: sympy.Symbol, noise: sympy.Symbol, whole: sympy.Symbol) -> list[Condition]:
    return [vectors(clean, noise, whole), independent((clean,), (noise,)), centred(noise)]


def _normal_energy(remainders: Remainders, curvature: Chain, square: Chain) -> Chain:
    """E|x_N|² with independent centred noise of variance σ² per dimension."""
    codim = ambient_dim - dim
    bound, rest = remainders(), remainders()
    (error,) = _remainders(square)
    (shell_error,) = _remainders(curvature)
    tower = (Expectation(normal_curvature_sq * t**4), Expectation(t**4 * curvature.start))
    moments = (
        (Expectation(error * t**5), bound * e * radius_4_mean),
        (Expectation(shell_error * t**6), rest * e**2 * radius_4_mean),
    )
    split = (normal, clean_normal + noise_normal)
    noise = (Expectation(Dot(noise_normal, noise_normal)), codim * noise_variance)
    build = ChainBuilder(
        "normal-energy",
        "Mean square of the normal part",
        Expectation(Dot(normal, normal)),
        definitions=[split, FOURTH],
        hypotheses=[noise, tower, *moments],
        conditions=[
            *_noisy(clean_normal, noise_normal, normal),
            deterministic(Mean(normal_curvature_sq)),
            remainder(bound, e),
            remainder(rest, e),
        ],
        uses=[curvature, square],
    )
    _add_noise(build, split, clean_normal, noise_normal)
    build.substitute("noise per normal dimension; |ξ_N|² = F t⁴/4 + O(t⁵)", noise, fact(square))
    linear = Expectation(normal_curvature_sq * t**4) / 4 + Expectation(error * t**5)
    build.rewrite("linearity", "linearity", Expectation(square.conclusion), linear)
    build.substitute("condition on the radius", tower)
    build.substitute("average of F over a shell", fact(curvature))
    inner = Expectation(t**4 * curvature.conclusion)
    linear = curvature_sq_mean * Expectation(t**4) + Expectation(shell_error * t**6)
    build.rewrite("linearity", "linearity", inner, linear)
    return build.substitute("moments of a radius of scale e", turned(FOURTH), *moments).done()


def _tangent_energy(remainders: Remainders) -> Chain:
    """E|x_T|² with independent centred noise of variance σ² per dimension."""
    pythagoras = (Dot(clean_tangent, clean_tangent), t**2 - Dot(clean_normal, clean_normal))
    split = (tangent, clean_tangent + noise_tangent)
    noise = (Expectation(Dot(noise_tangent, noise_tangent)), dim * noise_variance)
    bounded = remainders()
    fourth_order = (Expectation(Dot(clean_normal, clean_normal)), bounded * radius_4_mean)
    build = ChainBuilder(
        "tangent-energy",
        "Mean square of the tangent part",
        Expectation(Dot(tangent, tangent)),
        definitions=[split, SECOND, FOURTH],
        hypotheses=[noise, pythagoras, fourth_order],
        conditions=[
            *_noisy(clean_tangent, noise_tangent, tangent),
            vectors(clean_normal),
            remainder(bounded, e),
        ],
    )
    _add_noise(build, split, clean_tangent, noise_tangent)
    build.substitute("noise per tangent dimension; Pythagoras", noise, pythagoras)
    linear = Expectation(t**2) - Expectation(Dot(clean_normal, clean_normal))
    build.rewrite("linearity", "linearity", Expectation(pythagoras[1]), linear)
    return build.substitute("E|ξ_N|² is of the order of E t⁴", turned(SECOND), fourth_order).done()


def _ratio(normal_energy: Chain, tangent_energy: Chain) -> Chain:
    """The ratio of energies per dimension of δ xᵀ: |δ (P x)ᵀ|² = |δ|² |P x|²."""
    codim = ambient_dim - dim
    square = Dot(delta, delta)
    energies = [Expectation(square * Dot(part, part)) for part in (tangent, normal)]
    build = ChainBuilder(
        "energy-ratio",
        "Energy per tangent dimension over energy per normal dimension of the gradient δ xᵀ",
        (energies[0] / dim) / (energies[1] / codim),
        conditions=[
            vectors(delta),
            independent((delta,), (tangent, normal)),
            *map(nonzero, (Expectation(square), Expectation(Dot(normal, normal)), normal_energy.conclusion, codim)),
        ],
        uses=[normal_energy, tangent_energy],
    )
    for part, energy in zip((tangent, normal), energies, strict=True):
        into = Expectation(square) * Expectation(Dot(part, part))
        build.rewrite("δ is independent of x", "independence", energy, into)
    build.tidy(
        "E|δ|² cancels",
        (Expectation(Dot(tangent, tangent)) / dim) / (Expectation(Dot(normal, normal)) / codim),
    )
    build.substitute("mean squares of the parts", fact(tangent_energy), fact(normal_energy))
    (tangent_error,) = _remainders(tangent_energy)
    in_tangent = (radius_sq_mean - tangent_error * radius_4_mean) / dim + noise_variance
    normal_errors = _without_noise(normal_energy) - curvature_sq_mean * radius_4_mean / 4
    in_normal = (curvature_sq_mean * radius_4_mean / 4 + normal_errors) / codim + noise_variance
    return build.tidy("collect", in_tangent / in_normal).done()


def _without_noise(chain: Chain) -> Any:
    """A chain's conclusion at σ² = 0."""
    return chain.conclusion.xreplace({noise_variance: sympy.Integer(0)})


def _remainders(chain: Chain) -> list[Any]:
    return [symbol for symbol in chain.conclusion.free_symbols if is_remainder(symbol)]


SCALE = ((Expectation(t**2), second_moment * e**2), (Expectation(t**4), fourth_moment * e**4))
"""A scale family of radial laws: t = e τ with E τ² = μ₂ and E τ⁴ = μ₄."""


def _noise_free_law(remainders: Remainders, ratio: Chain) -> Chain:
    silent = (noise_variance, sympy.Integer(0))
    build = ChainBuilder(
        "noise-free-law",
        "Without noise the ratio grows like the inverse square of the scale",
        ratio.start,
        remainders=remainders,
        hypotheses=[silent, *SCALE],
        conditions=[nonzero(curvature_sq_mean)],
        uses=[ratio],
    )
    build.substitute("ratio of energies per dimension", fact(ratio))
    build.substitute("no noise", silent, SECOND, FOURTH)
    build.substitute("a scale family", *SCALE)
    lead = 4 * (ambient_dim - dim) * second_moment / (dim * curvature_sq_mean * fourth_moment)
    into = lead / e**2 + remainders() / e
    return build.rewrite("expand in e", "truncation", build.current, into, variable=e, order=-2).done()


def _noisy_limit(ratio: Chain) -> Chain:
    limit = LimitAtZero(ratio.start, e)
    build = ChainBuilder(
        "noisy-limit",
        "With noise of fixed variance the ratio tends to 1 as the scale falls",
        limit,
        hypotheses=SCALE,
        conditions=[nonzero(noise_variance)],
        uses=[ratio],
    )
    build.substitute("ratio of energies per dimension", fact(ratio))
    build.substitute("moments", SECOND, FOURTH)
    build.substitute("a scale family", *SCALE)
    return build.rewrite("limit", "limit", build.current, sympy.Integer(1)).done()


def predictions(ratio: Chain, average: Chain, null: tuple[Chain, ...]) -> dict[str, Prediction]:
    """``energy-ratio`` (noise_variance per dimension, 0 without), and three exact quantities.

    These are ``curvature-sq-mean`` = ⟨F⟩ from |h|² and |mH|², and the ``null-mean`` and ``null-variance``.

    The remainder of the ratio has the symbols curvature_bound and radius_6_mean = E t⁶; it is for points uniform by
    volume on each shell, K t ≤ `proofs.majorants.RANGE`, dim ≤ 20, and as long as it leaves half of the normal energy:
    with |E|P_N ξ|² − ⟨F⟩E t⁴/4| ≤ Δ = C K⁴ E t⁶, numerator and denominator err by at most (⟨F⟩E t⁴/4 + Δ)/m and
    Δ/(d−m). The null's B is the moment restricted to the complement: ``trace`` is tr B, ``trace_of_square`` tr B².
    """
    codim = ambient_dim - dim
    normal_energy = curvature_sq_mean * radius_4_mean / 4
    in_tangent = radius_sq_mean / dim + noise_variance
    in_normal = normal_energy / codim + noise_variance
    error = at_range(normal_energy_tail(), 6) * curvature_bound**4 * radius_6_mean
    share = error / codim / in_normal
    bound = ((normal_energy + error) / dim / in_normal + in_tangent / in_normal * share) * (1 + 2 * share)
    energy_ratio = Prediction(
        "energy-ratio", without_remainders(ratio.conclusion), Prediction("energy-ratio remainder", bound, note=BOUND)
    )
    return {"energy-ratio": energy_ratio} | {
        chain.name: Prediction(chain.name, chain.conclusion) for chain in (average, *null[-2:])
    }
