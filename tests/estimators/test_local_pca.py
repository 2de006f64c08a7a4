import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import local_tangents
from manifoldtheory.manifolds import Sphere, Torus


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def sheet(seed: int, n: int, dim: int, rank: int, noise: float = 0.0) -> torch.Tensor:
    """A curved sheet in R^d, dim ≥ 2 · rank: u and u²/3, askew, with noise."""
    u = torch.rand(n, rank, generator=seeded(seed), dtype=torch.float64)
    frame = torch.linalg.qr(torch.randn(dim, dim, generator=seeded(seed + 1), dtype=torch.float64)).Q
    return torch.cat([u, u**2 / 3], 1) @ frame[: 2 * rank] + noise * torch.randn(
        n, dim, generator=seeded(seed + 2), dtype=torch.float64
    )


def definition(x: np.ndarray, neighbours: int) -> list[int]:
    """One point after the other: neighbours without itself, and eigenvalues above 0.05 of the largest."""
    found = []
    for i in range(len(x)):
        distance = np.linalg.norm(x - x[i], axis=1)
        distance[i] = np.inf
        near = x[np.argsort(distance)[:neighbours]]
        spectrum = np.linalg.svd(near - near.mean(0), compute_uv=False) ** 2
        found.append(int((spectrum > 0.05 * spectrum[0]).sum()))
    return found


@given(seed=st.integers(0, 1000), rank=st.integers(2, 3), neighbours=st.sampled_from([12, 30]))
@settings(max_examples=15)
def test_dimensions_are_those_of_the_definition(seed, rank, neighbours):
    """Also where there are more dimensions than neighbours, and the smaller Gram matrix is diagonalised.

    From two dimensions on: on a curve some of few neighbours can be three median distances away.
    """
    x = sheet(seed, 60, 16, rank, 0.01)
    tangents = local_tangents(x, neighbours)
    assert tangents.dimensions.tolist() == definition(x.numpy(), neighbours)
    sizes = torch.diagonal(tangents.bases.mT @ tangents.bases, dim1=1, dim2=2).sum(1)
    torch.testing.assert_close(sizes, tangents.dimensions.double())


@given(seed=st.integers(0, 1000), neighbours=st.sampled_from([12, 30]))
@settings(max_examples=15)
def test_spectra_without_a_gap_are_those_of_the_definition(seed, neighbours):
    """Some eigenvalues are near the threshold, so where it lies, and who is a neighbour, shows."""
    x = torch.randn(60, 16, generator=seeded(seed), dtype=torch.float64)
    x = x * torch.logspace(0, -1.2, 16, dtype=torch.float64)
    tangents = local_tangents(x, neighbours)
    assert tangents.dimensions.tolist() == definition(x.numpy(), neighbours)
    distances = torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist").fill_diagonal_(math.inf)
    near = x[distances.topk(neighbours, largest=False).indices]
    expected = torch.linalg.svdvals(near - near.mean(1, keepdim=True)) ** 2 / neighbours
    torch.testing.assert_close(tangents.spectra, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("manifold", [Sphere(2), Torus(2.0, 0.7)])
def test_tangent_spaces_of_a_surface(manifold):
    """With the normal's share of the variance κ²r²/12 or so, below 0.05 where neighbours are r < 0.5 away."""
    x = manifold.sample(3000, generator=seeded(0))
    tangents = local_tangents(x, 20)
    assert float((tangents.dimensions == 2).double().mean()) > 0.99
    frames = manifold.tangent_frame(x)
    cosines = torch.linalg.svdvals(frames.mT @ tangents.bases[..., :2])
    assert float(cosines[:, -1].median()) > 0.99


@given(seed=st.integers(0, 1000), distance=st.floats(5, 1e9), neighbours=st.sampled_from([15, 60]))
def test_one_far_outlier_changes_no_other_dimension(seed, distance, neighbours):
    """Among the points, and with 60 neighbours of 61 points in every neighbourhood."""
    x = sheet(seed, 61, 8, 2, 0.01)
    direction = torch.nn.functional.normalize(torch.randn(8, generator=seeded(seed + 3), dtype=torch.float64), dim=0)
    joined = torch.cat([x, x.mean(0, keepdim=True) + distance * direction])
    changed = local_tangents(joined, neighbours + (neighbours == 60)).dimensions[:-1]
    assert changed.tolist() == local_tangents(x, neighbours).dimensions.tolist()


@given(seed=st.integers(0, 1000), scale=st.sampled_from([1e-9, 1e9]))
def test_moving_turning_and_scaling_change_nothing(seed, scale):
    x = sheet(seed, 50, 6, 2, 0.02)
    rotation = torch.linalg.qr(torch.randn(6, 6, generator=seeded(seed + 4), dtype=torch.float64)).Q
    order = torch.randperm(50, generator=seeded(seed))
    plain, other = local_tangents(x, 20), local_tangents(scale * (x[order] @ rotation.T + 3), 20)
    assert other.dimensions.tolist() == plain.dimensions[order].tolist()
    torch.testing.assert_close(other.spectra, scale**2 * plain.spectra[order], rtol=1e-6, atol=1e-12 * scale**2)


def test_arrays_in_arrays_out():
    x = sheet(1, 40, 6, 2)
    tangents = local_tangents(x.numpy(), 10)
    assert isinstance(tangents.bases, np.ndarray)
    np.testing.assert_array_equal(tangents.dimensions, local_tangents(x, 10).dimensions.numpy())


def test_bad_input():
    x = sheet(2, 30, 4, 2)
    for neighbours in (1, 30, 10.0, True):
        with pytest.raises(InputError, match="between 2 and 29 neighbours"):
            local_tangents(x, neighbours)  # pyright: ignore[reportArgumentType]
    for threshold in (0.0, 1.0, float("nan")):
        with pytest.raises(InputError, match="threshold"):
            local_tangents(x, 10, threshold=threshold)
    with pytest.raises(InputError, match="shape"):
        local_tangents(x[0], 10)
    with pytest.raises(InputError, match="1 of 30 points have NaN"):
        local_tangents(x.index_fill(0, torch.tensor([3]), float("nan")), 10)


@pytest.mark.parametrize("scale", [1e-300, 1e-150])
def test_squares_that_underflow_are_refused(scale):
    points = torch.randn(30, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    with pytest.raises(InputError, match="underflow"):
        local_tangents(scale * points, 10)
