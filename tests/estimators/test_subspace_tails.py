"""The tail probabilities against exact laws in both nulls, plain Monte Carlo, and their own calibration."""

import math
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import fminbound
from scipy.stats import beta, kstest

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.energy import subspace_energy
from manifoldtheory.estimators.subspace_laws import chernoff_bound
from manifoldtheory.estimators.subspace_tails import TailProbability, subspace_tail

FALSE_ALARM = 4.5
"""Standard errors; a normal estimate strays so far once in 150 000."""


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def quadratic_form_tail(weights: np.ndarray) -> float:
    """P(Σ wᵢ zᵢ² > 0) for standard normal z: Imhof's integral (1961), on the contour through its saddlepoint.

    There the integrand is as small as the result, so that the relative error is quad's, however small the result.
    """
    weights = weights / np.abs(weights).max()

    def log_integrand(s: complex) -> complex:
        return complex(-0.5 * np.log(1 - 2 * weights * s).sum() - np.log(s))

    edge = 1 / (2 * weights.max())
    saddle = float(cast("Any", fminbound(lambda s: log_integrand(s).real, 0, edge, xtol=1e-10 * edge)))
    height = log_integrand(saddle).real
    width = math.exp(height)

    def integrand(u: float) -> float:
        return float(np.exp(log_integrand(complex(saddle, saddle * u)) - height).real)

    return quad(integrand, 0, np.inf, limit=1000, epsabs=1e-12)[0] * saddle / math.pi * width


def one_direction_tail(matrix: torch.Tensor, energy: float, shape: torch.Tensor) -> float:
    """With y = C^½ z, yᵀAy ≥ e yᵀy is a quadratic form in z with the eigenvalues of C^½(A − eI)C^½."""
    root = torch.linalg.cholesky(shape)
    form = root.T @ (matrix - energy * torch.eye(len(matrix)).double()) @ root
    return quadratic_form_tail(torch.linalg.eigvalsh(form).numpy())


def all_but_one_tail(matrix: torch.Tensor, energy: float, shape: torch.Tensor) -> float:
    """The normal of a span of C^½ Z with k = d − 1 is a direction of the law of C⁻¹, and takes the rest of tr A."""
    rest = float(matrix.trace()) - (len(matrix) - 1) * energy
    return one_direction_tail(-matrix, -rest, torch.linalg.inv(shape))


def energy_exceeded(probability: float, law: Callable[[float], float], low: float, high: float) -> float:
    """By bisection between two energies, of which the lower is typical."""
    low += 1e-3 * (high - low)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if law(middle) > probability else (low, middle)
    return low


def spike_tail(energy: float, rank: int, dim: int, variance: float) -> float:
    """For A = e₁e₁ᵀ and C = diag(v, 1, …, 1): k E = vF/(1 + vF), where F/(1 + F) is beta (k/2, (d − k)/2)."""
    odds = rank * energy / (1 - rank * energy) / variance
    return float(beta.sf(odds / (1 + odds), rank / 2, (dim - rank) / 2))


def spike(dim: int, height: float = 1.0) -> torch.Tensor:
    return torch.diag(torch.tensor([height] + [0.0] * (dim - 1), dtype=torch.float64))


def rotated(spectrum: torch.Tensor, seed: int) -> torch.Tensor:
    basis = random_bases(1, len(spectrum), len(spectrum), seed)[0]
    return basis * spectrum @ basis.T


def powers(dim: int, exponent: float) -> torch.Tensor:
    return torch.arange(1, dim + 1, dtype=torch.float64) ** exponent


def random_bases(count: int, dim: int, rank: int, seed: int, root: torch.Tensor | None = None) -> torch.Tensor:
    z = torch.randn(count, dim, rank, generator=seeded(seed), dtype=torch.float64)
    return torch.linalg.qr(z if root is None else root @ z).Q


def agrees(tail: TailProbability, exact: float, worst: float = 0.25) -> bool:
    return abs(tail.probability - exact) < FALSE_ALARM * tail.stderr < FALSE_ALARM * worst * exact


