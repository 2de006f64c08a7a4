import numpy as np
import pytest
import sympy

import proofs
from proofs.expressions import without_remainders

from .graphs import circle, cylinder

DIRECTIONS = circle(64)


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("bias-attenuation")
    assert derivation.holds
    return derivation


def shell(t: float) -> np.ndarray:
    q = np.array([cylinder().density(w, t) for w in DIRECTIONS])
    return q / q.mean()


@pytest.fixture(scope="module")
def coefficients() -> np.ndarray:
    predicted = proofs.derive("curvature-bias").predictions["projected-volume"]
    return np.array(
        [
            predicted(dim=2, normal_curvature_sq=cylinder().normal_curvature_sq(w), shape_sq=cylinder().shape_sq(w))
            for w in DIRECTIONS
        ]
    )


@pytest.mark.parametrize(
    "atoms", [((0.02, 1.0),), ((0.1, 1.0),), ((0.01, 0.7), (0.05, 0.3)), ((0.02, 0.9), (0.12, 0.1))]
)
def test_laws_within_the_range(derivation, coefficients, atoms) -> None:
    density = sum(weight * shell(t) for t, weight in atoms)
    values = {
        "radius_sq_mean": sum(weight * t**2 for t, weight in atoms),
        "radius_4_mean": sum(weight * t**4 for t, weight in atoms),
        "coefficient_mean": coefficients.mean(),
        "coefficient_variance": coefficients.var(),
        "curvature_bound": 1.0,
        "dim": 2,
    }
    prediction = derivation.predictions["direction-density"]
    predicted = np.array([prediction(coefficient=c, **values) for c in coefficients])
    assert np.abs(density - predicted).max() <= prediction.bound(**values)
    divergence = (density * np.log(density)).mean()
    prediction = derivation.predictions["kl-divergence"]
    assert abs(divergence - prediction(**values)) <= prediction.bound(**values) + 1e-15


def test_remainders_are_of_higher_order(derivation) -> None:
    """Along a scale family E t² = e², E t⁴ = 2e⁴: bias e² with remainder e⁴, divergence e⁴ with remainder e⁶."""
    e = sympy.Symbol("e", positive=True)
    for name, order in (("direction-density", 4), ("kl-divergence", 6)):
        remainder = derivation.predictions[name].remainder.expression
        family = {"radius_sq_mean": e**2, "radius_4_mean": 2 * e**4, "dim": sympy.Integer(3)}
        scaled = remainder.xreplace({s: family[str(s)] for s in remainder.free_symbols if str(s) in family})
        ones = {s: sympy.Integer(1) for s in scaled.free_symbols if s != e}
        ratio = [scaled.xreplace(ones).subs(e, sympy.Rational(1, 10**k)).evalf() for k in (5, 6)]
        assert float(ratio[0] / ratio[1]) == pytest.approx(10**order, rel=1e-3)


def test_two_point_law_converges_to_another_constant(derivation) -> None:
    """Measured on the cylinder: the contrast of 45° and 0° over E t² tends to what the chain derives, not to 1/8."""
    far, near = 0.5, 1e-3

    def contrast(t: float) -> float:
        q = np.array([cylinder().density(w, t) for w in DIRECTIONS])
        return (q[8] - q[0]) / q.mean()

    measured = ((1 - near) * contrast(near) + near * contrast(far)) / ((1 - near) * near**2 + near * far**2)
    conclusion = without_remainders(derivation.chain("two-point-law").conclusion)
    (symbol,) = conclusion.free_symbols
    derived = float(conclusion.subs(symbol, far))
    assert derived == pytest.approx(1 / 8 + far**2 / 64)
    assert measured == pytest.approx(derived, rel=far**4 / 8)
    assert abs(measured - derived) < abs(measured - 1 / 8) / 5
