"""Leading terms of attention gradients against automatic differentiation through torch modules, row by row."""

import math
from dataclasses import replace
from typing import Any

import pytest
import sympy
import torch

import proofs
from manifoldtheory.ledger import Form, Verdict
from proofs.attention_gradient_bias import rows
from proofs.gradients import attention_averages as averages
from proofs.gradients import attention_maps as maps
from proofs.gradients import softmax
from proofs.gradients.architectures.attention import Attention
from proofs.gradients.architectures.attention_layer import HEAD_DIM, KEYS, AttentionLayer, patch
from proofs.gradients.attention_contexts import on_keys, with_weights
from proofs.gradients.attention_gradient_failures import null_weight
from proofs.gradients.attention_settings import SETTINGS
from proofs.gradients.query_key_norm import IMAGE, gain_0, output, query

BY_NAME = {setting.name: setting for setting in SETTINGS}

PUBLISHED = {
    "plain": (2, 3),
    "symmetric": (2, 4),
    "causal": (2, 3),
    "several-heads": (2, 3),
    "biases": (2, 3),
    "query-among-keys": (2, 3),
    "layer-norm": (2, 3),
    "query-map-output": (2, 3),
    "query-map-input": (2, 2),
    "value-map": (0, 0),
    "rotary": (1, 1),
    "absolute-positions": (0, 0),
    "two-base-points": (0, 0),
    "query-key-norm": (2, 2),
    "layer-norm-before": (2, 2),
    "normal-values": (3, 4),
    "normal-values-symmetric": (4, 4),
}
FURTHER = {
    "sliding-window": (2, 3),
    "shared-keys": (2, 3),
    "relative-bias": (2, 3),
    "relative-bias-pairs": (2, 3),
    "partial-rotary-rest": (2, 3),
    "partial-rotary-turned": (1, 1),
    "rotary-layer-norm": (2, 1),
    "rotary-layer-norm-before": (1, 1),
    "sigmoid": (0, 0),
    "null-key": (0, 0),
}


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.PROVIDER.derivation("attention-gradient-bias")
    assert derivation.holds
    return derivation


def test_the_table() -> None:
    assert {row.name: (row.tangent.exponent, row.normal.exponent) for row in rows()} == PUBLISHED | FURTHER
    assert {row.name for row in rows() if row.ratio_exponent < 0} == {"rotary-layer-norm"}


def test_verdicts(derivation) -> None:
    stated = [finding for finding in derivation.findings if finding.form is Form.AS_STATED]
    assert {finding.verdict for finding in stated} == {Verdict.REFUTES}
    assert "rotary-ratio-exponent" in {finding.quantity for finding in stated}
    repaired = [finding for finding in derivation.findings if finding.form is Form.REPAIRED]
    assert {finding.verdict for finding in repaired} == {Verdict.SUPPORTS}
    assert {row.name for row in rows()} <= {finding.quantity for finding in repaired}


def test_every_row_has_an_instance_of_both_parts(derivation) -> None:
    names = {instance.name for instance in derivation.counterexamples}
    assert {f"{row.name}-{part}-exponent" for row in rows() for part in ("tangent", "normal")} <= names


def numbers(vector: torch.Tensor) -> tuple[float, ...]:
    return tuple(vector.tolist())