@pytest.mark.parametrize("matched", [False, True])
@pytest.mark.parametrize(("share", "smallest"), [(0.3, 1e-2), (0.6, 1e-4), (0.75, 1e-6), (0.95, 1e-15)])
def test_one_direction_equals_imhof(generator, matched, share, smallest):
    """Down to 1e-13; the Haar null of shape=None is that of C = I, and a C of condition 50 is in another basis."""
    dim = 12
    matrix = rotated(powers(dim, -1.0), 1)
    shape = rotated(powers(dim, -1.5), 2) if matched else torch.eye(dim).double()
    exact = one_direction_tail(matrix, share, shape)
    assert smallest < exact
    tail = subspace_tail(matrix, 1, share, shape=shape if matched else None, draws=8000, generator=generator)
    assert agrees(tail, exact)


@pytest.mark.parametrize("matched", [False, True])
@pytest.mark.parametrize("quantile", [1e-1, 1e-4, 1e-9])
def test_all_but_one_direction_equal_imhof(generator, matched, quantile):
    dim = 7
    matrix = rotated(powers(dim, -1.0), 3)
    shape = rotated(powers(dim, -1.0), 4) if matched else torch.eye(dim).double()
    low, high = (float(part.mean()) for part in torch.linalg.eigvalsh(matrix).unfold(0, dim - 1, 1))
    energy = energy_exceeded(quantile, lambda energy: all_but_one_tail(matrix, energy, shape), low, high)
    tail = subspace_tail(matrix, dim - 1, energy, shape=shape if matched else None, draws=8000, generator=generator)
    assert agrees(tail, all_but_one_tail(matrix, energy, shape))


@pytest.mark.parametrize("variance", [0.2, 1.0, 5.0])
@pytest.mark.parametrize(("dim", "rank", "share"), [(2, 1, 0.9), (24, 4, 0.8), (40, 10, 0.6), (20, 12, 0.95)])
def test_a_spike_follows_a_beta_law(generator, variance, dim, rank, share):
    shape = torch.diag(torch.tensor([variance] + [1.0] * (dim - 1)).double())
    tail = subspace_tail(spike(dim), rank, share / rank, shape=shape, draws=2000, generator=generator)
    assert agrees(tail, spike_tail(share / rank, rank, dim, variance))


@pytest.mark.parametrize("matched", [False, True])
def test_three_directions_equal_plain_monte_carlo(generator, matched):
    dim, rank = 9, 3
    matrix, shape = torch.diag(powers(dim, 2.0)), rotated(powers(dim, 2.0), 6)
    root = torch.linalg.cholesky(shape) if matched else None
    bases = random_bases(40_000, dim, rank, 5, root)
    energies = (bases * (matrix @ bases)).sum((1, 2)) / rank
    threshold = float(energies.quantile(0.98))
    tail = subspace_tail(matrix, rank, threshold, shape=shape if matched else None, draws=20_000, generator=generator)
    plain = float((energies >= threshold).double().mean())
    assert abs(tail.probability - plain) < FALSE_ALARM * math.hypot(tail.stderr, (plain * (1 - plain) / 40_000) ** 0.5)


SEEDS = 40
MATRIX, SHAPE = rotated(powers(12, -1.0), 1), rotated(powers(12, -1.5), 2)
CALIBRATED: dict[str, tuple[torch.Tensor, int, torch.Tensor | None, Callable[[float], float]]] = {
    "haar": (spike(8), 2, None, lambda energy: spike_tail(energy, 2, 8, 1.0)),
    "spiked": (spike(8), 2, torch.eye(8).double() + spike(8, 2.0), lambda energy: spike_tail(energy, 2, 8, 3.0)),
    "one direction": (MATRIX, 1, SHAPE, lambda energy: one_direction_tail(MATRIX, energy, SHAPE)),
    "all but one": (MATRIX, 11, SHAPE, lambda energy: all_but_one_tail(MATRIX, energy, SHAPE)),
}


