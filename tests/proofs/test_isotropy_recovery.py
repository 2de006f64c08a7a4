"""IsoScore* and what removals do to it, on covariances in random bases."""

from itertools import combinations

import numpy as np
import pytest
import torch

import proofs
from manifoldtheory.estimators import iso_score_star
from manifoldtheory.ledger import Form, Verdict
from proofs.energy.removed_spectra import score_without
from proofs.signs import known

ROUNDING = 1e-12
"""Of scores in [0, 1] from float64 matrices of at most twelve dimensions."""


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("isotropy-recovery")
    assert derivation.holds
    return derivation


def spectra(dim: int, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).gamma(0.7, size=(count, dim))


def covariance(spectrum: np.ndarray, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """With its eigenvectors, in the order of the spectrum."""
    generator = torch.Generator().manual_seed(seed)
    basis = torch.linalg.qr(torch.randn((len(spectrum),) * 2, generator=generator, dtype=torch.float64)).Q
    return basis @ torch.from_numpy(spectrum).diag() @ basis.T, basis


def published(spectrum: np.ndarray) -> float:
    """Steps 3 to 6 of the published algorithm."""
    dim = len(spectrum)
    normalised = np.sqrt(dim) * spectrum / np.linalg.norm(spectrum)
    defect = np.linalg.norm(normalised - np.ones(dim)) / np.sqrt(2 * (dim - np.sqrt(dim)))
    used = (dim - defect**2 * (dim - np.sqrt(dim))) ** 2 / dim**2
    return float((dim * used - 1) / (dim - 1))


def removed(spectrum: np.ndarray, part: np.ndarray) -> dict[str, float]:
    return {
        "trace": spectrum.sum(),
        "trace_of_square": (spectrum**2).sum(),
        "ambient_dim": len(spectrum),
        "removed_trace": spectrum[part].sum(),
        "removed_trace_of_square": (spectrum[part] ** 2).sum(),
        "rank": len(part),
    }


def scores_without(matrix: torch.Tensor, bases: torch.Tensor) -> torch.Tensor:
    """IsoScore* left by orthonormal bases (count, d, k), from the traces of the projected covariance."""
    kept = matrix - bases @ (bases.mT @ matrix)
    kept = kept - (kept @ bases) @ bases.mT
    ratio = kept.diagonal(dim1=1, dim2=2).sum(dim=1) ** 2 / kept.square().sum(dim=(1, 2))
    return (ratio - 1) / (bases.shape[1] - bases.shape[2] - 1)


@pytest.mark.parametrize("dim", [2, 3, 12])
def test_score_is_the_published_one_and_the_estimators(derivation, dim: int) -> None:
    prediction = derivation.predictions["iso-score-star"]
    for spectrum in (*spectra(dim, 5, dim), np.ones(dim), np.eye(dim)[0]):
        matrix, _ = covariance(spectrum)
        values = {"trace": float(matrix.trace()), "trace_of_square": float((matrix @ matrix).trace())}
        found = prediction(ambient_dim=dim, **values)
        assert found == pytest.approx(published(spectrum), abs=ROUNDING)
        assert found == pytest.approx(iso_score_star(matrix), abs=ROUNDING)


def test_score_after_removal(derivation) -> None:
    for seed, spectrum in enumerate(spectra(9, 6, 1)):
        matrix, basis = covariance(spectrum, seed)
        part = np.random.default_rng(seed).permutation(9)[: 1 + seed]
        measured = score_without(matrix, basis[:, torch.from_numpy(part)])
        predicted = derivation.predictions["removal-score"](**removed(spectrum, part))
        assert predicted == pytest.approx(measured, abs=ROUNDING)
        (projected,) = scores_without(matrix, basis[:, torch.from_numpy(part)][None])
        assert predicted == pytest.approx(float(projected), abs=ROUNDING)


def test_turning_eigenvalue_is_where_autograd_changes_sign(derivation) -> None:
    for spectrum in spectra(6, 5, 2):
        total, square = spectrum.sum(), (spectrum**2).sum()
        turn = derivation.predictions["turning-eigenvalue"](trace=total, trace_of_square=square)

        def left(x: torch.Tensor, total: float = total, square: float = square) -> torch.Tensor:
            return (total - x) ** 2 / (square - x**2)

        slopes = [float(torch.func.grad(left)(torch.tensor(turn * factor, dtype=torch.float64))) for factor in (0.9, 1)]
        assert slopes[0] < -1e-3
        assert abs(slopes[1]) < 1e-12
        highest = min(total, square**0.5)
        above = turn + 0.1 * (highest - turn)
        assert float(torch.func.grad(left)(torch.tensor(above, dtype=torch.float64))) > 1e-3


def test_comparison_is_positive_above_the_threshold(derivation) -> None:
    """Every pair of spectral subspaces with ordered eigenvalues above S₂/S₁; below it the order can be reversed."""
    assert known(derivation.chain("comparison").conclusion, "positive")
    compared, reversed_below = 0, 0
    for seed in range(30):
        spectrum = -np.sort(-np.random.default_rng(seed).gamma(4.0, size=8))
        cut = (spectrum**2).sum() / spectrum.sum()
        matrix, basis = covariance(spectrum, seed)
        pairs = list(combinations(range(8), 2))
        bases = torch.stack([basis[:, list(part)] for part in pairs])
        scores = dict(zip(pairs, scores_without(matrix, bases).tolist(), strict=True))
        for high, low in combinations(scores, 2):
            if all(a <= b for a, b in zip(high, low, strict=True)):  # the spectrum falls: eigenvalues in order
                if spectrum[low[1]] >= cut:
                    compared += 1
                    assert scores[high] > scores[low]
                else:
                    reversed_below += scores[high] < scores[low]
    assert compared > 100
    assert reversed_below > 100


def test_counterexamples_against_all_normal_planes(derivation) -> None:
    """Removing T leaves less than removing any two normal dimensions; on average normals leave 0.33 in the first."""
    averages = {}
    for instance in derivation.counterexamples:
        generator = torch.Generator().manual_seed(3)
        matrix, tangent, normal = instance.build()["law"](generator, **instance.at)
        per_dimension = [float(torch.trace(b.T @ matrix @ b)) / b.shape[1] for b in (tangent, normal)]
        assert per_dimension[0] > per_dimension[1]
        planes = torch.linalg.qr(torch.randn((400, normal.shape[1], 2), generator=generator, dtype=torch.float64)).Q
        scores = scores_without(matrix, normal @ planes)
        measured = instance.measure()
        assert measured.claimed is not None
        assert measured.value < measured.claimed
        assert scores.min() > measured.claimed - ROUNDING
        averages[instance.name] = float(scores.mean())
    assert averages["outlier-normal"] == pytest.approx(0.33, abs=0.01)
    (principal,) = (each for each in derivation.counterexamples if each.name == "principal-components")
    assert min(principal.at["leading_eigenvalue"], 1.0) > principal.at["normal_eigenvalue"]


def test_verdicts(derivation) -> None:
    verdicts = {(finding.form, finding.verdict) for finding in derivation.findings}
    assert verdicts == {(Form.AS_STATED, Verdict.REFUTES), (Form.REPAIRED, Verdict.SUPPORTS)}
