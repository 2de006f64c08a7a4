"""Submanifolds of Euclidean space on torch, and laws of radii around their points.

Names load when first used: nothing here imports geomstats, and torch only comes with the name that needs it.
"""

from typing import TYPE_CHECKING

from manifoldtheory.lazy import lazy_names

if TYPE_CHECKING:
    from manifoldtheory.manifolds.base import Submanifold
    from manifoldtheory.manifolds.clouds import Cloud, Direction, Measure
    from manifoldtheory.manifolds.conversion import from_geomstats
    from manifoldtheory.manifolds.cylinder import Cylinder
    from manifoldtheory.manifolds.ellipsoid import Ellipsoid
    from manifoldtheory.manifolds.grassmannian import Grassmannian, Veronese
    from manifoldtheory.manifolds.immersed import ImmersedManifold, from_immersion
    from manifoldtheory.manifolds.monge import MongePatch
    from manifoldtheory.manifolds.product import Product
    from manifoldtheory.manifolds.radial import (
        FixedRadius,
        RadialLaw,
        TruncatedHalfNormal,
        TruncatedPareto,
        TwoPoint,
        UniformBall,
    )
    from manifoldtheory.manifolds.sphere import Sphere
    from manifoldtheory.manifolds.stiefel import SpecialOrthogonal, Stiefel
    from manifoldtheory.manifolds.torus import Torus

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Cloud": "clouds",
        "Cylinder": "cylinder",
        "Direction": "clouds",
        "Ellipsoid": "ellipsoid",
        "FixedRadius": "radial",
        "Grassmannian": "grassmannian",
        "ImmersedManifold": "immersed",
        "Measure": "clouds",
        "MongePatch": "monge",
        "Product": "product",
        "RadialLaw": "radial",
        "SpecialOrthogonal": "stiefel",
        "Sphere": "sphere",
        "Stiefel": "stiefel",
        "Submanifold": "base",
        "Torus": "torus",
        "TruncatedHalfNormal": "radial",
        "TruncatedPareto": "radial",
        "TwoPoint": "radial",
        "UniformBall": "radial",
        "Veronese": "grassmannian",
        "from_geomstats": "conversion",
        "from_immersion": "immersed",
    },
)

__all__ = [
    "Cloud",
    "Cylinder",
    "Direction",
    "Ellipsoid",
    "FixedRadius",
    "Grassmannian",
    "ImmersedManifold",
    "Measure",
    "MongePatch",
    "Product",
    "RadialLaw",
    "SpecialOrthogonal",
    "Sphere",
    "Stiefel",
    "Submanifold",
    "Torus",
    "TruncatedHalfNormal",
    "TruncatedPareto",
    "TwoPoint",
    "UniformBall",
    "Veronese",
    "from_geomstats",
    "from_immersion",
]
