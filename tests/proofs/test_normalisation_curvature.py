"""Behind PyTorch's own RMSNorm: curvature by forward-mode jets, gradients by autograd."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

import proofs
from manifoldtheory.ledger import Form, Verdict
from proofs.signs import known

ROUNDING = 1e-11
"""Relative, of second derivatives of order one in float64."""


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("normalisation-curvature")
    assert derivation.holds
    return derivation


def rms_norm(dim: int, eps: float = 0.0) -> torch.nn.RMSNorm:
    return torch.nn.RMSNorm(dim, eps=eps, elementwise_affine=False)


def draw(seed: int, *shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def curvature(immersion: Callable[[Tensor], Tensor], u: Tensor, v: Tensor) -> tuple[float, float]:
    """F in direction v, and F_S: the part of II(v, v) orthogonal to the position."""
    point = immersion(u)
    frame = torch.linalg.qr(torch.func.jacfwd(immersion)(u)).Q

    def velocity(at: Tensor) -> Tensor:
        return torch.func.jvp(immersion, (at,), (v,))[1]

    speed, rate = torch.func.jvp(velocity, (u,), (v,))[:2]
    second = (rate - frame @ (frame.T @ rate)) / speed.square().sum()
    inner = second - point * (second @ point) / point.square().sum()
    return float(second.square().sum()), float(inner.square().sum())


@pytest.mark.parametrize(("dim", "ambient"), [(1, 3), (2, 5), (3, 16)])
def test_planes_have_exactly_one_over_d(derivation, dim: int, ambient: int) -> None:
    floor = derivation.predictions["normal-curvature-floor"](ambient_dim=ambient)
    base, axes = draw(dim, ambient), draw(dim + 10, ambient, dim)
    for seed in range(4):
        u, v = 2 * draw(seed, dim), draw(seed + 50, dim)
        measured, inner = curvature(lambda at: rms_norm(ambient)(base + axes @ at), u, v)
        assert measured == pytest.approx(floor, rel=ROUNDING)
        assert inner < ROUNDING * floor


@pytest.mark.parametrize(("dim", "ambient"), [(1, 2), (1, 4), (2, 3), (2, 4), (3, 9)])
def test_every_cloud_is_curved_at_least_as_much(derivation, dim: int, ambient: int) -> None:
    prediction = derivation.predictions["normal-curvature-sq"]
    base, axes, forms = draw(0, ambient), draw(1, ambient, dim), draw(2, ambient, dim, dim)

    def immersion(at: Tensor) -> Tensor:
        return rms_norm(ambient)(base + axes @ at + torch.einsum("aij,i,j->a", forms, at, at))

    for seed in range(4):
        measured, inner = curvature(immersion, draw(seed + 3, dim) / 5, draw(seed + 60, dim))
        assert measured == pytest.approx(prediction(ambient_dim=ambient, spherical_curvature_sq=inner), rel=1e-9)
        assert measured >= (1 - ROUNDING) / ambient
        assert (inner > 1e-6) == (ambient > dim + 1)  # a hypersurface of the sphere's own dimension lies in it, open


def test_epsilon_takes_outputs_off_the_sphere(derivation) -> None:
    """|y|² exactly; and the image of a plane near 0 is hardly bent, so that F falls below 1/d."""
    square = derivation.predictions["output-norm-sq"]
    for eps in (0.0, 1e-5, 0.7):
        x = draw(4, 6)
        values = {"input_norm_sq": float(x @ x), "ambient_dim": 6, "epsilon": eps}
        assert float(rms_norm(6, eps)(x).square().sum()) == pytest.approx(square(**values), rel=1e-14)
    base, axes = torch.eye(6, dtype=torch.float64)[0] / 10, torch.eye(6, dtype=torch.float64)[:, 1:3]
    near, _ = curvature(lambda at: rms_norm(6, 1.0)(base + axes @ at), torch.zeros(2).double(), draw(5, 2))
    assert near < 0.1 / 6


def test_gradient_along_the_input(derivation) -> None:
    """Through torch.nn.RMSNorm and a random network; orthogonal to x for ε = 0."""
    ambient = 7
    network = torch.nn.Sequential(torch.nn.Linear(ambient, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1)).double()
    prediction = derivation.predictions["radial-gradient"]
    for seed, eps in enumerate((0.0, 1e-3, 0.5)):
        x = draw(seed, ambient).requires_grad_()
        y = rms_norm(ambient, eps)(x)
        at_output, at_input = torch.autograd.grad(network(y).squeeze(), (y, x))
        values = {
            "epsilon": eps,
            "ambient_dim": ambient,
            "input_norm_sq": (x @ x).item(),
            "input_alignment": (at_output @ x).item(),
        }
        measured = (at_input @ x).item()
        size = (at_input.norm() * x.norm()).item()
        assert abs(measured - prediction(**values)) <= 1e-14 * size
        assert (abs(measured) > 1e-6 * size) == (eps > 0)


def test_gradient_along_the_base_point_is_of_order_t(derivation) -> None:
    ambient = 6
    network = torch.nn.Sequential(torch.nn.Linear(ambient, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1)).double()
    base, direction = draw(1, ambient), torch.nn.functional.normalize(draw(2, ambient), dim=0)
    along = []
    for t in (1e-1, 1e-3, 1e-5):
        x = (base + t * direction).requires_grad_()
        (gradient,) = torch.autograd.grad(network(rms_norm(ambient)(x)).squeeze(), x)
        expected = derivation.predictions["base-gradient"](radius=t, directional_gradient=float(gradient @ direction))
        measured = float(gradient @ base)
        assert abs(measured - expected) <= 1e-14 * float(gradient.norm() * base.norm())
        along.append(abs(measured) / t)
    assert along[2] == pytest.approx(along[1], rel=0.1)
    assert along[2] > 1e-3


@pytest.mark.parametrize(("dim", "ambient"), [(1, 4), (2, 3), (3, 12)])
def test_energy_ratio_of_a_normalised_plane_is_the_cap(derivation, dim: int, ambient: int) -> None:
    """Shells of the image around the image of the point next to 0; any other cloud stays below."""
    frame = torch.linalg.qr(draw(7, ambient, dim + 1)).Q
    origin, axes = 3 * frame[:, 0], frame[:, 1:]
    prediction = derivation.predictions["energy-ratio-cap"]
    for t in (0.02, 0.1):
        directions = torch.nn.functional.normalize(draw(8, 50, dim), dim=1)
        tangent_of_angle = torch.tan(2 * torch.asin(torch.tensor(t / 2 / ambient**0.5, dtype=torch.float64)))
        cloud = rms_norm(ambient)(origin + 3 * tangent_of_angle * directions @ axes.T) - rms_norm(ambient)(origin)
        assert torch.allclose(cloud.norm(dim=1), torch.tensor(t, dtype=torch.float64), rtol=1e-10)
        tangent = (cloud @ axes).square().sum(dim=1).mean()
        normal = (cloud - cloud @ axes @ axes.T).square().sum(dim=1).mean()
        ratio = float(tangent / dim / (normal / (ambient - dim)))
        values = {"dim": dim, "ambient_dim": ambient, "radius_sq_mean": t**2, "radius_4_mean": t**4}
        more = {"radius_6_mean": t**6, "curvature_bound": ambient**-0.5, "curvature_sq_mean": 1 / ambient}
        assert abs(ratio - prediction(**values)) <= prediction.bound(**values, **more)
        for spherical in (0.0, 0.1, 3.0):
            general = derivation.predictions["energy-ratio"](spherical_curvature_sq_mean=spherical, **values)
            assert (general < prediction(**values)) == (spherical > 0)


def test_the_ratio_is_the_cap_over_one_and_a_positive_term(derivation) -> None:
    ratio, cap = (derivation.predictions[name].expression for name in ("energy-ratio", "energy-ratio-cap"))
    assert known(cap / ratio - 1, "nonnegative")


def test_verdicts(derivation) -> None:
    assert {(found.form, found.verdict) for found in derivation.findings} == {(Form.REPAIRED, Verdict.SUPPORTS)}
    assert derivation.claim.source == "beyond arXiv:2604.08764"
