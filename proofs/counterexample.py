"""Counterexamples as objects: what they are made of, what their proof derives, and what is measured on them.

A statement that is refuted has at least one, named like the finding that refutes it; a claim whose truth is a table of
cases has an instance of every row.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from manifoldtheory.ledger import Prediction


@dataclass(frozen=True, eq=False)
class Counterexample:
    """An instance on which a quantity can be derived and measured.

    - `parts` builds what it is made of: ``manifold``, ``law``, ``loss``, ``architecture``. Nothing is built, and torch
      not imported, before `build` or a measurement.
    - `holds` is the value derived: an expression read off the conclusion of the chain `chain`, in symbols of the
      instance, with its remainder.
    - `claimed` is the value that the statement would give, in the same symbols; ``None`` for an instance of a row of a
      repaired table, which contradicts nothing.
    - `measurement` measures the quantity on the parts at given values of the symbols, by a route that shares no formula
      with the proof (automatic differentiation, quadrature, sampling). It gives the value and its error, three
      standard errors of sampling or the error of quadrature and rounding.
    - `at` are the values of the symbols at which the statement is contradicted, by name.
    """

    name: str
    text: str
    chain: str
    parts: Mapping[str, Callable[[], Any]]
    holds: Prediction
    measurement: Callable[..., tuple[float, float]]
    claimed: Prediction | None = None
    at: Mapping[str, float] = field(default_factory=dict)

    def build(self) -> dict[str, Any]:
        """The parts, by name."""
        return {name: make() for name, make in self.parts.items()}

    def measure(self, **values: float) -> "Measured":
        """The quantity measured, beside what is derived and what is claimed; at `at` unless values are given."""
        import torch

        values = {**self.at, **values}
        with torch.random.fork_rng(devices=[]):  # modules are initialised from the global state, which is kept
            torch.manual_seed(0)
            value, error = self.measurement(**self.build(), **values)
        claimed = None if self.claimed is None else float(self.claimed(**values))
        return Measured(value, error, float(self.holds(**values)), float(self.holds.bound(**values)), claimed)


@dataclass(frozen=True)
class Measured:
    """What is measured on a counterexample, with its error; what is derived, with its remainder; what is claimed."""

    value: float
    error: float
    derived: float
    remainder: float
    claimed: float | None

    @property
    def agrees(self) -> bool:
        """Whether the measurement is the derived value, within its error and the remainder."""
        return abs(self.value - self.derived) <= self.error + self.remainder

    @property
    def contradicts(self) -> bool:
        """Whether the measurement excludes the value claimed, by its error alone."""
        return self.claimed is not None and abs(self.value - self.claimed) > self.error
