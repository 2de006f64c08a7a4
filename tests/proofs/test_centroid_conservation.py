"""Centroids of embeddings: derived, against real torch modules under torch's optimizers."""

import pytest
import torch
from torch import nn

import proofs
from manifoldtheory.ledger import Form, Prediction, Verdict


def assert_equal(measured: torch.Tensor | None, predicted: torch.Tensor) -> None:
    """Up to the rounding of float64 sums of about a hundred terms of order 1."""
    assert measured is not None
    torch.testing.assert_close(measured, predicted, rtol=1e-10, atol=1e-13)


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("centroid-conservation")
    assert derivation.holds
    return derivation


class Untied(nn.Module):
    """Tokens through an embedding and a layer of their own to a softmax head."""

    def __init__(self, vocabulary: int, width: int, *, tied: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, dtype=torch.float64)
        self.mixer = nn.Identity() if tied else nn.Sequential(nn.Linear(width, width, dtype=torch.float64), nn.Tanh())
        self.head = nn.Linear(width, vocabulary, bias=False, dtype=torch.float64)
        if tied:
            self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.mixer(self.embedding(tokens)))


def step(model: nn.Module, optimizer: torch.optim.Optimizer, tokens: torch.Tensor, targets: torch.Tensor) -> None:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(tokens), targets).backward()
    optimizer.step()


def batch(vocabulary: int, seed: int, size: int = 16) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    tokens, targets = torch.randint(vocabulary, (2, size), generator=generator)
    return tokens, targets


def test_statements(derivation) -> None:
    found = {finding.quantity: (finding.form, finding.verdict) for finding in derivation.findings}
    assert found == dict.fromkeys(("centroid", "never-target-step"), (Form.REPAIRED, Verdict.SUPPORTS))
    assert derivation.chain("mean-gradient").conclusion == 0
    assert {instance.name for instance in derivation.counterexamples} == {"adam-centroid-step", "tied-centroid-step"}


def test_gradient_of_a_row_by_autograd(derivation) -> None:
    law = Prediction("row-gradient", derivation.chain("row-gradient").conclusion)
    torch.manual_seed(0)
    head, features = nn.Linear(4, 9, dtype=torch.float64), torch.randn(4, dtype=torch.float64)
    logits = head(features)
    nn.functional.cross_entropy(logits, torch.tensor(5)).backward()
    for row in range(9):
        values = {"probability": logits.softmax(0)[row].item(), "is_target": float(row == 5), "feature": features}
        assert head.weight.grad is not None
        assert_equal(head.weight.grad[row], law(**values))


def test_the_centroid_stays_while_everything_trains(derivation) -> None:
    torch.manual_seed(1)
    model = Untied(30, 6)
    start = model.head.weight.detach().clone()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for seed in range(40):
        step(model, optimizer, *batch(30, seed))
    predicted = derivation.predictions["centroid"](initial_centroid=start.mean(dim=0))
    assert_equal(model.head.weight.detach().mean(dim=0), predicted)
    assert (model.head.weight.detach() - start).abs().max() > 0.1


@pytest.mark.parametrize("change", ["weight decay", "tying", "Adam"])
def test_each_hypothesis_is_needed(change: str) -> None:
    torch.manual_seed(2)
    model = Untied(30, 6, tied=change == "tying")
    start = model.head.weight.detach().mean(dim=0)
    if change == "Adam":
        optimizer: torch.optim.Optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.1 if change == "weight decay" else 0.0)
    step(model, optimizer, *batch(30, 0))
    assert (model.head.weight.detach().mean(dim=0) - start).abs().max() > 1e-4


def test_rows_that_are_never_targets(derivation) -> None:
    """From equal logits they step by −η E[h]/V, all alike, and go on together."""
    torch.manual_seed(3)
    vocabulary, rate = 12, 0.3
    model = Untied(vocabulary, 5)
    nn.init.zeros_(model.head.weight)
    tokens, targets = batch(8, 4)  # tokens 8 … 11 do not occur
    features = model.mixer(model.embedding(tokens)).detach()
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    step(model, optimizer, tokens, targets)
    values = {"step_size": rate, "feature_mean": features.mean(dim=0), "vocabulary_size": vocabulary}
    predicted = derivation.predictions["never-target-step"](**values)
    rare = model.head.weight.detach()[8:]
    assert_equal(rare, predicted.expand(4, -1))
    before = rare.clone()
    features = model.mixer(model.embedding(tokens)).detach()
    probabilities = (features @ model.head.weight.detach().T).softmax(dim=1)[:, 8:]
    step(model, optimizer, tokens, targets)
    drift = -rate * (probabilities[:, :, None] * features[:, None, :]).mean(dim=0)
    assert_equal(model.head.weight.detach()[8:] - before, drift)


@pytest.mark.parametrize("vocabulary", [2, 3, 17])
def test_the_first_step_of_adam(derivation, vocabulary: int) -> None:
    torch.manual_seed(vocabulary)
    head, features = nn.Linear(4, vocabulary, dtype=torch.float64), torch.randn((1, 4), dtype=torch.float64)
    start = head.weight.detach().mean(dim=0)
    nn.functional.cross_entropy(head(features), torch.tensor([1])).backward()
    torch.optim.Adam(head.parameters(), lr=0.02, eps=0.0).step()
    values = {"vocabulary_size": vocabulary, "step_size": 0.02, "feature": features[0]}
    predicted = derivation.predictions["adam-centroid-step"](**values)
    assert_equal(head.weight.detach().mean(dim=0) - start, predicted)


def test_tied_embeddings(derivation) -> None:
    torch.manual_seed(5)
    model = Untied(7, 3, tied=True)
    weight = model.embedding.weight
    nn.functional.cross_entropy(model(torch.tensor([2])), torch.tensor([4])).backward()
    rows = weight.detach()
    mean = (rows @ rows[2]).softmax(dim=0) @ rows
    assert weight.grad is not None
    assert_equal(weight.grad.sum(dim=0), mean - rows[4])  # the conclusion of tied-gradient
    with torch.no_grad():
        weight[2] = 0
    start = weight.detach().mean(dim=0)
    step(model, torch.optim.SGD(model.parameters(), lr=0.4), torch.tensor([2]), torch.tensor([4]))
    values = {"step_size": 0.4, "vocabulary_size": 7, "initial_centroid": start, "target_embedding": rows[4]}
    moved = weight.detach().mean(dim=0) - start
    assert_equal(moved, derivation.predictions["tied-centroid-step"](**values))
