"""Capture against brute force: one token's loss at a time, outer products formed, parameters' own gradients."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from real_models.capture import IGNORED, TokenBatch, capture
from real_models.checkpoints import CheckpointFolder, build_model
from real_models.registry import ARCHITECTURES, Architecture

from .conftest import CPU

NEOX = ARCHITECTURES["gpt_neox"]
MAPS = NEOX.reading_maps


@pytest.fixture
def model(tiny: CheckpointFolder) -> Any:
    model = tiny.model(CPU, torch.float64)
    tiny.load(model, 3)
    return model


@pytest.fixture
def batch(generator: torch.Generator) -> TokenBatch:
    return TokenBatch.from_windows(torch.randint(1, 300, (3, 9), generator=generator))


def summed_loss(model: Any, batch: TokenBatch) -> Tensor:
    logits = model(input_ids=batch.inputs).logits
    return nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), reduction="sum")


def hooked(model: Any, batch: TokenBatch, module: nn.Module) -> tuple[Tensor, Tensor, Tensor]:
    """Input and output of a module, and the loss's gradient at the output, through retain_grad and backward."""
    seen: list[tuple[Tensor, Tensor]] = []

    def hook(module: nn.Module, inputs: Any, output: Tensor) -> None:
        output.retain_grad()
        seen.append((inputs[0], output))

    handle = module.register_forward_hook(hook)
    model.zero_grad()
    summed_loss(model, batch).backward()
    handle.remove()
    ((x, output),) = seen
    assert output.grad is not None
    return x.detach(), output.detach(), output.grad


def second_moment(rows: Tensor, weights: Tensor | None = None) -> Tensor:
    weights = torch.ones(len(rows), dtype=rows.dtype) if weights is None else weights
    return torch.einsum("n,ni,nj->ij", weights / weights.sum(), rows, rows)


@pytest.mark.parametrize("layer", [0, 1])
def test_hidden_states_and_their_gradients(model: Any, batch: TokenBatch, layer: int) -> None:
    moments = capture(model, NEOX, [batch]).layers[f"layers.{layer}"]
    _, h, gradient = hooked(model, batch, model.gpt_neox.layers[layer])
    torch.testing.assert_close(moments.activations.second_moment, second_moment(h[:, 1:].flatten(0, 1)))
    torch.testing.assert_close(moments.gradients.second_moment, second_moment(gradient[:, 1:].flatten(0, 1)))
    assert moments.activations.count == moments.gradients.count == 3 * 7


@pytest.mark.parametrize("path", MAPS)
@pytest.mark.parametrize("layer", [0, 1])
def test_weight_gradients_against_explicit_outer_products(model: Any, batch: TokenBatch, layer: int, path: str) -> None:
    moments = capture(model, NEOX, [batch]).layers[f"layers.{layer}"].maps[path]
    linear = model.gpt_neox.layers[layer].get_submodule(path)
    x, _, delta = hooked(model, batch, linear)
    outer = torch.einsum("blo,bli->bloi", delta, x)
    # Position by position the outer products must add up to the parameter's own gradient …
    torch.testing.assert_close(outer.sum((0, 1)), linear.weight.grad)
    # … and their input side is what is captured: E[(δ xᵀ)ᵀ (δ xᵀ)] over the kept tokens, up to its trace.
    kept = outer[:, 1:].flatten(0, 1)
    expected = torch.einsum("noi,noj->ij", kept, kept)
    torch.testing.assert_close(moments.gradients.second_moment * moments.gradients.weight, expected)
    torch.testing.assert_close(moments.inputs.second_moment, second_moment(x[:, 1:].flatten(0, 1)))


def test_a_wrong_weighting_is_told_apart(model: Any, batch: TokenBatch) -> None:
    """The check above has teeth: weights |δ| for |δ|², the map's output for its input, and δ unweighted all fail it."""
    moments = capture(model, NEOX, [batch]).layers["layers.1"].maps[MAPS[0]]
    x, _, delta = (
        t[:, 1:].flatten(0, 1) for t in hooked(model, batch, model.gpt_neox.layers[1].get_submodule(MAPS[0]))
    )
    right = second_moment(x, delta.square().sum(1))
    torch.testing.assert_close(moments.gradients.second_moment, right)
    for wrong in (second_moment(x, delta.norm(dim=1)), second_moment(x)):
        assert (wrong - right).norm() > 1e-3 * right.norm()


def test_gradients_do_not_depend_on_the_batch(model: Any, batch: TokenBatch) -> None:
    together = capture(model, NEOX, [batch])
    apart = capture(model, NEOX, [TokenBatch(batch.inputs[i : i + 1], batch.targets[i : i + 1]) for i in range(3)])
    for name, moments in together.layers.items():
        other = apart.layers[name]
        torch.testing.assert_close(moments.gradients.second_moment, other.gradients.second_moment)
        torch.testing.assert_close(moments.gradients.covariance, other.gradients.covariance)
    assert together.loss == pytest.approx(apart.loss)
    assert together.targets == apart.targets == 24


