"""Strategies for what is learned: losses and token frequencies."""

from collections.abc import Iterable, Sequence

import torch
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.testing.checks import LARGEST_VOCABULARY, require_numbers
from manifoldtheory.testing.losses import LinearLoss, LogisticLoss, Loss, QuarticLoss, SoftmaxLoss, SquaredLoss
from manifoldtheory.testing.recipes import frequency_table
from manifoldtheory.testing.strategies.arguments import Real, Whole, build, chosen, flag, real, signed_fractions, whole

LOSS_FAMILIES: dict[str, tuple[type[Loss], frozenset[tuple[bool, bool]]]] = {
    "squared": (SquaredLoss, frozenset({(True, False), (False, False)})),
    "logistic": (LogisticLoss, frozenset({(True, False), (False, False)})),
    "softmax": (SoftmaxLoss, frozenset({(True, False), (False, False)})),
    "linear": (LinearLoss, frozenset({(False, True)})),
    "quartic": (QuarticLoss, frozenset({(True, True), (False, False)})),
}
"""Name → class, and the pairs (gradient vanishes, Hessian vanishes) that it can have at a point."""

LARGEST_OUTPUT = 1e9
"""Targets 1/16 from it are still told apart, to six digits."""

SATURATION = 16.0
"""Predictions are then e^{−16} = 1e-7 from 0 or 1, and half of the digits of 1 − σ are left."""


def losses(
    output_dim: Whole | None = None,
    *,
    point: Sequence[float] | Tensor | None = None,
    vanishing: bool | None = None,
    flat: bool | None = None,
    families: str | Iterable[str] | None = None,
) -> SearchStrategy[Loss]:
    """Losses on the outputs y = Wx of a linear map, of a chosen kind at the output of the base point.

    * ``output_dim`` is o ≥ 1, or a strategy for it; by default that of `point`, else up to 3.
    * ``point`` is the output y_p = W p, o numbers up to 1e9; by default 0. Logistic losses are left out where an
      output, softmax losses where a difference of outputs is beyond 16: they are saturated, with e^{−16} for gradient
      and Hessian.
    * ``vanishing=True`` draws losses with δ(p) = 0, ``False`` losses with δ(p) ≠ 0; ``None`` does not mind.
    * ``flat=True`` draws losses whose Hessian H vanishes at the point, so that Dδ|_T = H W|_T = 0 whatever W is;
      ``False`` losses with H ≠ 0: positive definite, but for softmax, where H(1, …, 1) = 0.
    * ``families`` restricts the draw by name: ``"squared"``, ``"logistic"``, ``"softmax"`` (o ≥ 2), ``"linear"``,
      ``"quartic"``; one of them or several.

    With laws from `sampling_laws`, the four pairs of flags are the rows of the table of linear-gradient-bias.
    Vanishing gradients of logistic and softmax losses vanish to rounding, the others exactly. Shrinks to ½ y².
    """
    if point is not None:
        point = require_numbers("point", point)
        if not point or max(map(abs, point)) > LARGEST_OUTPUT:
            raise InputError(f"point has one or more outputs of size at most {LARGEST_OUTPUT:g}, got {point}")
        if isinstance(output_dim, SearchStrategy) or (output_dim is not None and output_dim != len(point)):
            raise InputError(f"point has {len(point)} outputs: leave out output_dim, or make it {len(point)}")
        output_dim = len(point)
    names = chosen("family of losses", LOSS_FAMILIES, families)
    wanted = (flag("vanishing", vanishing), flag("flat", flat))
    fitting = tuple(name for name in names if _pairs(name, *wanted))
    if not fitting:
        raise InputError(f"no {' or '.join(names)} loss has vanishing={vanishing} and flat={flat}: leave families out")
    if fitting == ("softmax",) and output_dim == 1:
        raise InputError("softmax of one output is constant: take output_dim ≥ 2")
    if point is not None:
        fitting = tuple(name for name in fitting if not _saturated(name, point))
        if not fitting:
            raise InputError(
                f"{' and '.join(names)} losses are saturated at {point}: take outputs, for softmax their differences, "
                f"of size at most {SATURATION:g}"
            )
    smallest = 2 if fitting == ("softmax",) else 1
    dims = st.integers(smallest, 3) if output_dim is None else whole("output_dim", output_dim, smallest)
    return _losses(dims, point, *wanted, fitting)


