import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import (
    DegenerateProxyWarning,
    SecondMoment,
    TangentProxy,
    fit_tangent_proxy,
    iso_score_star,
    local_tangents,
    random_normal_bases,
)


def cloud(seed: int, n: int = 200, dim: int = 6) -> torch.Tensor:
    scales = torch.linspace(1, 3, dim, dtype=torch.float64)
    return torch.randn(n, dim, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * scales


def projector(basis: torch.Tensor) -> torch.Tensor:
    return basis @ basis.T


@given(seed=st.integers(0, 1000), rank=st.integers(1, 5))
def test_pca_finds_the_directions_of_most_variance(seed, rank):
    x = cloud(seed)
    proxy = fit_tangent_proxy(x, rank)
    _, _, vh = torch.linalg.svd(x - x.mean(0), full_matrices=False)
    torch.testing.assert_close(projector(proxy.basis), projector(vh[:rank].T), atol=1e-9, rtol=0)
    shuffled = x[torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))]
    streamed = SecondMoment(6)
    for part in shuffled.split(33):
        streamed.update(part)
    torch.testing.assert_close(
        projector(fit_tangent_proxy(streamed, rank).basis), projector(proxy.basis), atol=1e-9, rtol=0
    )


@given(seed=st.integers(0, 1000), rank=st.integers(1, 5), method=st.sampled_from(["pca", "local-pca"]))
def test_a_proxy_does_not_depend_on_the_order_of_the_points(seed, rank, method):
    x = cloud(seed, n=60)
    shuffled = x[torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))]
    # Signs too: the largest entry of each column is positive.
    torch.testing.assert_close(
        fit_tangent_proxy(shuffled, rank, method).basis, fit_tangent_proxy(x, rank, method).basis, atol=1e-8, rtol=0
    )


def test_a_proxy_follows_the_rotation_of_the_points():
    x = cloud(3)
    rotation = torch.linalg.qr(cloud(4, n=6)).Q
    for method in ("pca", "local-pca"):
        turned = fit_tangent_proxy(x @ rotation.T, 2, method).basis
        torch.testing.assert_close(
            projector(turned), projector(rotation @ fit_tangent_proxy(x, 2, method).basis), atol=1e-9, rtol=0
        )


def test_semi_nmf_spans_the_concepts_that_make_up_the_points(generator):
    concepts = torch.linalg.qr(cloud(5, n=8, dim=8)).Q[:, :3]
    codes = torch.rand(100, 3, generator=generator, dtype=torch.float64)
    noise = 1e-4 * torch.randn(100, 8, generator=generator, dtype=torch.float64)
    proxy = fit_tangent_proxy(codes @ concepts.T + noise, 3, "semi-nmf", centered=False, generator=generator)
    # Noise of 1e-4 against codes of about 1/3: angles of 3e-4, over √100 points.
    assert float(torch.linalg.matrix_norm(projector(proxy.basis) - projector(concepts), 2)) < 1e-3


def test_local_pca_finds_a_common_plane_that_pca_misses():
    """Two parallel sheets far apart: the most variance is across them, but no tangent space is."""
    plane = torch.rand(200, 2, generator=torch.Generator().manual_seed(6), dtype=torch.float64)
    sheets = torch.cat([plane, 100 * (torch.arange(200) % 2)[:, None], torch.zeros(200, 1)], 1).double()
    flat = torch.eye(4, dtype=torch.float64)[:, :2]
    neighbours = fit_tangent_proxy(sheets, 2, "local-pca").basis
    assert abs(float(fit_tangent_proxy(sheets, 1).basis[2, 0])) == pytest.approx(1)
    torch.testing.assert_close(projector(neighbours), projector(flat), atol=1e-9, rtol=0)


def test_arrays_in_arrays_out(generator):
    x = cloud(7).numpy()
    for method in ("pca", "semi-nmf", "local-pca"):
        proxy = fit_tangent_proxy(x, 2, method, generator=generator)
        assert isinstance(proxy.basis, np.ndarray)
        assert isinstance(proxy.complement, np.ndarray)
        assert isinstance(random_normal_bases(proxy, 2, generator=generator), np.ndarray)
    assert isinstance(fit_tangent_proxy(SecondMoment(6).update(x), 2).basis, np.ndarray)


