"""Tokens trained by torch whose norm and distance from the centre part ways (see `proofs.norm_contraction`)."""

from math import log
from typing import Any

import sympy

from manifoldtheory.ledger import Prediction
from proofs.certificate import Chain
from proofs.counterexample import Counterexample
from proofs.frequency.softmax_modules import cross_entropy, linear_head, sgd, tied_model
from proofs.symbols import centre, frequency, step_size, vocabulary_size

LONG = 600
"""Steps, after which (1 − η(ω + fλ))ⁿ is below the rounding of float64."""
_DIRECTION = (0.6, -0.8, 0.0)
_FREQUENCIES = (0.5, 0.3, 0.15, 0.05)


def decayed_instance(chain: Chain) -> Counterexample:
    """A frequent and a rare token, drawn to one centre under weight decay: the frequent one is nearer, and longer."""
    return Counterexample(
        chain.name,
        "Two embeddings drawn to one centre, one ten times as often, under weight decay",
        chain.name,
        {"architecture": _embeddings, "loss": _pull, "optimizer": _decaying_sgd},
        Prediction(chain.name, chain.conclusion),
        _norms_against_distances,
        Prediction(f"{chain.name} claimed", sympy.Integer(1)),
        {"frequency": 0.5, "other_frequency": 0.05, "restoring_rate": 1.0, "decay_rate": 0.1, "step_size": 0.5},
    )


def tied_instance(chain: Chain) -> Counterexample:
    """A rare token of a tied model: farther from the centroid, and yet nearer to the origin."""
    distance = step_size * (1 / vocabulary_size - frequency) * centre
    return Counterexample(
        chain.name,
        "Tied embeddings that start at one point: a rare token leaves the centroid, towards the origin",
        chain.name,
        {"architecture": tied_model, "loss": cross_entropy, "optimizer": sgd},
        Prediction(chain.name, chain.conclusion),
        _rare_norm,
        Prediction(f"{chain.name} claimed", (centre + distance) ** 2),
        {"vocabulary_size": 5, "frequency": 0.05, "step_size": 0.3, "centre": 1.2},
    )


def unigram_instance(chain: Chain) -> Counterexample:
    """The most frequent of four tokens; one at the geometric mean frequency would be at the centroid, the origin."""
    return Counterexample(
        chain.name,
        "A softmax head on a constant feature: the most frequent token ends far from the centroid, which is the origin",
        chain.name,
        {"architecture": linear_head, "loss": cross_entropy, "optimizer": sgd},
        Prediction(chain.name, chain.conclusion),
        _frequent_norm,
        Prediction(f"{chain.name} claimed", sympy.Integer(0)),
        {
            "frequency": _FREQUENCIES[0],
            "log_frequency_mean": sum(map(log, _FREQUENCIES)) / len(_FREQUENCIES),
            "feature_norm_sq": 2.0,
        },
    )


def _embeddings() -> Any:
    import torch

    return lambda size: torch.nn.Embedding(size, len(_DIRECTION), dtype=torch.float64)


def _pull() -> Any:
    return lambda rows, point, restoring_rate: restoring_rate * (rows - point).square().sum(dim=1) / 2


def _decaying_sgd() -> Any:
    import torch

    return lambda parameters, rate, decay: torch.optim.SGD(parameters, lr=rate, weight_decay=decay)


def _norms_against_distances(
    architecture: Any,
    loss: Any,
    optimizer: Any,
    *,
    frequency: float,
    other_frequency: float,
    restoring_rate: float,
    decay_rate: float,
    step_size: float,
) -> tuple[float, float]:
    """Trained on the expected loss: norms and distances of the two rows, and their ratios."""
    import torch

    table = architecture(2)
    torch.nn.init.normal_(table.weight, generator=torch.Generator().manual_seed(0))
    frequencies = torch.tensor([frequency, other_frequency], dtype=torch.float64)
    point = torch.tensor(_DIRECTION, dtype=torch.float64)
    trained = optimizer(table.parameters(), step_size, decay_rate)
    for _ in range(LONG):
        trained.zero_grad()
        (frequencies @ loss(table(torch.arange(2)), point, restoring_rate)).backward()
        trained.step()
    norms, distances = table.weight.detach().norm(dim=1), (table.weight.detach() - point).norm(dim=1)
    return ((norms[0] / norms[1]) / (distances[0] / distances[1])).item(), 1e-9


def _rare_norm(
    architecture: Any,
    loss: Any,
    optimizer: Any,
    *,
    vocabulary_size: float,
    frequency: float,
    step_size: float,
    centre: float,
) -> tuple[float, float]:
    """The squared norm of token 0 after a step on the expected loss over all pairs of tokens."""
    import torch

    size = int(vocabulary_size)
    model = architecture(size, len(_DIRECTION))
    with torch.no_grad():
        model.embedding.weight.copy_(centre * torch.tensor(_DIRECTION, dtype=torch.float64).expand(size, -1))
    frequencies = torch.full((size,), (1 - frequency) / (size - 1), dtype=torch.float64)
    frequencies[0] = frequency
    read, target = torch.cartesian_prod(torch.arange(size), torch.arange(size)).T
    losses = loss(model(read), target, reduction="none")
    (losses @ (frequencies[target] / size)).backward()
    optimizer(model.parameters(), step_size).step()
    return model.embedding.weight.detach()[0].square().sum().item(), 1e-12


def _frequent_norm(
    architecture: Any,
    loss: Any,
    optimizer: Any,
    *,
    frequency: float,
    log_frequency_mean: float,
    feature_norm_sq: float,
) -> tuple[float, float]:
    """The squared norm of the row of that frequency, trained on the expected loss; it is convex."""
    import torch

    head = architecture(len(_DIRECTION), len(_FREQUENCIES))
    torch.nn.init.zeros_(head.weight)
    features = feature_norm_sq**0.5 * torch.tensor([_DIRECTION], dtype=torch.float64)
    frequencies = torch.tensor([_FREQUENCIES], dtype=torch.float64)
    trained = optimizer(head.parameters(), 2 / feature_norm_sq)
    for _ in range(LONG):
        trained.zero_grad()
        loss(head(features), frequencies).backward()
        trained.step()
    return head.weight.detach()[_FREQUENCIES.index(frequency)].square().sum().item(), 1e-9