def context(layer: AttentionLayer, manifold: Any, row: int, direction: torch.Tensor) -> Any:
    """What symbols stand for at t = 0, for every key: from the layer's weights, and the forms of the patch."""
    module, setting = layer.module, layer.setting
    tau = layer.displacements
    flat = torch.zeros(manifold.ambient_dim - manifold.dim, dtype=torch.float64)
    none = torch.zeros(manifold.dim, dtype=torch.float64)
    wq, wk, wv = (linear.weight.detach() for linear in (module.query, module.key, module.value))
    positions = torch.zeros(KEYS, layer.ambient_dim, dtype=torch.float64)
    if module.positions is not None:
        positions = module.positions
    at = torch.arange(KEYS, dtype=torch.float64)
    q = (layer.query + positions[-1:]) @ wq.T
    if module.query_key_norm:
        q = torch.nn.functional.normalize(q, dim=-1) * HEAD_DIM**0.5
    q = module._turned(q, at[-1:])[0]
    v = wv.T @ layer.output_gradient[0]
    keys = []
    for j in range(KEYS):
        turn = module._turned(torch.eye(HEAD_DIM, dtype=torch.float64), at[j].expand(HEAD_DIM)).T  # R_j
        base = layer.base_points[j % setting.base_points] + positions[j]
        back = turn.T @ q / HEAD_DIM**0.5
        image = wk @ base
        score = back @ image / (image.norm() if module.query_key_norm else 1) - module.slope * (KEYS - 1 - j)
        second = torch.einsum("aij,i,j->a", manifold.second_form, tau[j], tau[j])
        third = torch.einsum("aijk,i,j,k->a", manifold.third_form, tau[j], tau[j], tau[j])
        xi = torch.cat([tau[j], flat])
        keys.append(
            {
                softmax.base_score: float(score),
                softmax.base_point: numbers(base),
                softmax.xi_1: numbers(xi),
                softmax.xi_2: numbers(torch.cat([none, second])),
                softmax.xi_3: numbers(torch.cat([none, third])),
                softmax.query_0: numbers(wk.T @ back),
                averages.value_covector: numbers(v),
                averages.value_bias: sympy.Integer(0),
                averages.direction: numbers(direction),
                averages.gain: float(back[row]),
                averages.gate: 1 / (1 + math.exp(score)) ** 2,
                maps.output_rate: float(layer.output_gradient[0, row]),
                query: numbers(back),
                output: numbers(torch.eye(HEAD_DIM, dtype=torch.float64)[row]),
                IMAGE.vector_0: numbers(image),
                IMAGE.vector_1: numbers(wk @ xi),
                IMAGE.norm: float(image.norm()),
            }
        )
    return keys


def completed(keys: Any, definitions: dict[Any, Any]) -> Any:
    """The context with weights, and with what follows from it by the definitions of chains."""
    normaliser = sum(math.exp(key[softmax.base_score]) for key in keys) / KEYS
    known = [
        {**key, softmax.normaliser: normaliser, null_weight: 1 / (KEYS * normaliser)} for key in with_weights(keys)
    ]
    gains = [{symbol: on_keys(definitions[symbol], [key]) for symbol in (gain_0, averages.gain_1)} for key in known]
    return [{**key, **gain} for key, gain in zip(known, gains, strict=True)]


COMPARED = (
    "plain",
    "symmetric",
    "relative-bias",
    "partial-rotary-rest",
    "partial-rotary-turned",
    "normal-values",
    "normal-values-symmetric",
    "value-map",
    "rotary",
    "absolute-positions",
    "two-base-points",
    "query-key-norm",
    "sigmoid",
    "null-key",
)
SCALES = {4: 2.0**-6}
"""Parts of order t⁴ drown in rounding at smaller scales."""


@pytest.mark.parametrize(("dim", "codim"), [(1, 1), (2, 1), (3, 2)])
@pytest.mark.parametrize("name", COMPARED)
def test_leading_coefficients(derivation, name: str, dim: int, codim: int) -> None:
    """An entry of the gradient over t^k, extrapolated to t = 0, and the coefficient with its averages written out."""
    layer, manifold = AttentionLayer(BY_NAME[name], dim, codim), patch(dim, codim)
    definitions = dict(derivation.chain("gain-change").definitions)
    (row,) = (row for row in rows() if row.name == name)
    generator = torch.Generator().manual_seed(dim)
    for term, frame in ((row.tangent, layer.frames[0]), (row.normal, layer.frames[1])):
        direction = frame @ torch.randn(frame.shape[1], generator=generator, dtype=torch.float64)
        line = 0 if layer.setting.rows is None else layer.setting.rows[0]
        keys = completed(context(layer, manifold, line, direction), definitions)
        expected = float(on_keys(derivation.predictions[term.chain].expression, keys))
        expected *= KEYS if name == "sigmoid" else 1
        t = SCALES.get(term.exponent, 2.0**-11)
        entries = []
        for scale in (2 * t, t):
            gradient, rounding = layer.gradient(manifold, scale)
            entries.append(float(gradient[0] @ direction) / scale**term.exponent)
        measured, error = 2 * entries[1] - entries[0], abs(entries[1] - entries[0])
        rounding *= 4 * float(direction.norm()) / t**term.exponent
        assert abs(measured - expected) <= error + rounding, (measured, expected)
        assert error + rounding < abs(expected) / 4, "the comparison says something"


