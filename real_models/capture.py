"""What a model computes and learns from, token by token, as second moments; no activation is kept.

At every residual block with output h, and every linear map y = Wx + b in it that reads the residual stream, with
δ = ∂L/∂y, over the tokens of a text:

    activations            E[h hᵀ]
    hidden-state gradient  E[g gᵀ],  g = ∂L/∂h
    map inputs             E[x xᵀ],  x the input of W, after the block's norm
    weight gradients       Σ |δ|² x xᵀ / Σ |δ|², the input side of the per-token gradients δ xᵀ, which are not formed

L is the *sum* of the next-token losses, so a token's gradient does not depend on how many others are in its batch. A
token's gradient comes from its own prediction and, through attention, from those of later tokens. Left out are padding,
special tokens, the first position (an attention sink of massive activations), and tokens without a target.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from manifoldtheory.estimators import SecondMoment
from real_models.registry import Architecture

IGNORED = -100
"""Target of a position that is not to be predicted, as in transformers and `torch.nn.functional.cross_entropy`."""


@dataclass(frozen=True)
class TokenBatch:
    """Inputs, the token that each position predicts (`IGNORED` for none), and which positions are not padding."""

    inputs: Int[Tensor, "b l"]
    targets: Int[Tensor, "b l"]
    attention_mask: Bool[Tensor, "b l"] | None = None

    @classmethod
    def from_windows(cls, windows: Int[Tensor, "b l+1"]) -> "TokenBatch":
        """Windows of l tokens and the one that follows: every position has a target, none is padding."""
        return cls(windows[:, :-1], windows[:, 1:])

    def kept(self, special: Sequence[int]) -> Bool[Tensor, "b l"]:
        """The positions that are measured."""
        real = torch.ones_like(self.inputs, dtype=torch.bool) if self.attention_mask is None else self.attention_mask
        first = real & (real.cumsum(1) == 1)
        excluded = torch.tensor(list(special), dtype=self.inputs.dtype, device=self.inputs.device)
        return real & ~first & (self.targets != IGNORED) & ~torch.isin(self.inputs, excluded)


@dataclass
class MapMoments:
    """Moments of one linear map: of its inputs x, and of the input side of its per-token weight gradients δ xᵀ."""

    inputs: SecondMoment
    gradients: SecondMoment

    def merge(self, other: "MapMoments") -> None:
        """Adds another text."""
        self.inputs.merge(other.inputs)
        self.gradients.merge(other.gradients)


@dataclass
class LayerMoments:
    """Moments at one residual block over some text. Tokens NaN or infinite anywhere in it are counted and left out."""

    activations: SecondMoment
    gradients: SecondMoment
    maps: dict[str, MapMoments]
    non_finite: int = 0

    @classmethod
    def empty(cls, dim: int, maps: Mapping[str, int]) -> "LayerMoments":
        """Moments of no text, for a width and the input widths of the maps."""
        return cls(
            SecondMoment(dim),
            SecondMoment(dim),
            {name: MapMoments(SecondMoment(width), SecondMoment(width)) for name, width in maps.items()},
        )

    def merge(self, other: "LayerMoments") -> None:
        """Adds another text."""
        self.activations.merge(other.activations)
        self.gradients.merge(other.gradients)
        for name, moments in self.maps.items():
            moments.merge(other.maps[name])
        self.non_finite += other.non_finite


@dataclass
class TextMoments:
    """Moments at every layer over some text, and the sum of its `targets` losses in nats."""

    layers: dict[str, LayerMoments]
    loss: float = 0.0
    targets: int = 0


@dataclass
class _Trace:
    """What the hooks saw of one block in one forward pass."""

    output: Tensor | None = None
    reads: dict[str, tuple[Tensor, Tensor]] = field(default_factory=dict)


def capture(
    model: nn.Module,
    architecture: Architecture,
    batches: Sequence[TokenBatch],
    *,
    special: Sequence[int] = (),
    gradients: bool = True,
) -> TextMoments:
    """Moments over the batches, accumulated in float64 on the model's device.

    Args:
        model: a causal language model of transformers, whose parameters are left alone.
        batches: text; moved to the model's device.
        special: numbers of the tokens to leave out.
        gradients: whether to go backward; without, only activations and map inputs are filled.
    """
    device = next(model.parameters()).device
    blocks = architecture.block_modules(model)
    text = TextMoments({})
    for batch in batches:
        inputs, targets = batch.inputs.to(device), batch.targets.to(device)
        mask = None if batch.attention_mask is None else batch.attention_mask.to(device)
        kept = TokenBatch(inputs, targets, mask).kept(special)
        with _traced(blocks, architecture.reading_maps) as traces, torch.set_grad_enabled(gradients):
            logits = model(input_ids=inputs, attention_mask=mask, use_cache=False).logits
            loss = torch.nn.functional.cross_entropy(
                logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED, reduction="sum"
            )
        text.loss += loss.item()
        text.targets += int((targets != IGNORED).sum())
        derivatives = _derivatives(loss, traces) if gradients else {}
        for name, trace in traces.items():
            moments = _layer_moments(trace, kept, derivatives)
            if name in text.layers:
                text.layers[name].merge(moments)
            else:
                text.layers[name] = moments
    return text


@contextmanager
def _traced(blocks: Mapping[str, nn.Module], maps: Sequence[str]) -> Iterator[dict[str, _Trace]]:
    traces = {name: _Trace() for name in blocks}
    handles = []

    def watch(name: str, block: nn.Module) -> None:
        def on_block(module: nn.Module, inputs: Any, output: Any) -> None:
            traces[name].output = output[0] if isinstance(output, tuple) else output

        def on_map(path: str) -> Any:
            def hook(module: nn.Module, inputs: Any, output: Tensor) -> None:
                traces[name].reads[path] = (inputs[0], output)

            return hook

        handles.append(block.register_forward_hook(on_block))
        handles.extend(block.get_submodule(path).register_forward_hook(on_map(path)) for path in maps)

    try:
        for name, block in blocks.items():
            watch(name, block)
        yield traces
    finally:
        for handle in handles:
            handle.remove()


def _derivatives(loss: Tensor, traces: Mapping[str, _Trace]) -> dict[int, Tensor]:
    """∂L/∂ of every block output and map output, by the tensor's identity, in one backward pass."""
    outputs = [cast(Tensor, trace.output) for trace in traces.values()]
    outputs += [output for trace in traces.values() for _, output in trace.reads.values()]
    return {id(output): grad for output, grad in zip(outputs, torch.autograd.grad(loss, outputs), strict=True)}


