"""From geomstats spaces to submanifolds."""

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.cylinder import Cylinder
from manifoldtheory.manifolds.geomstats_bridge import BACKEND, backend_name, origin_of
from manifoldtheory.manifolds.grassmannian import Grassmannian
from manifoldtheory.manifolds.immersed import Interval, from_immersion
from manifoldtheory.manifolds.metrics import metric_ratio
from manifoldtheory.manifolds.product import Product
from manifoldtheory.manifolds.refusals import REFUSED
from manifoldtheory.manifolds.sphere import Sphere
from manifoldtheory.manifolds.stiefel import SpecialOrthogonal, Stiefel, cayley

Domain = Interval | Sequence[Interval] | Tensor


class EmbeddedMetricWarning(UserWarning):
    """The manifold has the metric of the surrounding space, and the geomstats space that it came from has another."""


def from_geomstats(space: Any, *, domain: Domain | None = None) -> Submanifold:
    """The submanifold of R^d that a geomstats space is an isometric image of, with the metric the space carries.

    | geomstats | here |
    |---|---|
    | what `.geomstats` built | the manifold it came from |
    | `Hypersphere`, `PreShapeSpace` | `Sphere`, of radius √c for c times the default metric |
    | `Grassmannian` | `Grassmannian`, projectors flattened by rows |
    | `SpecialOrthogonal` (matrices) | `SpecialOrthogonal`; the default metric is half the Frobenius one: a warning |
    | `Stiefel` | `Stiefel` with the metric of R^{np} instead of the canonical one: a warning |
    | `SpecialEuclidean` (matrices), `RankKPSDMatrices` | `from_immersion` on Cayley and Cholesky coordinates |
    | `ProductManifold`, `NFoldManifold`, `Landmarks` | `Product` of the factors; circle × `Euclidean` is `Cylinder`, \
whatever the unit of length along the axis |
    | subclasses of `ImmersedSet` | `from_immersion`, on `domain`, or [−1, 1]^m |

    The metric is not believed but measured, on random tangent vectors. `domain` is for what becomes a
    `from_immersion`. Raises `InputError` for every other space, with its reason (`refusals.REFUSED`): metrics that are
    not induced by a Euclidean space, and flat spaces, whose second fundamental form is 0.
    """
    origin = origin_of(space)
    if isinstance(origin, Submanifold) and _isometric(space, origin):
        return origin
    kind = type(space)
    if isinstance(space, type):
        raise InputError(f"expected a geomstats space, got the class {space.__name__}: pass an instance of it")
    if not any(base.__module__.split(".")[0] == "geomstats" for base in kind.__mro__):
        raise InputError(f"expected a geomstats space, got {kind.__name__}")
    for base in kind.__mro__:
        if base.__name__ in REFUSED:
            raise InputError(f"{_name(kind)} cannot be converted: {REFUSED[base.__name__]}")
        if base.__name__ in CONVERTED:
            if getattr(space, "metric", None) is None:
                raise InputError(f"this {_name(kind)} carries no metric: call its equip_with_metric() first")
            return CONVERTED[base.__name__](space, domain)
    raise InputError(f"{_name(kind)} cannot be converted: nothing is known of how it lies in a Euclidean space")


def _sphere(space: Any, domain: Domain | None) -> Sphere:
    return Sphere(int(space.dim), radius=_length(_induced(space)))


def _grassmannian(space: Any, domain: Domain | None) -> Grassmannian:
    _unscaled(space)
    return Grassmannian(int(space.n), int(space.p))


def _special_orthogonal(space: Any, domain: Domain | None) -> SpecialOrthogonal:
    ratio = _induced(space)
    if abs(ratio - 1) > 1e-9:
        _warn(
            f"SpecialOrthogonal({space.n}) is converted with the metric of R^{space.n**2}: "
            f"distances are {1 / math.sqrt(ratio):.6g} times those of the metric that the geomstats space carries"
        )
    return SpecialOrthogonal(int(space.n))


def _stiefel(space: Any, domain: Domain | None) -> Stiefel:
    if type(space.metric).__name__ == "StiefelCanonicalMetric":
        _warn(
            f"Stiefel({space.n}, {space.p}) is converted with the metric of R^{space.n * space.p}, not its canonical "
            "one, which is not induced by the surrounding space"
        )
    else:
        _unscaled(space)
    return Stiefel(int(space.n), int(space.p))


def _special_euclidean(space: Any, domain: Domain | None) -> Submanifold:
    """The homogeneous matrices (R, t; 0, 1), with R the Cayley transform of the first coordinates."""
    size = int(space.n)
    rotations = size * (size - 1) // 2

    def matrix(q: Tensor) -> Tensor:
        upper = torch.cat([cayley(q[:rotations], size), q[rotations:, None]], -1)
        last = torch.cat([torch.zeros_like(upper[:1, :-1]), torch.ones_like(upper[:1, -1:])], -1)
        return torch.cat([upper, last]).flatten()

    return _immersed(matrix, space, domain, _length(_induced(space)))


def _fixed_rank(space: Any, domain: Domain | None) -> Submanifold:
    """LLᵀ with L (n, k) lower triangular: coordinates below the diagonal by rows, then its logarithm.

    Of dimension nk − k(k−1)/2; geomstats' `dim` is smaller by k, which is wrong.
    """
    size, rank = int(space.n), int(space.rank)
    rows, columns = torch.tril_indices(size, rank, -1)
    below = len(rows)

    def matrix(q: Tensor) -> Tensor:
        places = torch.cat([rows * rank + columns, torch.arange(rank) * (rank + 1)])
        entries = torch.cat([q[:below], torch.exp(q[below:])])
        selection = torch.nn.functional.one_hot(places, size * rank).to(q)
        factor = (entries @ selection).reshape(size, rank)
        return (factor @ factor.mT).flatten()

    return _immersed(matrix, space, domain, _length(_induced(space)), dim=below + rank)


