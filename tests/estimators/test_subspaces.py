import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import SecondMoment, TangentProxy, fit_tangent_proxy, random_normal_bases


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
    with pytest.raises(InputError, match="shape"):
        fit_tangent_proxy(x[0], 2)
    with pytest.raises(InputError, match="orthonormal"):
        TangentProxy(torch.ones(3, 2))
    with pytest.raises(InputError, match="lower the rank"):
        random_normal_bases(fit_tangent_proxy(x, 3), 1, generator=generator)
