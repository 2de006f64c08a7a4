"""The assertion that values follow a power law, with a failure that shows what they do instead."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.special import stdtrit

from manifoldtheory.errors import InputError
from manifoldtheory.estimators.scaling import PowerLaw, fit_exponent, numbers
from manifoldtheory.testing.checks import require_number

Interval = tuple[float, float]


def assert_scaling(
    values: Iterable[Any],
    radii: Iterable[Any],
    exponent: float,
    *,
    stderr: Iterable[Any] | None = None,
    correction_order: float | None = None,
    coefficient: float | None = None,
    level: float = 0.95,
    tolerance: float = 0.01,
    resolution: float = 0.5,
) -> PowerLaw:
    """Asserts that values = c · radii^exponent (1 + …) as the radii fall to 0; returns the fit, a `PowerLaw`.

    Passes iff the wanted exponent lies in the fitted interval, which counts the sampling errors and the scatter about
    the fit, or within `tolerance` of it; and, where one is given, the same holds for the coefficient, and both
    intervals are those of level (1 + level)/2, which share the risk between them (Bonferroni). If the scatter of log
    values is independent Gaussian noise, a law that holds is refused with probability at most 1 − level per assertion,
    and with less where `stderr` is given: raise the level where many are made of noisy values. Inconclusive failures
    (see `resolution`) are not counted in it. Values without noise are refused by their truncation error only, for
    which `correction_order` and the tolerance are made.

    Args:
        values: positive numbers, (n,): a tensor, an array, or numbers in any iterable.
        radii: t > 0, (n,), in any order.
        exponent: the wanted a.
        stderr: standard errors of the values, (n,).
        correction_order: q, when the next term c b t^{a+q} is to be fitted too; needs one radius more.
        coefficient: the wanted c > 0, in units of value / radius^exponent.
        level: of the interval, or of the exponent's and the coefficient's together.
        tolerance: differences that are none: of exponents absolute, of coefficients relative.
        resolution: the widest interval that says anything, of the exponent and of the coefficient's logarithm. A wider
            one fails as inconclusive, whatever it contains.

    Raises `InputError` for values or radii that are not positive and finite, too few of them, and options that are no
    finite numbers in their range.
    """
    __tracebackhide__ = True
    t, v = numbers("radii", radii), numbers("values", values)
    errors = None if stderr is None else numbers("stderr", stderr)
    exponent = require_number("the wanted exponent", exponent)
    level = require_number("level", level, 0, 1, above=True)
    if level == 1:
        raise InputError("level must be below 1, got 1: every interval of that level is infinite")
    tolerance = require_number("tolerance", tolerance, 0)
    resolution = require_number("resolution", resolution, 0, above=True)
    if correction_order is not None:
        correction_order = require_number("correction_order", correction_order, 0, above=True)
    if coefficient is not None:
        coefficient = require_number("the wanted coefficient", coefficient, 0, above=True)
        level = (1 + level) / 2
    law = fit_exponent(t, v, errors, correction_order=correction_order)
    quantile = float(stdtrit(law.degrees_of_freedom, (1 + level) / 2))

    problems = _judge("exponent", exponent, law.exponent, quantile * law.exponent_stderr, level, tolerance, resolution)
    if coefficient is not None:
        half = quantile * law.coefficient_stderr / law.coefficient  # of the logarithm
        problems += _judge("coefficient", coefficient, law.coefficient, half, level, tolerance, resolution)
    if problems:
        raise AssertionError("\n".join([*problems, *_picture(law, t, v, correction_order)]))
    return law


def _judge(
    name: str, wanted: float, found: float, half: float, level: float, tolerance: float, resolution: float
) -> list[str]:
    """What is wrong with one fitted number; its interval is found ± half, for a coefficient in the logarithm."""
    if name == "exponent":
        low, high, distance = found - half, found + half, abs(wanted - found)
    else:
        low, high, distance = found * np.exp(-half), found * np.exp(half), abs(np.log(wanted / found))
    interval = f"{100 * level:.10g} % interval [{low:.6g}, {high:.6g}]"
    if 2 * half > resolution:
        width = "width" if name == "exponent" else "logarithmic width"
        return [
            f"inconclusive: fitted {name} {found:.6g}, {interval} of {width} {2 * half:.3g} > resolution "
            f"{resolution:g}; wanted {wanted:g}. Take more radii, a wider range of them, or smaller errors"
        ]
    if distance > half + tolerance:
        return [f"fitted {name} {found:.6g}, {interval}; wanted {wanted:g}"]
    return []


def _picture(law: PowerLaw, t: np.ndarray, v: np.ndarray, correction_order: float | None) -> list[str]:
    """The misfit, and a row per radius: the value, the slope from the row before, the distance from the leading law."""
    order = np.argsort(t)
    t, v = t[order], v[order]
    with np.errstate(divide="ignore", invalid="ignore"):  # repeated radii have no slope between them
        slopes = np.diff(np.log(v)) / np.diff(np.log(t))
    residuals = v / law(t) - 1
    if np.isnan(law.misfit):
        misfit = "no standard errors given: the interval is that of the scatter"
    else:
        misfit = f"misfit {law.misfit:.3g} (root of χ² per degree of freedom; 1 if the standard errors are right)"
    fitted = f"value ≈ {law.coefficient:.4g} · radius^{law.exponent:.4g}"
    if correction_order is not None:
        fitted += f" (1 + … radius^{correction_order:g})"
    rows = [f"{'radius':>12} {'value':>12} {'local slope':>12} {'residual':>12}"]
    for index in range(len(t)):
        slope = f"{slopes[index - 1]:.4f}" if index and np.isfinite(slopes[index - 1]) else "–"
        rows.append(f"{t[index]:12.4g} {v[index]:12.4g} {slope:>12} {residuals[index]:+12.2e}")
    return [
        f"  {fitted}, {law.degrees_of_freedom} degrees of freedom",
        f"  {misfit}",
        "  residual = value / leading term − 1",
        *rows,
    ]
