"""Instances of the table of attention gradients: an attention layer per row, and leading coefficients on a parabola.

Exponents are measured by automatic differentiation at three scales t, 2t and 4t: slopes of log |part| between them,
extrapolated to t = 0. On the parabola the leading coefficient is derived in closed form from three keys, and measured
as an entry of the gradient over t^k.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.counterexample import Counterexample
from proofs.gradients.attention_averages import direction, gain, value_covector
from proofs.gradients.attention_contexts import on_keys, with_weights
from proofs.gradients.attention_settings import Setting
from proofs.gradients.gradient_rows import LeadingTerm, Row
from proofs.gradients.softmax import base_point, base_score, query_0, xi_1, xi_2

SMALLEST = 2.0**-11
"""The smallest scale t; the largest is four times that."""
SMALLEST_OF_FOURTH = 2.0**-8
"""The same for parts of order t⁴, which drown in rounding below."""


def exponents(setting: Setting, row: Row) -> tuple[Counterexample, ...]:
    """The exponents of the tangent and of the normal part."""
    return tuple(
        _instance(
            setting,
            f"{row.name}-{part}-exponent",
            f"exponent of the {part} part",
            term.chain,
            sympy.Integer(term.exponent),
            partial(_exponent, part=part, smallest=SMALLEST_OF_FOURTH if term.exponent == 4 else SMALLEST),
        )
        for part, term in (("tangent", row.tangent), ("normal", row.normal))
    )


def refuting(setting: Setting, row: Row) -> Counterexample:
    """The exponent of normal over tangent part, which is claimed to be 1."""
    return _instance(
        setting,
        f"{row.name}-ratio-exponent",
        "exponent of the normal over the tangent part",
        row.normal.chain,
        sympy.Integer(row.ratio_exponent),
        _ratio_exponent,
        Prediction(f"{row.name}-ratio-exponent claimed", sympy.Integer(1)),
    )


def _instance(
    setting: Setting,
    name: str,
    what: str,
    chain: str,
    exponent: Any,
    measured: Callable[..., tuple[float, float]],
    claimed: Prediction | None = None,
) -> Counterexample:
    about = "; ".join(hypothesis.text for hypothesis in setting.hypotheses)
    parts: Mapping[str, Callable[[], Any]] = {"manifold": _patch, "architecture": partial(_layer, setting)}
    text = f"An attention layer, W_{setting.gradient[0].upper()} on its {setting.side} side ({about}): {what}"
    return Counterexample(name, text, chain, parts, Prediction(name, exponent), measured, claimed)


def _patch() -> Any:
    from proofs.gradients.architectures.attention_layer import patch

    return patch()


def _layer(setting: Setting) -> Any:
    from proofs.gradients.architectures.attention_layer import AttentionLayer

    return AttentionLayer(setting)


def _exponent(manifold: Any, architecture: Any, *, part: str, smallest: float = SMALLEST) -> tuple[float, float]:
    """The slope of log |part| in log t, extrapolated to 0; its error is that of the last slope, and rounding."""
    found = [architecture.parts(manifold, scale * smallest) for scale in (4, 2, 1)]
    values = [getattr(parts, part) for parts in found]
    first, last = (math.log2(values[i] / values[i + 1]) for i in (0, 1))
    rounding = sum(parts.rounding / value for parts, value in zip(found, values, strict=True)) / math.log(2)
    return 2 * last - first, abs(last - first) + 3 * rounding


def _ratio_exponent(manifold: Any, architecture: Any) -> tuple[float, float]:
    tangent, normal = (_exponent(manifold, architecture, part=part) for part in ("tangent", "normal"))
    return normal[0] - tangent[0], normal[1] + tangent[1]


COORDINATES = sympy.symbols("first_key second_key third_key", real=True)
"""Coordinates of ξ₁ of the three keys on the parabola."""
curvature = sympy.Symbol("curvature", real=True)
BASE_POINT = sympy.symbols("base_point_tangent base_point_normal", real=True)
VALUES = sympy.symbols("value_tangent value_normal", real=True)
QUERY = sympy.symbols("query_first query_second", real=True)
AT = {
    "first_key": -1.0,
    "second_key": 0.5,
    "third_key": 1.25,
    "curvature": 0.8,
    "base_point_tangent": 0.7,
    "base_point_normal": -0.4,
    "value_tangent": 1.1,
    "value_normal": 0.6,
    "query_first": 0.9,
    "query_second": -0.5,
}
HEAD_DIM = 2


def coefficients(rows: Mapping[str, Row]) -> tuple[Counterexample, ...]:
    """Leading coefficients of the gradient of W_K, first row, with three keys on a parabola: plain and rotary."""
    return tuple(
        _coefficient(f"{name}-{part}-coefficient", term, 0 if part == "tangent" else 1, turned=name == "rotary")
        for name in ("plain", "rotary")
        for part, term in (("tangent", rows[name].tangent), ("normal", rows[name].normal))
    )


def _coefficient(name: str, term: LeadingTerm, column: int, *, turned: bool) -> Counterexample:
    law = on_keys(term.coefficient, parabola(column, turned=turned))
    return Counterexample(
        name,
        f"Three keys on a parabola{' with rotary positions' if turned else ''}: entry (0, {column}) of the gradient of "
        f"W_K over t^{term.exponent}, as t falls to 0",
        term.chain,
        {"architecture": partial(_small_layer, turned)},
        Prediction(name, law),
        partial(_entry, column=column, exponent=term.exponent),
        at=AT,
    )


def parabola(column: int, *, turned: bool) -> Any:
    """Three keys p + (t x, κ t² x²/2), with W_K = W_V = 1 and b = (1, 0); y is the axis of the column."""
    axes = ((sympy.Integer(1), sympy.Integer(0)), (sympy.Integer(0), sympy.Integer(1)))
    keys = []
    for number, x in enumerate(COORDINATES):
        angle = sympy.Integer(number - len(COORDINATES) + 1 if turned else 0)
        cos, sin = sympy.cos(angle), sympy.sin(angle)
        back = (QUERY[0] * cos + QUERY[1] * sin, QUERY[1] * cos - QUERY[0] * sin)  # R_jᵀ q
        score = sum(q * p for q, p in zip(back, BASE_POINT, strict=True)) / sympy.sqrt(HEAD_DIM)
        keys.append(
            {
                xi_1: (x, sympy.Integer(0)),
                xi_2: (sympy.Integer(0), curvature * x**2),
                base_point: BASE_POINT,
                value_covector: VALUES,
                query_0: tuple(q / sympy.sqrt(HEAD_DIM) for q in back),
                direction: axes[column],
                gain: back[0] / sympy.sqrt(HEAD_DIM),
                base_score: score,
            }
        )
    return with_weights(keys)


def _small_layer(turned: bool) -> Any:
    import torch

    from proofs.gradients.architectures.attention import Attention

    module = Attention(2, HEAD_DIM, generator=torch.Generator().manual_seed(0), rotated=2 if turned else 0)
    with torch.no_grad():
        for linear in (module.query, module.key, module.value):
            linear.weight.copy_(torch.eye(2))
    return module


def _entry(architecture: Any, *, column: int, exponent: int, **values: float) -> tuple[float, float]:
    """The entry over t^k at t and 2t, extrapolated; its error is that of the value at t, and rounding."""
    import torch

    x = torch.tensor([values[str(symbol)] for symbol in COORDINATES], dtype=torch.float64)
    base, outward, query = (
        torch.tensor([values[str(symbol)] for symbol in pair], dtype=torch.float64)
        for pair in (BASE_POINT, VALUES, QUERY)
    )

    def quotient(t: float) -> float:
        keys = base + torch.stack([t * x, values["curvature"] * (t * x) ** 2 / 2], dim=1)
        loss = (architecture(query[None], keys) @ outward).sum()
        (gradient,) = torch.autograd.grad(loss, architecture.key.weight)
        return float(gradient[0, column]) / t**exponent

    last, first = quotient(SMALLEST), quotient(2 * SMALLEST)
    return 2 * last - first, abs(last - first) + 2.0**-48 / SMALLEST ** (exponent - 1)
