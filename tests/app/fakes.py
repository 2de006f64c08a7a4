"""Columns and evidence made up for the tests of the command line and the report."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manifoldtheory.errors import InputError
from manifoldtheory.ledger import (
    Claim,
    Evidence,
    Form,
    Hypothesis,
    Kind,
    Prediction,
    Progress,
    Request,
    Statement,
    Task,
    Verdict,
    rung,
)

SUBJECTS = {"S2": 1.0, "S5": 0.6, "torus": 2.2, "ellipsoid": 1.7, "cylinder": 0.4, "monge-3-8": 4.0, "monge-3-32": 9.0}
STEPS = (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 400)


def claim(slug: str, text: str = "it holds") -> Claim:
    return Claim(
        slug,
        f"Title of {slug}",
        "geometry",
        (
            Statement(Form.AS_STATED, f"As the source has it, {text}."),
            Statement(Form.REPAIRED, f"Repaired, {text}.", (Hypothesis("smooth", "M is C³"),)),
        ),
    )


def record(**fields: Any) -> Evidence:
    defaults: dict[str, Any] = {
        "claim": "energy-concentration",
        "kind": Kind.SIMULATION,
        "statement": Form.REPAIRED,
        "verdict": Verdict.SUPPORTS,
        "quantity": "energy-ratio",
    }
    return Evidence(**defaults | fields)


def measured(value: float, relative: float, generator: np.random.Generator, **fields: Any) -> Evidence:
    error = abs(value) * relative
    return record(predicted=value, measured=value + error * generator.normal(), stderr=error, n=1000, **fields)


def simulation_evidence(seed: int = 0, subjects: Mapping[str, float] = SUBJECTS) -> list[Evidence]:
    """Every quantity of the simulations that a figure is drawn from, for manifolds with a made-up mean of F each."""
    generator = np.random.default_rng(seed)
    found: list[Evidence] = []
    for subject, curvature in subjects.items():
        for radius in np.logspace(-4, -1, 7):
            cell = {"subject": subject, "bin": rung("radius", radius)}
            scaling = cell | {"claim": "tangent-normal-scaling"}
            found.append(measured(radius, 1e-3, generator, quantity="tangent-norm", **scaling))
            normal = math.sqrt(curvature) / 2 * radius**2
            found.append(measured(normal, 1e-2, generator, quantity="normal-norm", **scaling))
            ratio = 40 / (curvature * radius**2)
            found.append(measured(ratio, 0.03, generator, quantity="energy-ratio", **cell))
            noisy = (radius**2 + 1e-6) / (curvature * radius**4 / 40 + 1e-6)
            found.append(measured(noisy, 0.03, generator, quantity="noisy-energy-ratio", **cell))
        for quantity, exponent in (("tangent-exponent", 1.0), ("normal-exponent", 2.0)):
            scaling = {"claim": "tangent-normal-scaling", "subject": subject}
            found.append(measured(exponent, 1e-3, generator, quantity=quantity, **scaling))
        for square in np.logspace(-4, -2, 5):
            cell = {"claim": "bias-attenuation", "subject": subject, "bin": rung("radius_sq_mean", square)}
            found.append(measured(curvature * square, 0.05, generator, quantity="direction-bias", **cell))
            found.append(measured((curvature * square) ** 2, 0.05, generator, quantity="kl-divergence", **cell))
        surface = subject in ("S2", "torus", "ellipsoid", "cylinder")
        name = "angle" if surface else "coefficient"
        for value in np.linspace(0.1, 6.1, 16):
            density = 1 + 0.01 * curvature * math.cos(2 * value)
            cell = {"claim": "curvature-bias", "subject": subject, "bin": rung(name, value)}
            found.append(measured(density, 2e-3, generator, quantity="direction-density", **cell))
    return found


def observation_evidence(
    seed: int = 0, model: str = "gpt-neox", layers: int = 4, steps: Sequence[int] = STEPS
) -> list[Evidence]:
    """R_energy of both kinds of gradients, R_activation, a cap and a null, over checkpoints and layers."""
    generator = np.random.default_rng(seed)
    found: list[Evidence] = []
    for step in steps:
        growth = math.exp(-((math.log(step + 1) - math.log(65)) ** 2) / 4)
        for layer in range(layers):
            cell = {
                "kind": Kind.OBSERVATION,
                "subject": model,
                "checkpoint": f"step-{step}",
                "layer": f"layers.{layer}",
            }
            noise = generator.lognormal(0, 0.1)
            hidden = 1 + 2.5 * growth * noise * (1 + layer / 4)
            values = {
                "hidden-state-energy-ratio": hidden,
                "hidden-state-energy-ratio-cap": 4 * hidden,
                "hidden-state-energy-ratio-centred": 0.8 * hidden,
                "activation-energy-ratio": 6 + 20 * growth * noise,
                "weight-energy-ratio:attention.query_key_value": 5 + 25 * growth * noise,
                "activation-energy-ratio:attention.query_key_value": 8 + 20 * growth * noise,
                "weight-energy-ratio:mlp.dense_h_to_4h": 4 + 22 * growth * noise,
            }
            for quantity, value in values.items():
                found.append(
                    record(
                        quantity=quantity, measured=value, lower=value * 0.9, upper=value * 1.1, p_value=1e-6, **cell
                    )
                )
    return found


def proof_evidence(verdict: Verdict = Verdict.SUPPORTS) -> list[Evidence]:
    return [
        record(kind=Kind.PROOF, quantity="energy-ratio", n=12, verdict=verdict),
        record(kind=Kind.PROOF, quantity="energy-ratio", n=3, statement=Form.AS_STATED, verdict=Verdict.REFUTES),
    ]


@dataclass(frozen=True)
class FakeStep:
    title: str


@dataclass(frozen=True)
class FakeDerivation:
    steps: tuple[FakeStep, ...]
    holds: bool = True


@dataclass(frozen=True)
class FakeColumn:
    """A column whose tasks return the given evidence; a task may be a function instead."""

    kind: Kind
    tasks: Mapping[str, Sequence[Evidence] | Callable[[], Sequence[Evidence]]]
    known: tuple[str, ...] = ("energy-concentration",)
    formulas: Mapping[str, Prediction] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    location: str = "/somewhere"

    def claims(self) -> Mapping[str, Claim]:
        return {slug: claim(slug) for slug in self.known}

    def predictions(self, slug: str) -> Mapping[str, Prediction]:
        return self.formulas

    def derivation(self, slug: str) -> FakeDerivation | None:
        return FakeDerivation((FakeStep("by definition"), FakeStep("hence"))) if self.kind == Kind.PROOF else None

    def identity(self, request: Request) -> Mapping[str, Any]:
        return {"made-up": True}

    def plan(self, request: Request) -> Sequence[Task]:
        self.requests.append(request)
        if request.options.get("model") == "unknown":
            raise InputError("unknown model 'unknown':\nchoose pythia")
        return [Task(name, self._runner(evidence)) for name, evidence in self.tasks.items()]

    @staticmethod
    def _runner(
        evidence: Sequence[Evidence] | Callable[[], Sequence[Evidence]],
    ) -> Callable[[Progress], list[Evidence]]:
        def run(progress: Progress) -> list[Evidence]:
            print("a library prints this on stdout")
            progress("half way", 1, 2)
            return list(evidence if isinstance(evidence, Sequence) else evidence())

        return run
