import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.estimators import (
    SecondMoment,
    TangentProxy,
    covariance_matched_tail,
    energy_cap,
    energy_ratio,
    fit_tangent_proxy,
    random_normal_bases,
)


def moment(seed: int, dim: int) -> torch.Tensor:
    x = torch.randn(3 * dim, dim, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    x = x * torch.logspace(0, -1, dim, dtype=torch.float64)
    return x.T @ x / len(x)


def proxy(seed: int, dim: int, rank: int) -> TangentProxy:
    z = torch.randn(dim, rank, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return TangentProxy(torch.linalg.qr(z).Q)


@given(seed=st.integers(0, 1000), dim=st.integers(3, 12), data=st.data())
def test_ratio_is_the_closed_form_and_blind_to_scale_and_rotation(seed, dim, data):
    rank = data.draw(st.integers(1, (dim - 1) // 2))
    matrix, subspace = moment(seed, dim), proxy(seed + 1, dim, rank)
    result = energy_ratio(matrix, subspace, draws=0)
    inside = float((subspace.basis.T @ matrix @ subspace.basis).trace())
    outside = float(matrix.trace()) - inside
    assert result.ratio == pytest.approx((inside / rank) / (outside / (dim - rank)), rel=1e-9)
    rotation = proxy(seed + 2, dim, dim).basis
    turned = energy_ratio(7 * rotation @ matrix @ rotation.T, TangentProxy(rotation @ subspace.basis), draws=0)
    assert turned.ratio == pytest.approx(result.ratio, rel=1e-9)
    assert turned.z_complement == pytest.approx(result.z_complement, rel=1e-6, abs=1e-9)
    assert result.ratio <= energy_cap(matrix, rank) * (1 + 1e-12)


def test_complement_moments_are_those_of_the_controls(generator):
    dim, rank, count = 11, 3, 20_000
    matrix, subspace = moment(3, dim), proxy(4, dim, rank)
    result = energy_ratio(matrix, subspace, draws=0)
    bases = random_normal_bases(subspace, count, generator=generator)
    energies = (bases * (matrix @ bases)).sum((1, 2)) / rank
    assert abs(float(energies.mean()) - result.null_mean) < 4.5 * result.null_std / count**0.5
    fourth = float(((energies - energies.mean()) ** 4).mean())
    variance_error = ((fourth - result.null_std**4) / count) ** 0.5
    assert abs(float(energies.var()) - result.null_std**2) < 4.5 * variance_error


def test_the_top_subspace_meets_the_cap_and_is_improbable(generator):
    matrix = moment(5, 20)
    top = TangentProxy(torch.linalg.eigh(matrix).eigenvectors[:, -4:])
    result = energy_ratio(matrix, top, generator=generator)
    assert result.ratio == pytest.approx(energy_cap(matrix, 4))
    assert result.p_value < 1e-10


def test_a_p_value_that_is_only_a_bound_says_so(generator):
    """The leading subspace turned by 0.01: beyond what these draws resolve, but not beyond their bound."""
    turned = torch.eye(16, 4, dtype=torch.float64)
    turned[3, 3], turned[4, 3] = math.cos(0.01), math.sin(0.01)
    matrix = torch.diag(0.5 ** torch.arange(16, dtype=torch.float64))
    assert energy_ratio(matrix, TangentProxy(turned), draws=64, generator=generator).p_is_bound
    assert not energy_ratio(matrix, proxy(2, 16, 4), draws=64, generator=generator).p_is_bound


def test_centring_removes_the_mean():
    x = torch.randn(5000, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    x[:, 0] += 10
    accumulated = SecondMoment(8).update(x)
    axis = TangentProxy(torch.eye(8, dtype=torch.float64)[:, :1])
    assert energy_ratio(accumulated, axis, draws=0).ratio > 50
    assert energy_ratio(accumulated, axis, centered=True, draws=0).ratio < 1.2


def test_covariance_matched_null_is_stricter_for_a_pca_proxy(generator):
    """Gradients that merely follow the activations' variance are improbable under Haar, not under the matched null."""
    covariance = moment(6, 16)
    pca = fit_tangent_proxy(
        torch.randn(4000, 16, generator=generator, dtype=torch.float64) @ torch.linalg.cholesky(covariance).T, 3
    )
    haar = energy_ratio(covariance, pca, generator=generator)
    matched = covariance_matched_tail(covariance, pca, covariance, generator=generator)
    assert haar.p_value < matched.probability / 5


def test_a_large_rank_keeps_the_ratio_and_says_why_there_is_no_null():
    result = energy_ratio(moment(7, 6), proxy(8, 6, 3), draws=0)
    assert math.isfinite(result.ratio)
    assert math.isnan(result.null_mean)
    assert math.isnan(result.z_complement)
    assert "2·rank < dimension" in (result.reason or "")


def test_degenerate_moments():
    axis = TangentProxy(torch.eye(4, dtype=torch.float64)[:, :1])
    assert math.isnan(energy_ratio(torch.zeros(4, 4), axis, draws=0).ratio)
    assert energy_ratio(torch.diag(torch.tensor([1.0, 0, 0, 0])), axis, draws=0).ratio == math.inf


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e150])
def test_energies_carry_the_unit_and_nothing_else_does(scale):
    matrix, subspace = moment(9, 7), proxy(10, 7, 2)
    unit, scaled = energy_ratio(matrix, subspace, draws=0), energy_ratio(scale * matrix, subspace, draws=0)
    assert scaled.ratio == pytest.approx(unit.ratio, rel=1e-12)
    assert scaled.z_complement == pytest.approx(unit.z_complement, rel=1e-10)
    for name in ("tangent_energy", "null_mean", "null_std"):
        assert getattr(scaled, name) == pytest.approx(scale * getattr(unit, name), rel=1e-10)


def test_the_largest_rank_leaves_one_direction():
    values = torch.tensor([4.0, 2.0, 1.0, 0.5], dtype=torch.float64)
    axes = TangentProxy(torch.eye(4, dtype=torch.float64)[:, :3])
    assert energy_ratio(torch.diag(values), axes, draws=0).ratio == pytest.approx(7 / 3 / 0.5, rel=1e-14)


def test_arrays_and_other_dtypes_are_taken():
    matrix, subspace = moment(11, 6), proxy(12, 6, 2)
    arrays = TangentProxy(subspace.basis.numpy())  # pyright: ignore[reportArgumentType]
    expected = energy_ratio(matrix, subspace, draws=0)
    assert energy_ratio(matrix.numpy(), arrays, draws=0) == expected
    assert energy_cap(matrix.numpy(), 2) == energy_cap(matrix, 2)
    short = TangentProxy(subspace.basis.float())
    assert energy_ratio(matrix, short, draws=0).ratio == pytest.approx(expected.ratio, rel=1e-5)
    tails = [
        covariance_matched_tail(*arguments, generator=torch.Generator().manual_seed(0))
        for arguments in ((matrix, subspace, matrix), (matrix.numpy(), arrays, matrix.numpy()))
    ]
    assert tails[0] == tails[1]


def test_bad_input(generator):
    for draws in (-1, 0.5, True):
        with pytest.raises(InputError, match="draws must be an integer"):
            energy_ratio(torch.eye(4), proxy(0, 4, 1), draws=draws)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="5 dimensions and the moment in 4"):
        covariance_matched_tail(torch.eye(4), proxy(0, 5, 1), torch.eye(4), generator=generator)
    with pytest.raises(InputError, match="covariance has 5 dimensions"):
        covariance_matched_tail(torch.eye(4), proxy(0, 4, 1), torch.eye(5), generator=generator)
    with pytest.raises(InputError, match="centred after the fact"):
        energy_cap(torch.eye(4), 1, centered=True)
    with pytest.raises(InputError, match="rank 4 is out of range"):
        energy_ratio(torch.eye(4), proxy(0, 4, 4), draws=0)
    with pytest.raises(InputError, match="generator"):
        energy_ratio(torch.eye(4), proxy(0, 4, 1))
    calls: tuple[Any, ...] = (energy_ratio, covariance_matched_tail)
    for call in calls:
        arguments = (torch.eye(4),) if call is covariance_matched_tail else ()
        with pytest.raises(InputError, match="TangentProxy"):
            call(torch.eye(4), torch.eye(4)[:, :1], *arguments, generator=generator)
        with pytest.raises(InputError, match="generator"):
            call(torch.eye(4), proxy(0, 4, 1), *arguments, generator=3)
    for bad in (None, "a", torch.eye(4).to_sparse()):
        with pytest.raises(InputError, match="must be"):
            energy_ratio(bad, proxy(0, 4, 1), draws=0)  # pyright: ignore[reportArgumentType]


def test_a_basis_in_single_precision_is_made_orthonormal(generator):
    """One sample inside Q_T leaves no energy outside, also where float32 has rounded Q_T."""
    basis = torch.linalg.qr(torch.randn(6, 2, generator=generator)).Q
    inside = basis.double().sum(1)
    assert energy_ratio(torch.outer(inside, inside), TangentProxy(basis), draws=0).ratio == math.inf