@pytest.mark.parametrize("case", CALIBRATED)
def test_errors_are_what_they_are_said_to_be(case):
    """At 1e-5, over 40 seeds: no bias, and a spread near 1 (its own error is 11 % where errors are normal)."""
    matrix, rank, shape, law = CALIBRATED[case]
    dim = len(matrix)
    eigenvalues = torch.linalg.eigvalsh(matrix)
    energy = energy_exceeded(1e-5, law, float(eigenvalues.mean()), float(eigenvalues[dim - rank :].mean()))
    exact = law(energy)
    assert exact == pytest.approx(1e-5, rel=1e-3)
    tails = [
        subspace_tail(matrix, rank, energy, shape=shape, draws=256, generator=seeded(seed)) for seed in range(SEEDS)
    ]
    assert not any(tail.is_bound for tail in tails)
    errors = np.array([(tail.probability - exact) / tail.stderr for tail in tails])
    relative = np.array([tail.probability / exact - 1 for tail in tails])
    assert abs(relative.mean()) < FALSE_ALARM * relative.std() / SEEDS**0.5
    assert 0.7 < errors.std() < 1.3


@pytest.mark.parametrize("exponent", [-1.0, None])
def test_six_standard_deviations_to_ten_percent(exponent):
    dim, rank = 128, 16
    ramp = torch.arange(1, dim + 1, dtype=torch.float64) / dim
    eigenvalues = 1 / ramp if exponent else torch.exp(-8 * ramp)
    spread = (eigenvalues.square().sum() - eigenvalues.sum() ** 2 / dim) / (dim - 1) / (dim + 2)
    energy = float(eigenvalues.mean() + 6 * (2 * (dim - rank) / (rank * dim) * spread).sqrt())
    tails = [subspace_tail(torch.diag(eigenvalues), rank, energy, draws=1024, generator=seeded(s)) for s in range(2)]
    probability = float(np.mean([tail.probability for tail in tails]))
    stderr = float(np.sqrt(np.mean([tail.stderr**2 for tail in tails])))
    assert stderr < 0.1 * probability
    assert all(abs(tail.probability - probability) < FALSE_ALARM * stderr for tail in tails)


@pytest.mark.parametrize("matched", [False, True])
def test_p_values_of_random_subspaces_are_uniform(generator, matched):
    dim, rank = 10, 3
    matrix = torch.diag(powers(dim, -1.0))
    shape = rotated(powers(dim, -1.2), 8) if matched else None
    root = None if shape is None else torch.linalg.cholesky(shape)
    p_values = [
        subspace_tail(
            matrix, rank, subspace_energy(matrix, basis), shape=shape, draws=128, generator=generator
        ).probability
        for basis in random_bases(64, dim, rank, 7, root)
    ]
    assert kstest(p_values, "uniform").pvalue > 1e-3


def test_what_tilts_miss_untilted_draws_meet():
    """C of few effective directions: tilts alone would miss a quarter of this probability, or only bound it."""
    dim, rank, count = 16, 4, 20_000
    matrix, shape = torch.diag(2 / 2 ** powers(dim, 1.0)), rotated(0.6 ** powers(dim, 1.0), 3)
    bases = random_bases(count, dim, rank, 4, torch.linalg.cholesky(shape))
    energies = (bases * (matrix @ bases)).sum((1, 2)) / rank
    tails = [
        subspace_tail(matrix, rank, float(energies.quantile(0.99)), shape=shape, draws=1024, generator=seeded(seed))
        for seed in range(4)
    ]
    assert not any(tail.is_bound for tail in tails)
    plain = (0.01 * 0.99 / count) ** 0.5
    assert all(abs(tail.probability - 0.01) < FALSE_ALARM * math.hypot(tail.stderr, plain) for tail in tails)
    assert all(tail.stderr < (0.01 / 1024) ** 0.5 for tail in tails)  # that of plain Monte Carlo


def test_more_draws_come_before_a_bound():
    """Rank 2 in 4 dimensions, far out: 1024 draws do not resolve 1e-9, sixteen times as many do."""
    matrix, angle = torch.diag(2 / 2 ** powers(4, 1.0)), 0.012
    energy = (1 + 0.5 * math.cos(angle) ** 2 + 0.25 * math.sin(angle) ** 2) / 2
    tails = [subspace_tail(matrix, 2, energy, draws=1024, generator=seeded(seed)) for seed in range(2)]
    long = subspace_tail(matrix, 2, energy, draws=32_768, generator=seeded(9))
    assert not any(tail.is_bound for tail in tails)
    assert 1.2e-9 < long.probability < 1.6e-9
    for tail in tails:
        assert abs(tail.probability - long.probability) < FALSE_ALARM * math.hypot(tail.stderr, long.stderr)


