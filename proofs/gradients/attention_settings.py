"""Rows of the table of attention gradients: what each takes for granted, which chains state it, and its instance."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from manifoldtheory.ledger import Hypothesis

PLAIN = Hypothesis("scores", "scores are bilinear in query and key, with one map for all keys")
ONE_BASE = Hypothesis("base point", "all keys of a context lie near one base point p")
AT_INPUT = Hypothesis("tangent space", "T and N are those of the cloud at the map's input")
VALUES = Hypothesis("values", "P_T W_Vᵀ g ≠ 0, and the leading coefficients do not vanish")
STANDARD = (PLAIN, ONE_BASE, AT_INPUT, VALUES)


@dataclass(frozen=True)
class Setting:
    """A row: its hypotheses, the chains that state its parts, and an attention layer on keys near a base point.

    - `gradient` is the map whose gradient is measured, ``side`` the side that is split into parts, `rows` the rows of
      it that are kept (of the first head).
    - `query` is a point that does not move with t (``fixed``), the last key (``last``) or every key (``every``).
    - `symmetric` keys come in pairs ξ₁, −ξ₁; `normal_values` are those with P_T W_Vᵀ g = 0.
    - `before`: T and N are taken before the normalisation that the layer starts with.
    """

    name: str
    hypotheses: tuple[Hypothesis, ...]
    tangent: str
    normal: str
    layer: Mapping[str, Any] = field(default_factory=dict)
    gradient: Literal["key", "query", "value"] = "key"
    side: Literal["input", "output"] = "input"
    rows: tuple[int, int] | None = None
    query: Literal["fixed", "last", "every"] = "fixed"
    symmetric: bool = False
    normal_values: bool = False
    base_points: int = 1
    positions: bool = False
    before: bool = False


def _about(*changed: Hypothesis) -> tuple[Hypothesis, ...]:
    """The standard hypotheses, those of the same name replaced, others added."""
    names = {hypothesis.name: hypothesis for hypothesis in (*STANDARD, *changed)}
    return tuple(names.values())


SYMMETRIC = Hypothesis("symmetry", "keys are symmetric about p, in ξ₁ ↦ −ξ₁, and so are their weights at t = 0")
NORMAL_VALUES = Hypothesis("values", "P_T W_Vᵀ g = 0")
ROTARY = Hypothesis("scores", "rotary positions turn keys by angles that depend on their positions")
ABSOLUTE = Hypothesis("base point", "positions are added to the keys: base points differ from key to key")
TWO_BASES = Hypothesis("base point", "keys of one context lie near two base points")
NORMALISED = Hypothesis("scores", "keys are scaled to length 1 before the product with the query")
BEFORE = Hypothesis("tangent space", "T and N are taken before the LayerNorm at the layer's input")
AFTER = Hypothesis("tangent space", "T and N are taken after the LayerNorm (without affine part and ε) at the input")
RELATIVE = Hypothesis("scores", "scores are bilinear plus a bias that depends on the relative position")
SIGMOID = Hypothesis("scores", "weights are e^s/(1 + e^s), of every key by itself")
SINK = Hypothesis("base point", "a further key of value 0 takes part in the softmax, whose score W_K does not change")

SETTINGS = (
    Setting("plain", STANDARD, "tangent", "normal"),
    Setting("symmetric", _about(SYMMETRIC), "tangent", "normal-symmetric", symmetric=True),
    Setting("causal", STANDARD, "tangent", "normal", {"causal": True}, query="every"),
    Setting("sliding-window", STANDARD, "tangent", "normal", {"causal": True, "window": 3}, query="every"),
    Setting("several-heads", STANDARD, "tangent", "normal", {"heads": 2}),
    Setting("shared-keys", STANDARD, "tangent", "normal", {"heads": 2, "shared_keys": True}),
    Setting("biases", STANDARD, "tangent", "normal", {"bias": True}),
    Setting("query-among-keys", STANDARD, "tangent", "normal", query="last"),
    Setting("layer-norm", _about(AFTER), "tangent", "normal", {"norm": True}),
    Setting("query-map-output", STANDARD, "tangent", "normal", gradient="query", side="output", query="last"),
    Setting("relative-bias", _about(RELATIVE), "tangent", "normal", {"slope": 0.5}),
    Setting("relative-bias-pairs", _about(RELATIVE), "tangent", "normal", {"slope": 0.5}, symmetric=True),
    Setting("partial-rotary-rest", _about(ROTARY), "tangent", "normal", {"rotated": 2}, rows=(2, 8)),
    Setting(
        "normal-values", _about(NORMAL_VALUES), "tangent-normal-values", "normal-normal-values", normal_values=True
    ),
    Setting(
        "normal-values-symmetric",
        _about(NORMAL_VALUES, SYMMETRIC),
        "tangent-normal-values-symmetric",
        "normal-normal-values",
        symmetric=True,
        normal_values=True,
    ),
    Setting("query-map-input", STANDARD, "query-map-input", "query-map-input", gradient="query", query="last"),
    Setting("value-map", STANDARD, "value-map", "value-map", gradient="value"),
    Setting("layer-norm-before", _about(BEFORE), "tangent", "tangent", {"norm": True}, before=True),
    Setting("rotary", _about(ROTARY), "rotary", "rotary", {"rotated": 8}),
    Setting("partial-rotary-turned", _about(ROTARY), "rotary", "rotary", {"rotated": 2}, rows=(0, 2)),
    Setting("rotary-layer-norm", _about(ROTARY, AFTER), "rotary-orthogonal", "rotary", {"rotated": 8, "norm": True}),
    Setting(
        "rotary-layer-norm-before",
        _about(ROTARY, BEFORE),
        "rotary",
        "rotary",
        {"rotated": 8, "norm": True},
        before=True,
    ),
    Setting("absolute-positions", _about(ABSOLUTE), "base-points", "base-points", positions=True),
    Setting("two-base-points", _about(TWO_BASES), "base-points", "base-points", base_points=2),
    Setting("query-key-norm", _about(NORMALISED), "query-key-norm", "query-key-norm", {"query_key_norm": True}),
    Setting("sigmoid", _about(SIGMOID), "sigmoid", "sigmoid", {"kernel": "sigmoid"}),
    Setting("null-key", _about(SINK), "null-key", "null-key", {"kernel": "sink"}),
)
"""The rows; those in which the base point cancels first."""