def test_a_tie_at_the_cut_is_warned_of_and_elsewhere_it_is_not():
    points = torch.diag(torch.tensor([2.0, 2.0, 1.0, 0.5], dtype=torch.float64))
    points = torch.cat([points, -points])
    with pytest.warns(DegenerateProxyWarning, match="eigenvalues 1 and 2"):
        fit_tangent_proxy(points, 1)
    assert fit_tangent_proxy(points, 2).rank == 2


def test_centring_decides_whether_the_mean_is_a_direction():
    x = 0.1 * cloud(0) + torch.tensor([50.0, 0, 0, 0, 0, 0], dtype=torch.float64)
    assert abs(float(fit_tangent_proxy(x, 1, centered=False).basis[0, 0])) > 0.999
    assert abs(float(fit_tangent_proxy(x, 1).basis[0, 0])) < 0.5


def test_controls_are_orthonormal_and_normal_and_haar(generator):
    proxy = fit_tangent_proxy(cloud(1), 2)
    bases = random_normal_bases(proxy, 4000, generator=generator)
    assert bases.shape == (4000, 6, 2)
    torch.testing.assert_close(bases.mT @ bases, torch.eye(2).double().expand(4000, 2, 2))
    assert float((proxy.basis.T @ bases).abs().max()) < 1e-12
    # Haar in the complement: E[QQᵀ] = (k/n) P. Entries of QQᵀ lie in [−1, 1]: a deviation of 1 at most.
    mean = (bases @ bases.mT).mean(0)
    expected = 2 / 4 * (torch.eye(6).double() - projector(proxy.basis))
    assert float((mean - expected).abs().max()) < 5 * 1.0 / 4000**0.5


def test_bad_input(generator):
    x = cloud(2)
    with pytest.raises(InputError, match="between 1 and 5"):
        fit_tangent_proxy(x, 6)
    with pytest.raises(InputError, match="unknown tangent proxy"):
        fit_tangent_proxy(x, 2, "magic")  # pyright: ignore[reportArgumentType]
    for rank in (2.0, True, "2"):
        with pytest.raises(InputError, match="a rank is an integer"):
            fit_tangent_proxy(x, rank)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="generator"):
        fit_tangent_proxy(x, 2, "semi-nmf")
    with pytest.raises(InputError, match="leave centered"):
        fit_tangent_proxy(x, 2, "local-pca", centered=False)
    for method in ("semi-nmf", "local-pca"):
        with pytest.raises(InputError, match="needs the points themselves"):
            fit_tangent_proxy(SecondMoment(6).update(x), 2, method, generator=generator)
    with pytest.raises(InputError, match="span 2 directions, not 3: lower the rank"):
        fit_tangent_proxy(x[:3], 3)
    for count in (0, -1, 1.0):
        with pytest.raises(InputError, match="number of controls"):
            random_normal_bases(
                fit_tangent_proxy(x, 2), count, generator=generator  # pyright: ignore[reportArgumentType]
            )  # fmt: skip
    with pytest.raises(InputError, match="orthonormal"):
        TangentProxy(torch.full((3, 1), float("nan")))
    with pytest.raises(InputError, match="shape"):
        fit_tangent_proxy(x[0], 2)
    with pytest.raises(InputError, match="orthonormal"):
        TangentProxy(torch.ones(3, 2))
    with pytest.raises(InputError, match="lower the rank"):
        random_normal_bases(fit_tangent_proxy(x, 3), 1, generator=generator)
    with pytest.raises(InputError, match="tensor or an array, got list"):
        TangentProxy([[1.0], [0.0]])  # pyright: ignore[reportArgumentType]
    assert TangentProxy(np.eye(3, 2, dtype=np.uint16)).rank == 2  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="d ≥ 1"):
        local_tangents(np.zeros((5, 0)), 4)
    with pytest.raises(InputError, match="threshold must lie"):
        local_tangents(x, 4, threshold="a")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="shrinkage must lie"):
        iso_score_star(torch.eye(3), shrinkage="a")  # pyright: ignore[reportArgumentType]