def _immersed_set(space: Any, domain: Domain | None) -> Submanifold:
    name = _name(type(space))
    origin = origin_of(space)
    if origin is not None:
        ratio = metric_ratio(space)
        change = "another metric than" if ratio is None else f"{ratio:.6g} times the metric of"
        raise InputError(
            f"this {name} carries {change} {origin!r}, which it came from: give it back its own, or build the "
            "manifold with other lengths"
        )
    if backend_name() != BACKEND:
        raise InputError(
            f"{name} cannot be converted on the {backend_name()} backend, which has no derivatives: "
            f"set GEOMSTATS_BACKEND={BACKEND} before the first import of geomstats"
        )
    surrounding = space.embedding_space
    metric = type(getattr(surrounding, "metric", None)).__name__
    if metric not in ("CanonicalEuclideanMetric", "EuclideanMetric", "MatricesMetric") or surrounding.point_ndim != 1:
        raise InputError(
            f"{name} cannot be converted: it is immersed in a {type(surrounding).__name__} of shape "
            f"{tuple(surrounding.shape)} with a {metric}, and must be in Euclidean(d) with its own metric"
        )
    underlying = getattr(space.metric, "underlying_metric", space.metric)
    if type(underlying).__name__ != "PullbackMetric":
        raise InputError(
            f"{name} cannot be converted: it carries a {type(underlying).__name__}, not the metric of the surrounding "
            "space; equip it with PullbackMetric"
        )
    scale = _length(float(getattr(space.metric, "scale", 1.0)))
    return _immersed(space.immersion, space, domain, scale)


def _immersed(
    f: Callable[[Tensor], Tensor], space: Any, domain: Domain | None, scale: float, dim: int | None = None
) -> Submanifold:
    scaled = f if scale == 1.0 else lambda q: scale * f(q)
    name, box = _name(type(space)), (-1.0, 1.0) if domain is None else domain
    return from_immersion(scaled, int(space.dim) if dim is None else dim, domain=box, name=name)


def _product(space: Any, domain: Domain | None) -> Submanifold:
    if type(space.metric).__name__ != "ProductRiemannianMetric":
        raise InputError(
            f"this {_name(type(space))} carries a {type(space.metric).__name__}, not the sum of the metrics of its "
            "factors; equip it with ProductRiemannianMetric"
        )
    factors = list(space.factors)
    if len(factors) == 2 and type(factors[1]).__name__ == "Euclidean" and type(factors[0]).__name__ == "Hypersphere":
        circle = from_geomstats(factors[0])
        if isinstance(circle, Sphere) and circle.dim == 1:
            _induced(factors[1])  # any multiple of the flat metric is flat, another metric need not be
            return Cylinder(circle.radius, int(factors[1].dim))
    return Product(*(from_geomstats(factor, domain=domain) for factor in factors))


def _power(space: Any, domain: Domain | None) -> Submanifold:
    if type(space.metric).__name__ not in ("NFoldMetric", "L2LandmarksMetric"):
        raise InputError(
            f"this {_name(type(space))} carries a {type(space.metric).__name__}, not the sum of the metrics of its "
            "factors; equip it with NFoldMetric"
        )
    return Product(*[from_geomstats(space.base_manifold, domain=domain)] * int(space.n_copies))


CONVERTED: dict[str, Callable[[Any, Domain | None], Submanifold]] = {
    "_Hypersphere": _sphere,
    "PreShapeSpace": _sphere,
    "Grassmannian": _grassmannian,
    "_SpecialOrthogonalMatrices": _special_orthogonal,
    "Stiefel": _stiefel,
    "_SpecialEuclideanMatrices": _special_euclidean,
    "RankKPSDMatrices": _fixed_rank,
    "ImmersedSet": _immersed_set,
    "ProductManifold": _product,
    "NFoldManifold": _power,
}
"""Classes of geomstats and how they are converted, subclasses with them unless they are refused."""


def _isometric(space: Any, origin: Submanifold) -> bool:
    """Whether the space still carries the metric of the manifold that it came from."""
    metric = getattr(space, "metric", None)
    if metric is None:
        return False
    if isinstance(origin, Product):
        alike = zip(space.factors, origin.factors, strict=True)
        return type(metric).__name__ == "ProductRiemannianMetric" and all(_isometric(*pair) for pair in alike)
    if metric is getattr(space, "manifoldtheory_metric", None):
        return True
    ratio = metric_ratio(space)
    return ratio is not None and abs(ratio - 1) < 1e-9


def _induced(space: Any) -> float:
    """c, the metric of the space being c times that of the surrounding space; raises `InputError` if that varies."""
    ratio = metric_ratio(space)
    if ratio is None:
        raise InputError(
            f"this {_name(type(space))} carries a {type(space.metric).__name__}, which is not the metric of the "
            "surrounding space: equip it with equip_with_metric(), without arguments"
        )
    return ratio


def _unscaled(space: Any) -> None:
    ratio = _induced(space)
    if abs(ratio - 1) > 1e-9:
        raise InputError(
            f"this {_name(type(space))} carries {ratio:.6g} times the metric of the surrounding space: "
            "only the metric itself can be converted, divide by it"
        )


def _length(ratio: float) -> float:
    """√c, and exactly 1 for what the measurement rounds to 1."""
    return 1.0 if abs(ratio - 1) < 1e-9 else math.sqrt(ratio)


def _name(kind: type) -> str:
    return kind.__name__.lstrip("_")


def _warn(message: str) -> None:
    warnings.warn(message, EmbeddedMetricWarning, stacklevel=4)
