"""Radial laws: exact moments against quadrature and samples, scaling, and bad arguments."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import FixedRadius, RadialLaw, TruncatedHalfNormal, TruncatedPareto, TwoPoint, UniformBall

LAWS: list[RadialLaw] = [
    FixedRadius(0.3),
    UniformBall(0.5, 3),
    TruncatedHalfNormal(0.2, 0.5),
    TruncatedHalfNormal(0.02, 1.0),
    TwoPoint(1e-3, 1.8, 0.1),
    TruncatedPareto(1.5, 0.01, 1.0),
    TruncatedPareto(2.0, 0.01, 1.0),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_moments_match_samples(law: RadialLaw, generator: torch.Generator) -> None:
    """Four moments of seven laws; 5 standard errors are a false alarm once in 60 000 seeds."""
    n = 100_000
    t = law.sample(n, generator=generator)
    assert t.min() > 0
    assert t.max() <= law.upper
    for order in (-0.5, 1, 2, 4):
        spread = float((t**order).std()) / math.sqrt(n)
        assert float((t**order).mean()) == pytest.approx(law.moment(order), abs=5 * spread + 1e-12)
    assert law.moment(0) == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("order", [-0.5, 1, 2, 3, 4])
def test_moments_match_quadrature(order: float) -> None:
    densities = {
        UniformBall(0.5, 3): (lambda t: t**2, 0.0, 0.5),
        TruncatedHalfNormal(0.2, 0.5): (lambda t: math.exp(-(t**2) / 0.08), 0.0, 0.5),
        TruncatedPareto(1.5, 0.1, 1.0): (lambda t: t**-2.5, 0.1, 1.0),
        TruncatedPareto(2.0, 0.1, 1.0): (lambda t: t**-3.0, 0.1, 1.0),
    }
    for law, (density, low, high) in densities.items():
        mass = quad(density, low, high)[0]
        moment = quad(lambda t, g=density: t**order * g(t), low, high)[0]
        assert law.moment(order) == pytest.approx(moment / mass, rel=1e-7)


@given(factor=st.floats(1e-6, 1e3), law=st.sampled_from(LAWS), order=st.sampled_from([1, 2, 4]))
def test_scaling_scales_moments_bounds_and_samples(factor: float, law: RadialLaw, order: int) -> None:
    scaled = law.scaled(factor)
    assert type(scaled) is type(law)
    assert scaled.upper == pytest.approx(factor * law.upper, rel=1e-14)
    assert scaled.moment(order) == pytest.approx(factor**order * law.moment(order), rel=1e-10)
    draws = [each.sample(20, generator=torch.Generator().manual_seed(1)) for each in (law, scaled)]
    assert torch.allclose(draws[1], factor * draws[0], rtol=1e-12, atol=0)


def test_samples_follow_the_generator_and_dtype() -> None:
    law = UniformBall(0.5, 3)
    double, single = (
        law.sample(9, generator=torch.Generator().manual_seed(4), dtype=dtype)
        for dtype in (torch.float64, torch.float32)
    )
    assert single.dtype == torch.float32
    assert torch.equal(double.float(), single)
    with pytest.raises(InputError, match="explicit torch"):
        law.sample(3, generator=None)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FixedRadius(0.0), "radius must be positive and finite, got 0.0"),
        (lambda: FixedRadius(math.nan), "radius must be positive"),
        (lambda: UniformBall(1.0, 0), "dim must be a positive integer"),
        (lambda: TruncatedHalfNormal(-1.0, 1.0), "scale must be positive"),
        (lambda: TwoPoint(1.0, 0.5, 0.1), "large must be finite and above 1.0, got 0.5"),
        (lambda: TwoPoint(0.1, 0.5, 1.0), "probability must lie between 0 and 1"),
        (lambda: TruncatedPareto(1.0, 1.0, 1.0), "maximum must be finite and above"),
        (lambda: TruncatedPareto(0.0, 1.0, 2.0), "index must be positive"),
        (lambda: UniformBall(1.0, 2).moment(-2), "order must be finite and above -2"),
        (lambda: UniformBall(1.0, 2).scaled(-1.0), "factor must be positive"),
        (lambda: TwoPoint(0.5, 1.0, None), "probability must be a finite number, got None"),  # pyright: ignore[reportArgumentType]
        (lambda: TwoPoint(0.5, "a", 0.5), "large must be positive"),  # pyright: ignore[reportArgumentType]
        (lambda: TruncatedPareto(2.0, 1e-70, 1e70).moment(9), "moment of order 9 of Trunc.* is no float64 number"),
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("order", ["a", None, math.nan, math.inf, 1j, True, 10**400])
def test_orders_of_moments_that_are_no_numbers_are_named(law: RadialLaw, order) -> None:
    with pytest.raises(InputError, match="order must be a finite number"):
        law.moment(order)


def test_moments_of_laws_over_many_decades() -> None:
    """∫ t^{order−1−index} over 140 decades, where the mass sits at one end and the moment at the other."""
    law = TruncatedPareto(0.01, 1e-70, 1e70)
    tail = -math.expm1(-0.01 * 140 * math.log(10))
    assert law.moment(4) == pytest.approx(0.01 / 3.99 * 1e280 * 10**-1.4 / tail, rel=1e-12)
    assert FixedRadius(1e70).moment(4) == pytest.approx(1e280)
    with pytest.raises(InputError, match="no float64 number"):
        FixedRadius(1e70).moment(5)
