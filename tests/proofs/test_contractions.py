from itertools import product

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from proofs.contractions import A, B, P, contracted, h, haar_average, pairings, same, spherical_average, w

a, b, i, j, k, q = sympy.symbols("a b i j k q")
m, n = sympy.symbols("m n")


def test_names_of_summed_indices_do_not_matter() -> None:
    assert contracted(h[a, i, j] * h[a, i, j]) == contracted(h[b, q, k] ** 2) == contracted(h[a, j, i] * h[a, i, j])
    assert contracted(h[a, i, i] * h[a, j, j]) != contracted(h[a, i, j] * h[a, i, j])
    assert contracted(w[i] * w[i]) == contracted(sympy.Integer(1))
    assert not same(contracted(h[a, i, j] ** 2), contracted(2 * h[a, i, j] ** 2))


def test_free_indices_are_refused() -> None:
    for expression in (h[a, i, j], w[i], h[a, i, i] * h[b, j, j], B[i, j] * w[i]):
        with pytest.raises(ValueError, match="exactly twice"):
            contracted(expression)


@pytest.mark.parametrize(("size", "count"), [(0, 1), (2, 1), (4, 3), (6, 15), (3, 0)])
def test_numbers_of_pairings(size: int, count: int) -> None:
    assert len(set(pairings(tuple(range(size))))) == count


def sphere_moment(powers: tuple[int, ...]) -> float:
    """E Π w_i^{p_i} over the unit sphere, from gamma functions: independent of pairings."""
    if any(power % 2 for power in powers):
        return 0.0
    gamma = sympy.gamma
    value = gamma(sympy.Rational(len(powers), 2)) / gamma(sympy.Rational(sum(powers) + len(powers), 2))
    for power in powers:
        value *= gamma(sympy.Rational(power + 1, 2)) / gamma(sympy.Rational(1, 2))
    return float(value)


@given(st.integers(1, 3), st.integers(0, 10**6))
def test_spherical_averages_by_components(dim: int, seed: int) -> None:
    """⟨Π A-forms⟩ and ⟨|h(w,w)|²⟩ against moments of the components."""
    form = np.random.default_rng(seed).normal(size=(2, dim, dim))
    form = form + form.transpose(0, 2, 1)
    average = spherical_average(contracted(h[a, i, j] * h[a, k, q] * w[i] * w[j] * w[k] * w[q]), m)
    expected = contracted((h[a, i, i] * h[a, j, j] + 2 * h[a, i, j] ** 2) / (m * (m + 2)))
    assert same(average, expected)
    value = ((np.trace(form, axis1=1, axis2=2) ** 2).sum() + 2 * (form**2).sum()) / (dim * (dim + 2))
    direct = sum(
        (form[:, p, r] * form[:, s, t]).sum() * sphere_moment(tuple((p, r, s, t).count(axis) for axis in range(dim)))
        for p, r, s, t in product(range(dim), repeat=4)
    )
    assert value == pytest.approx(direct, rel=1e-9, abs=1e-9)


def test_sixth_moments_and_odd_ones() -> None:
    form = A[i, j] * A[k, q] * A[a, b] * w[i] * w[j] * w[k] * w[q] * w[a] * w[b]
    expected = A[i, i] * A[j, j] * A[k, k] + 6 * A[i, i] * A[j, k] ** 2 + 8 * A[i, j] * A[j, k] * A[k, i]
    assert same(spherical_average(contracted(form), m), contracted(expected / (m * (m + 2) * (m + 4))))


def test_haar_average_of_projectors() -> None:
    moments = sympy.symbols("a_0 b_0 c_0")
    squared = haar_average(contracted(P[i, j] * P[k, q] * B[i, j] * B[k, q]), n, moments)
    assert same(squared, contracted(moments[0] * B[i, i] * B[j, j] + 2 * moments[1] * B[i, j] ** 2))
    assert same(
        haar_average(contracted(P[i, i] * P[j, j]), n, moments), contracted(moments[0] * n**2 + 2 * moments[1] * n)
    )
    with pytest.raises(ValueError, match="one or two"):
        haar_average(contracted(B[i, i]), n, moments)
