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
        stderr: standard errors of `value`, ≥ 0, shape (n,); 0 is taken for rounding.
        correction_order: q > 0.

    Raises `InputError` for values that are not positive and finite, for fewer scales than coefficients + 1, for a
    correction that these scales can't tell from the law, and for units in which the coefficient overflows.
    """
    if correction_order is not None and not (np.isfinite(correction_order) and correction_order > 0):
        raise InputError(f"correction_order must be positive and finite, got {correction_order}: it is the next power")
    t, v = (np.asarray(array, dtype=float) for array in (scale, value))
    if t.shape != v.shape or t.ndim != 1:
        raise InputError(f"scales and values must be two lists of equal length, got shapes {t.shape} and {v.shape}")
    for name, array in (("scale", t), ("value", v)):
        if not (np.isfinite(array) & (array > 0)).all():
            raise InputError(
                f"a power law needs positive finite {name}s, got {array[~(array > 0)][:3].tolist() or 'NaN'}"
            )
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


def _log_errors(value: np.ndarray, stderr: ArrayLike | None) -> np.ndarray:
    """Standard errors of log value; equal ones when none are given."""
    if stderr is None:
        return np.ones_like(value)
    errors = np.asarray(stderr, dtype=float)
    if errors.shape != value.shape or not (np.isfinite(errors) & (errors >= 0)).all():
        raise InputError(f"stderr must be {len(value)} finite numbers ≥ 0, got shape {errors.shape}")
    # An exact value must not take all the weight: rounding bounds what can be known of a logarithm.
    return np.maximum(errors / value, 1e-15)
