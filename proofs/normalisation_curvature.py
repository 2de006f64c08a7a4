r"""Normalisation bends: behind RMSNorm every cloud lies on a sphere, and its gradient is orthogonal to the input.

RMSNorm without weights is y = x/√(|x|²/d + ε), so that |y|² = d |x|²/(|x|² + dε): the sphere of radius √d for ε = 0.
There ⟨y, y⟩ = d differentiated twice along a unit-speed geodesic y(s) of the image gives ⟨y″, y⟩ = −1, hence

    F = |y″|² = F_S + 1/d,  F_S = |y″ + y/d|²,

F_S the squared normal curvature within the sphere: F ≥ 1/d for every cloud. A line that misses 0 is mapped to an arc
y = √d (cos(s/√d) e₁ + sin(s/√d) e₂) with y″ = −y/d, normal to the image: the geodesics of the image of an affine plane
off 0 are such arcs, and F = 1/d there exactly. With ⟨F⟩ = ⟨F_S⟩ + 1/d the leading energy ratio of
`proofs.energy_concentration` is 4d(d−m) E t²/(m (1 + d⟨F_S⟩) E t⁴), at most the value for F_S = 0.

For ε > 0 the outputs lie inside the ball, on no sphere, and both results hold up to what ε|x|⁻² gives; a plane that
comes within √(dε) of 0 is hardly bent there. Weights (a gain per coordinate) map the sphere to an ellipsoid: T and N
are taken before them.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import curve, direction_free, nonzero, vectors
from proofs.derivation import Derivation, Finding, imported
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Derived, Dot, Mean, Remainders, without_remainders
from proofs.gradients.normalisation_gradient import SILENT, SQUARE, base_gradient, input_, normalised, radial_gradient
from proofs.gradients.normalised_lines import arcs, output
from proofs.majorants import BOUND
from proofs.provider import PROVIDER
from proofs.symbols import (
    ambient_dim,
    curvature_sq_mean,
    dim,
    epsilon,
    input_norm_sq,
    noise_variance,
    normal_curvature_sq,
    radius_4_mean,
    spherical_curvature_sq,
    spherical_curvature_sq_mean,
)

CLAIM = Claim(
    slug="normalisation-curvature",
    title="Normalisation bounds the curvature of every cloud from below, and the concentration of energy from above",
    section="gradients",
    statements=(
        Statement(
            Form.REPAIRED,
            "RMSNorm maps an affine m-plane off 0 into the sphere of radius √d with F = 1/d exactly; behind it every "
            "cloud has F = F_S + 1/d ≥ 1/d, F_S the squared normal curvature within the sphere, so that the leading "
            "energy ratio 4d(d−m) E t²/(m(1 + d⟨F_S⟩) E t⁴) is at most 4d(d−m) E t²/(m E t⁴). Backward "
            "⟨∂L/∂x, x⟩ = 0, so ⟨∂L/∂x, p⟩ = −⟨∂L/∂x, ξ⟩ is of order t for x = p + ξ, |ξ| = t.",
            (
                Hypothesis("normalisation", "y = √d x/|x|, ε = 0 and no weights; x ≠ 0"),
                Hypothesis("regularity", "the image of the cloud's manifold is of class C³"),
                Hypothesis("energy", "for the cap, those of energy-concentration behind the normalisation, no noise"),
            ),
        ),
    ),
    source="beyond arXiv:2604.08764",
)

position, velocity, acceleration = JETS = sympy.symbols("sphere_point sphere_velocity sphere_acceleration")
"""u = y/√d on a unit-speed geodesic y(s), and its derivatives in s."""
TANGENT_PART = acceleration + position / ambient_dim
"""The part of u″ that is tangent to the sphere."""
SPHERICAL = (Dot(TANGENT_PART, TANGENT_PART), spherical_curvature_sq / ambient_dim)


def derive() -> Derivation:
    """The sphere, the curvature of what lies on it, the arcs that planes are mapped to, the cap, and the gradient."""
    remainders = Remainders()
    imports = imported("energy-concentration/energy-ratio", remainders)
    norm = _output_norm()
    sphere = _sphere(norm)
    radial = _radial_acceleration(sphere)
    curvature = _curvature(sphere, radial)
    lines = arcs()
    ratio = _ratio(imports[-1], curvature)
    gradient = radial_gradient()
    base = base_gradient(gradient)
    findings = (
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "normal-curvature-floor", (lines[-1].name, "arc-speed")),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, curvature.name, (curvature.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "energy-ratio-cap", (ratio.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, gradient.name, (gradient.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, base.name, (base.name,)),
    )
    chains = (norm, sphere, radial, curvature, *lines, ratio, gradient, base)
    laws = predictions(norm, curvature, lines[-1], ratio, gradient, base)
    return Derivation(CLAIM, chains, findings, laws, imports)


def _output_norm() -> Chain:
    """|y|² = d|x|²/(|x|² + dε)."""
    output_of = (output, normalised(input_, Dot(input_, input_)))
    build = ChainBuilder(
        "output-norm-sq",
        "The square of an output of RMSNorm",
        Dot(output, output),
        definitions=[output_of],
        hypotheses=[SQUARE],
        conditions=[vectors(output, input_)],
    )
    build.substitute("RMSNorm", output_of)
    build.substitute("|x|²", SQUARE)
    factor = build.current.args[0] / input_
    build.rewrite("bilinearity", "bilinearity", build.current, factor**2 * Dot(input_, input_))
    build.substitute("|x|²", SQUARE)
    return build.tidy("collect", ambient_dim * input_norm_sq / (input_norm_sq + ambient_dim * epsilon)).done()


def _sphere(norm: Chain) -> Chain:
    build = ChainBuilder(
        "sphere", "Outputs lie on the sphere of radius √d", norm.start, hypotheses=[SILENT], uses=[norm]
    )
    build.substitute("its square", fact(norm))
    return build.substitute("ε = 0", SILENT).done()


def _on_sphere() -> Any:
    """Every point of the curve u = y/√d is an output."""
    return Dot(position, position), Dot(output, output) / ambient_dim


def _radial_acceleration(sphere: Chain) -> Chain:
    """⟨u″, u⟩ = −⟨u′, u′⟩ = −1/d."""
    speed = (Dot(velocity, velocity), 1 / ambient_dim)
    build = ChainBuilder(
        "radial-acceleration",
        "A unit-speed curve on the sphere accelerates towards the centre",
        Dot(position, acceleration),
        hypotheses=[_on_sphere(), speed],
        conditions=[curve(*JETS)],
        uses=[sphere],
    )
    twice = Derived(Dot(position, position), 2) / 2 - Dot(velocity, velocity)
    build.rewrite("product rule, twice", "leibniz", build.current, twice)
    build.substitute("points of the curve are outputs; y has unit speed", _on_sphere(), speed)
    build.substitute("on the sphere", fact(sphere))
    constant = Derived(sympy.Integer(1), 2)
    return build.rewrite("a constant has derivative 0", "constancy", constant, sympy.Integer(0)).done()


def _curvature(sphere: Chain, radial: Chain) -> Chain:
    """F = |y″|² = F_S + 1/d."""
    normal = (normal_curvature_sq, ambient_dim * Dot(acceleration, acceleration))
    build = ChainBuilder(
        "normal-curvature-sq",
        "The squared normal curvature of what lies on the sphere",
        normal_curvature_sq,
        hypotheses=[normal, SPHERICAL],
        uses=[sphere, radial],
    )
    build.substitute("y″ = II(y′, y′) on a geodesic, y = √d u", normal)
    square = Dot(TANGENT_PART, TANGENT_PART) - 2 / ambient_dim * Dot(position, acceleration)
    square -= Dot(position, position) / ambient_dim**2
    build.rewrite("bilinearity", "bilinearity", Dot(acceleration, acceleration), square)
    build.substitute("curvature within the sphere; towards its centre", SPHERICAL, fact(radial), _on_sphere())
    build.substitute("on the sphere", fact(sphere))
    return build.tidy("collect", spherical_curvature_sq + 1 / ambient_dim).done()


def _ratio(ratio: Chain, curvature: Chain) -> Chain:
    """The noise-free energy ratio, with ⟨F⟩ = ⟨F_S⟩ + 1/d."""
    silent = (noise_variance, sympy.Integer(0))
    mean = (curvature_sq_mean, Mean(normal_curvature_sq))
    spherical = (Mean(spherical_curvature_sq), spherical_curvature_sq_mean)
    found = ratio.conclusion.xreplace({noise_variance: silent[1], curvature_sq_mean: spherical[1] + 1 / ambient_dim})
    above, below = sympy.fraction(found)
    scale = 4 * ambient_dim / (dim * radius_4_mean)
    relative = sympy.expand(scale * below)
    build = ChainBuilder(
        "energy-ratio",
        "Energy per tangent dimension over energy per normal dimension behind a normalisation",
        ratio.start,
        hypotheses=[silent, spherical],
        conditions=[direction_free(ambient_dim), nonzero(relative)],
        uses=[ratio, curvature],
    )
    build.substitute("ratio of energies per dimension (energy-concentration)", fact(ratio))
    build.substitute("no noise", silent, mean)
    build.substitute("curvature behind the normalisation", fact(curvature))
    average = Mean(curvature.conclusion)
    build.rewrite("linearity", "linearity", average, Mean(spherical_curvature_sq) + 1 / ambient_dim)
    build.substitute("⟨F_S⟩", spherical)
    return build.tidy("factor the value for F_S = 0", scale * above / relative).done()


def predictions(
    norm: Chain, curvature: Chain, plane: Chain, ratio: Chain, gradient: Chain, base: Chain
) -> dict[str, Prediction]:
    """Exact: ``output-norm-sq`` and ``radial-gradient`` (with ε), ``normal-curvature-sq``, ``normal-curvature-floor``
    and ``base-gradient``; to leading order ``energy-ratio``, and ``energy-ratio-cap``, its value for F_S = 0.

    The remainders of the last two are that of `proofs.energy_concentration`, with ⟨F⟩ = ⟨F_S⟩ + 1/d.
    """
    leading = without_remainders(ratio.conclusion)
    flat: dict[Any, Any] = {spherical_curvature_sq_mean: sympy.Integer(0)}
    bound = PROVIDER.predictions("energy-concentration")["energy-ratio"].remainder
    assert bound is not None
    whole = {curvature_sq_mean: spherical_curvature_sq_mean + 1 / ambient_dim, noise_variance: sympy.Integer(0)}
    rest: Any = bound.expression.xreplace(whole)
    exact = {
        norm.name: norm.conclusion,
        curvature.name: curvature.conclusion,
        "normal-curvature-floor": plane.conclusion,
        gradient.name: gradient.conclusion,
        base.name: base.conclusion,
    }
    bounded = {"energy-ratio": (leading, rest), "energy-ratio-cap": (leading.xreplace(flat), rest.xreplace(flat))}
    return {name: Prediction(name, expression) for name, expression in exact.items()} | {
        name: Prediction(name, expression, Prediction(f"{name} remainder", remainder, note=BOUND))
        for name, (expression, remainder) in bounded.items()
    }
