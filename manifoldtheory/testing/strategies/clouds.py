"""Strategies for clouds of tokens."""

import math
from typing import get_args

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds import MongePatch, Submanifold
from manifoldtheory.manifolds.clouds import Direction, Measure
from manifoldtheory.testing.clouds import TokenCloud
from manifoldtheory.testing.recipes import base_point
from manifoldtheory.testing.strategies.arguments import Real, Whole, build, chosen, flag, real, rounded, seeds, whole
from manifoldtheory.testing.strategies.geometry import submanifolds
from manifoldtheory.testing.strategies.laws import radial_laws

MOST_POINTS = 10**7
"""Points in a plane are then 0.2 GB, and take seconds."""


def token_clouds(
    manifold: SearchStrategy[Submanifold] | Submanifold | None = None,
    *,
    count: Whole | None = None,
    reach: Real = 0.5,
    vertex: bool = True,
    measure: Measure = "volume",
    direction: Direction = "projected",
) -> SearchStrategy[TokenCloud]:
    """Clouds of points around a base point on a submanifold, at radii from a radial law.

    * ``manifold`` is a submanifold or a strategy for one; by default `submanifolds` with their defaults.
    * ``count``, between 1 and 10⁷, is the number of points, or a strategy for it; by default up to 20.
    * ``reach`` is the largest radius as a fraction, above 0 and at most 0.99, of what the chart at the base point
      allows for the direction, or a strategy for it; 1 stands for the unlimited reach of flat manifolds.
    * ``vertex=False`` also draws base points of Monge patches away from the vertex, where points take ten times longer.
    * ``measure`` and ``direction`` are those of `Submanifold.sample_cloud`. Geodesics, integrated, take much longer
      than the projected directions of the default.

    The points themselves are drawn when the test looks at them.

    Shrinks to one point at a fixed radius, around the vertex of a patch, or the image of coordinates 0.
    """
    if manifold is None:
        manifold = submanifolds()
    elif isinstance(manifold, Submanifold):
        manifold = st.just(manifold)
    elif not isinstance(manifold, SearchStrategy):
        raise InputError(f"manifold must be a Submanifold or a strategy for one, got {manifold!r}: e.g. Sphere(2)")
    chosen("measure", get_args(Measure), measure)
    chosen("direction", get_args(Direction), direction)
    if direction == "projected" and measure != "volume":
        raise InputError(f"the {measure} measure has no projected form: take measure='volume' or direction='geodesic'")
    counts = st.integers(1, 20) if count is None else whole("count", count, 1, MOST_POINTS)
    reaches = real("reach", reach, 0, 0.99, above=True)
    return _token_clouds(manifold, counts, reaches, flag("vertex", vertex) is not False, measure, direction)


@st.composite
def _token_clouds(
    draw: DrawFn,
    manifolds: SearchStrategy[Submanifold],
    counts: SearchStrategy[int],
    reaches: SearchStrategy[float],
    vertex: bool,
    measure: Measure,
    direction: Direction,
) -> TokenCloud:
    manifold, seed, count = draw(manifolds), draw(seeds), draw(counts)
    place = 0 if vertex and isinstance(manifold, MongePatch) else draw(seeds)
    chart = manifold.chart(base_point(manifold, place))
    limit = chart.projected_limit if direction == "projected" else chart.geodesic_limit
    upper = rounded(draw(reaches) * (1.0 if math.isinf(limit) else limit))
    law = draw(radial_laws(upper, dim=manifold.dim))
    named = {"measure": measure, "direction": direction}
    return build(draw, TokenCloud, manifold, law, count, seed, place, **{} if direction == "projected" else named)
