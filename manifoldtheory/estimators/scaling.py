"""Power-law fits over a ladder of scales, with intervals that own up to misfit."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from manifoldtheory.errors import InputError

STEPS = 50
SETTLED = 1e-13
"""Relative change of 1 + b t^q at the largest scale that ends the Gauss–Newton steps."""
LEAST = 0.1
"""Share of 1 + b t^q that a single step leaves at every scale, so that it stays positive."""


@dataclass(frozen=True)
class PowerLaw:
    """A fitted power law value = coefficient · scale^exponent as the scale falls to 0, with 95 % intervals."""

    exponent: float
    exponent_stderr: float
    exponent_interval: tuple[float, float]
    coefficient: float
    coefficient_stderr: float
    coefficient_interval: tuple[float, float]
    misfit: float
    """Root of χ² per degree of freedom: above 1, the scatter exceeds the given errors, and they are widened."""
    degrees_of_freedom: int

    def __call__(self, scale: ArrayLike) -> np.ndarray:
        """The law's value at the given scales."""
        return self.coefficient * np.asarray(scale, dtype=float) ** self.exponent


def fit_exponent(
    scale: ArrayLike, value: ArrayLike, stderr: ArrayLike | None = None, *, correction_order: float | None = None
) -> PowerLaw:
    """Fits value = c t^a, or c t^a (1 + b t^q), by least squares of log value, weighted by its errors.

    The next term of an expansion biases a plain log-log slope; with ``correction_order=q`` it is fitted as well, and
    the exponent is that of t → 0. Intervals are 95 %, with Student's t, and take the larger of the sampling errors and
    the scatter about the fit. They cover where values are of this form, not for further terms that the scatter
    does not show; the corrected fit, nonlinear in b, has those of its linearisation. Without `stderr` there is the
    scatter alone, and relative errors are taken to be equal: where they differ much between the scales, give `stderr`.

    Args:
        scale: t > 0, shape (n,); like the others a list, an array or a tensor, with a gradient or without.
        value: positive, shape (n,).
        stderr: standard errors of `value`, ≥ 0, shape (n,); 0 is taken for rounding.
        correction_order: q > 0.

    Raises `InputError` for values that are not positive and finite, for fewer scales than coefficients + 1, for a
    correction that these scales can't tell from the law, and for units in which the coefficient overflows.
    """
    if correction_order is not None and not _is_positive(correction_order):
        raise InputError(
            f"correction_order must be positive and finite, got {correction_order!r}: it is the next power"
        )
    t, v = numbers("scales", scale), numbers("values", value)
    if t.shape != v.shape or t.ndim != 1:
        raise InputError(f"scales and values must be two lists of equal length, got shapes {t.shape} and {v.shape}")
    for name, array in (("scale", t), ("value", v)):
        if not (good := np.isfinite(array) & (array > 0)).all():
            raise InputError(f"a power law needs positive finite {name}s, got {array[~good][:3].tolist()}")
    if not len(t):
        raise InputError("no scales can't fit 2 coefficients: give at least 3")
    centre = np.log(t).mean()  # the law is fitted there, so that the unit of t only matters for the coefficient
    columns = [np.ones_like(t), np.log(t) - centre]
    if correction_order is not None:
        columns.append((t / t.max()) ** correction_order)
    design = np.stack(columns, axis=1)
    freedom = len(t) - design.shape[1]
    distinct = len(np.unique(t))
    if freedom < 1 or distinct < design.shape[1]:
        needed = design.shape[1] + 1
        raise InputError(f"{distinct} distinct scales can't fit {needed - 1} coefficients: give at least {needed}")
    sigma = _log_errors(v, stderr)
    weighted = design / sigma[:, None]
    solution, _, rank, _ = np.linalg.lstsq(weighted, np.log(v) / sigma, rcond=None)
    if rank < design.shape[1]:
        raise InputError(
            f"these scales can't tell the term of order {correction_order} from the law: lower it, or add scales"
        )
    if correction_order is not None:
        solution, weighted = _corrected(design, np.log(v), sigma, solution)
        residual = (np.log(v) - design[:, :2] @ solution[:2] - np.log1p(design[:, 2] * solution[2])) / sigma
    else:
        residual = (np.log(v) - design @ solution) / sigma
    misfit = float(np.sqrt(residual @ residual / freedom))
    inflation = misfit if stderr is None else max(1.0, misfit)
    # Rows of R⁻¹, whose squares are the variances: no squared condition number.
    inverse = np.linalg.inv(np.linalg.qr(weighted, mode="r")) * inflation
    exponent, log_coefficient = float(solution[1]), float(solution[0] - centre * solution[1])
    exponent_stderr = float(np.linalg.norm(inverse[1]))
    log_stderr = float(np.linalg.norm(inverse[0] - centre * inverse[1]))

    quantile = float(stdtrit(freedom, 0.975))
    with np.errstate(over="ignore", under="ignore"):
        low, coefficient, high = np.exp(log_coefficient + log_stderr * quantile * np.array([-1.0, 0.0, 1.0]))
    if not (0 < coefficient < np.inf):
        raise InputError(f"the coefficient e^{log_coefficient:.4g} is beyond floating point: change the unit of scale")
    return PowerLaw(
        exponent=exponent,
        exponent_stderr=exponent_stderr,
        exponent_interval=(exponent - quantile * exponent_stderr, exponent + quantile * exponent_stderr),
        coefficient=float(coefficient),
        coefficient_stderr=float(coefficient) * log_stderr,
        coefficient_interval=(float(low), float(high)),
        misfit=misfit if stderr is not None else float("nan"),
        degrees_of_freedom=freedom,
    )


