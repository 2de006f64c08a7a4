r"""The expansions of chord-arc and tangent-normal-scaling to any order, on surfaces that are written out.

They are exact series (`proofs.patches.geodesic_series`), not steps of a certificate. Two things are checked that
finding them does not use: ⟨γ′, γ′⟩ = 1 in every order, and that the first terms are those that chord-arc derives, with
F = |γ″|² and F′ taken from the series of γ″.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any

import sympy

from manifoldtheory.errors import InputError
from manifoldtheory.ledger import Prediction
from manifoldtheory.ledger.predictions import NEXT_TERMS
from proofs.expressions import without_remainders
from proofs.patches.geodesic_series import GeodesicSeries, geodesic
from proofs.patches.graph_expressions import expand_heights, graph_over_tangent, read_graph
from proofs.patches.monge_graphs import MongeGraph, ellipsoid, monge_patch, sphere, torus
from proofs.patches.series_size import Size, estimate, require_size
from proofs.symbols import radius

DEFAULT_ORDER = 6
LOWEST_ORDER = 4
"""The lowest order that has F′."""
_AHEAD = 2
"""Orders beyond the one asked for, whose terms are the remainder."""
PATCHES = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1))
"""Dimensions and codimensions of general Monge patches."""


@dataclass(frozen=True)
class Expansion:
    """What is seen of a geodesic of a surface at the ambient radius t, through an order, with checks.

    The remainders of `predictions` are the terms of the next two orders. `checks` name identities, and whether they
    hold.
    """

    slug: str
    title: str
    text: str
    predictions: Mapping[str, Prediction]
    checks: Mapping[str, bool]


@dataclass(frozen=True)
class Surface:
    """A surface to expand on: how its graph is made through an order, and how large its series get."""

    slug: str
    title: str
    text: str
    graph: Callable[[int], MongeGraph]
    size: Callable[[int], Size]
    axis: bool = False
    """Whether the direction is the first axis of the frame, without loss of generality, not a symbol."""


def surfaces(order: int | None, graph: str | None = None, *, align: bool = False) -> tuple[int, tuple[Surface, ...]]:
    """The order and the surfaces asked for: the graph typed, or else the standing list; validated, nothing expanded.

    Raises `InputError` for an order that is too low, or too high for a surface, and for a graph that is none.
    """
    order = DEFAULT_ORDER if order is None else order
    if order < LOWEST_ORDER:
        raise InputError(f"order {order} is below {LOWEST_ORDER}, which chord-arc reaches: take a higher one")
    if align and graph is None:
        raise InputError("--align turns the graph of --graph, and none is given: add --graph, or leave it out")
    found = _standing() if graph is None else (_typed(graph, order, align),)
    for surface in found:
        require_size(surface.title, order, surface.size(order + _AHEAD))
    if graph is not None:
        found[0].graph(2)  # smooth, over its tangent space: known before any long work
    return order, found


def _standing() -> tuple[Surface, ...]:
    axes = sympy.symbols("semi_axis_1:4", positive=True)
    patches = tuple(
        Surface(
            f"monge-patch-{dim}-{codim}",
            f"Monge patch of dimension {dim}, codimension {codim}",
            "z = ½ h_ij u_i u_j + ⅙ k_ijk u_i u_j u_k + …, every derivative a symbol (D from the fourth order on"
            + (", the normal direction their first index" if codim > 1 else "")
            + "); the first axis of the frame is the direction of the geodesic.",
            partial(monge_patch, dim, codim),
            partial(_patch_size, dim, codim),
            axis=True,
        )
        for dim, codim in PATCHES
    )
    direction = "v_1, v_2 are the components of the direction of the geodesic, v_1² + v_2² = 1."
    return (
        *patches,
        Surface("sphere", "sphere", "A sphere of any radius r.", partial(sphere, 2, radius=_SPHERE), _quadric_size(1)),
        Surface(
            "ellipsoid",
            "ellipsoid at a vertex",
            f"The end of the third semi-axis; {direction}",
            partial(ellipsoid, axes),
            _quadric_size(3),
        ),
        Surface(
            "torus", "torus at its outer equator", f"u1 is along the equator; {direction}", torus, _quadric_size(2)
        ),
    )


_SPHERE = sympy.Symbol("sphere_radius", positive=True)


def _patch_size(dim: int, codim: int, order: int) -> Size:
    weights = {degree - 1: codim * comb(degree + dim - 1, dim - 1) for degree in range(2, min(order, 100) + 1)}
    return estimate(dim, order, weights, symbolic=False, graded=True)


def _quadric_size(curvatures: int) -> Callable[[int], Size]:
    return partial(estimate, 2, weights={1: curvatures}, symbolic=True, graded=True)


def _typed(text: str, order: int, align: bool) -> Surface:
    graph = read_graph(text)
    plain = estimate(graph.dim, order + _AHEAD, {}, symbolic=True, graded=False)
    require_size(f"a graph over {graph.dim} coordinates", order, plain)
    constants = len(expand_heights(graph, 2).constants.meanings)
    names = ", ".join(f"v_{number}" for number in range(1, graph.dim + 1))
    return Surface(
        "graph",
        f"graph of {text}",
        f"The geodesics from the origin of {', '.join(graph.coordinates)}; {names}: components of their unit direction"
        + (" in the frame of the tangent space turned to." if align else "."),
        partial(graph_over_tangent, graph, align=align),
        partial(estimate, graph.dim, weights={1: constants}, symbolic=True, graded=False),
    )


def expand_on(surface: Surface, order: int) -> Expansion:
    """The expansions on a surface through an order."""
    graph = surface.graph(order + _AHEAD)
    found = geodesic(graph, (1, *[0] * (graph.dim - 1)) if surface.axis else None)
    series = {
        "arclength": (found.arclength, 0),
        "tangent_norm": (found.tangent_norm, 0),
        "normal_norm_sq": (found.normal_ratio_sq, 4),
    }
    predictions = {name: _prediction(name, found, part, shift, order) for name, (part, shift) in series.items()}
    checks = {"unit-speed": _has_unit_speed(found), "derived-terms": _has_derived_terms(found)}
    return Expansion(surface.slug, surface.title, surface.text, predictions, checks)


def _prediction(name: str, found: GeodesicSeries, series: Any, shift: int, order: int) -> Prediction:
    """The terms through t^order, those of |P_N ξ|² through t^{order + 2}, and those of the next two orders."""
    count = order + 1 if shift == 0 else order - 1
    terms = [found.value(value) * radius ** (degree + shift) for degree, value in enumerate(series)]
    rest = Prediction(f"{name} remainder", sympy.Add(*terms[count : count + _AHEAD]), note=NEXT_TERMS)
    return Prediction(name, sympy.Add(*terms[:count]), rest)


def _has_unit_speed(found: GeodesicSeries) -> bool:
    return found.speed_sq == (found.domain.one, *[found.domain.zero] * (found.order - 1))


def _has_derived_terms(found: GeodesicSeries) -> bool:
    """Whether the arclength through t⁴ is chord-arc's, with F and F′ from γ″."""
    from proofs.provider import PROVIDER

    derived = without_remainders(PROVIDER.derivation("chord-arc").chain("arclength-either-way").conclusion)
    curvature, rate = (found.value(value) for value in found.curvature_sq[:2])
    values = {"normal_curvature_sq": curvature, "bending_rate": rate, "sense": sympy.Integer(1)}
    here = derived.xreplace({s: values[s.name] for s in derived.free_symbols if s.name in values})
    return sympy.expand(here - found.expression(found.arclength[:5], radius)) == 0
