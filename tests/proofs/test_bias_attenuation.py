import numpy as np
import pytest
import sympy

import proofs
from manifoldtheory.ledger import Form, Verdict
from manifoldtheory.manifolds import TruncatedPareto, TwoPoint
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


def density(t: float) -> np.ndarray:
    """On the unit cylinder 1/√(1 − t² sin²2θ/4), in closed form: the radius is quadratic in √(1 − ρ² cos²θ)."""
    return 1 / np.sqrt(1 - (t * DIRECTIONS[:, 0] * DIRECTIONS[:, 1]) ** 2)


def test_the_cylinder_in_closed_form(derivation) -> None:
    for t in (0.05, 0.3, 0.7):
        q = density(t)
        assert np.array([cylinder().density(w, t) for w in DIRECTIONS]) == pytest.approx(q, abs=1e-12)
        x, radius = sympy.symbols("direction_cos_sq radius")
        conclusion = without_remainders(derivation.chain("cylinder-density").conclusion)
        named = {symbol: {"radius": radius, "direction_cos_sq": x}[symbol.name] for symbol in conclusion.free_symbols}
        series = sympy.lambdify([radius, x], conclusion.xreplace(named))(t, DIRECTIONS[:, 0] ** 2)
        # the next term of the binomial series, at x(1 − x) ≤ ¼, over 1 − t²/4
        assert np.abs(series - q).max() <= 5 / 16 * (t / 2) ** 6 / (1 - t**2 / 4)


def measured(law, radii: np.ndarray, weights: np.ndarray) -> float:
    """E[(q₄₅ − q₀)/⟨q⟩]/E t² over a law given by radii and weights, E t² its own."""
    contrast = np.array([(q[8] - q[16]) / q.mean() for q in map(density, radii)])
    return float((weights * contrast).sum() / law.moment(2))


def pareto(index: float, minimum: float, maximum: float) -> tuple[TruncatedPareto, np.ndarray, np.ndarray]:
    """Gauss' quadrature in the logarithm of the radius."""
    law = TruncatedPareto(index, minimum, maximum)
    nodes, weights = np.polynomial.legendre.leggauss(80)
    span = np.log(maximum / minimum)
    radii = minimum * np.exp(span * (nodes + 1) / 2)
    mass = weights * radii**-index
    return law, radii, mass / mass.sum()


def test_the_constant_is_that_of_the_fourth_moment(derivation) -> None:
    """1/8 + (1/64) E t⁴/E t² for any law on (0, R], up to the next order, 23/8192 E t⁶/E t²."""
    conclusion = without_remainders(derivation.chain("bounded-law").conclusion)
    (share,) = conclusion.free_symbols
    for far in (0.1, 0.4):
        pair = (TwoPoint(1e-2, far, 0.01), np.array([1e-2, far]), np.array([0.99, 0.01]))
        laws = [pair, *(pareto(index, 1e-3, far) for index in (0.5, 1.5, 3.0))]
        for law, radii, weights in laws:
            derived = float(conclusion.subs(share, law.moment(4) / law.moment(2)))
            rest = 23 / 8192 * law.moment(6) / law.moment(2) / (1 - far**2 / 4)
            assert abs(measured(law, radii, weights) - derived) <= rest + 1e-9
            assert rest < (derived - 1 / 8) / 4 or derived < 1 / 8 + 1e-4


@pytest.mark.parametrize("index", [0.5, 1.0, 1.9, 2.1, 2.5, 3.5])
def test_truncated_pareto_laws(derivation, index: float) -> None:
    """E t⁴/E t² → R²(2 − α)/(4 − α) below index 2 and to 0 above, as the least radius falls: moments in closed form."""
    heavy, light = (derivation.chain(f"{kind}-tail").conclusion for kind in ("heavy", "light"))
    names = {symbol.name: symbol for symbol in heavy.free_symbols}
    far, offset = 0.5, abs(index - 2)
    limit = float(heavy.xreplace({names["R"]: far, names["index_offset"]: offset})) if index < 2 else float(light)
    assert limit == (pytest.approx(far**2 * (2 - index) / (4 - index)) if index < 2 else 0)
    # With σ = (s/R)^{|α − 2|} the distance from the limit is this factor times σ/(1 − σ), up to (s/R)^{2 − |α − 2|}.
    # Moments are taken in logarithms, which rounds them to 1e-14.
    factor = limit if index < 2 else far**2 * offset / (2 - offset)
    for least in (1e-4, 1e-8, 1e-12):
        law, near = TruncatedPareto(index, least, far), (least / far) ** offset
        gap = abs(law.moment(4) / law.moment(2) - limit)
        assert gap == pytest.approx(factor * near / (1 - near), rel=4 * (least / far) ** (2 - offset), abs=1e-14)


def test_the_rate_fails_for_unbounded_radii(derivation) -> None:
    """The measured bias is of the order of (E t²)², not of E t²: its ratio falls in proportion to E t²."""
    (instance,) = (found for found in derivation.counterexamples if found.name == "unbounded-radius")
    ratios = [instance.measure(s=s).value for s in (0.02, 0.005, 0.00125)]
    assert np.array(ratios[1:]) / np.array(ratios[:-1]) == pytest.approx(1 / 4, rel=0.1)
    assert instance.claimed() == pytest.approx(1 / (16 * np.pi))


def test_a_set_of_directions_has_the_mean_of_its_coefficients(derivation) -> None:
    """The share of the directions within 22.5° of the diagonals on a shell exceeds ½ by t²/(16π) + O(t⁴)."""
    from proofs.geometry.radial_instances import _share_of_the_diagonals

    for t in (0.05, 0.1):
        assert (_share_of_the_diagonals(1.0, t) - 0.5) / t**2 == pytest.approx(1 / (16 * np.pi), rel=t**2)
        angles = (np.arange(2**18) + 0.5) * 2 * np.pi / 2**18
        q = 1 / np.sqrt(1 - (t * np.sin(2 * angles) / 2) ** 2)
        inside = np.abs(np.sin(2 * angles)) > 0.5**0.5
        assert _share_of_the_diagonals(1.0, t) == pytest.approx(q[inside].sum() / q.sum(), abs=1e-10)


def test_verdicts(derivation) -> None:
    stated = {(f.quantity, f.verdict) for f in derivation.findings if f.form is Form.AS_STATED}
    assert stated == {(name, Verdict.REFUTES) for name in ("two-point-law", "heavy-tail", "unbounded-radius")}
    repaired = {(f.quantity, f.verdict) for f in derivation.findings if f.form is Form.REPAIRED}
    assert repaired == {(name, Verdict.SUPPORTS) for name in ("direction-density", "kl-divergence", "necessity")}
