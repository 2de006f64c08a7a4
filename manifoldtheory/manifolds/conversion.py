"""From geomstats spaces to submanifolds."""

from typing import Any

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.geomstats_bridge import load_geomstats, origin_of
from manifoldtheory.manifolds.sphere import Sphere

REFUSED = {
    "SPDMatrices": "its metrics (affine-invariant, log-Euclidean, Bures-Wasserstein) are not the Euclidean one",
    "HermitianPositiveDefiniteMatrices": "its metrics are not the Euclidean one",
    "Hyperboloid": "it is isometric in Minkowski space, not in a Euclidean one",
    "PoincareBall": "its metric is hyperbolic, not that of the surrounding space",
    "PoincareHalfSpace": "its metric is hyperbolic, not that of the surrounding space",
    "HyperbolicMetric": "its metric is hyperbolic, not that of the surrounding space",
    "Stiefel": "its canonical metric is not that of the surrounding space of matrices",
    "RankKPSDMatrices": "its quotient metric is not the Euclidean one",
    "FullRankCorrelationMatrices": "its quotient metric is not the Euclidean one",
    "ComplexPoincareDisk": "its metric is hyperbolic, not that of the surrounding space",
    "Siegel": "its metric is not that of the surrounding space",
}
"""Spaces of geomstats that are no isometric submanifolds of a Euclidean space, and why."""


def from_geomstats(space: Any) -> Submanifold:
    """The submanifold of a geomstats space: `Hypersphere` → `Sphere`, what `.geomstats` built → where it came from.

    Works on any geomstats backend, since a space only holds its parameters. Raises `InputError` for everything that is
    not an isometric submanifold of a Euclidean space, with the reason, and for spaces the catalogue does not hold.
    """
    origin = origin_of(space)
    if isinstance(origin, Submanifold):
        return origin
    kind = type(space)
    names = [base.__name__ for base in kind.__mro__]
    if not any(base.__module__.split(".")[0] == "geomstats" for base in kind.__mro__):
        raise InputError(f"expected a geomstats space, got {kind.__name__}")
    for name in names:
        if name in REFUSED:
            raise InputError(
                f"{kind.__name__} is no isometric submanifold of a Euclidean space: {REFUSED[name]}; "
                "take a Hypersphere, or a manifold of manifoldtheory.manifolds"
            )
    hyperspheres = load_geomstats("geomstats.geometry.hypersphere")
    if isinstance(space, hyperspheres._Hypersphere):
        metric = getattr(space, "metric", None)
        if metric is not None and not isinstance(metric, hyperspheres.HypersphereMetric):
            raise InputError(
                f"this Hypersphere carries a {type(metric).__name__}, not the metric of the surrounding space: "
                "equip it with the default HypersphereMetric"
            )
        return Sphere(int(space.dim))
    raise InputError(
        f"{kind.__name__} is not in the catalogue: take a Hypersphere, or a manifold of manifoldtheory.manifolds"
    )
