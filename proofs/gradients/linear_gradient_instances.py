r"""Instances of the cases of the mean gradient of a linear layer, and what refutes the claim as stated.

The mean loss of a setting is written out as a function of two weights, one on a tangent and one on a normal coordinate,
and differentiated by them; the other entries of the gradient vanish. The measurement is automatic differentiation
through `torch.nn.Linear`, summed over the points with their probabilities: nothing is sampled.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.conditions import nonzero
from proofs.counterexample import Counterexample
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Remainders, Slope
from proofs.gradients.linear_gradient_settings import CROSS_ENTROPY, Points, Setting
from proofs.symbols import normal_weight, radius, tangent_weight

t = radius
ZERO = sympy.Integer(0)
ROUNDING = 2.0**-50
"""Eight units in the last place of what is summed, in float64."""


@dataclass(frozen=True)
class Instance:
    """A setting with its chains: the tangent and the normal entry of the mean gradient, exact, and their quotient.

    The quotient is normal over tangent, or tangent over normal where the tangent part vanishes.
    """

    name: str
    setting: Setting
    tangent: Chain
    normal: Chain
    ratio: Chain

    @property
    def chains(self) -> tuple[Chain, Chain, Chain]:
        """All of them."""
        return self.tangent, self.normal, self.ratio

    @property
    def counterexample(self) -> Counterexample:
        """What is measured is the quotient of the norms of the parts, at radius t."""
        vanishing = self.tangent.conclusion == ZERO
        text = "tangent over normal part" if vanishing else "normal over tangent part"
        measured = partial(_quotient, "normal" if vanishing else "tangent")
        return self._instance(self.name, text, Prediction(self.name, self.ratio.conclusion), measured)

    def refuting(self, name: str) -> Counterexample:
        """What is measured is the exponent of normal over tangent part between the radii t and 2t; 1 is claimed."""
        value = self.ratio.conclusion
        law = Prediction(name, sympy.log(value.xreplace({t: 2 * t}) / value) / sympy.log(2))
        text = "exponent of the normal over the tangent part"
        return self._instance(name, text, law, _exponent, Prediction(f"{name} claimed", sympy.Integer(1)))

    def _instance(
        self,
        name: str,
        text: str,
        law: Prediction,
        measured: Callable[..., tuple[float, float]],
        claimed: Prediction | None = None,
    ) -> Counterexample:
        setting = self.setting
        parts: dict[str, Callable[[], Any]] = {
            "manifold": setting.graph.build,
            "law": lambda: setting.points,
            "loss": setting.loss.build,
            "architecture": lambda: partial(_layer, setting),
        }
        about = f"{setting.text}: {text}"
        return Counterexample(name, about, self.ratio.name, parts, law, measured, claimed, dict(setting.at))


def instance(name: str, setting: Setting) -> Instance:
    """The instance of a setting, its gradient derived from its mean loss."""
    loss = setting.mean_loss()
    tangent, normal = (
        _entry(f"{name}-{part}-entry", setting, loss, weight)
        for part, weight in (("tangent", tangent_weight), ("normal", normal_weight))
    )
    above, below = (tangent, normal) if tangent.conclusion == ZERO else (normal, tangent)
    build = ChainBuilder(
        f"{name}-quotient",
        f"Quotient of the parts of the mean gradient: {setting.text}",
        above.start / below.start,
        conditions=[nonzero(weight) for weight in (tangent_weight, normal_weight) if _divides(weight, above, below)],
        uses=[tangent, normal],
    )
    return Instance(name, setting, tangent, normal, build.substitute("the entries", fact(above), fact(below)).done())


def _divides(factor: Any, *entries: Chain) -> bool:
    """Whether entries have a common factor, which their quotient does not."""
    return all(factor in sympy.Mul.make_args(entry.conclusion) for entry in entries)


def _entry(name: str, setting: Setting, loss: Any, weight: Any) -> Chain:
    """The derivative of the mean loss by one weight."""
    fixed = [(other, ZERO) for other in (tangent_weight, normal_weight) if other.name not in setting.weights]
    title = f"An entry of the mean gradient: {setting.text}"
    build = ChainBuilder(name, title, Slope(loss, weight), hypotheses=fixed)
    build.rewrite("the derivative", "differentiation", build.current, sympy.diff(loss, weight))
    if fixed:
        build.substitute("the weights", *fixed)
    if setting.loss is not CROSS_ENTROPY:
        build.tidy("powers of t", sympy.collect(sympy.expand(build.current), t))
    return build.done()


def expanded(remainders: Remainders, entry: Chain, order: int) -> Chain:
    """The first terms of an entry that is no polynomial in t, through an order."""
    build = ChainBuilder(
        f"{entry.name}-expanded", f"{entry.title}, expanded", entry.start, remainders=remainders, uses=[entry]
    )
    build.substitute("the exact entry", fact(entry))
    halved = {
        power: sympy.Rational(1, 2) / (power.base / 2).expand()
        for power in build.current.atoms(sympy.Pow)
        if power.base.is_Add and power.exp == -1
    }
    build.tidy("sums that start with 1 at t = 0", build.current.xreplace(halved))
    return build.truncate("expand in t", build.current, t, order).done()


def _layer(setting: Setting, tangent_weight: float = 0.0, normal_weight: float = 0.0) -> Any:
    """A linear layer whose first output has the weights given, on the first tangent and normal coordinates."""
    import torch

    inputs = setting.dim + len(setting.graph.second)
    layer = torch.nn.Linear(inputs, setting.loss.outputs, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.zero_()
        layer.weight[0, 0], layer.weight[0, setting.dim] = tangent_weight, normal_weight
    return layer


def mean_gradient(
    manifold: Any, law: Points, loss: Any, architecture: Any, *, radius: float, **weights: float
) -> dict[str, tuple[float, float]]:
    """Norms of the ``tangent`` and ``normal`` part of the mean gradient by weights, each with its rounding error."""
    import torch

    layer = architecture(**weights)
    directions = torch.tensor([direction for direction, _ in law], dtype=torch.float64)
    probability = torch.tensor([float(share) for _, share in law], dtype=torch.float64)
    points = manifold.immersion(radius * directions)
    output = layer(points)
    output.retain_grad()
    (probability * loss(output)).sum().backward()
    gradient, rounding = layer.weight.grad, ROUNDING * output.grad.abs().T @ points.abs()
    columns = {"tangent": slice(0, manifold.dim), "normal": slice(manifold.dim, None)}
    return {
        part: (gradient[:, chosen].norm().item(), rounding[:, chosen].norm().item()) for part, chosen in columns.items()
    }


def _quotient(
    below: str, manifold: Any, law: Points, loss: Any, architecture: Any, **values: float
) -> tuple[float, float]:
    parts = mean_gradient(manifold, law, loss, architecture, **values)
    size, error = parts.pop(below)
    ((other, other_error),) = parts.values()
    return other / size, (other_error + other / size * error) / size


def _exponent(
    manifold: Any, law: Points, loss: Any, architecture: Any, *, radius: float, **weights: float
) -> tuple[float, float]:
    near, far = (
        _quotient("tangent", manifold, law, loss, architecture, radius=scale, **weights)
        for scale in (radius, 2 * radius)
    )
    return math.log2(far[0] / near[0]), sum(error / value for value, error in (near, far)) / math.log(2)
