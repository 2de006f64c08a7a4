"""Radial and sampling laws: what the arguments promise, shrinking, and arguments that can't be met."""

from fractions import Fraction

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import FixedRadius, RadialLaw, TruncatedPareto, UniformBall
from manifoldtheory.testing import SamplingLaw
from manifoldtheory.testing.strategies import radial_laws, sampling_laws

flags = st.sampled_from([None, True, False])


@given(st.data(), st.sampled_from([1.0, 1e-3, 1 / 3, 50.0]))
def test_radial_laws_stay_below_their_bound(data: st.DataObject, upper: float) -> None:
    law = data.draw(radial_laws(upper))
    radius = law.sample(50, generator=torch.Generator().manual_seed(1))
    assert 0 < law.upper <= upper
    assert 0 < float(radius.min()) <= float(radius.max()) <= law.upper


@given(st.data(), st.integers(1, 5), flags, flags, st.booleans())
def test_sampling_laws_keep_their_promises(data: st.DataObject, dim: int, symmetric, centred, isotropic: bool) -> None:
    assume(not (symmetric and centred is False))
    assume(not (symmetric is False and centred and dim == 1))
    law = data.draw(sampling_laws(dim, symmetric=symmetric, centred=centred, isotropic=isotropic))
    assert law.dim == dim
    assert symmetric in (None, law.symmetric)
    assert centred in (None, law.centred)
    assert law.isotropic or not isotropic
    # The flags are about exact directions; the moments, computed in floating point, say the same.
    size = law.radial.moment(1)
    assert bool((law.moment(1).abs() < 1e-14 * size).all()) == law.centred
    if law.symmetric:
        assert float(law.moment(3).abs().max()) < 1e-14
    elif law.centred:
        assert float(law.moment(3).abs().max()) > 1e-3 * law.radial.moment(3)
    if isotropic:
        share = law.radial.moment(2) / dim
        assert torch.allclose(law.moment(2), share * torch.eye(dim, dtype=torch.float64), rtol=0, atol=1e-14)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("centred", [True, False])
def test_without_flags_every_kind_is_drawn(symmetric: bool, centred: bool, minimal) -> None:
    if not (symmetric and not centred):
        law = minimal(sampling_laws(), lambda law: law.symmetric == symmetric and law.centred == centred)
        assert law.dim == (2 if centred and not symmetric else 1)


def test_shrinking(minimal) -> None:
    assert minimal(radial_laws(0.7)) == FixedRadius(0.7)
    assert minimal(radial_laws(families="ball", dim=3)) == UniformBall(1.0, 3)
    assert minimal(radial_laws(families=["pareto"])) == TruncatedPareto(1.0, 0.5, 1.0)
    one = Fraction(1)
    assert minimal(sampling_laws()) == SamplingLaw(FixedRadius(1.0), ((one,), (-one,)))
    assert minimal(sampling_laws(symmetric=False, radial=FixedRadius(0.5))) == SamplingLaw(FixedRadius(0.5), ((one,),))


@given(sampling_laws(radial=radial_laws(0.125)))
def test_the_radial_law_may_be_a_strategy(law: SamplingLaw) -> None:
    assert isinstance(law.radial, RadialLaw)
    assert law.radial.upper <= 0.125


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: radial_laws(0), "upper must be above 0 and finite, got 0"),
        (lambda: radial_laws(dim=0), "dim must be between 1 and 16384, got 0"),
        (lambda: radial_laws(families="cauchy"), "unknown family of radial laws 'cauchy'"),
        (lambda: radial_laws(families=0), "a family of radial laws is asked for by name, got 0"),  # pyright: ignore[reportArgumentType]
        (lambda: radial_laws(dim=10**6), "dim must be between 1 and 16384, got 1000000"),
        (lambda: sampling_laws(0), "dim must be between 1 and 16384, got 0"),
        (lambda: sampling_laws(symmetric="no"), "symmetric must be True, False, or None"),  # pyright: ignore[reportArgumentType]
        (lambda: sampling_laws(symmetric=True, centred=False), "a symmetric law is centred"),
        (lambda: sampling_laws(1, symmetric=False, centred=True), "a centred law is symmetric: take dim ≥ 2"),
        (lambda: sampling_laws(radial=0.1), r"radial must be a RadialLaw or a strategy for one, got 0\.1"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
