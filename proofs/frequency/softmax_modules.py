"""Softmax heads as torch modules on which the centroid of the embeddings moves (see `proofs.centroid_conservation`)."""

from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.symbols import initial_centroid

ROUNDING = 1e-12  # of float64, with logits of order 1


def adam_instance(chain: Chain) -> Counterexample:
    """The first step of Adam: V − 2 signs remain."""
    return Counterexample(
        chain.name,
        "A linear softmax head and one feature vector, its first step by Adam: one row goes one way, V − 1 the other",
        chain.name,
        {"architecture": linear_head, "loss": cross_entropy, "optimizer": _adam},
        Prediction(chain.name, chain.conclusion),
        _centroid_of_head,
        Prediction(f"{chain.name} claimed", sympy.Integer(0)),
        {"vocabulary_size": 7, "step_size": 0.01, "feature": -0.8},
    )


def tied_instance(chain: Chain) -> Counterexample:
    """Tied embeddings, with an input embedding of 0 and the centroid there too."""
    at_origin = chain.conclusion.xreplace({initial_centroid: sympy.Integer(0)})
    return Counterexample(
        chain.name,
        "A token whose embedding is 0, followed by another: with tied embeddings a step of SGD moves their centroid",
        chain.name,
        {"architecture": tied_model, "loss": cross_entropy, "optimizer": sgd},
        Prediction(chain.name, at_origin),
        _centroid_of_tied,
        Prediction(f"{chain.name} claimed", sympy.Integer(0)),
        {"vocabulary_size": 5, "step_size": 0.1, "target_embedding": 1.5},
    )


def linear_head() -> Any:
    """⟨e_v, h⟩ with rows of their own; no bias."""
    import torch

    return lambda width, size: torch.nn.Linear(width, size, bias=False, dtype=torch.float64)


def tied_model() -> Any:
    """⟨e_v, e_x⟩ for the token x that is read: one matrix embeds tokens and gives their logits."""
    import torch

    class TiedModel(torch.nn.Module):
        def __init__(self, size: int, width: int) -> None:
            super().__init__()
            self.embedding = torch.nn.Embedding(size, width, dtype=torch.float64)
            self.head = torch.nn.Linear(width, size, bias=False, dtype=torch.float64)
            self.head.weight = self.embedding.weight

        def forward(self, tokens: Any) -> Any:
            return self.head(self.embedding(tokens))

    return TiedModel


def cross_entropy() -> Any:
    """Softmax cross-entropy."""
    import torch

    return torch.nn.functional.cross_entropy


def _adam() -> Any:
    import torch

    return lambda parameters, rate: torch.optim.Adam(parameters, lr=rate, eps=0.0)


def sgd() -> Any:
    """Plain SGD at a step size."""
    import torch

    return lambda parameters, rate: torch.optim.SGD(parameters, lr=rate)


def _moved(model: Any, weight: Any, loss: Any, optimizer: Any, inputs: Any, step_size: float) -> tuple[float, float]:
    """How far a step moves the first coordinate of the centroid of the rows; the target is token 1."""
    import torch

    before = weight.detach().mean(dim=0)
    loss(model(inputs), torch.tensor([1])).backward()
    optimizer(model.parameters(), step_size).step()
    return (weight.detach().mean(dim=0) - before)[0].item(), ROUNDING


def _centroid_of_head(
    architecture: Any, loss: Any, optimizer: Any, *, vocabulary_size: float, step_size: float, feature: float
) -> tuple[float, float]:
    import torch

    head = architecture(3, int(vocabulary_size))
    torch.nn.init.normal_(head.weight, generator=torch.Generator().manual_seed(0))
    features = torch.tensor([[feature, 0.3, 1.1]], dtype=torch.float64)
    return _moved(head, head.weight, loss, optimizer, features, step_size)


def _centroid_of_tied(
    architecture: Any, loss: Any, optimizer: Any, *, vocabulary_size: float, step_size: float, target_embedding: float
) -> tuple[float, float]:
    import torch

    size = int(vocabulary_size)
    model = architecture(size, 2)
    rows = torch.randn((size, 2), generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rows[0], rows[1, 0], rows[2, 0] = 0, target_embedding, 0
    rows[2, 0] = -rows[:, 0].sum()
    with torch.no_grad():
        model.embedding.weight.copy_(rows)
    return _moved(model, model.embedding.weight, loss, optimizer, torch.tensor([0]), step_size)
