"""Round spheres, in closed form."""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import POINT_ROUNDINGS, Submanifold
from manifoldtheory.manifolds.charts import Arc, Chart, inner
from manifoldtheory.manifolds.checks import (
    anywhere,
    plain,
    require_alike,
    require_dim,
    require_length,
    require_shape,
)
from manifoldtheory.manifolds.hypersurfaces import frames
from manifoldtheory.threads import on_threads

CHUNK = 2**16
"""Points moved at a time: what is computed for them stays in the cache."""

SHORT = 4
"""Coordinates up to which it is faster to go through points column by column."""

LONGEST_ANGLE = 1e6
"""Radians along a great circle; float64 leaves ten digits of the end, float32 one."""


@dataclass(frozen=True)
class Sphere(Submanifold):
    """The sphere of the given dimension and radius around the origin of R^{dim+1}; normals point outwards."""

    dim: int
    radius: float = 1.0
    ambient_dim: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_dim("a sphere's dimension", self.dim)
        require_length("radius", self.radius)
        object.__setattr__(self, "ambient_dim", self.dim + 1)

    @property
    def size(self) -> float:
        return self.radius

    def chart(self, x: Tensor) -> "SphereChart":
        return SphereChart(x, self.radius)

    def immersion(self, coordinates: Tensor) -> Tensor:
        """Hyperspherical angles: r (cos q₁, sin q₁ cos q₂, …, sin q₁ ⋯ sin q_m)."""
        ones = torch.ones_like(coordinates[..., :1])
        sines = torch.cat([ones, torch.cumprod(torch.sin(coordinates), -1)], -1)
        return self.radius * sines * torch.cat([torch.cos(coordinates), ones], -1)

    def distance_estimate(self, x: Tensor) -> Tensor:
        return (torch.linalg.vector_norm(x, dim=-1) - self.radius).abs()

    def exp(self, x: Tensor, v: Tensor) -> Tensor:
        """x (cos φ − (x·v/r²) sinc φ) + v sinc φ with rφ = |v − (x·v/r²) x|; see `Submanifold.exp`.

        Raises `InputError` when φ exceeds `LONGEST_ANGLE`.
        """
        whole = isinstance(x, Tensor) and isinstance(v, Tensor) and x.shape == v.shape and x.numel() > CHUNK
        if not (whole and plain(x) and plain(v)):
            return super().exp(x, v)
        require_shape("points", x, self.ambient_dim)
        require_alike("tangent vectors", v, x)
        end = torch.empty_like(x, memory_format=torch.contiguous_format)
        rows = (each.reshape(-1, self.ambient_dim).split(CHUNK) for each in (x, v, end.view(-1, self.ambient_dim)))
        chunks = list(zip(*rows, strict=True))
        if not all(on_threads(lambda chunk: self._moved(*chunk), chunks, x.device)):
            return super().exp(x, v)  # names what is wrong, or finds the points good enough
        return end

    def _moved(self, x: Tensor, v: Tensor, end: Tensor) -> bool:
        """Fills `end`; false when a point is off the sphere by more than the least tolerance, or a vector too long.

        What is computed for a chunk stays in the cache: twice as fast as the same for all at once.
        """
        square, product = self.radius**2, torch.mul(x, x)
        least, most = _row_sums(product).aminmax()
        mixed = _row_sums(torch.mul(x, v, out=product))
        angle = _row_sums(torch.mul(v, v, out=product))
        angle.addcmul_(mixed, mixed, value=-1 / square).clamp_(min=self._flat(v)).sqrt_()
        if self.radius != 1:
            angle /= self.radius
        slack = POINT_ROUNDINGS * torch.finfo(x.dtype).eps
        if not ((1 - slack) * square <= float(least) <= float(most) <= (1 + slack) * square):
            return False
        if not float(angle.amax()) <= LONGEST_ANGLE:
            return False
        cosine, sinc = torch.cos(angle), torch.sin(angle).div_(angle)
        cosine.addcmul_(mixed, sinc, value=-1 / square)
        if self.ambient_dim > SHORT:
            torch.mul(x, cosine[:, None], out=end).addcmul_(v, sinc[:, None])
        else:
            for own, other, column in zip(x.unbind(1), v.unbind(1), end.unbind(1), strict=True):
                torch.mul(own, cosine, out=column).addcmul_(other, sinc)
        return True

    def _exp(self, x: Tensor, v: Tensor) -> Tensor:
        mixed = inner(x, v) / self.radius**2
        # cos and sinc depend on φ² alone, whose rounding error eps·|v|² is therefore all that the difference costs.
        angle = torch.sqrt((inner(v, v) - mixed**2 * self.radius**2).clamp(min=self._flat(v))) / self.radius
        if anywhere(~(angle.detach() <= LONGEST_ANGLE)):
            raise InputError(
                f"tangent vectors with entries up to {float(v.detach().abs().max()):.3g} are too long on {self!r}: "
                f"rounding leaves no digits of the geodesic's end beyond {LONGEST_ANGLE:g} radians"
            )
        sinc = torch.sin(angle) / angle
        return x * (torch.cos(angle) - mixed * sinc)[..., None] + v * sinc[..., None]

    def _flat(self, v: Tensor) -> float:
        """A square of lengths too small to tell from 0, so that sin φ/φ is 1 there and has a derivative."""
        return torch.finfo(v.dtype).eps ** 4 * self.radius**2

    def _draw(self, n: int, generator: torch.Generator) -> Tensor:
        return self.radius * uniform_directions(n, self.ambient_dim, generator)


