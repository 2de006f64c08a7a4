"""Sampling laws: exact properties against moments and samples, and arguments that don't fit."""

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import FixedRadius, TwoPoint
from manifoldtheory.testing import SamplingLaw, unit_vector

F = Fraction
TRIAD = ((F(1), F(0)), (F(-3, 5), F(4, 5)), (F(-3, 5), F(-4, 5)))
LAWS = {
    "line": SamplingLaw(FixedRadius(0.5), ((F(1),), (F(-1),))),
    "half-line": SamplingLaw(FixedRadius(0.5), ((F(1),),)),
    "lopsided": SamplingLaw(FixedRadius(0.5), ((F(1),), (F(-1),)), (F(1, 3), F(2, 3))),
    "triad": SamplingLaw(TwoPoint(0.1, 1.0, 0.25), TRIAD, (F(3, 8), F(5, 16), F(5, 16))),
    "repeated": SamplingLaw(FixedRadius(1.0), ((F(1),), (F(-1),), (F(1),)), (F(1, 4), F(1, 2), F(1, 4))),
}
FLAGS = {  # symmetric, centred, isotropic
    "line": (True, True, True),
    "half-line": (False, False, True),
    "lopsided": (False, False, True),
    "triad": (False, True, False),
    "repeated": (True, True, True),
}


@pytest.mark.parametrize("name", LAWS)
def test_flags(name: str) -> None:
    law = LAWS[name]
    assert (law.symmetric, law.centred, law.isotropic) == FLAGS[name]


@pytest.mark.parametrize("name", LAWS)
def test_moments_match_samples(name: str, generator: torch.Generator) -> None:
    """Means over 20 000 draws, three orders of five laws: 5 standard errors are a false alarm once in 60 000 seeds."""
    law = LAWS[name]
    u = law.sample(20_000, generator=generator)
    assert u.shape == (20_000, law.dim)
    product = torch.ones(20_000, dtype=torch.float64)
    for order in (1, 2, 3):
        product = product[..., None] * u.reshape(20_000, *(1,) * (product.ndim - 1), law.dim)
        error = 5 * product.std(0) / 20_000**0.5 + 1e-12
        assert bool(((product.mean(0) - law.moment(order)).abs() <= error).all())


def test_the_triad_has_the_moments_of_its_docstring() -> None:
    law = SamplingLaw(FixedRadius(1.0), TRIAD, (F(3, 8), F(5, 16), F(5, 16)))
    assert torch.allclose(law.moment(1), torch.zeros(2).double(), rtol=0, atol=1e-16)
    assert torch.allclose(law.moment(2), torch.diag(torch.tensor([0.6, 0.4]).double()), rtol=0, atol=1e-7)
    assert float(law.moment(3)[0, 0, 0]) == pytest.approx(6 / 25, abs=1e-15)


def test_scaled_laws_scale_their_moments_and_draws() -> None:
    law = LAWS["triad"]
    one, other = (each.sample(9, generator=torch.Generator().manual_seed(3)) for each in (law, law.scaled(0.1)))
    assert torch.allclose(other, 0.1 * one, rtol=1e-14, atol=0)
    assert torch.allclose(law.scaled(0.1).moment(3), 1e-3 * law.moment(3), rtol=1e-12, atol=1e-18)


@given(axis=st.integers(0, 2), slopes=st.lists(st.fractions(-5, 5, max_denominator=7), min_size=2, max_size=2))
def test_unit_vectors_have_length_exactly_1(axis: int, slopes: list[Fraction]) -> None:
    vector = unit_vector(axis, slopes)
    assert sum(entry**2 for entry in vector) == 1
    assert any(slopes) or vector[axis] == 1


def test_draws_follow_the_generator_and_dtype() -> None:
    law = LAWS["lopsided"]
    double, single = (
        law.sample(9, generator=torch.Generator().manual_seed(4), dtype=dtype)
        for dtype in (torch.float64, torch.float32)
    )
    assert single.dtype == torch.float32
    assert torch.equal(double.float(), single)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SamplingLaw(FixedRadius(1.0), ()), "at least one"),
        (lambda: SamplingLaw(FixedRadius(1.0), ((),)), "at least one"),
        (lambda: SamplingLaw(FixedRadius(1.0), ((F(1),), (F(1), F(0)))), "directions of one dimension"),
        (lambda: SamplingLaw(FixedRadius(1.0), ((F(1), F(1)),)), "squared length 2, not exactly 1"),
        (lambda: SamplingLaw(FixedRadius(1.0), ((F(1),),), (F(1, 2),)), "sum to 1, .* sum 1/2"),
        (lambda: SamplingLaw(FixedRadius(1.0), ((F(1),), (F(-1),)), (F(1), F(0))), "positive probabilities"),
        (lambda: SamplingLaw(FixedRadius(1.0), ((F(1),), (F(-1),)), (F(1),)), "2 directions need as many"),
        (lambda: LAWS["line"].sample(3, generator=None), "explicit torch"),  # pyright: ignore[reportArgumentType]
        (lambda: LAWS["line"].moment(0), "order must be a positive integer"),
        (lambda: unit_vector(2, [0]), "axis must be between 0 and 1, got 2"),
        (lambda: unit_vector(0, [float("nan")]), r"slopes must be a sequence of rational .* \[nan\]"),  # pyright: ignore[reportArgumentType]
        (lambda: unit_vector(0, 1), "slopes must be a sequence of rational numbers, got 1"),  # pyright: ignore[reportArgumentType]
        (lambda: SamplingLaw("a", ((F(1),),)), r"radial must be a RadialLaw, got 'a': e\.g\. FixedRadius"),  # pyright: ignore[reportArgumentType]
        (lambda: SamplingLaw(FixedRadius(1.0), 1), "directions must be a sequence of vectors, got 1"),  # pyright: ignore[reportArgumentType]
        (lambda: SamplingLaw(FixedRadius(1.0), (1,)), "a direction must be a sequence of rational numbers"),  # pyright: ignore[reportArgumentType]
        (lambda: SamplingLaw(FixedRadius(1.0), ((F(1),),), 1), "probabilities must be a sequence of rational"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
