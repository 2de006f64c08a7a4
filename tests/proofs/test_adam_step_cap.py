"""Sign-like updates: by torch's Adam on rotated tangent spaces, and by Sheppard's formula for Gaussian gradients."""

import math

import numpy as np
import pytest
import torch

import proofs
from manifoldtheory.ledger import Form, Verdict

Z = 5.0  # standard errors; a false alarm in about 2 million draws


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("adam-step-cap")
    assert derivation.holds
    return derivation


def test_every_part_of_the_repaired_statement_is_supported(derivation) -> None:
    found = {finding.quantity: (finding.form, finding.verdict) for finding in derivation.findings}
    expected = {
        "adam-step",
        "sign-correlation",
        "aligned-energy-ratio",
        "update-energy-ratio",
        "update-energy-ratio-cap",
    }
    assert found == dict.fromkeys(expected, (Form.REPAIRED, Verdict.SUPPORTS))
    assert derivation.chain("aligned-energy-ratio").conclusion == 1


def adam_updates(gradients: torch.Tensor, steps: int = 1) -> torch.Tensor:
    """What Adam adds to a weight whose gradient is the same for some steps, per step size."""
    weight = torch.nn.Parameter(torch.zeros_like(gradients))
    optimizer = torch.optim.Adam([weight], lr=1.0, betas=(0.8, 0.97), eps=0.0)
    for _ in range(steps):
        optimizer.zero_grad()
        (weight * gradients).sum().backward()
        optimizer.step()
    return weight.detach()


def test_adam_steps_by_the_sign_while_the_gradient_lasts() -> None:
    gradients = torch.randn(40, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    torch.testing.assert_close(adam_updates(gradients, steps=7), -7 * gradients.sign(), rtol=1e-12, atol=0)


@pytest.mark.parametrize("correlation", [-0.9, -0.2, 0.0, 0.6, 0.99])
def test_expected_signs_by_sampling(derivation, correlation: float) -> None:
    draws = 200_000
    x, y = np.random.default_rng(1).normal(size=(2, draws))
    products = np.sign(x) * np.sign(correlation * x + math.sqrt(1 - correlation**2) * y)
    predicted = derivation.predictions["sign-correlation"](correlation=correlation)
    assert abs(products.mean() - predicted) <= Z * math.sqrt((1 - predicted**2) / draws)


def frames(count: int, ambient_dim: int, generator: torch.Generator) -> torch.Tensor:
    """Haar-distributed orthogonal matrices."""
    gaussian = torch.randn((count, ambient_dim, ambient_dim), generator=generator, dtype=torch.float64)
    q, r = torch.linalg.qr(gaussian)
    return q * torch.diagonal(r, dim1=1, dim2=2).sign()[:, None, :]


@pytest.mark.parametrize(("dim", "ambient_dim"), [(1, 2), (1, 12), (3, 8), (7, 9)])
@pytest.mark.parametrize("shares", [(1.0,), (0.0,), (0.3, 0.9)])
def test_updates_of_adam_on_rotated_tangent_spaces(derivation, dim: int, ambient_dim: int, shares) -> None:
    draws, generator = 6000, torch.Generator().manual_seed(dim)
    codim = ambient_dim - dim
    parts = [torch.randn((draws, size), generator=generator, dtype=torch.float64) for size in (dim, codim)]
    tangent, normal = (torch.nn.functional.normalize(part, dim=1) for part in parts)
    share = torch.tensor(shares, dtype=torch.float64)[torch.arange(draws) % len(shares), None]
    rotations = frames(draws, ambient_dim, generator)
    scale = torch.rand((draws, 1), generator=generator, dtype=torch.float64) + 0.1
    gradients = scale * torch.cat([share.sqrt() * tangent, (1 - share).sqrt() * normal], dim=1)
    updates = adam_updates(torch.einsum("nij,nj->ni", rotations, gradients))
    energy = torch.einsum("nij,ni->nj", rotations[:, :, :dim], updates).square().sum(dim=1)
    rest = updates.square().sum(dim=1) - energy
    ratio = (energy.mean() / dim) / (rest.mean() / codim)
    spread = (energy / dim - ratio * rest / codim).std() / (rest.mean() / codim) / math.sqrt(draws)
    values = {"dim": dim, "ambient_dim": ambient_dim, "tangent_share": share.mean().item()}
    predicted = derivation.predictions["update-energy-ratio"](**values)
    assert abs(ratio - predicted) <= Z * spread
    cap = derivation.predictions["update-energy-ratio-cap"](**values)
    assert predicted == pytest.approx(cap, rel=1e-12) if shares == (1.0,) else predicted < cap


@pytest.mark.parametrize("normal_variance", [0.0, 0.02, 1.0])
def test_gaussian_gradients_by_the_arcsine(derivation, normal_variance: float) -> None:
    """Covariance P_T + b P_N: tr(P_T U)/m over tr(P_N U)/(d − m) for U = (2/π) arcsin(correlations), rotated."""
    dim, ambient_dim, draws = 3, 20, 600
    generator = torch.Generator().manual_seed(2)
    tangent = frames(draws, ambient_dim, generator)[:, :, :dim]
    projector = tangent @ tangent.mT
    covariance = projector + normal_variance * (torch.eye(ambient_dim, dtype=torch.float64) - projector)
    deviation = torch.diagonal(covariance, dim1=1, dim2=2).sqrt()
    correlations = (covariance / deviation[:, :, None] / deviation[:, None, :]).clamp(-1, 1)
    law = derivation.predictions["sign-correlation"]
    energy = (projector * law(correlation=correlations)).sum(dim=(1, 2))
    samples = torch.randn((200_000, ambient_dim), generator=generator, dtype=torch.float64).square()
    in_tangent, in_normal = samples[:, :dim].sum(dim=1), normal_variance * samples[:, dim:].sum(dim=1)
    shares = in_tangent / (in_tangent + in_normal)
    ratio, spread = (energy.mean() / dim) / ((ambient_dim - energy.mean()) / (ambient_dim - dim)), energy.std()
    slope = ratio * ambient_dim / (energy.mean() * (ambient_dim - energy.mean()))  # d ratio/d energy
    error = slope * (spread / draws**0.5 + 2 / math.pi * ambient_dim * shares.std() / len(shares) ** 0.5)
    values = {"dim": dim, "ambient_dim": ambient_dim, "tangent_share": shares.mean().item()}
    assert abs(ratio - derivation.predictions["update-energy-ratio"](**values)) <= Z * error + 1e-12


def test_axes_that_span_the_tangent_space() -> None:
    gradients = torch.randn((50, 9), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    energy = adam_updates(gradients * torch.tensor([1e3] * 2 + [1.0] * 7, dtype=torch.float64)).square().mean(dim=0)
    assert energy[:2].mean() / energy[2:].mean() == pytest.approx(1, rel=1e-12)


def test_the_cap_against_its_leading_term(derivation) -> None:
    """(2/(π − 2))(d − m)/m falls short of the cap by π/(π − 2) = 2.75, whatever the dimensions."""
    cap = derivation.predictions["update-energy-ratio-cap"]
    for dim, ambient_dim in ((1, 2), (4, 100), (384, 768)):
        leading = 2 / (math.pi - 2) * (ambient_dim - dim) / dim
        assert cap(dim=dim, ambient_dim=ambient_dim) - leading == pytest.approx(math.pi / (math.pi - 2), rel=1e-12)
