"""Clouds of points around a base point, at exact ambient radii."""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.charts import Arc, Chart, apply, inner
from manifoldtheory.manifolds.checks import require_count, require_scale
from manifoldtheory.manifolds.hypersurfaces import frames
from manifoldtheory.manifolds.radial import RadialLaw

Measure = Literal["arc", "polar", "volume"]
Direction = Literal["geodesic", "projected"]

CHUNK = 2**15
"""Points placed at a time: bounds the memory of the geodesics' Jacobians."""

CHUNK_ENTRIES = 2**24
"""Most entries of second derivatives at these points, (codim, m, m) each: 128 MiB."""

FLOAT32_ANGLE = 0.02
"""Smallest (curvature bound) × √E t² in float32.

A weight is 1 + c t² with |c| about the curvature squared, and float32 rounds it by about 32 · 2^{-23}: below
√(32 · 2^{-23} / 0.01) = 0.02 more than 1 % of the curvature bias would be rounding.
"""


@dataclass(frozen=True)
class Cloud:
    """Points around a base point, in its frames; every tensor has n rows.

    The radius follows the radial law and the direction is uniform on the unit sphere of T, independently; `weight` is
    the density of the measure in (t, w) relative to flat space (t^{m−1} dt dw for volume and polar, dt dw for arc),
    exact at each point, 1 + c(w) t² + …. Weighted averages therefore are averages over the measure, and carry its
    curvature bias without the noise of accepting and rejecting.
    """

    tangent: Float[Tensor, "n m"]
    normal: Float[Tensor, "n codim"]
    radius: Float[Tensor, " n"]
    direction: Float[Tensor, "n m"]
    weight: Float[Tensor, " n"]

    def __len__(self) -> int:
        return self.radius.shape[0]


def draw_cloud(
    chart: Chart,
    n: int,
    law: RadialLaw,
    *,
    measure: Measure,
    direction: Direction,
    generator: torch.Generator,
    name: str = "the manifold",
) -> Cloud:
    """The cloud of `Submanifold.sample_cloud` in a chart; raises `InputError` before any work."""
    require_count(n)
    dtype = chart.tangent_frame.dtype
    _check(chart, law, measure, direction, dtype, name)
    radius = law.sample(n, generator=generator, dtype=dtype)
    gaussian = torch.randn(n, chart.tangent_frame.shape[-1], generator=generator, device=generator.device, dtype=dtype)
    unit = gaussian / torch.linalg.vector_norm(gaussian, dim=-1, keepdim=True)
    parts = []
    chunk = max(1, min(CHUNK, CHUNK_ENTRIES // chart.second_form.numel()))
    for t, w in zip(radius.split(chunk), unit.split(chunk), strict=True):
        parts.append(place_projected(chart, t, w) if direction == "projected" else place_geodesic(chart, t, w, measure))
    tangent, normal, weight = (torch.cat(part) for part in zip(*parts, strict=True))
    return Cloud(tangent, normal, radius, unit, weight)


def place_projected(chart: Chart, t: Tensor, w: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Tangent and normal part of the point at ambient radius t whose tangent part points along w; volume weight.

    The weight is √det(I + Σ_a ∇z_a ∇z_aᵀ) (ρ/t)^{m−1} dρ/dt at u = ρw, with dρ/dt = t/(ρ + z·∂_w z).
    Shapes: (n), (n, m) → (n, m), (n, codim), (n).
    """
    rho = chart.projected_radius(t, w)
    u = rho[..., None] * w
    height, slope = chart.heights(u), chart.slopes(u)
    growth = t / (rho + inner(height, apply(slope, w)))
    weight = torch.sqrt(_metric_determinant(slope)) * (rho / t) ** (w.shape[-1] - 1) * growth
    return u, chart.expand_normal(height), weight


def place_geodesic(chart: Chart, t: Tensor, w: Tensor, measure: Measure) -> tuple[Tensor, Tensor, Tensor]:
    """Tangent and normal part of the point at ambient radius t on the geodesic that leaves along w; the weight.

    With s the arclength: arc ds/dt; polar (s/t)^{m−1} ds/dt; volume the same times √det(DᵀD), D the derivative of
    v ↦ exp(x, v) − x at v = s w. Shapes: (n), (n, m) → (n, m), (n, codim), (n).
    """
    dim = w.shape[-1]
    steps = chart.steps_to(float(t.max()))
    s = chart.arclength(t, w, steps)
    a = s[..., None] * w
    if measure == "volume":
        arc, spread = _spread(chart, a, w, steps)
    else:
        arc, spread = chart.geodesic(a, steps), torch.ones_like(s)
    # The velocity at time 1 is s γ′(s), so ds/dt = t / ⟨ξ, γ′⟩.
    weight = t * s / (inner(arc.tangent, arc.tangent_velocity) + inner(arc.normal, arc.normal_velocity))
    if measure != "arc":
        weight = weight * spread * (s / t) ** (dim - 1)
    return arc.tangent, chart.expand_normal(arc.normal), weight


def _spread(chart: Chart, a: Tensor, w: Tensor, steps: int) -> tuple[Arc, Tensor]:
    """The geodesic, and √det(DᵀD) of its end by the initial velocity a = s w.

    D w is the unit velocity and orthogonal to the rest (Gauss's lemma), so only D on the complement of w counts.
    """
    across = frames(w)[0].movedim(-1, 0).contiguous()
    if not len(across):
        return chart.geodesic(a, steps), torch.ones_like(a[..., 0])
    arc, jacobian = chart.variation(a, across, steps)
    gram = torch.einsum("ink,jnk->nij", jacobian, jacobian)
    return arc, torch.sqrt(torch.linalg.det(gram))


def _metric_determinant(slope: Tensor) -> Tensor:
    """det(I + JᵀJ) = det(I + JJᵀ) of slopes J (…, codim, m), by the smaller of the two."""
    codim, dim = slope.shape[-2:]
    gram = slope @ slope.mT if codim < dim else slope.mT @ slope
    return torch.linalg.det(torch.eye(min(codim, dim), dtype=slope.dtype, device=slope.device) + gram)


def _check(chart: Chart, law: RadialLaw, measure: str, direction: str, dtype: torch.dtype, name: str) -> None:
    for kind, value, known in (("measure", measure, get_args(Measure)), ("direction", direction, get_args(Direction))):
        if value not in known:
            raise InputError(f"unknown {kind} {value!r}: choose among {', '.join(known)}")
    if not isinstance(law, RadialLaw):
        raise InputError(f"the law of radii must be a RadialLaw, got {type(law).__name__}: e.g. FixedRadius(0.1)")
    if direction == "projected" and measure != "volume":
        raise InputError(
            f"the {measure} measure is a law on geodesics and has no projected form: "
            "take measure='volume' or direction='geodesic'"
        )
    limit = chart.projected_limit if direction == "projected" else chart.geodesic_limit
    if law.upper >= limit:
        raise InputError(
            f"ambient radii up to {law.upper:.6g} are out of range for {direction} directions on {name}: "
            f"they must stay below {limit:.6g}"
        )
    if dtype == torch.float32:
        require_scale(law.upper, dtype)
        angle = chart.curvature_bound(law.upper) * law.moment(2) ** 0.5
        if 0 < angle < FLOAT32_ANGLE:
            raise InputError(
                f"float32 would bury the curvature bias of a cloud of root mean square radius "
                f"{law.moment(2) ** 0.5:.3g} on {name}: the limit there is "
                f"{FLOAT32_ANGLE / chart.curvature_bound(law.upper):.3g}; use a float64 base point"
            )
