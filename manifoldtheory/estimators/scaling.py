"""Power-law fits over a ladder of scales, with intervals that own up to misfit."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from manifoldtheory.errors import InputError


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
    """Fits log value = log c + a log t (+ b t^q) by least squares, weighted by the errors of log value.

    The next term of an expansion, c t^a (1 + b t^q + …), biases a plain log-log slope; with ``correction_order=q`` it
    is a regressor, and the exponent is that of t → 0. Intervals are 95 %, with Student's t, and take the larger of
    the sampling errors and the scatter about the fit; without `stderr`, the scatter alone.

    Args:
        scale: t > 0, shape (n,).
        value: positive, shape (n,).
        stderr: standard errors of `value`, ≥ 0, shape (n,).
        correction_order: q > 0.

    Raises `InputError` for values that are not positive and finite, and for fewer scales than coefficients + 1.
    """
    t, v = (np.asarray(array, dtype=float) for array in (scale, value))
    if t.shape != v.shape or t.ndim != 1:
        raise InputError(f"scales and values must be two lists of equal length, got shapes {t.shape} and {v.shape}")
    for name, array in (("scale", t), ("value", v)):
        if not (np.isfinite(array) & (array > 0)).all():
            raise InputError(
                f"a power law needs positive finite {name}s, got {array[~(array > 0)][:3].tolist() or 'NaN'}"
            )
    columns = [np.ones_like(t), np.log(t)]
    if correction_order is not None:
        columns.append((t / t.max()) ** correction_order)
    design = np.stack(columns, axis=1)
    freedom = len(t) - design.shape[1]
    distinct = len(np.unique(t))
    if freedom < 1 or distinct < design.shape[1]:
        needed = design.shape[1] + 1
        raise InputError(f"{distinct} distinct scales can't fit {needed - 1} coefficients: give at least {needed}")
    sigma = _log_errors(v, stderr)
    weight = 1 / sigma
    solution, *_ = np.linalg.lstsq(design * weight[:, None], np.log(v) * weight, rcond=None)
    residual = (np.log(v) - design @ solution) * weight
    misfit = float(np.sqrt(residual @ residual / freedom))
    inflation = misfit if stderr is None else max(1.0, misfit)
    covariance = np.linalg.inv((design * weight[:, None]).T @ (design * weight[:, None])) * inflation**2
    errors = np.sqrt(np.diag(covariance))

    half = float(stdtrit(freedom, 0.975)) * errors
    return PowerLaw(
        exponent=float(solution[1]),
        exponent_stderr=float(errors[1]),
        exponent_interval=(float(solution[1] - half[1]), float(solution[1] + half[1])),
        coefficient=float(np.exp(solution[0])),
        coefficient_stderr=float(np.exp(solution[0]) * errors[0]),
        coefficient_interval=(float(np.exp(solution[0] - half[0])), float(np.exp(solution[0] + half[0]))),
        misfit=misfit if stderr is not None else float("nan"),
        degrees_of_freedom=freedom,
    )


def _log_errors(value: np.ndarray, stderr: ArrayLike | None) -> np.ndarray:
    """Standard errors of log value; equal ones when none are given."""
    if stderr is None:
        return np.ones_like(value)
    errors = np.asarray(stderr, dtype=float)
    if errors.shape != value.shape or not (np.isfinite(errors) & (errors >= 0)).all():
        raise InputError(f"stderr must be {len(value)} finite numbers ≥ 0, got shape {errors.shape}")
    # An exact value must not take all the weight: rounding bounds what can be known of a logarithm.
    return np.maximum(errors / value, 1e-15)
