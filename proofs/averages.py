"""Averages of curvature invariants over the unit directions of the tangent space, in any dimension and codimension."""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import direction_free, sphere
from proofs.contractions import h, w
from proofs.expansion import ChainBuilder
from proofs.expressions import Mean
from proofs.symbols import dim, normal_curvature_sq, ricci, second_form_sq, shape_sq, trace_form_sq

a, i, j, k, q = sympy.symbols("a i j k q")
_FORM_SQ = (h[a, i, j] * h[a, i, j], second_form_sq)
_TRACE_SQ = (h[a, i, i] * h[a, j, j], trace_form_sq)
_SHAPE = h[a, i, j] * h[a, i, k] * w[j] * w[k]


def mean_curvature() -> Chain:
    """⟨F⟩ = (2|h|² + |mH|²)/(m(m+2)) for F = |h(w, w)|²."""
    components = h[a, i, j] * h[a, k, q] * w[i] * w[j] * w[k] * w[q]
    average = (2 * _FORM_SQ[0] + _TRACE_SQ[0]) / (dim * (dim + 2))
    title = "The average of the squared normal curvature"
    return _average("curvature-sq-mean", title, normal_curvature_sq, components, average)


def mean_shape() -> Chain:
    """⟨S⟩ = |h|²/m for S = Σ_a |h^a w|²."""
    return _average("shape-sq-mean", "The average of S", shape_sq, _SHAPE, _FORM_SQ[0] / dim)


def mean_ricci() -> Chain:
    """⟨Ric⟩ = (|mH|² − |h|²)/m for Ric = ⟨II(w, w), mH⟩ − S, the Gauss equation traced."""
    gauss = h[a, i, i] * h[a, j, k] * w[j] * w[k] - _SHAPE
    title = "The average of the Ricci curvature, by the Gauss equation"
    return _average("ricci-mean", title, ricci, gauss, (_TRACE_SQ[0] - _FORM_SQ[0]) / dim)


def _average(name: str, title: str, symbol: sympy.Symbol, components: Any, average: Any) -> Chain:
    definition = (symbol, components)
    build = ChainBuilder(
        name,
        title,
        Mean(symbol),
        hypotheses=[definition, _FORM_SQ, _TRACE_SQ],
        conditions=[direction_free(dim), sphere(dim)],
    )
    build.substitute("in components", definition)
    build.rewrite("average by pairings", "isserlis", build.current, average)
    return build.substitute("invariants of the second form", _FORM_SQ, _TRACE_SQ).done()
