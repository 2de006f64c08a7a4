import math

import numpy as np
import pytest
import sympy
import torch

from manifoldtheory.ledger import Prediction

t, F = sympy.Symbol("radius", positive=True), sympy.Symbol("normal_curvature_sq", nonnegative=True)
NORMAL = Prediction("normal", sympy.sqrt(F) / 2 * t**2, Prediction("next", -(t**3)))


def test_floats_tensors_and_arrays():
    assert NORMAL(radius=0.1, normal_curvature_sq=4.0) == pytest.approx(0.01)
    curvatures = torch.tensor([1.0, 4.0], dtype=torch.float64)
    torch.testing.assert_close(NORMAL(radius=0.1, normal_curvature_sq=curvatures), torch.tensor([0.005, 0.01]).double())
    assert NORMAL(radius=0.1, normal_curvature_sq=curvatures.numpy()) == pytest.approx(np.array([0.005, 0.01]))
    assert isinstance(NORMAL(radius=torch.tensor(0.1), normal_curvature_sq=curvatures), torch.Tensor)


def test_gradients_flow():
    radius = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    NORMAL(radius=radius, normal_curvature_sq=1.0).backward()
    assert float(radius.grad) == pytest.approx(0.5)  # pyright: ignore[reportArgumentType]


def test_the_bound_is_the_remainder_in_absolute_value():
    assert NORMAL.bound(radius=0.1) == pytest.approx(1e-3)
    assert Prediction("exact", t).bound(radius=0.1) == 0


def test_a_missing_symbol_is_named_and_others_are_ignored():
    with pytest.raises(TypeError, match="missing radius"):
        NORMAL(normal_curvature_sq=1.0)
    assert NORMAL(radius=1.0, normal_curvature_sq=1.0, dim=3) == pytest.approx(0.5)
    assert NORMAL.symbols == ("normal_curvature_sq", "radius")


@pytest.mark.parametrize(
    ("expression", "exponent"), [(sympy.sqrt(F) / 2 * t**2, 2), (t - F * t**3, 1), (F / (t**4 + t**2), -2)]
)
def test_exponents_are_of_the_leading_term(expression, exponent):
    assert Prediction("law", expression).exponent("radius") == exponent


@pytest.mark.parametrize("function", ["sqrt", "exp", "log", "sin", "cos", "asin"])
def test_elementary_functions(function: str):
    law = Prediction("law", getattr(sympy, function)(t))
    expected = getattr(math, function)(0.5)
    assert law(radius=0.5) == expected
    assert float(law(radius=torch.tensor(0.5, dtype=torch.float64))) == pytest.approx(expected, rel=1e-15)
    assert law(radius=np.array([0.5]))[0] == pytest.approx(expected, rel=1e-15)


def test_latex_has_the_notation_of_the_theory():
    assert NORMAL.latex() == r"\frac{\sqrt{F} t^{2}}{2}"
