"""Laws g(t) of the ambient radius around a base point, with exact moments."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.checks import (
    require_count,
    require_dim,
    require_dtype,
    require_generator,
    require_length,
    require_number,
)


class RadialLaw(ABC):
    """A probability law on radii 0 < t ≤ `upper` (units of length of the ambient space)."""

    _lengths: ClassVar[tuple[str, ...]]
    """Fields that are lengths: `scaled` multiplies them."""

    @property
    @abstractmethod
    def upper(self) -> float:
        """The bound of the support."""

    def moment(self, order: float) -> float:
        """E[t^order], exact; raises `InputError` for an order without a moment, or with one that is no float64."""
        order = require_number("order", order)
        try:
            value = self._moment(order)
        except (OverflowError, ZeroDivisionError):
            value = math.inf
        if not math.isfinite(value):
            raise InputError(f"the moment of order {order:g} of {self} is no float64 number: choose other units")
        return value

    @abstractmethod
    def _moment(self, order: float) -> float:
        """E[t^order] for a finite order."""

    @abstractmethod
    def _quantile(self, uniform: Tensor) -> Tensor:
        """The inverse distribution function at uniform numbers in (0, 1]."""

    def sample(self, n: int, *, generator: torch.Generator, dtype: torch.dtype = torch.float64) -> Float[Tensor, " n"]:
        """n independent radii on the generator's device; raises `InputError` without a generator."""
        require_count(n)
        require_dtype(dtype)
        device = require_generator(generator).device
        # 1 − U lies in (0, 1]: a radius of exactly 0 has no direction. Drawn in float64, so one seed gives the same
        # radii in either precision.
        uniform = 1.0 - torch.rand(n, generator=generator, device=device, dtype=torch.float64)
        return self._quantile(uniform).to(dtype)

    def scaled(self, factor: float) -> Self:
        """The law of factor · t; raises `InputError` for a factor that is not positive."""
        require_length("factor", factor)
        changes = {name: getattr(self, name) * factor for name in self._lengths}
        return replace(self, **changes)  # type: ignore[type-var]  # every law below is a dataclass


@dataclass(frozen=True)
class FixedRadius(RadialLaw):
    """All mass at one radius."""

    radius: float
    _lengths: ClassVar[tuple[str, ...]] = ("radius",)

    def __post_init__(self) -> None:
        require_length("radius", self.radius)

    @property
    def upper(self) -> float:
        return self.radius

    def _moment(self, order: float) -> float:
        return self.radius**order

    def _quantile(self, uniform: Tensor) -> Tensor:
        return torch.full_like(uniform, self.radius)


@dataclass(frozen=True)
class UniformBall(RadialLaw):
    """Radius of a uniform point of a flat ball: density dim · t^{dim−1} / maximum^dim on (0, maximum]."""

    maximum: float
    dim: int
    _lengths: ClassVar[tuple[str, ...]] = ("maximum",)

    def __post_init__(self) -> None:
        require_length("maximum", self.maximum)
        require_dim("dim", self.dim)

    @property
    def upper(self) -> float:
        return self.maximum

    def _moment(self, order: float) -> float:
        _above("order", order, -self.dim)
        return self.dim / (self.dim + order) * self.maximum**order

    def _quantile(self, uniform: Tensor) -> Tensor:
        return self.maximum * uniform ** (1.0 / self.dim)


@dataclass(frozen=True)
class TruncatedHalfNormal(RadialLaw):
    """|Z| for Z ~ N(0, scale²), given |Z| ≤ maximum."""

    scale: float
    maximum: float
    _lengths: ClassVar[tuple[str, ...]] = ("scale", "maximum")

    def __post_init__(self) -> None:
        require_length("scale", self.scale)
        require_length("maximum", self.maximum)

    @property
    def upper(self) -> float:
        return self.maximum

    def _moment(self, order: float) -> float:
        """scale^k 2^{k/2} γ((k+1)/2, z) / γ(1/2, z), z = maximum²/(2 scale²), γ the lower incomplete gamma function."""
        _above("order", order, -1)
        shape = torch.tensor([(order + 1) / 2, 0.5], dtype=torch.float64)
        limit = torch.tensor(self.maximum**2 / (2 * self.scale**2), dtype=torch.float64)
        regularised = torch.special.gammainc(shape, limit.expand(2))
        gamma = math.gamma((order + 1) / 2) / math.sqrt(math.pi)
        return (self.scale * math.sqrt(2)) ** order * gamma * float(regularised[0] / regularised[1])

    def _quantile(self, uniform: Tensor) -> Tensor:
        width = self.scale * math.sqrt(2)
        radius = width * torch.erfinv(uniform * math.erf(self.maximum / width))
        return radius.clamp(max=self.maximum)  # erfinv(1) is infinite when erf has rounded to 1


@dataclass(frozen=True)
class TwoPoint(RadialLaw):
    """Radius `large` with the given probability, else `small`."""

    small: float
    large: float
    probability: float
    _lengths: ClassVar[tuple[str, ...]] = ("small", "large")

    def __post_init__(self) -> None:
        require_length("small", self.small)
        require_length("large", self.large)
        _above("large", self.large, self.small)
        if not 0 < require_number("probability", self.probability) < 1:
            raise InputError(
                f"probability must lie between 0 and 1, got {self.probability}; use FixedRadius for one radius"
            )

    @property
    def upper(self) -> float:
        return self.large

    def _moment(self, order: float) -> float:
        return (1 - self.probability) * self.small**order + self.probability * self.large**order

    def _quantile(self, uniform: Tensor) -> Tensor:
        # scalars alone would come out in torch's default dtype
        small = torch.full_like(uniform, self.small)
        return torch.where(uniform > 1 - self.probability, self.large, small)


@dataclass(frozen=True)
class TruncatedPareto(RadialLaw):
    """Density proportional to t^{−index−1} on [minimum, maximum]."""

    index: float
    minimum: float
    maximum: float
    _lengths: ClassVar[tuple[str, ...]] = ("minimum", "maximum")

    def __post_init__(self) -> None:
        require_length("index", self.index)
        require_length("minimum", self.minimum)
        require_length("maximum", self.maximum)
        _above("maximum", self.maximum, self.minimum)

    @property
    def upper(self) -> float:
        return self.maximum

    def _moment(self, order: float) -> float:
        # In logarithms: the powers of minimum and of maximum/minimum overflow before their product does.
        span = math.log(self.maximum / self.minimum)
        mass = _log_exponential_integral(-self.index, span)
        return math.exp(order * math.log(self.minimum) + _log_exponential_integral(order - self.index, span) - mass)

    def _quantile(self, uniform: Tensor) -> Tensor:
        # log(t/minimum) is exponential with rate `index`, cut at `span`; 1 − u turns (0, 1] into [0, 1).
        span = math.log(self.maximum / self.minimum)
        tail = -math.expm1(-self.index * span)
        radius = self.minimum * torch.exp(-torch.log1p(-(1.0 - uniform) * tail) / self.index)
        return radius.clamp(self.minimum, self.maximum)


def _log_exponential_integral(rate: float, span: float) -> float:
    """log ∫₀^span e^{rate·x} dx."""
    return math.log(span if rate == 0 else -math.expm1(-abs(rate) * span) / abs(rate)) + max(rate, 0.0) * span


def _above(name: str, value: float, limit: float) -> None:
    try:
        above = require_number(name, value) > limit
    except InputError:
        above = False
    if not above:
        raise InputError(f"{name} must be finite and above {limit}, got {value}")
