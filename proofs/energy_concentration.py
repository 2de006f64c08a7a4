r"""Energy of per-token gradients: concentrated in the tangent space like t⁻².

A per-token gradient is δ ξᵀ. With δ, ξ and ambient noise independent, the energy per dimension in T over the one in N
is (E t²/m + σ²)/(⟨F⟩E t⁴/(4(d−m)) + σ²). The null: Haar rank-k subspaces of an n-dimensional complement.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.averages import mean_curvature
from proofs.certificate import Chain, Equation
from proofs.contractions import B, P
from proofs.derivation import Derivation, Finding
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import (
    Dot,
    Expectation,
    HaarMean,
    LimitAtZero,
    Mean,
    Remainders,
    is_remainder,
    without_remainders,
)
from proofs.majorants import at_range, normal_energy_tail
from proofs.symbols import (
    ambient_dim,
    curvature_bound,
    curvature_sq_mean,
    dim,
    noise_variance,
    normal_curvature_sq,
    null_dim,
    radius,
    radius_4_mean,
    radius_6_mean,
    radius_sq_mean,
    rank,
    trace,
    trace_of_square,
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
i, j, k, q = sympy.symbols("i j k q")
FIRST = rank / null_dim
_SHARE = rank / (null_dim * (null_dim - 1) * (null_dim + 2))
MOMENTS = (_SHARE * (rank * (null_dim + 1) - 2), _SHARE * (null_dim - rank), FIRST)
"""(a, b, c) in E P_ij P_kl = a δ_ij δ_kl + b(δ_ik δ_jl + δ_il δ_jk) and E P_ij = c δ_ij: see `_null`."""


def derive() -> Derivation:
    """The derivation: energies per dimension, their ratio, its law without and with noise, and the null's moments."""
    remainders = Remainders()
    curvature = _curvature(remainders)
    normal_energy, tangent_energy = _energies(remainders, curvature)
    ratio = _ratio(normal_energy, tangent_energy)
    law = _noise_free_law(remainders, ratio)
    limit = _noisy_limit(ratio)
    null = _null()
    average = mean_curvature()
    findings = (
        Finding(Form.AS_STATED, Verdict.REFUTES, "noisy-limit", (limit.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "energy-ratio", (ratio.name, law.name, limit.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, average.name, (average.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "null-mean", ("trace", "null-mean")),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "null-variance", tuple(chain.name for chain in null)),
    )
    chains = (average, curvature, normal_energy, tangent_energy, ratio, law, limit, *null)
    return Derivation(CLAIM, chains, findings, predictions(ratio, average, null))


def _curvature(remainders: Remainders) -> Chain:
    """The mean of F over the shell of radius t, where the density is 1 + O(t²) (`proofs.bias_attenuation`)."""
    density, error = sympy.Symbol("density"), remainders()
    shell = (density, 1 + error * t**2)
    average = (Mean(normal_curvature_sq), curvature_sq_mean)
    build = ChainBuilder(
        "shell-curvature",
        "The average of F over the directions on a shell",
        Mean(normal_curvature_sq * density),
        remainders=remainders,
        definitions=[shell, average],
    )
    build.substitute("density relative to uniform (bias-attenuation)", shell)
    linear = Mean(normal_curvature_sq) + t**2 * Mean(normal_curvature_sq * error)
    build.rewrite(
        "linearity of the average", "linearity", build.current, linear, variables=(normal_curvature_sq, error)
    )
    build.substitute("⟨F⟩", average)
    return build.truncate("name the remainder", build.current, t, 1).done()


def _energies(remainders: Remainders, curvature: Chain) -> tuple[Chain, Chain]:
    """E|x_N|² and E|x_T|² with independent centred noise of variance σ² per dimension."""
    codim = ambient_dim - dim
    error, bound, rest = remainders(), remainders(), remainders()
    expansion = (Dot(clean_normal, clean_normal), normal_curvature_sq * t**4 / 4 + error * t**5)
    tower = (Expectation(normal_curvature_sq * t**4), Expectation(t**4 * curvature.start))
    (shell_error,) = (symbol for symbol in curvature.conclusion.free_symbols if is_remainder(symbol))
    moments = (
        (Expectation(t**4), radius_4_mean),
        (Expectation(error * t**5), bound * e * radius_4_mean),
        (Expectation(shell_error * t**6), rest * e**2 * radius_4_mean),
    )
    split = (normal, clean_normal + noise_normal)
    noise = (Expectation(Dot(noise_normal, noise_normal)), codim * noise_variance)
    build = ChainBuilder(
        "normal-energy",
        "Mean square of the normal part",
        Expectation(Dot(normal, normal)),
        definitions=[split, noise, expansion, tower, *moments],
        uses=[curvature],
    )
    _add_noise(build, split, clean_normal, noise_normal)
    build.substitute("noise per normal dimension; |ξ_N|² = F t⁴/4 + O(t⁵) (tangent-normal-scaling)", noise, expansion)
    linear = Expectation(normal_curvature_sq * t**4) / 4 + Expectation(error * t**5)
    variables = (normal_curvature_sq, t, error)
    build.rewrite("linearity", "linearity", Expectation(expansion[1]), linear, variables=variables)
    build.substitute("condition on the radius", tower)
    build.substitute("average of F over a shell", fact(curvature))
    inner = Expectation(t**4 * curvature.conclusion)
    linear = curvature_sq_mean * Expectation(t**4) + Expectation(shell_error * t**6)
    build.rewrite("linearity", "linearity", inner, linear, variables=(t, shell_error))
    build.substitute("moments of a radius of scale e", *moments)
    normal_energy = build.done()

    pythagoras = (Dot(clean_tangent, clean_tangent), t**2 - Dot(clean_normal, clean_normal))
    split = (tangent, clean_tangent + noise_tangent)
    noise = (Expectation(Dot(noise_tangent, noise_tangent)), dim * noise_variance)
    bounded = remainders()
    moments = (
        (Expectation(t**2), radius_sq_mean),
        (Expectation(Dot(clean_normal, clean_normal)), bounded * radius_4_mean),
    )
    build = ChainBuilder(
        "tangent-energy",
        "Mean square of the tangent part",
        Expectation(Dot(tangent, tangent)),
        definitions=[split, noise, pythagoras, *moments],
    )
    _add_noise(build, split, clean_tangent, noise_tangent)
    build.substitute("noise per tangent dimension; Pythagoras", noise, pythagoras)
    linear = Expectation(t**2) - Expectation(Dot(clean_normal, clean_normal))
    variables = (t, Dot(clean_normal, clean_normal))
    build.rewrite("linearity", "linearity", Expectation(pythagoras[1]), linear, variables=variables)
    return normal_energy, build.substitute("E|ξ_N|² is of the order of E t⁴", *moments).done()


def _add_noise(build: ChainBuilder, split: Equation, clean: sympy.Symbol, noise: sympy.Symbol) -> None:
    """E|ξ + ε|² = E|ξ|² + E|ε|² for independent ξ and centred ε."""
    build.substitute("displacement and noise", split)
    (product,) = build.current.atoms(Dot)
    squares = Dot(clean, clean) + 2 * Dot(clean, noise) + Dot(noise, noise)
    build.rewrite("bilinearity", "bilinearity", product, squares, vectors=(clean, noise))
    terms = (Dot(clean, clean), Dot(clean, noise), Dot(noise, noise))
    linear = Expectation(terms[0]) + 2 * Expectation(terms[1]) + Expectation(terms[2])
    build.rewrite("linearity", "linearity", build.current, linear, variables=terms)
    groups = ((clean,), (noise,))
    build.rewrite(
        "noise is independent and centred",
        "independence",
        Expectation(terms[1]),
        sympy.Integer(0),
        groups=groups,
        centred=(noise,),
    )


def _ratio(normal_energy: Chain, tangent_energy: Chain) -> Chain:
    """The ratio of energies per dimension of δ xᵀ: |δ (P x)ᵀ|² = |δ|² |P x|²."""
    codim = ambient_dim - dim
    square = Dot(delta, delta)
    energies = [Expectation(square * Dot(part, part)) for part in (tangent, normal)]
    build = ChainBuilder(
        "energy-ratio",
        "Energy per tangent dimension over energy per normal dimension of the gradient δ xᵀ",
        (energies[0] / dim) / (energies[1] / codim),
        uses=[normal_energy, tangent_energy],
    )
    for part, energy in zip((tangent, normal), energies, strict=True):
        into = Expectation(square) * Expectation(Dot(part, part))
        build.rewrite("δ is independent of x", "independence", energy, into, groups=((delta,), (tangent, normal)))
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


SCALE = ((radius_sq_mean, second_moment * e**2), (radius_4_mean, fourth_moment * e**4))
"""A scale family of radial laws: t = e τ with E τ² = μ₂ and E τ⁴ = μ₄."""


def _noise_free_law(remainders: Remainders, ratio: Chain) -> Chain:
    silent = (noise_variance, sympy.Integer(0))
    build = ChainBuilder(
        "noise-free-law",
        "Without noise the ratio grows like the inverse square of the scale",
        ratio.start,
        remainders=remainders,
        definitions=[silent, *SCALE],
        uses=[ratio],
    )
    build.substitute("ratio of energies per dimension", fact(ratio))
    build.substitute("a scale family without noise", silent, *SCALE)
    lead = 4 * (ambient_dim - dim) * second_moment / (dim * curvature_sq_mean * fourth_moment)
    into = lead / e**2 + remainders() / e
    return build.rewrite("expand in e", "truncation", build.current, into, variable=e, order=-2).done()


def _noisy_limit(ratio: Chain) -> Chain:
    limit = LimitAtZero(ratio.start, e)
    build = ChainBuilder(
        "noisy-limit",
        "With noise of fixed variance the ratio tends to 1 as the scale falls",
        limit,
        definitions=SCALE,
        uses=[ratio],
    )
    build.substitute("ratio of energies per dimension", fact(ratio))
    build.substitute("a scale family", *SCALE)
    return build.rewrite("limit", "limit", build.current, sympy.Integer(1)).done()


def _null() -> tuple[Chain, ...]:
    """Mean and variance of tr(QᵀBQ)/k = tr(PB)/k over Haar projectors P = QQᵀ of rank k in n dimensions."""
    conditions = (
        ("trace", "E tr P = k determines c", P[i, i], rank, MOMENTS[2] * null_dim),
        (
            "squared-trace",
            "E (tr P)² = k², the first condition on a and b",
            P[i, i] * P[j, j],
            rank**2,
            MOMENTS[0] * null_dim**2 + 2 * MOMENTS[1] * null_dim,
        ),
        (
            "idempotence",
            "E tr P² = k, the second condition on a and b",
            P[i, j] * P[i, j],
            rank,
            MOMENTS[0] * null_dim + MOMENTS[1] * (null_dim**2 + null_dim),
        ),
    )
    parameters = {"dimension": null_dim, "rank": rank, "moments": MOMENTS}
    chains = []
    for name, title, word, value, average in conditions:
        build = ChainBuilder(name, title, HaarMean(word))
        build.rewrite("invariant form of the moments", "invariance", build.current, average, **parameters)
        chains.append(build.tidy("collect", value).done())
    trace_of = (B[i, i], trace)
    square_of = (B[i, j] ** 2, trace_of_square)
    first = HaarMean(P[i, j] * B[i, j])
    average_energy = sympy.Symbol("average_energy")
    definition = (average_energy, first / rank)
    build = ChainBuilder(
        "null-mean",
        "Mean energy per dimension of a random subspace",
        average_energy,
        definitions=[definition, trace_of],
        uses=chains[:1],
    )
    build.substitute("tr(QᵀBQ) = tr(PB), P = QQᵀ", definition)
    build.rewrite("invariant form of the moments", "invariance", first, MOMENTS[2] * B[i, i], **parameters)
    build.substitute("tr B", trace_of)
    mean = build.tidy("collect", trace / null_dim).done()
    second = HaarMean(P[i, j] * P[k, q] * B[i, j] * B[k, q])
    same_trace = (B[j, j], trace)
    build = ChainBuilder(
        "null-variance",
        "Variance of the energy per dimension of a random subspace",
        second / rank**2 - average_energy**2,
        definitions=[trace_of, same_trace, square_of],
        uses=[*chains, mean],
    )
    average = MOMENTS[0] * B[i, i] * B[j, j] + 2 * MOMENTS[1] * B[i, j] ** 2
    build.rewrite("invariant form of the moments", "invariance", second, average, **parameters)
    build.substitute("the mean", fact(mean))
    build.substitute("tr B and tr B²", trace_of, same_trace, square_of)
    spread = trace_of_square - trace**2 / null_dim
    variance = 2 * (null_dim - rank) * spread / (rank * null_dim * (null_dim - 1) * (null_dim + 2))
    return (*chains, mean, build.tidy("collect", variance).done())


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
        "energy-ratio", without_remainders(ratio.conclusion), Prediction("energy-ratio remainder", bound)
    )
    return {"energy-ratio": energy_ratio} | {
        chain.name: Prediction(chain.name, chain.conclusion) for chain in (average, *null[-2:])
    }