def _row_sums(rows: Tensor) -> Tensor:
    """Sums over the last axis, several times faster than torch's where it is short."""
    if rows.shape[1] > SHORT:
        return rows @ rows.new_ones(rows.shape[1])
    sums = rows[:, 0] + rows[:, 1]
    for column in range(2, rows.shape[1]):
        sums += rows[:, column]
    return sums


class SphereChart(Chart):
    """z = −u²/(r + √(r² − u²)); the geodesic is (sin, −2 sin²(½·)) of s/r: no 1 − cos."""

    def __init__(self, x: Tensor, radius: float) -> None:
        normal = x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        self.tangent_frame, self.normal_frame = frames(normal)
        dim = normal.shape[-1] - 1
        identity = torch.eye(dim, dtype=x.dtype, device=x.device)
        self.second_form = (-identity / radius).expand(*x.shape[:-1], 1, dim, dim)
        self.radius = radius
        self.projected_limit, self.geodesic_limit = math.sqrt(2) * radius, 2.0 * radius

    def curvature_bound(self, distance: float) -> float:
        return 1.0 / self.radius

    def out_of_range(self, u: Tensor) -> Tensor:
        return inner(u, u) >= self.radius**2

    def heights(self, u: Tensor) -> Tensor:
        square = inner(u, u)[..., None]
        return -square / (self.radius + torch.sqrt(self.radius**2 - square))

    def slopes(self, u: Tensor) -> Tensor:
        return (-u / torch.sqrt(self.radius**2 - inner(u, u))[..., None])[..., None, :]

    def geodesic(self, a: Tensor, steps: int) -> Arc:
        return circle(a, self.radius)

    def steps(self, length: float) -> int:
        return 1

    def projected_radius(self, t: Tensor, w: Tensor) -> Tensor:
        return t * torch.sqrt((1 - t / (2 * self.radius)) * (1 + t / (2 * self.radius)))

    def arclength(self, t: Tensor, w: Tensor, steps: int) -> Tensor:
        return 2 * self.radius * torch.asin(t / (2 * self.radius))


def circle(a: Tensor, radius: float) -> Arc:
    """Great-circle arc with initial velocity a (…, m), on a sphere of the given radius."""
    angle = torch.linalg.vector_norm(a, dim=-1, keepdim=True) / radius
    half = torch.sinc(angle / (2 * math.pi))  # sin(½φ)/(½φ), with a derivative at 0
    sine = torch.sinc(angle / math.pi)
    height = -radius / 2 * (angle * half) ** 2
    return Arc(a * sine, height, a * torch.cos(angle), -radius * angle**2 * sine)


def uniform_directions(n: int, size: int, generator: torch.Generator) -> Tensor:
    """n independent uniform unit vectors (n, size), float64."""
    gaussian = torch.randn(n, size, generator=generator, device=generator.device, dtype=torch.float64)
    return gaussian / torch.linalg.vector_norm(gaussian, dim=-1, keepdim=True)