def _corrected(
    design: np.ndarray, log_value: np.ndarray, sigma: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Least squares of log c + a log t + log(1 + b t^q) by Gauss–Newton steps, and their last Jacobian, weighted."""
    power, solution = design[:, 2], start.copy()
    # The linear fit has b t^q for log(1 + b t^q): the same to first order, and positive when cut off at 1 − `LEAST`.
    solution[2] = max(solution[2], -(1 - LEAST))
    jacobian = design
    for _ in range(STEPS):
        factor = 1 + solution[2] * power
        jacobian = np.column_stack([design[:, :2], power / factor]) / sigma[:, None]
        residual = (log_value - design[:, :2] @ solution[:2] - np.log(factor)) / sigma
        step = np.linalg.lstsq(jacobian, residual, rcond=None)[0]
        fall = float((-step[2] * power / factor).max())
        step *= min(1.0, (1 - LEAST) / fall) if fall > 0 else 1.0
        solution = solution + step
        if np.abs(step).max() <= SETTLED * (1 + np.abs(solution).max()):
            break
    return solution, jacobian


def numbers(name: str, values: object) -> np.ndarray:
    """Floats from a tensor on any device (with a gradient or without), an array, or an iterable of numbers.

    Raises `InputError`, which says what `name` should be, for anything else.
    """
    try:
        if isinstance(values, str | bytes):
            raise TypeError(values)
        if hasattr(values, "detach"):
            return np.asarray(_detached(values), dtype=float)
        if isinstance(values, np.ndarray):
            if values.dtype.kind not in "iuf":
                raise TypeError(values.dtype)
            return values.astype(float)
        items: Iterable[Any] = values  # pyright: ignore[reportAssignmentType]
        found = np.asarray([_detached(item) for item in items])
        if found.size and found.dtype.kind not in "iuf":
            raise TypeError(found.dtype)
        return found.astype(float)
    except (TypeError, ValueError, RuntimeError) as error:
        what = getattr(values, "dtype", type(values).__name__)
        raise InputError(f"{name} must be a tensor, an array or a list of real numbers, got {what}") from error


def _detached(value: Any) -> Any:
    return value.detach().cpu().tolist() if hasattr(value, "detach") else value


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(0 < value < np.inf)


def _log_errors(value: np.ndarray, stderr: ArrayLike | None) -> np.ndarray:
    """Standard errors of log value; equal ones when none are given."""
    if stderr is None:
        return np.ones_like(value)
    errors = numbers("stderr", stderr)
    if errors.shape != value.shape or not (np.isfinite(errors) & (errors >= 0)).all():
        raise InputError(f"stderr must be {len(value)} finite numbers ≥ 0, got shape {errors.shape}")
    # An exact value must not take all the weight: rounding bounds what can be known of a logarithm.
    return np.maximum(errors / value, 1e-15)
