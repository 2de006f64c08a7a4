"""The numerics table as data: what every estimator promises, where, why, and how it is checked."""

from tests.estimators.numerics.energies import ENERGY, FITS
from tests.estimators.numerics.moments import ISOTROPY, MOMENTS
from tests.estimators.numerics.rows import Row, rendered
from tests.estimators.numerics.subspaces import CONTROLS, PROXIES, TANGENTS

SECTIONS: dict[str, list[Row]] = {
    "Moments": MOMENTS,
    "Tangent proxies": PROXIES,
    "Local tangent spaces": TANGENTS,
    "Matched normal controls": CONTROLS,
    "R_energy, cap and nulls": ENERGY,
    "Isotropy": ISOTROPY,
    "Power laws": FITS,
}

HEADER = """# Numerics: what each estimator promises

Every row is run by `tests/estimators/test_numerics.py`, for every value that its condition names. This page is
written from the same data by `python -m tests.estimators.numerics > docs/numerics.md`.

ε is the rounding of float64, 2.2e-16 (of float32, 1.2e-7, where it says so). All estimators compute in float64
whatever they are given; only a `SecondMoment` can be told to sum in float32. An *error* is an `InputError`, raised
before anything changes; a *warning* is a `DegenerateProxyWarning`, and comes with a result.
"""


def document() -> str:
    """The text of docs/numerics.md."""
    return "\n".join([HEADER, *(f"## {name}\n\n{rendered(rows)}\n" for name, rows in SECTIONS.items())])