@pytest.mark.parametrize("setting", ["plain", "biases", "causal", "several-heads"])
def test_the_gradient_written_out(setting: str) -> None:
    """∂L/∂W_K = Σ_j a_j (u_j − ū) q x_jᵀ/√d_k, summed over queries, head by head; the rates sum to zero."""
    layer, manifold = AttentionLayer(BY_NAME[setting]), patch()
    module = layer.module
    queries, keys = layer.inputs(manifold, 0.7)
    gradient, _ = layer.gradient(manifold, 0.7)
    q, k, value = (part.detach() for part in (module.query(queries), module.key(keys), module.value(keys)))
    blocks = []
    for head in range(module.heads):
        part = slice(head * HEAD_DIM, (head + 1) * HEAD_DIM)
        total = torch.zeros(HEAD_DIM, layer.ambient_dim, dtype=torch.float64)
        for i, (one, outward) in enumerate(zip(q[:, part], layer.output_gradient[:, part], strict=True)):
            seen = i + 1 if module.causal else KEYS
            a = torch.softmax(k[:seen, part] @ one / HEAD_DIM**0.5, dim=0)
            u = value[:seen, part] @ outward
            rates = a * (u - a @ u)
            assert abs(float(rates.sum())) < 1e-14
            total += torch.outer(one, rates @ keys[:seen]) / HEAD_DIM**0.5
        blocks.append(total)
    assert torch.allclose(torch.cat(blocks), gradient, rtol=1e-11, atol=1e-13)


def test_biases_of_keys_get_no_gradient() -> None:
    """Σ_j a_j (u_j − ū) = 0: all keys moved alike change nothing, unless the weights are not normalised."""
    for kernel, vanishes in (("softmax", True), ("sigmoid", False), ("sink", False)):
        layer = AttentionLayer(replace(BY_NAME["biases"], layer={"bias": True, "kernel": kernel}))
        loss = (layer.output_gradient * layer.module(*layer.inputs(patch(), 0.5))).sum()
        (gradient,) = torch.autograd.grad(loss, layer.module.key.bias)
        assert (float(gradient.norm()) < 1e-14) == vanishes


def test_the_closed_form_on_a_parabola_at_high_precision(derivation) -> None:
    """Three keys, softmax written out in 60 digits, t = 1e-20: no automatic differentiation, no chain of the proof."""
    mpmath = pytest.importorskip("mpmath")
    instances = {instance.name: instance for instance in derivation.counterexamples}
    for name, turned in (("plain", False), ("rotary", True)):
        for column, part in enumerate(("tangent", "normal")):
            instance = instances[f"{name}-{part}-coefficient"]
            exponent = next(getattr(row, part).exponent for row in rows() if row.name == name)
            with mpmath.workdps(90):
                at = {symbol: mpmath.mpf(value) for symbol, value in instance.at.items()}
                t = mpmath.mpf(10) ** -20
                x = [t * at[f"{which}_key"] for which in ("first", "second", "third")]
                keys = [(at["base_point_tangent"] + s, at["base_point_normal"] + at["curvature"] * s**2 / 2) for s in x]
                angles = [j - 2 if turned else 0 for j in range(3)]
                q, v = (at["query_first"], at["query_second"]), (at["value_tangent"], at["value_normal"])
                turns = [(mpmath.cos(angle), mpmath.sin(angle)) for angle in angles]
                back = [(q[0] * c + q[1] * s, q[1] * c - q[0] * s) for c, s in turns]
                raw = [
                    mpmath.exp((b[0] * k[0] + b[1] * k[1]) / mpmath.sqrt(2)) for b, k in zip(back, keys, strict=True)
                ]
                a = [weight / sum(raw) for weight in raw]
                u = [v[0] * k[0] + v[1] * k[1] for k in keys]
                mean = sum(weight * value for weight, value in zip(a, u, strict=True))
                entry = sum(a[j] * (u[j] - mean) * back[j][0] * keys[j][column] / mpmath.sqrt(2) for j in range(3))
                assert float(entry / t**exponent) == pytest.approx(float(instance.holds(**instance.at)), rel=1e-12)


