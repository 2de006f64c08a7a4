import pytest
import torch
from scipy.stats import binomtest, kstest

from manifoldtheory.estimators import SecondMoment, TangentProxy, pooled
from manifoldtheory.ledger import Verdict
from real_models.verdicts import cell_generator, concentration, exceeds_activations, ratio_of

DIM, RANK, LEVEL = 24, 4, 1e-5
AXES = torch.eye(DIM, dtype=torch.float64)
FIRST = TangentProxy(AXES[:, :RANK])
LAST = TangentProxy(AXES[:, -RANK:])


def blocks_of(scales: torch.Tensor, generator: torch.Generator, tokens: int = 400) -> list[SecondMoment]:
    """Eight blocks of Gaussian points with the given standard deviations along the axes."""
    points = torch.randn(8, tokens, DIM, generator=generator, dtype=torch.float64) * scales
    return [SecondMoment(DIM).update(block) for block in points]


def falling() -> torch.Tensor:
    return torch.linspace(3, 0.3, DIM, dtype=torch.float64)


def test_pooling_is_the_moment_of_all_points(generator: torch.Generator) -> None:
    points = torch.randn(60, DIM, generator=generator, dtype=torch.float64)
    parts = [SecondMoment(DIM).update(part) for part in points.split(20)]
    torch.testing.assert_close(pooled(parts).covariance, SecondMoment(DIM).update(points).covariance)
    assert parts[0].count == 20


def test_energy_in_the_proxy_supports_and_energy_off_it_refutes(generator: torch.Generator) -> None:
    blocks = blocks_of(falling(), generator)
    high = concentration(blocks, FIRST, generator=generator)
    low = concentration(blocks, LAST, generator=generator)
    assert high.ratio.value > 1 > low.ratio.value
    assert high.verdict(LEVEL) == Verdict.SUPPORTS
    assert low.verdict(LEVEL) == Verdict.REFUTES
    assert high.verdict(0.0) == low.verdict(0.0) == Verdict.INCONCLUSIVE


def test_the_lower_tail_is_the_rest_of_the_upper(generator: torch.Generator) -> None:
    blocks = blocks_of(falling(), generator)
    for _ in range(5):
        basis = torch.linalg.qr(torch.randn(DIM, RANK, generator=generator, dtype=torch.float64)).Q
        found = concentration(blocks, TangentProxy(basis), generator=generator)
        if found.ratio.value < 1:
            error = (found.upper_stderr**2 + found.lower_stderr**2) ** 0.5
            assert abs(found.upper_tail + found.lower_tail - 1) < 5 * error
            break
    else:
        pytest.fail("no random proxy fell below the mean: the lower tail was not seen")


def test_p_values_of_random_proxies_are_uniform_and_give_no_verdict(generator: torch.Generator) -> None:
    blocks = blocks_of(falling(), generator)
    found = []
    for _ in range(150):
        basis = torch.linalg.qr(torch.randn(DIM, RANK, generator=generator, dtype=torch.float64)).Q
        found.append(concentration(blocks, TangentProxy(basis), generator=generator))
    p_values = [each.upper_tail for each in found]
    # False alarm 1e-4 each.
    assert kstest(p_values, "uniform").pvalue > 1e-4
    false_alarms = sum(each.verdict(0.05) != Verdict.INCONCLUSIVE for each in found)
    assert binomtest(false_alarms, len(found), 0.1, alternative="greater").pvalue > 1e-4


def test_a_gradient_that_follows_its_input_does_not_exceed_it(generator: torch.Generator) -> None:
    """The confound: with δ independent of x, δ xᵀ has the moment of x, however high its R."""
    points = torch.randn(8, 400, DIM, generator=generator, dtype=torch.float64) * falling()
    norms = torch.rand(8, 400, generator=generator, dtype=torch.float64)
    inputs = [SecondMoment(DIM).update(block) for block in points]
    gradients = [SecondMoment(DIM).update(block, weight) for block, weight in zip(points, norms, strict=True)]
    assert concentration(gradients, FIRST, generator=generator).verdict(LEVEL) == Verdict.SUPPORTS
    assert not exceeds_activations(gradients, inputs, FIRST, LEVEL)


def test_a_gradient_that_adds_to_its_input_exceeds_it(generator: torch.Generator) -> None:
    points = torch.randn(8, 400, DIM, generator=generator, dtype=torch.float64) * falling()
    tangent = points[..., :RANK].square().sum(-1)
    inputs = [SecondMoment(DIM).update(block) for block in points]
    gradients = [SecondMoment(DIM).update(block, weight) for block, weight in zip(points, tangent, strict=True)]
    assert ratio_of(gradients, FIRST) > ratio_of(inputs, FIRST)
    assert exceeds_activations(gradients, inputs, FIRST, LEVEL)


def test_centring_leaves_the_mean_out(generator: torch.Generator) -> None:
    shift = 10 * AXES[0]
    points = torch.randn(8, 400, DIM, generator=generator, dtype=torch.float64) + shift
    blocks = [SecondMoment(DIM).update(block) for block in points]
    assert ratio_of(blocks, FIRST) > 10
    stderr = (2 / points.shape[:2].numel() * (1 / RANK + 1 / (DIM - RANK))) ** 0.5  # two means of independent χ²₁
    assert abs(ratio_of(blocks, FIRST, centered=True) - 1) < 4.5 * stderr


def test_cells_draw_from_generators_of_their_own() -> None:
    def draw(seed: int, *cell: str) -> float:
        return float(torch.rand(1, generator=cell_generator(seed, *cell)))

    assert draw(0, "step-1", "layers.0") == draw(0, "step-1", "layers.0")
    assert len({draw(0, "step-1", "layers.0"), draw(1, "step-1", "layers.0"), draw(0, "step-1", "layers.1")}) == 3
