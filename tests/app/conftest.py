"""A command line with made-up columns."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manifoldtheory import ledger
from manifoldtheory.app.cli import app
from manifoldtheory.ledger import Kind, Prediction

from .fakes import FakeColumn, observation_evidence, proof_evidence, record, simulation_evidence

Command = Callable[..., "Answer"]


class Answer:
    """Exit status and both streams of a command."""

    def __init__(self, *arguments: str) -> None:
        result = CliRunner().invoke(app, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        self.status, self.stdout, self.stderr = result.exit_code, result.stdout, result.stderr


@pytest.fixture
def columns() -> dict[str, FakeColumn]:
    """One column of each kind; a test may put others in their place."""
    import sympy

    radius, mean = sympy.symbols("radius curvature_sq_mean")
    formulas: Mapping[str, Prediction] = {"energy-ratio": Prediction("energy-ratio", 4 / (mean * radius**2))}
    ladder = [found for found in simulation_evidence(subjects={"S2": 1.0}) if found.claim == "energy-concentration"]
    slope = record(claim="curvature-bias", quantity="projected-volume", predicted=1.0, measured=1.01, stderr=0.02)
    return {
        "proofs": FakeColumn(Kind.PROOF, {"energy": proof_evidence()}, formulas=formulas),
        "real_models": FakeColumn(Kind.OBSERVATION, {"model": observation_evidence(layers=2, steps=(0, 64, 400))}),
        "sims": FakeColumn(
            Kind.SIMULATION, {"energy": ladder, "bias": [slope]}, known=("energy-concentration", "curvature-bias")
        ),
    }


@pytest.fixture
def command(columns: dict[str, FakeColumn], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs the command line in an empty folder, with the made-up columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ledger, "load_providers", lambda: columns)
    monkeypatch.setenv("MANIFOLDTHEORY_CACHE", str(tmp_path / "cache"))
    return Answer
