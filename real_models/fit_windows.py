"""Which checkpoints a tangent proxy is fitted on: always explicit, and named in what is reported."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from manifoldtheory.errors import InputError

FORMS = "write fractions of the training as LOW:HIGH, e.g. 0:0.3, or give a list of steps, e.g. 32,64"


@dataclass(frozen=True)
class FitWindow:
    """Checkpoints between two fractions of the training's *steps*, ends included, or at the given `steps`.

    Checkpoints are spaced logarithmically: the first 30 % of the checkpoints would be an untrained model.
    """

    low: float = 0.0
    high: float = 0.3
    steps: tuple[int, ...] | None = None

    @classmethod
    def parse(cls, value: Any) -> "FitWindow":
        """From ``"0:0.3"``, a pair of numbers of which one is a float, ``"32,64"``, or a sequence of whole numbers.

        Raises `InputError` for anything else, and unless 0 ≤ low < high ≤ 1.
        """
        if isinstance(value, cls):
            return value
        try:
            if isinstance(value, str) and ":" in value:
                low, high = (float(part) for part in value.split(":"))
            elif isinstance(value, str):
                return cls(steps=_steps(int(part) for part in value.split(",")))
            elif isinstance(value, Sequence) and all(isinstance(step, int) for step in value):
                return cls(steps=_steps(value))
            else:
                low, high = (float(part) for part in value)
        except (TypeError, ValueError):
            raise InputError(f"fit window {value!r} can't be read: {FORMS}") from None
        if not 0 <= low < high <= 1:
            raise InputError(f"fit window {value!r} is not within the training, 0 ≤ LOW < HIGH ≤ 1: {FORMS}")
        return cls(low, high)

    def select(self, checkpoints: Sequence[int]) -> tuple[int, ...]:
        """The steps of the checkpoints in the window. Raises `InputError` when there are none, or one is missing."""
        if self.steps is not None:
            missing = sorted(set(self.steps) - set(checkpoints))
            if missing:
                raise InputError(
                    f"the fit window asks for step {missing[0]}, and there are checkpoints at "
                    f"{', '.join(map(str, checkpoints))}: choose among these"
                )
            return self.steps
        last = max(checkpoints)
        chosen = tuple(step for step in checkpoints if self.low * last <= step <= self.high * last)
        if not chosen:
            raise InputError(
                f"no checkpoint lies in the fit window {self}, and there are checkpoints at "
                f"{', '.join(map(str, checkpoints))}: widen it"
            )
        return chosen

    def __str__(self) -> str:
        if self.steps is not None:
            return ",".join(map(str, self.steps))
        return f"{self.low:g}:{self.high:g}"


def _steps(steps: Any) -> tuple[int, ...]:
    chosen = tuple(sorted(set(steps)))
    if not chosen or chosen[0] < 0:
        raise ValueError("steps are whole numbers from 0")
    return chosen