def _layer_moments(trace: _Trace, kept: Bool[Tensor, "b l"], derivatives: Mapping[int, Tensor]) -> LayerMoments:
    def rows(tensor: Tensor) -> Float[Tensor, "n d"]:
        return tensor.detach()[kept].to(torch.float64)

    output = cast(Tensor, trace.output)
    hidden = rows(output)
    reads = {path: rows(x) for path, (x, _) in trace.reads.items()}
    moments = LayerMoments.empty(hidden.shape[1], {path: x.shape[1] for path, x in reads.items()})
    gradient = rows(derivatives[id(output)]) if derivatives else None
    weights = {path: rows(derivatives[id(y)]).square().sum(1) for path, (_, y) in trace.reads.items() if derivatives}
    seen = [hidden, *reads.values(), *([] if gradient is None else [gradient]), *(w[:, None] for w in weights.values())]
    finite = torch.stack([tensor.isfinite().all(1) for tensor in seen]).all(0)
    moments.non_finite = int((~finite).sum())
    moments.activations.update(hidden[finite])
    if gradient is not None:
        moments.gradients.update(gradient[finite])
    for path, x in reads.items():
        moments.maps[path].inputs.update(x[finite])
        if path in weights:
            moments.maps[path].gradients.update(x[finite], weights[path][finite])
    return moments