def test_partial_rotary_positions_of_gpt_neox() -> None:
    """The attention of transformers' GPT-NeoX (Pythia): exponents 2, 3 in the rows left alone, 1, 1 in those turned."""
    from transformers import GPTNeoXConfig
    from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXAttention, GPTNeoXRotaryEmbedding

    dim, width, n, heads = 3, 16, 6, 2
    config = GPTNeoXConfig(
        hidden_size=width, num_attention_heads=heads, num_hidden_layers=1, intermediate_size=16, vocab_size=16
    )
    config._attn_implementation = "sdpa"  # the eager one takes its softmax in float32
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    attention = GPTNeoXAttention(config, 0).double()
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.copy_(draw(*parameter.shape) / 4)
    size, turned = attention.head_size, attention.rotary_ndims
    assert (size, turned) == (8, 2)
    manifold, base, tau, outward = patch(dim, width - dim), draw(width), draw(n, dim), draw(1, n, width)
    angles = tuple(part.double() for part in GPTNeoXRotaryEmbedding(config)(outward.float(), torch.arange(n)[None]))
    mask = torch.full((n, n), -math.inf, dtype=torch.float64).triu(1)[None, None]

    def norms(t: float) -> dict[str, float]:
        states = (base + manifold.immersion(t * tau))[None]
        loss = (outward * attention(states, mask, position_embeddings=angles)[0]).sum()
        (gradient,) = torch.autograd.grad(loss, attention.query_key_value.weight)
        keys = gradient.unflatten(0, (heads, 3, size))[:, 1]
        return {
            f"{which} {part}": float(keys[:, lines, columns].norm())
            for which, lines in (("turned", slice(turned)), ("rest", slice(turned, None)))
            for part, columns in (("tangent", slice(dim)), ("normal", slice(dim, None)))
        }

    found = [norms(2.0**-k) for k in (9, 10, 11)]
    expected = {"turned tangent": 1, "turned normal": 1, "rest tangent": 2, "rest normal": 3}
    for part, exponent in expected.items():
        first, last = (math.log2(found[i][part] / found[i + 1][part]) for i in (0, 1))
        # One bit of 2⁻⁵³ per term, of which there are less than 2⁸, over parts of order t³ = 2⁻³³.
        assert abs(2 * last - first - exponent) <= abs(last - first) + 2.0**-10, part


def test_a_window_hides_what_is_out_of_it() -> None:
    """The architecture of the instances itself: a key out of the window, or in the future, does not matter."""
    generator = torch.Generator().manual_seed(0)
    module = Attention(4, 4, generator=generator, causal=True, window=2)
    points = torch.randn((5, 4), generator=generator, dtype=torch.float64)
    moved = points.clone()
    moved[0] += 1
    changed = (module(points, points) - module(moved, moved)).abs().sum(1) > 0
    assert changed.tolist() == [True, True, False, False, False]


def test_rotary_scores_depend_on_distances() -> None:
    generator = torch.Generator().manual_seed(0)
    module = Attention(8, 8, generator=generator, rotated=6)
    rows_ = torch.randn((2, 8), generator=generator, dtype=torch.float64)
    scores = [
        float((module._turned(rows_[:1], torch.tensor([i])) * module._turned(rows_[1:], torch.tensor([j]))).sum())
        for i, j in ((3.0, 1.0), (7.0, 5.0), (7.0, 4.0))
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-12)
    assert abs(scores[0] - scores[2]) > 1e-3