def test_blocks_that_return_tuples_are_read_alike(model: Any, batch: TokenBatch) -> None:
    class InTuple(nn.Module):
        """Residual blocks of older code return a tuple whose first entry is the hidden state."""

        def __init__(self, inner: nn.Module) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, x: Tensor) -> tuple[Tensor, None]:
            return x + self.inner(x), None

    class Output:
        def __init__(self, logits: Tensor) -> None:
            self.logits = logits

    class Toy(nn.Module):
        def __init__(self, as_tuple: bool) -> None:
            super().__init__()
            generator = torch.Generator().manual_seed(1)
            self.embed = nn.Embedding(300, 8)
            self.blocks = nn.ModuleList([InTuple(nn.Linear(8, 8)) if as_tuple else nn.Linear(8, 8)])
            self.head = nn.Linear(8, 300)
            for parameter in self.parameters():
                parameter.data = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            self.as_tuple = as_tuple

        def forward(self, input_ids: Tensor, **_: Any) -> Output:
            x = self.embed(input_ids)
            x = self.blocks[0](x)[0] if self.as_tuple else x + self.blocks[0](x)
            return Output(self.head(x))

    in_tuple = capture(Toy(True), Architecture("blocks", ("inner",)), [batch]).layers["layers.0"]
    toy = Toy(True)
    h = toy.embed(batch.inputs) + toy.blocks[0].inner(toy.embed(batch.inputs))  # pyright: ignore[reportCallIssue]
    torch.testing.assert_close(in_tuple.activations.second_moment, second_moment(h.detach()[:, 1:].flatten(0, 1)))
    assert in_tuple.gradients.count == 21


def test_padding_special_tokens_first_positions_and_missing_targets_are_left_out() -> None:
    inputs = torch.tensor([[5, 6, 0, 7, 8], [9, 9, 5, 6, 0], [9, 5, 6, 7, 9]])
    targets = torch.tensor([[6, 0, 7, 8, 9], [IGNORED, IGNORED, 6, 7, 8], [5, 6, 7, IGNORED, IGNORED]])
    mask = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 1, 0]]).bool()
    kept = TokenBatch(inputs, targets, mask).kept([0])
    assert kept.int().tolist() == [[0, 1, 0, 1, 1], [0, 0, 0, 1, 0], [0, 1, 1, 0, 0]]


def test_padding_changes_nothing(model: Any, batch: TokenBatch) -> None:
    plain = capture(model, NEOX, [batch])
    padding = torch.zeros(3, 4, dtype=torch.int64)
    padded = TokenBatch(
        torch.cat([batch.inputs, padding], 1),
        torch.cat([batch.targets, padding + IGNORED], 1),
        torch.cat([torch.ones(3, 8), padding], 1).bool(),
    )
    moments = capture(model, NEOX, [padded])
    assert moments.targets == plain.targets
    for name, layer in plain.layers.items():
        torch.testing.assert_close(moments.layers[name].gradients.second_moment, layer.gradients.second_moment)
        torch.testing.assert_close(moments.layers[name].activations.covariance, layer.activations.covariance)


def test_every_position_of_a_window_has_a_gradient(model: Any, batch: TokenBatch) -> None:
    """A last position without a target would have a gradient of exactly zero, at every layer."""
    _, _, gradient = hooked(model, batch, model.gpt_neox.layers[0])
    assert (gradient.norm(dim=-1) > 0).all()


def test_without_gradients_only_activations_are_filled(model: Any, batch: TokenBatch) -> None:
    plain, forward = capture(model, NEOX, [batch]), capture(model, NEOX, [batch], gradients=False)
    for name, layer in forward.layers.items():
        torch.testing.assert_close(layer.activations.covariance, plain.layers[name].activations.covariance)
        assert layer.gradients.count == 0
        assert all(moments.gradients.count == 0 < moments.inputs.count for moments in layer.maps.values())
    assert forward.loss == pytest.approx(plain.loss)


def test_the_model_is_left_as_it_was(model: Any, batch: TokenBatch) -> None:
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.zero_grad()
    capture(model, NEOX, [batch])
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert not any(module._forward_hooks for module in model.modules())


def test_tokens_that_are_not_finite_are_counted_where_they_are(model: Any, batch: TokenBatch) -> None:
    with torch.no_grad():
        model.gpt_neox.embed_in.weight[299] = torch.nan
    inputs = batch.inputs.clamp(max=298)
    inputs[1, 4] = 299
    moments = capture(model, NEOX, [TokenBatch(inputs, batch.targets)])
    # All of its window, also the tokens before it: attention gives it weight 0 there, and 0 · NaN is NaN.
    assert {name: layer.non_finite for name, layer in moments.layers.items()} == {"layers.0": 7, "layers.1": 7}
    assert all(layer.gradients.count == 14 for layer in moments.layers.values())
    assert all(layer.gradients.covariance.isfinite().all() for layer in moments.layers.values())


def test_a_gradient_that_overflows_is_no_activation_that_does(tiny: CheckpointFolder, batch: TokenBatch) -> None:
    model = build_model(tiny.config, seed=0, device=CPU, dtype=torch.float32).eval()
    with torch.no_grad():
        model.lm_head.weight[:, 0] = torch.inf
    moments = capture(model, NEOX, [batch])
    assert all(layer.non_finite == 21 for layer in moments.layers.values())
    assert all(layer.non_finite == 0 for layer in capture(model, NEOX, [batch], gradients=False).layers.values())
