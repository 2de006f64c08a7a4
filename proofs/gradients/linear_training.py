"""Gradient flow of a linear layer as it is: the loss differentiated automatically, its linear equation exponentiated.

What counterexamples are measured on; no formula of the proofs is used.
"""

import math
from typing import Any

DIRECTIONS = 16
ROUNDING = 1e-9
"""Of matrix exponentials and sums over the points of a shell, relative to numbers of order 1."""


def spheres() -> Any:
    """Spheres S² by their radius."""
    from manifoldtheory.manifolds import Sphere

    return lambda radius: Sphere(2, radius)


def fixed_radius() -> Any:
    """Laws of one radius."""
    from manifoldtheory.manifolds import FixedRadius

    return FixedRadius


def linear_layer() -> Any:
    """x ↦ Wx, tokens in rows."""
    return lambda weight, x: x @ weight.mT


def squared_error() -> Any:
    """Half the mean of |output − label|² over tokens."""
    return lambda output, label: (output - label).square().sum(dim=1).mean() / 2


def shell(manifold: Any, law: Any, tangent_rate: float, normal_rate: float) -> Any:
    """Displacements (16, 3) on a shell of a sphere, in equispaced directions, tangent coordinates first.

    `manifold` makes the sphere S² of a radius r, `law` the law of a fixed ambient radius t; both are chosen so that the
    mean squares of tangent and normal components, t²(1 − t²/(4r²))/2 and t⁴/(4r²), are the rates.
    """
    import torch

    radius = math.sqrt(2 * tangent_rate + normal_rate)
    sphere = manifold(radius**2 / (2 * math.sqrt(normal_rate)))
    point = torch.zeros(3, dtype=torch.float64)
    point[2] = sphere.radius
    arclength = 2 * sphere.radius * math.asin(law(radius).upper / (2 * sphere.radius))
    frame, normal = sphere.tangent_frame(point), sphere.normal_frame(point)
    angle = torch.arange(DIRECTIONS, dtype=torch.float64) * (2 * math.pi / DIRECTIONS)
    moved = sphere.exp(point, arclength * torch.stack([angle.cos(), angle.sin()], dim=1) @ frame.mT)
    return (moved - point) @ torch.cat([frame, normal], dim=1)


def gradient_flow(loss: Any, layer: Any, points: Any, wanted: Any, time: float) -> Any:
    """The weight at a time, from 0, of ``layer(weight, x)`` trained on labels ``layer(wanted, x)``.

    The loss is quadratic in the weight: with its gradient g at 0 and its Hessian H the flow is ẇ = −Hw − g.
    """
    import torch

    def total(flat: Any) -> Any:
        return loss(layer(flat.reshape(wanted.shape), points), layer(wanted, points))

    start = torch.zeros(wanted.numel(), dtype=wanted.dtype)
    slope, hessian = torch.func.grad(total)(start), torch.func.hessian(total)(start)
    system = torch.zeros(len(start) + 1, len(start) + 1, dtype=wanted.dtype)
    system[:-1, :-1], system[:-1, -1] = -hessian, -slope
    return torch.linalg.matrix_exp(time * system)[:-1, -1].reshape(wanted.shape)
