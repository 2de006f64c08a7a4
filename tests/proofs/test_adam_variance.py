"""Against `torch.optim.Adam` on a quadratic loss, copies of a token that never interact."""

import pytest
import torch

import proofs
from manifoldtheory.ledger import Form

FREQUENCIES = (0.02, 0.1, 0.5, 1.0)
GIVEN = {"learning_rate": 0.01, "restoring_rate": 1.0, "noise_variance": 1.0, "second_moment_decay": 0.999}
PUBLISHED = (0.0354, 0.0158, 0.0071, 0.0050)
"""ησ/(2λ√f) at these frequencies, rounded."""
SIMULATED = (0.0351, 0.0158, 0.00711, 0.00498)
"""By an earlier simulation; its sampling error is taken to be 1 %, that of the one here or less."""
Z = 4.0
"""Standard errors allowed: one false alarm in 4 000 runs of the four comparisons."""


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("adam-variance")
    assert derivation.holds
    return derivation


@pytest.fixture(scope="module")
def one_thread():
    """Two threads take five times as long over the roots of a few thousand numbers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def trained(one_thread) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean squares and standard errors, by frequency, over 1000 copies and 100 times from step 2000 to 4500."""
    generator = torch.Generator().manual_seed(0)
    copies, warm, every, rounds = 1000, 80, 25, 180
    frequency = torch.tensor(FREQUENCIES)[:, None]
    start = torch.randn(len(FREQUENCIES), copies, generator=generator)
    x = torch.nn.Parameter(start * torch.tensor(PUBLISHED)[:, None].sqrt())  # near where it will be
    adam = torch.optim.Adam([x], lr=GIVEN["learning_rate"], betas=(0.0, GIVEN["second_moment_decay"]), eps=1e-12)
    squares = torch.zeros_like(start)
    for number in range(rounds):
        occurs = (torch.rand(every, *start.shape, generator=generator) < frequency).float()
        targets = torch.randn(every, *start.shape, generator=generator)
        for occurrence, target in zip(occurs, targets, strict=True):
            adam.zero_grad()
            (occurrence * (x - target).square() / 2).sum().backward()
            adam.step()
        if number >= warm:
            squares += x.detach().square() / (rounds - warm)
    return squares.mean(1), squares.std(1) / copies**0.5


def test_adam_stays_as_wide_as_predicted(derivation, trained) -> None:
    prediction = derivation.predictions["limit-variance"]
    for frequency, mean, error in zip(FREQUENCIES, *trained, strict=True):
        predicted, bound = (function(frequency=frequency, **GIVEN) for function in (prediction, prediction.bound))
        assert abs(mean - predicted) <= Z * error + bound
        assert Z * error + bound < predicted / 5  # neighbouring frequencies are told apart: they differ by √2 or more
    means = trained[0]
    assert bool((means[1:] < means[:-1]).all())


def test_published_values(derivation) -> None:
    prediction = derivation.predictions["limit-variance"]
    for frequency, rounded, simulated in zip(FREQUENCIES, PUBLISHED, SIMULATED, strict=True):
        predicted, bound = (function(frequency=frequency, **GIVEN) for function in (prediction, prediction.bound))
        assert predicted == pytest.approx(rounded, abs=0.5001e-4)
        assert abs(simulated - predicted) <= bound + 0.01 * simulated


def test_the_second_order_is_the_root_of_the_exact_balance(derivation) -> None:
    """h = η/√v and v = f(σ² + λ²V) with V = hσ²/(λ(2 − hλ)), iterated in floating point at falling η."""
    prediction = derivation.predictions["limit-variance"]
    f, rate, noise = 0.2, 1.7, 0.6
    errors = []
    for eta in (0.02, 0.01):
        spread = 0.0
        for _ in range(200):
            step = eta / (f * (noise + rate**2 * spread)) ** 0.5
            spread = step * noise / (rate * (2 - step * rate))
        given = {"frequency": f, "learning_rate": eta, "restoring_rate": rate, "noise_variance": noise}
        second = prediction(**given) + prediction.bound(second_moment_decay=1.0, **given)
        errors.append(abs(spread - second))
    assert errors[1] < errors[0] / 7  # of third order: a factor of 8 to leading order


def test_exponents(derivation) -> None:
    prediction = derivation.predictions["limit-variance"]
    assert prediction.exponent("learning_rate") == 1
    assert 2 * prediction.exponent("frequency") == -1
    assert [statement.form for statement in derivation.statements] == [Form.REPAIRED]
