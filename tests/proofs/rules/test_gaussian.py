"""The lemmas on Gaussian pairs: against quadrature, and what they refuse."""

import numpy as np
import pytest
import sympy
from scipy import integrate, stats

from proofs.conditions import gaussian, nonzero, vectors
from proofs.expressions import Expectation, Flow
from proofs.rules import Refused
from proofs.rules.gaussian import sign, size

from ..checking import apply

x, y, z, value, angle, other = sympy.symbols("x y z value angle other")
SIGNS = Expectation(sign(x) * sign(y))
SIZES = Expectation(size(x) * size(y))
RATE = 2 / sympy.pi
VARIANCES = (nonzero(Expectation(x**2)), nonzero(Expectation(y**2)))
CORRELATION = Expectation(x * y) / sympy.sqrt(Expectation(x**2)) / sympy.sqrt(Expectation(y**2))


def given(*conditions, sine=CORRELATION, hypotheses=()):
    return {
        "conditions": conditions or (gaussian(x, y), *VARIANCES),
        "definitions": ((angle, sympy.asin(sine)),),
        "hypotheses": hypotheses,
    }


@pytest.mark.parametrize("correlation", [-0.95, -0.3, 0.0, 0.5, 0.99])
def test_expected_signs_by_quadrature(correlation: float) -> None:
    """E[sgn x sgn y] = E[sgn x · E[sgn y | x]], where y given x is Gaussian about ρx with variance 1 − ρ²."""
    slope = correlation / np.sqrt(1 - correlation**2)

    def integrand(at: float) -> float:
        return float(2 * stats.norm.pdf(at) * (2 * stats.norm.cdf(slope * at) - 1))

    measured, error = integrate.quad(integrand, 0, np.inf, epsabs=1e-12)
    assert abs(measured - float(RATE) * np.arcsin(correlation)) <= error + 1e-12


def test_expected_size_by_quadrature() -> None:
    measured, error = integrate.quad(lambda at: 2 * at * stats.norm.pdf(at), 0, np.inf, epsabs=1e-12)
    assert abs(measured**2 - float(RATE)) <= 2 * error + 1e-12


def test_true_instances() -> None:
    apply("price", SIGNS, Flow(RATE, value, 0, angle), given=given())
    scaled = (Expectation(x**2), sympy.Integer(4))
    fixed = given(sine=Expectation(x * y) / (2 * sympy.sqrt(Expectation(y**2))), hypotheses=(scaled,))
    apply("price", SIGNS, Flow(RATE, value, 0, angle), given=fixed)
    uncorrelated = given(hypotheses=((Expectation(x * y), sympy.Integer(0)),))
    into = RATE * sympy.sqrt(Expectation(x**2)) * sympy.sqrt(Expectation(y**2))
    apply("half-normal", SIZES, into, given=uncorrelated)


@pytest.mark.parametrize(
    ("part", "into", "known", "reason"),
    [
        (SIGNS, Flow(1 / sympy.pi, value, 0, angle), given(), "rate"),
        (SIGNS, Flow(RATE * value, value, 0, angle), given(), "rate"),
        (SIGNS, Flow(RATE, value, 1, angle), given(), "start at 0"),
        (SIGNS, Flow(RATE, value, 0, other), given(), "not defined as an angle"),
        (SIGNS, Flow(RATE, value, 0, angle), given(sine=2 * CORRELATION), "not the correlation"),
        (SIGNS, Flow(RATE, value, 0, angle), given(sine=Expectation(x * y)), "not the correlation"),
        (SIGNS, Flow(RATE, value, 0, angle), given(gaussian(x), *VARIANCES), "jointly Gaussian"),
        (SIGNS, Flow(RATE, value, 0, angle), given(gaussian(x, y), VARIANCES[0]), "variance of y"),
        (SIGNS, Flow(RATE, value, 0, angle), given(*VARIANCES), "jointly Gaussian"),
        (Expectation(x * y), Flow(RATE, value, 0, angle), given(), "product of their signs"),
        (Expectation(z * sign(x) * sign(y)), Flow(RATE, value, 0, angle), given(), "two numbers"),
        (SIZES, RATE, given(), "uncorrelated"),
        (SIZES, RATE, given(hypotheses=((Expectation(x * y), sympy.Integer(1)),)), "uncorrelated"),
        (SIZES, RATE, given(hypotheses=((Expectation(x * y), sympy.Integer(0)),)), "not the mean"),
    ],
)
def test_refused(part, into, known, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        apply("price" if part != SIZES else "half-normal", part, into, given=known)


def test_vectors_have_no_sign() -> None:
    with pytest.raises(Refused):
        apply("price", SIGNS, Flow(RATE, value, 0, angle), given=given(gaussian(x, y), vectors(x, y), *VARIANCES))
