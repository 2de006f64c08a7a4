"""Losses and frequencies: what the arguments promise, shrinking, and arguments that can't be met."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from manifoldtheory.errors import InputError
from manifoldtheory.testing import LinearLoss, QuarticLoss, SoftmaxLoss, SquaredLoss
from manifoldtheory.testing.strategies import frequency_tables, losses

flags = st.sampled_from([None, True, False])
points = st.lists(st.sampled_from([0.0, 1.0, -0.25, 3.0, 1 / 3, 800.0, -1000.0]), min_size=1, max_size=3)


@given(st.data(), points, flags, flags)
def test_losses_keep_their_promises_at_the_point(data: st.DataObject, point: list[float], vanishing, flat) -> None:
    loss = data.draw(losses(point=point, vanishing=vanishing, flat=flat))
    y = torch.tensor(point, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(loss(y), y)
    hessian = torch.func.jacrev(torch.func.grad(loss))(y.detach())
    assert loss.output_dim == len(point)
    if vanishing is not None:
        # Where rounding decides, in logistic and softmax losses, δ(p) is a few eps of the output (differentiating
        # log Σ e^y subtracts numbers of its size); else at least e^{−3}.
        rounding = 4 * torch.finfo(torch.float64).eps * (1 + max(map(abs, point)))
        assert bool(gradient.abs().max() < rounding) == vanishing
    if flat is not None:
        assert bool((hessian == 0).all()) == flat
    if flat is False and not isinstance(loss, SoftmaxLoss):
        assert torch.linalg.eigvalsh(hessian).min() > 1e-3


@pytest.mark.parametrize("name", ["squared", "logistic", "softmax", "linear", "quartic"])
def test_families_are_drawn_by_name(name: str, minimal) -> None:
    assert minimal(losses(families=name)).name == minimal(losses(), lambda loss: loss.name == name).name == name


@given(st.data(), st.integers(1, 200), st.sampled_from([0.0, 1.0, 1.5]), st.sampled_from([1, 10, 1000]))
def test_frequencies_are_positive_sum_to_one_and_keep_to_zipf(
    data: st.DataObject, vocabulary: int, exponent: float, max_ratio: int
) -> None:
    table = data.draw(frequency_tables(vocabulary, exponent=exponent, max_ratio=max_ratio))
    assert table.shape == (vocabulary,)
    assert float(table.sum()) == pytest.approx(1, abs=1e-14)
    assert table.min() > 0
    ratio = table * torch.arange(1, vocabulary + 1, dtype=torch.float64) ** exponent
    assert float(ratio.max() / ratio.min()) <= max_ratio * (1 + 1e-12)


def test_saturated_losses_are_left_out(minimal) -> None:
    for point, name in (([16.0], "logistic"), ([1000.0, 984.0], "softmax")):
        assert minimal(losses(point=point, vanishing=False, flat=False), lambda loss, n=name: loss.name == n)
    for point in ([16.5], [1000.0, 983.0]):
        with pytest.raises(NoSuchExample):
            minimal(losses(point=point), lambda loss: loss.name in ("logistic", "softmax"))


def test_vocabularies_are_as_large_as_those_of_language_models(minimal) -> None:
    assert minimal(frequency_tables(50_257)).shape == (50_257,)
    assert minimal(frequency_tables(1_000_000, exponent=1.0)).shape == (1_000_000,)


def test_shrinking(minimal) -> None:
    assert minimal(losses()) == SquaredLoss((0.0,))
    assert minimal(losses(2, vanishing=False, flat=True)) == LinearLoss((1.0, 0.0))
    assert minimal(losses(vanishing=True, flat=True, point=[2.0])) == QuarticLoss((2.0,))
    assert minimal(losses(families="softmax")) == SoftmaxLoss((0.5, 0.5))
    assert minimal(frequency_tables()).tolist() == [1.0]
    assert minimal(frequency_tables(5)).tolist() == [0.2] * 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: losses(0), "output_dim must be between 1 and 16384, got 0"),
        (lambda: losses(2, point=[0.0]), "point has 1 outputs: leave out output_dim"),
        (lambda: losses(point=[float("inf")]), r"point\[0\] must be finite, got inf"),
        (lambda: losses(point=[]), "point has one or more outputs"),
        (lambda: losses(point=0), r"point must be a sequence of numbers, got 0: for one number write \(0,\)"),  # pyright: ignore[reportArgumentType]
        (lambda: losses(point=[1e10]), r"of size at most 1e\+09, got"),
        (lambda: losses(point=[800.0], families="logistic"), r"logistic losses are saturated at \(800\.0,\)"),
        (lambda: losses(point=[20.0, -20.0], families=["softmax", "logistic"]), "logistic and softmax losses are sat"),
        (lambda: losses(families=0), "a family of losses is asked for by name, got 0"),  # pyright: ignore[reportArgumentType]
        (lambda: losses(vanishing="yes"), "vanishing must be True, False, or None"),  # pyright: ignore[reportArgumentType]
        (lambda: losses(1, families="softmax"), "softmax of one output is constant"),
        (lambda: losses(families="linear", vanishing=True), "no linear loss has vanishing=True and flat=None"),
        (lambda: losses(families="hinge"), "unknown family of losses 'hinge'"),
        (lambda: frequency_tables(0), "vocabulary must be between 1 and 100000000, got 0"),
        (lambda: frequency_tables(exponent=-1), "exponent must be at least 0 and at most 20, got -1"),
        (lambda: frequency_tables(max_ratio=0.5), r"max_ratio must be at least 1 .* got 0\.5"),
    ],
)
def test_bad_arguments_are_named(make, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
