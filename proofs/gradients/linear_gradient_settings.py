"""Settings in which the mean gradient of a linear layer is known exactly: one for every case.

Each is a curve or surface that is a graph over its tangent space at p = 0, a law of a few points, a loss, and weights
on the first tangent and the first normal coordinate.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from proofs.symbols import normal_weight, radius, tangent_weight

t = radius
ZERO = sympy.Integer(0)

Points = tuple[tuple[tuple[int, ...], Fraction], ...]
"""Directions u and their probabilities: the points of the cloud are those over t u."""
_third, _quarter = Fraction(1, 3), Fraction(1, 4)
PAIR: Points = (((1,), Fraction(1, 2)), ((-1,), Fraction(1, 2)))
DRIFT: Points = (((1,), 3 * _quarter), ((-1,), _quarter))
SKEW: Points = (((2,), _third), ((-1,), 2 * _third))
"""E u = 0 and E u³ ≠ 0."""
CROSS: Points = tuple((u, _quarter) for u in ((1, 0), (-1, 0), (0, 1), (0, -1)))
"""E[u uᵀ] is a multiple of the identity; so it is of the next two."""
DRIFTING_CROSS: Points = (((1, 0), 3 * _quarter / 2), ((-1, 0), _quarter / 2), ((0, 1), _quarter), ((0, -1), _quarter))
SKEW_CROSS: Points = (
    ((2, 0), 2 * _third / 3),
    ((-1, 0), 4 * _third / 3),
    ((0, 2), _third / 2),
    ((0, -2), _third / 2),
)


@dataclass(frozen=True)
class Graph:
    """A graph z_a = ½ h^a(u, u) + ⅙ k^a(u, u, u): its heights for the proof, h and k for the measurement."""

    text: str
    heights: Callable[..., tuple[Any, ...]]
    second: Any
    third: Any = None

    def build(self) -> Any:
        """The manifold."""
        import torch

        from manifoldtheory.manifolds import MongePatch

        third = None if self.third is None else torch.tensor(self.third, dtype=torch.float64)
        return MongePatch(torch.tensor(self.second, dtype=torch.float64), third)


_COMPLEX_SQUARE = [[[2.0, 0.0], [0.0, -2.0]], [[0.0, 2.0], [2.0, 0.0]]]
_COMPLEX_CUBE = [
    [[[6.0, 0.0], [0.0, -6.0]], [[0.0, -6.0], [-6.0, 0.0]]],
    [[[0.0, 6.0], [6.0, 0.0]], [[6.0, 0.0], [0.0, -6.0]]],
]
PARABOLA = Graph("the parabola (u, u²)", lambda u: (u**2,), [[[2.0]]])
CUBIC = Graph("the curve (u, u² + u³)", lambda u: (u**2 + u**3,), [[[2.0]]], [[[[6.0]]]])
COMPLEX_PARABOLA = Graph(
    "the complex parabola (ζ, ζ²) in C² = R⁴, a minimal surface",
    lambda u, v: (u**2 - v**2, 2 * u * v),
    _COMPLEX_SQUARE,
)
COMPLEX_CUBIC = Graph(
    "the complex curve (ζ, ζ² + ζ³) in C² = R⁴, a minimal surface",
    lambda u, v: (u**2 - v**2 + u**3 - 3 * u * v**2, 2 * u * v + 3 * u**2 * v - v**3),
    _COMPLEX_SQUARE,
    _COMPLEX_CUBE,
)


@dataclass(frozen=True)
class Loss:
    """A loss of the output y, of dimension `outputs`: in the first output, the others being 0, and on tensors."""

    text: str
    symbolic: Callable[[Any], Any]
    build: Callable[[], Callable[[Any], Any]]
    outputs: int = 1


def _squared(label: int) -> Loss:
    def build() -> Callable[[Any], Any]:
        return lambda output: (output[:, 0] - label).square() / 2

    return Loss(f"squared loss, label {label}", lambda y: (y - label) ** 2 / 2, build)


def _softmax() -> Callable[[Any], Any]:
    import torch

    def loss(output: Any) -> Any:
        target = torch.zeros(len(output), dtype=torch.long)
        return torch.nn.functional.cross_entropy(output, target, reduction="none")

    return loss


LABELLED, FITTED = _squared(-1), _squared(0)
"""δ(p) = 1 and δ(p) = 0, as the output at 0 is 0."""
CROSS_ENTROPY = Loss(
    "softmax cross-entropy of two classes", lambda y: sympy.log(sympy.exp(y) + 1) - y, _softmax, outputs=2
)


@dataclass(frozen=True)
class Setting:
    """What an instance is made of, with values `at` which it is measured; weights not in `weights` are 0.

    `case` is the case of `proofs.gradients.linear_gradient_cases` that it belongs to.
    """

    case: str
    graph: Graph
    points: Points
    loss: Loss
    weights: tuple[str, ...]
    at: Mapping[str, float] = field(default_factory=dict)

    @property
    def dim(self) -> int:
        """Of the manifold."""
        return len(self.points[0][0])

    @property
    def text(self) -> str:
        """In words."""
        return f"{self.graph.text}, {len(self.points)} points at scale t, {self.loss.text}"

    def mean_loss(self) -> Any:
        """Of the layer with weights on the first tangent and the first normal coordinate."""
        total = ZERO
        for direction, probability in self.points:
            place = [t * coordinate for coordinate in direction]
            output = tangent_weight * place[0] + normal_weight * self.graph.heights(*place)[0]
            total += sympy.Rational(probability.numerator, probability.denominator) * self.loss.symbolic(output)
        return total


_WEIGHTS = {"tangent_weight": 0.4, "normal_weight": 0.6}
BOTH, TANGENT, NORMAL = ("tangent_weight", "normal_weight"), ("tangent_weight",), ("normal_weight",)
SETTINGS = tuple(
    Setting(case, graph, points, loss, weights, {"radius": 0.05} | {name: _WEIGHTS[name] for name in weights})
    for case, graph, points, loss, weights in (
        ("drifting", PARABOLA, DRIFT, LABELLED, TANGENT),
        ("symmetric", PARABOLA, PAIR, LABELLED, TANGENT),
        ("minimal", COMPLEX_PARABOLA, CROSS, LABELLED, BOTH),
        ("flat", CUBIC, PAIR, LABELLED, NORMAL),
        ("stationary-skew", PARABOLA, DRIFT, FITTED, TANGENT),
        ("stationary", PARABOLA, PAIR, FITTED, BOTH),
        ("stationary-flat", CUBIC, PAIR, FITTED, NORMAL),
        ("drifting-minimal", COMPLEX_PARABOLA, DRIFTING_CROSS, LABELLED, TANGENT),
        ("centred", PARABOLA, SKEW, LABELLED, TANGENT),
        ("centred-minimal", COMPLEX_PARABOLA, SKEW_CROSS, LABELLED, TANGENT),
        ("centred-flat", PARABOLA, SKEW, LABELLED, NORMAL),
        ("centred-flat-minimal", COMPLEX_CUBIC, SKEW_CROSS, LABELLED, NORMAL),
        ("flat-minimal", COMPLEX_CUBIC, CROSS, LABELLED, NORMAL),
        ("stationary-skew-flat", PARABOLA, DRIFT, FITTED, NORMAL),
    )
)
SOFTMAX = Setting("symmetric", PARABOLA, PAIR, CROSS_ENTROPY, TANGENT, {"radius": 0.05, "tangent_weight": -0.4})
UNTRAINED = Setting("flat", PARABOLA, PAIR, LABELLED, (), {"radius": 0.05})
"""Weights of 0: the output gradient is the same for all points."""
