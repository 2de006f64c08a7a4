"""Geodesics against 30-digit arithmetic by another equation, and the integrator on its own."""

import math

import pytest
import torch
from mpmath import mp, mpf

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import Ellipsoid, MongePatch, Submanifold, Torus
from manifoldtheory.manifolds.geodesics import integrate, steps_for

SECOND = [[[0.7, 0.2], [0.2, -0.5]], [[0.1, -0.3], [-0.3, 0.4]]]


def level_set(manifold: Submanifold):
    """(gradients, Hessians) of defining functions of the manifold, as functions of a point in mpmath."""
    if isinstance(manifold, Ellipsoid):
        axes = [mpf(a) for a in manifold.semi_axes]
        hessian = mp.diag([1 / a**2 for a in axes])
        return lambda y: [hessian * y], lambda y: [hessian]
    if isinstance(manifold, Torus):
        major, minor = mpf(manifold.major), mpf(manifold.minor)

        def quartic(y):
            return (y.T * y)[0] + major**2 - minor**2, mp.matrix([y[0], y[1], 0])

        def gradient(y):
            level, flat = quartic(y)
            return [4 * level * y - 8 * major**2 * flat]

        def second_derivative(y):
            return [4 * quartic(y)[0] * mp.eye(3) + 8 * y * y.T - 8 * major**2 * mp.diag([1, 1, 0])]

        return gradient, second_derivative
    forms = [mp.matrix([[mpf(value) for value in row] + [0, 0] for row in form] + [[0] * 4] * 2) for form in SECOND]
    units = [mp.matrix([0, 0, 1, 0]), mp.matrix([0, 0, 0, 1])]
    pairs = list(zip(units, forms, strict=True))
    return lambda y: [unit - form * y for unit, form in pairs], lambda y: [-form for form in forms]


def exact_displacement(manifold: Submanifold, x: list[float], v: list[float]):
    """exp(x, v) − x by the Taylor solver of mpmath: γ″ = −Gᵀ(GGᵀ)⁻¹ (γ′ᵀH_aγ′) on the level set."""
    gradients, hessians = level_set(manifold)
    size = len(x)

    def rate(_, state):
        y, w = mp.matrix(state[:size]), mp.matrix(state[size:])
        gradient, hessian = gradients(y), hessians(y)
        bend = mp.matrix([(w.T * each * w)[0] for each in hessian])
        gram = mp.matrix([[(first.T * second)[0] for second in gradient] for first in gradient])
        multipliers = mp.lu_solve(gram, bend)
        force = mp.matrix([0] * size)
        for multiplier, normal in zip(multipliers, gradient, strict=True):
            force -= multiplier * normal
        return [*w, *force]

    start = [mpf(value) for value in (*x, *v)]
    end = mp.odefun(rate, 0, start, tol=mpf(10) ** -22)(1)
    return mp.matrix([end[i] - start[i] for i in range(size)])


@pytest.mark.parametrize("angle", [0.3, 1e-5])
@pytest.mark.parametrize(
    "manifold",
    [Ellipsoid((1.0, 1.3, 0.8)), Torus(2.0, 0.7), MongePatch(torch.tensor(SECOND, dtype=torch.float64))],
    ids=repr,
)
def test_displacement_matches_thirty_digits(manifold: Submanifold, angle: float) -> None:
    """Below 1e-12 of the size of each part for s ≤ 0.3/K."""
    x = manifold.sample(1, generator=torch.Generator().manual_seed(2))[0]
    frame, normals = manifold.tangent_frame(x), manifold.normal_frame(x)
    curvature = manifold.chart(x).curvature_bound(0.3)
    v = frame @ torch.tensor([0.6, 0.8], dtype=torch.float64) * (angle / curvature)
    with mp.workdps(30):
        xi = exact_displacement(manifold, x.tolist(), v.tolist())
        parts = [
            [float(sum(mpf(f) * c for f, c in zip(column, xi, strict=True))) for column in basis.mT.tolist()]
            for basis in (frame, normals)
        ]
    tangent, normal = manifold.displacement(x, v)
    exact_tangent, exact_normal = (torch.tensor(part, dtype=torch.float64) for part in parts)
    length = float(torch.linalg.vector_norm(v))
    assert torch.linalg.vector_norm(tangent - exact_tangent) < 1e-14 * length
    # The rounding of x and of the frames tilts v off the tangent plane by some 1e-16 |v|, which the reference sees.
    assert torch.linalg.vector_norm(normal - exact_normal) < 1e-12 * torch.linalg.vector_norm(normal) + 1e-15 * length


def test_integrator_converges_to_rounding_on_a_pendulum() -> None:
    """y″ = −sin-like force with a known solution: y = 2 atan(sinh τ) solves y″ = −sin y with y′(0) = 2."""
    position, velocity = integrate(
        lambda y, _: -torch.sin(y), torch.tensor([2.0], dtype=torch.float64), steps_for(1.0, 1.0)
    )
    assert float(position) == pytest.approx(2 * math.atan(math.sinh(1.0)), rel=1e-13)
    assert float(velocity) == pytest.approx(2 / math.cosh(1.0), rel=1e-13)


def test_too_long_geodesics_are_refused() -> None:
    assert steps_for(0.0, 1e9) == 1
    with pytest.raises(InputError, match="the limit is 16; take a shorter"):
        steps_for(2.0, 17.0)
    with pytest.raises(InputError):
        steps_for(2.0, math.nan)
