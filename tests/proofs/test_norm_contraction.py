"""Norms and distances from the centre: against torch's SGD with weight decay, and a tied softmax model."""

import math

import pytest
import torch
from torch import nn

import proofs
from manifoldtheory.ledger import Form, Prediction, Verdict

Z = 5.0  # standard errors; a false alarm in about 2 million draws
RATES = {"step_size": 0.4, "restoring_rate": 1.1, "decay_rate": 0.3}
CENTRE = torch.tensor([0.7, -1.2, 0.0], dtype=torch.float64)


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("norm-contraction")
    assert derivation.holds
    return derivation


def test_verdicts(derivation) -> None:
    refuted = {f.quantity for f in derivation.findings if f.verdict is Verdict.REFUTES}
    assert refuted == {"norms-against-distances", "tied-norm-sq", "unigram-norm-sq"}
    assert all((f.form is Form.AS_STATED) == (f.verdict is Verdict.REFUTES) for f in derivation.findings)


def train(start: torch.Tensor, occurs: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    """The embeddings after the steps (first axis) of `occurs` and `noise`, by torch's SGD."""
    table = nn.Parameter(start.clone())
    optimizer = torch.optim.SGD([table], lr=RATES["step_size"], weight_decay=RATES["decay_rate"])
    for occurrence, error in zip(occurs, noise, strict=True):
        optimizer.zero_grad()
        pull = RATES["restoring_rate"] * (table - CENTRE).square() / 2 + error * table
        (occurrence * pull).sum().backward()
        optimizer.step()
    return table.detach()


@pytest.mark.parametrize("steps", [0, 1, 7, 200])
def test_mean_embedding(derivation, steps: int) -> None:
    """The expected loss has the occurrence weighted by f; the update is linear, so that means obey it."""
    frequencies = torch.tensor([[0.02], [0.3], [1.0]], dtype=torch.float64)
    start = torch.randn((3, 3), generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    occurs = frequencies.expand(steps, 3, 1)
    measured = train(start, occurs, torch.zeros((steps, 3, 1), dtype=torch.float64))
    law = derivation.predictions["mean-embedding"]
    predicted = law(**RATES, frequency=frequencies, start=start, centre=CENTRE, steps=steps)
    torch.testing.assert_close(measured, predicted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("frequency", [0.1, 0.6])
def test_mean_squares_by_sampling(derivation, frequency: float) -> None:
    copies, steps, noise_variance = 4000, 150, 0.5
    generator = torch.Generator().manual_seed(1)
    occurs = (torch.rand((steps, copies, 1), generator=generator) < frequency).double()
    signs = 2.0 * torch.randint(2, (steps, copies, 1), generator=generator) - 1
    embeddings = train(CENTRE.expand(copies, 3), occurs, signs.double() * noise_variance**0.5)
    values = {**RATES, "frequency": frequency, "noise_variance": noise_variance, "centre": CENTRE}
    for name, point in (
        ("norm-sq", torch.zeros(3)),
        ("centre-distance-sq", CENTRE),
        ("distance-sq", torch.tensor([0.2, 0.5, -1.0])),
    ):
        squares = (embeddings - point).square()
        predicted = derivation.predictions[name](**values, point=point)
        settling = 10 * (1 - 0.4 * 0.3) ** steps  # what is left of the start: norms of order 1
        assert ((squares.mean(dim=0) - predicted).abs() <= Z * squares.std(dim=0) / copies**0.5 + settling).all()


def test_the_mean_square_is_stationary(derivation) -> None:
    """Two values of x, of b and of the noise, with these moments: a step leaves the mean and mean square alone."""
    values = {**RATES, "frequency": 0.35, "noise_variance": 0.2, "centre": 0.9}
    mean, square = (derivation.predictions[name](**values) for name in ("limit-embedding", "norm-sq"))
    spread, sigma = math.sqrt(square - mean**2), math.sqrt(values["noise_variance"])
    moments = [0.0, 0.0]
    for x in (mean - spread, mean + spread):
        for occurs, chance in ((1, 0.35), (0, 0.65)):
            for noise in (-sigma, sigma):
                gradient = 0.3 * x + occurs * (1.1 * (x - 0.9) + noise)
                for power in (1, 2):
                    moments[power - 1] += chance / 4 * (x - 0.4 * gradient) ** power
    assert moments == pytest.approx([mean, square], rel=1e-12)


def test_slopes_by_automatic_differentiation(derivation) -> None:
    law = derivation.predictions["limit-embedding"]
    slope = Prediction("norm-slope", derivation.chain("norm-slope").conclusion)
    frequency = torch.tensor(0.2, dtype=torch.float64)
    measured = torch.func.grad(lambda f: law(**RATES, frequency=f, centre=0.8))(frequency)
    assert measured.item() == pytest.approx(slope(**RATES, frequency=0.2, centre=0.8), rel=1e-12)
    assert measured > 0
    assert derivation.chain("distance-slope").conclusion == -derivation.chain("norm-slope").conclusion


class Tied(nn.Module):
    """⟨e_v, e_r⟩ for the token r that is read."""

    def __init__(self, rows: torch.Tensor) -> None:
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(rows.clone(), freeze=False)
        self.head = nn.Linear(rows.shape[1], rows.shape[0], bias=False, dtype=rows.dtype)
        self.head.weight = self.embedding.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.embedding(tokens))


@pytest.mark.parametrize("vocabulary", [2, 6])
def test_the_first_step_of_tied_embeddings(derivation, vocabulary: int) -> None:
    """Whatever the joint law of the token that is read and the target is."""
    generator = torch.Generator().manual_seed(vocabulary)
    joint = torch.rand((vocabulary, vocabulary), generator=generator, dtype=torch.float64) ** 3
    joint /= joint.sum()
    model, rate = Tied(CENTRE.expand(vocabulary, 3)), 0.7
    read, target = torch.cartesian_prod(torch.arange(vocabulary), torch.arange(vocabulary)).T
    losses = nn.functional.cross_entropy(model(read), target, reduction="none")
    (losses @ joint[read, target]).backward()
    torch.optim.SGD(model.parameters(), lr=rate).step()
    rows = model.embedding.weight.detach()
    frequencies = joint.sum(dim=0)[:, None]
    values = {"step_size": rate, "vocabulary_size": vocabulary, "frequency": frequencies, "centre": CENTRE}
    centroid = rows.mean(dim=0)
    for name, measured in (
        ("tied-embedding", rows),
        ("tied-norm-sq", rows.square()),
        ("tied-centroid-distance-sq", (rows - centroid).square()),
    ):
        torch.testing.assert_close(measured, derivation.predictions[name](**values), rtol=1e-10, atol=1e-14)
    torch.testing.assert_close(centroid, CENTRE, rtol=1e-12, atol=1e-14)
    rare = frequencies[:, 0] < 1 / vocabulary
    assert rare.any()
    assert (rows[rare].norm(dim=1) < CENTRE.norm()).all()


def test_untied_rows_on_a_constant_feature(derivation) -> None:
    """Trained by gradient descent from rows at 0 until nothing moves; the loss is convex."""
    generator = torch.Generator().manual_seed(5)
    frequencies = torch.rand(7, generator=generator, dtype=torch.float64) + 0.1
    frequencies /= frequencies.sum()
    head = nn.Linear(3, 7, bias=False, dtype=torch.float64)
    nn.init.zeros_(head.weight)
    optimizer = torch.optim.SGD(head.parameters(), lr=2 / CENTRE.square().sum().item())
    for _ in range(500):
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(CENTRE), frequencies).backward()
        optimizer.step()
    rows = head.weight.detach()
    values = {"feature_norm_sq": CENTRE.square().sum(), "log_frequency_mean": frequencies.log().mean()}
    predicted = derivation.predictions["unigram-norm-sq"](frequency=frequencies, **values)
    torch.testing.assert_close(rows.square().sum(dim=1), predicted, rtol=1e-9, atol=1e-12)
    assert rows.mean(dim=0).abs().max() < 1e-12
    most_frequent, middle = frequencies.argmax(), (frequencies.log() - frequencies.log().mean()).abs().argmin()
    assert rows[most_frequent].norm() > rows[middle].norm()


def test_the_gradient_of_the_feature() -> None:
    """Σ_v p_v e_v − e_target, the conclusion of input-gradient."""
    generator = torch.Generator().manual_seed(4)
    rows = torch.randn((5, 3), generator=generator, dtype=torch.float64)
    feature = torch.randn(3, generator=generator, dtype=torch.float64, requires_grad=True)
    logits = nn.functional.linear(feature, rows)
    nn.functional.cross_entropy(logits, torch.tensor(2)).backward()
    assert feature.grad is not None
    torch.testing.assert_close(feature.grad, logits.detach().softmax(dim=0) @ rows - rows[2], rtol=1e-12, atol=1e-14)