@pytest.mark.parametrize(("dim", "rank"), [(8, 2), (16, 4), (64, 1), (6, 5)])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 0.9, 0.999, 1 - 1e-9])
def test_chernoff_bound_of_a_spike_has_the_exponent_of_its_beta_law(dim, rank, share):
    energy = (rank / dim + share * (1 - rank / dim)) / rank
    exact, bound = spike_tail(energy, rank, dim, 1.0), chernoff_bound(spike(dim).diagonal(), rank, energy)
    assert exact < bound <= 1
    assert bound < exact * max(20.0, dim**2)


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=12).filter(lambda values: max(values) - min(values) > 1e-3),
    st.data(),
)
def test_chernoff_bound_falls_with_the_energy_and_is_above_plain_monte_carlo(values, data):
    spectrum = torch.tensor(values, dtype=torch.float64)
    rank = data.draw(st.integers(1, len(values) - 1))
    top, mean = float(spectrum.sort().values[-rank:].mean()), float(spectrum.mean())
    energy = mean + data.draw(st.floats(0, 1)) * (top - mean)
    bound = chernoff_bound(spectrum, rank, energy)
    assert 0 <= bound <= 1
    assert chernoff_bound(spectrum, rank, mean) == pytest.approx(1, abs=1e-6)
    assert chernoff_bound(spectrum, rank, mean + 0.5 * (energy - mean)) >= bound * (1 - 1e-6)
    bases = random_bases(2000, len(values), rank, 15)
    found = float(((bases * (spectrum[:, None] * bases)).sum((1, 2)) / rank >= energy).double().mean())
    assert found <= bound + FALSE_ALARM * (bound / 2000) ** 0.5 + 1 / 2000


def test_haar_tails_beyond_the_draws_are_bounded_by_chernoff(generator):
    """Four outliers of sixteen, and a subspace turned from them by 0.01: about 0.01 to the 48th, and a factor."""
    matrix = torch.diag(torch.cat([torch.full((4,), 25.0), torch.ones(12)]).double())
    energy = 25 - 24 * math.sin(0.01) ** 2
    tail = subspace_tail(matrix, 4, energy, draws=128, generator=generator)
    assert tail.is_bound
    assert tail.stderr == 0
    assert 0 < tail.probability < 1e-70


def test_what_is_not_resolved_is_bounded_from_above(generator):
    """Activations with few effective directions, gradients mostly elsewhere: no tilt of this kind comes near."""
    dim, rank = 32, 8
    shape, matrix = rotated(powers(dim, -2.0), 9), rotated(powers(dim, -1.0), 10)
    bases = random_bases(5000, dim, rank, 11, torch.linalg.cholesky(shape))
    energies = (bases * (matrix @ bases)).sum((1, 2)) / rank
    most = float(torch.linalg.eigvalsh(matrix)[-rank:].mean())
    energy = 0.999 * most + 0.001 * float(energies.max())
    tail = subspace_tail(matrix, rank, energy, shape=shape, draws=64, generator=generator)
    assert tail.is_bound
    # No worse than no hit among as many untilted draws, 0.025 = (1 − p)ⁿ; and no plain draw of 5000 hits.
    assert 0 < tail.probability <= 1 - 0.025 ** (1 / 64)
    assert not bool((energies > energy).any())


def test_no_floor(generator):
    tail = subspace_tail(spike(64), 1, 1 - 1e-8, draws=4000, generator=generator)
    assert agrees(tail, float(beta.cdf(1e-8, 63 / 2, 1 / 2)))  # 1e-253


def test_degenerate_energies(generator):
    flat, ramp = torch.eye(5).double(), torch.diag(powers(5, 1.0))

    def probability(matrix: torch.Tensor, rank: int, energy: float, shape: torch.Tensor | None = None) -> float:
        return subspace_tail(matrix, rank, energy, shape=shape, draws=10, generator=generator).probability

    assert probability(flat, 2, 1.0) == 1.0
    assert probability(flat, 2, 1.1) == 0.0
    assert probability(0 * flat, 2, 0.0) == 1.0
    assert probability(ramp, 2, 1.5) == 1.0  # the least of any plane
    assert probability(ramp, 2, 4.6) == 0.0  # above the most
    assert probability(ramp, 5, 3.0) == 1.0  # only one subspace
    assert probability(ramp, 5, 3.1) == 0.0
    line = torch.diag(torch.tensor([0.0, 1.0, 0, 0, 0]).double())
    assert probability(ramp, 1, 2.0, line) == 1.0
    assert probability(ramp, 1, 2.1, line) == 0.0