def frequency_tables(
    vocabulary: Whole | None = None, *, exponent: Real | None = None, max_ratio: Real = 1000
) -> SearchStrategy[Tensor]:
    """Token frequencies (vocabulary,), float64, positive with sum 1.

    f_r ∝ c_r (r + 1)^{−exponent}: Zipf's law, with a few tokens out of line.

    * ``vocabulary``, between 1 and 10⁸, is the number of tokens, or a strategy for it; by default up to 20.
    * ``exponent`` ≥ 0 is Zipf's, or a strategy for it; by default a multiple of ¼ up to 2. 0 leaves the c_r alone.
    * ``max_ratio`` ≥ 1 bounds the integers c_r, or is a strategy for the bound; 1 leaves Zipf's law alone.

    Few numbers are drawn however large the vocabulary is. Shrinks to one token; equal frequencies for a given number.
    """
    quarters = st.integers(0, 8).map(lambda n: n / 4)
    return _frequency_tables(
        st.integers(1, 20) if vocabulary is None else whole("vocabulary", vocabulary, 1, LARGEST_VOCABULARY),
        quarters if exponent is None else real("exponent", exponent, 0, 20),
        real("max_ratio", max_ratio, 1, 1e9),
    )


def _pairs(name: str, vanishing: bool | None, flat: bool | None) -> list[tuple[bool, bool]]:
    """The wanted pairs of flags that a family can have, vanishing ones first."""
    pairs = sorted(LOSS_FAMILIES[name][1], reverse=True)
    return [(v, f) for v, f in pairs if vanishing in (None, v) and flat in (None, f)]


def _saturated(name: str, point: tuple[float, ...]) -> bool:
    """Whether the predictions of a logistic or softmax loss are 0 or 1 but for a few digits."""
    if name == "logistic":
        return max(map(abs, point)) > SATURATION
    return name == "softmax" and max(point) - min(point) > SATURATION


@st.composite
def _losses(
    draw: DrawFn,
    dims: SearchStrategy[int],
    point: tuple[float, ...] | None,
    vanishing: bool | None,
    flat: bool | None,
    names: tuple[str, ...],
) -> Loss:
    size = draw(dims)
    name = draw(st.sampled_from([name for name in names if name != "softmax" or size > 1]))
    vanishes, _ = draw(st.sampled_from(_pairs(name, vanishing, flat)))
    return build(draw, LOSS_FAMILIES[name][0], _parameter(draw, name, point or (0.0,) * size, vanishes))


def _parameter(draw: DrawFn, name: str, point: tuple[float, ...], vanishes: bool) -> tuple[float, ...]:
    size = len(point)
    if name in ("logistic", "softmax"):
        if vanishes:
            return _prediction(name, point)
        if name == "logistic":
            return tuple(draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=size, max_size=size)))
        label = draw(st.integers(0, size - 1))
        return tuple(float(index == label) for index in range(size))
    if vanishes:
        return point
    shift = list(draw(st.tuples(*[signed_fractions] * size)))
    if not any(shift):
        shift[0] = 1.0
    return tuple(shift) if name == "linear" else tuple(y + s for y, s in zip(point, shift, strict=True))


def _prediction(name: str, point: tuple[float, ...]) -> tuple[float, ...]:
    """The label that is already predicted at the point: σ(y), or softmax(y)."""
    y = torch.tensor(point, dtype=torch.float64)
    predicted = torch.sigmoid(y) if name == "logistic" else torch.softmax(y, -1)
    return tuple(predicted.tolist())


@st.composite
def _frequency_tables(
    draw: DrawFn, sizes: SearchStrategy[int], exponents: SearchStrategy[float], ratios: SearchStrategy[float]
) -> Tensor:
    size, exponent, ratio = draw(sizes), draw(exponents), int(draw(ratios))
    multiples: dict[int, int] = {}
    if size > 1 and ratio > 1:
        # A common factor means nothing, so one token can stay as it is.
        tokens = st.integers(0, size - 1)
        multiples = draw(st.dictionaries(tokens, st.integers(2, ratio), max_size=min(size - 1, 10)))
    return build(draw, frequency_table, size, exponent, multiples)