@pytest.mark.parametrize("draws", [1, 2, 3, 10, 30])
def test_few_draws_claim_no_more_than_they_know(draws):
    """A coordinate of a random direction, far out: of the draws that hit, a few all weigh too little."""
    energy, matrix = 0.9, spike(16)
    exact = spike_tail(energy, 1, 16, 1.0)
    tails = [subspace_tail(matrix, 1, energy, draws=draws, generator=seeded(seed)) for seed in range(10)]
    for tail in tails:
        if tail.is_bound:
            assert tail.probability > exact
        else:
            assert abs(tail.probability - exact) < FALSE_ALARM * tail.stderr
    assert draws > 1 or all(tail.is_bound for tail in tails)


def test_what_is_no_covariance_is_refused(generator):
    shape = torch.block_diag(torch.eye(3).double(), torch.tensor([[1, 1.5], [1.5, 1]], dtype=torch.float64))
    with pytest.raises(InputError, match="positive semi-definite"):
        subspace_tail(torch.diag(powers(5, 1.0)), 2, 4.0, shape=shape, draws=64, generator=generator)


def test_only_the_directions_of_a_covariance_count(generator):
    """A C of rank 6 in 9 dimensions is a full one in 6."""
    matrix, basis = rotated(powers(9, -1.0), 11), random_bases(1, 9, 6, 12)[0]
    inner = torch.diag(powers(6, -1.0))
    arguments = {"rank": 2, "energy": 0.3, "draws": 8000, "generator": generator}
    whole = subspace_tail(matrix, shape=basis @ inner @ basis.T, **arguments)
    within = subspace_tail(basis.T @ matrix @ basis, shape=inner, **arguments)
    assert abs(whole.probability - within.probability) < FALSE_ALARM * math.hypot(whole.stderr, within.stderr)


@given(
    st.sampled_from([2.0**-498, 2.0**-20, 2.0**498]),
    st.sampled_from([1.0, 1e6, 1e12]),
    st.sampled_from([None, 1.0, 1e6, 1e12]),
    st.sampled_from([(2, 1), (6, 1), (6, 3), (6, 5)]),
    st.sampled_from([1, 2, 5, 64]),
)
def test_scales_conditions_and_few_draws(scale, condition, shape_condition, size, draws):
    dim, rank = size
    spectrum = (
        torch.logspace(0, -math.log10(condition), dim, dtype=torch.float64) if condition > 1 else powers(dim, 1.0)
    )
    matrix = rotated(spectrum, 13)
    shape = None
    if shape_condition is not None:
        shape = rotated(torch.logspace(0, -math.log10(shape_condition), dim, dtype=torch.float64), 14)
    energy = 0.7 * float(spectrum.sort().values[-rank:].mean()) + 0.3 * float(spectrum.sort().values[:rank].mean())
    tail = subspace_tail(matrix, rank, energy, shape=shape, draws=draws, generator=seeded(1))
    scaled = subspace_tail(scale * matrix, rank, scale * energy, shape=shape, draws=draws, generator=seeded(1))
    assert 0 <= tail.probability <= 1
    assert tail.stderr >= 0
    assert not math.isnan(tail.effective_draws)
    assert scaled.probability == tail.probability  # a power of two rounds nothing


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"generator": None}, "generator"),
        ({"draws": 0}, "draws=0"),
        ({"draws": -3}, "draws=-3"),
        ({"rank": 0}, "rank 0"),
        ({"rank": 6}, "rank 6 in 5"),
        ({"energy": math.nan}, "not finite"),
        ({"shape": torch.diag(torch.tensor([1.0, 0, 0, 0, 0]).double())}, "fewer than 2 directions"),
    ],
)
def test_bad_input_is_named(generator, changed, message):
    arguments = {"rank": 2, "energy": 3.0, "shape": None, "draws": 10, "generator": generator} | changed
    with pytest.raises(InputError, match=message):
        subspace_tail(torch.diag(powers(5, 1.0)), **arguments)
