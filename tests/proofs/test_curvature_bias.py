from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
from scipy.integrate import quad

import proofs
from manifoldtheory.ledger import Form, Verdict
from proofs.expressions import without_remainders
from proofs.majorants import RANGE
from proofs.series import Series, SeriesRing

from .graphs import GRAPHS, Graph, circle, cylinder, directions, sphere

RADII = (0.01, 0.05, float(RANGE) / 2, float(RANGE))


@pytest.fixture(scope="module")
def derivation():
    derivation = proofs.derive("curvature-bias")
    assert derivation.holds
    return derivation


def coefficient(derivation, graph: Graph, w) -> float:
    return derivation.predictions["projected-volume"](
        dim=graph.dim, normal_curvature_sq=graph.normal_curvature_sq(w), shape_sq=graph.shape_sq(w)
    )


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_density_stays_within_the_remainder(derivation, graph: Graph) -> None:
    prediction = derivation.predictions["projected-volume"]
    for w in directions(graph.dim, 4):
        for scaled in RADII:
            t = scaled / graph.bound
            excess = (graph.density(w, t) + graph.density(-w, t)) / 2 - 1
            bound = prediction.bound(dim=graph.dim, radius=t, curvature_bound=graph.bound)
            assert abs(excess / t**2 - coefficient(derivation, graph, w)) <= bound + 1e-13 / t**2


def test_normalised_density_on_the_cylinder(derivation) -> None:
    """The mixture law of bias-attenuation, for the radial law with all its mass on one shell."""
    graph, t = cylinder(), 0.03
    w = circle(64)
    q = np.array([graph.density(direction, t) for direction in w])
    c = np.array([coefficient(derivation, graph, direction) for direction in w])
    prediction = proofs.derive("bias-attenuation").predictions["direction-density"]
    values = {"coefficient_mean": c.mean(), "radius_sq_mean": t**2}
    bound = prediction.bound(dim=2, radius_4_mean=t**4, curvature_bound=1.0)
    assert np.abs(q / q.mean() - [prediction(coefficient=value, **values) for value in c]).max() <= bound
    assert bound < (c.max() - c.mean()) * t**2  # the bound leaves something to see


def test_published_coefficients(derivation) -> None:
    """Archimedes: 0 on S²; (2−m)κ²/8 on S^m; cos²θ sin²θ/2 on the cylinder."""
    for dim in (1, 2, 3, 7):
        graph = sphere(dim, 0.5)
        w = directions(dim, 1)[0]
        assert coefficient(derivation, graph, w) == pytest.approx((2 - dim) * 4 / 8, abs=1e-12)
    for w in circle(7):
        assert coefficient(derivation, cylinder(), w) == pytest.approx(w[0] ** 2 * w[1] ** 2 / 2, abs=1e-12)


@pytest.mark.parametrize("dim", [1, 2, 3, 6])
def test_ball_volume_on_spheres(derivation, dim: int) -> None:
    """Against the exact volume of a cap: |S^{m−1}| ∫ sin^{m−1}, chord radius t; on S² exactly π t²."""
    prediction = derivation.predictions["ball-volume"]
    for t in (0.02, float(RANGE)):
        cap, _ = quad(lambda angle: np.sin(angle) ** (dim - 1), 0, 2 * np.arcsin(t / 2), epsabs=1e-16)
        values = {"dim": dim, "radius": t, "second_form_sq": dim, "trace_form_sq": dim**2, "curvature_bound": 1.0}
        assert abs(cap * dim / t**dim - prediction(**values)) <= prediction.bound(**values) + 1e-13


def test_ball_volume_is_karp_and_pinskys(derivation) -> None:
    dim, form, trace, t = sympy.symbols("dim second_form_sq trace_form_sq radius", positive=True)
    published = 1 + (2 * form - trace) * t**2 / (8 * (dim + 2))
    expression = derivation.predictions["ball-volume"].expression
    named = {symbol: sympy.Symbol(str(symbol), positive=True) for symbol in expression.free_symbols}
    assert sympy.expand(sympy.together(expression.xreplace(named) - published)) == 0


def determinant(rows: list[list[Series]]) -> Series:
    if len(rows) == 1:
        return rows[0][0]
    total = rows[0][0] * 0
    for column, entry in enumerate(rows[0]):
        minor = [[*row[:column], *row[column + 1 :]] for row in rows[1:]]
        total = total + entry * determinant(minor) * (-1) ** column
    return total


@pytest.mark.parametrize(("dim", "codim"), list(product((1, 2, 3), (1, 2))))
def test_explicit_patches_with_symbolic_forms(dim: int, codim: int) -> None:
    """√det g (ρ/t)^{m−1} dρ/dt for generic h (and generic k on hypersurfaces), at a rational direction."""
    w = {1: (1,), 2: (Fraction(3, 5), Fraction(4, 5)), 3: (Fraction(1, 3), Fraction(-2, 3), Fraction(2, 3))}[dim]
    names = {
        (a, *sorted(index)): f"{'hk'[order - 2]}{a}{''.join(map(str, sorted(index)))}"
        for order in (2, 3)
        for a in range(codim)
        for index in product(range(dim), repeat=order)
    }
    ring = SeriesRing(("r",), 4, tuple(dict.fromkeys(names.values())))
    r = ring["r"]

    def form(a: int, *index: int) -> Series:
        if len(index) == 3 and codim > 1:
            return ring.constant(Fraction(sum(index) - a, 3))
        return ring[names[(a, *sorted(index))]]

    def contract(a: int, free: tuple[int, ...], order: int) -> Series:
        total = ring.constant(0)
        for index in product(range(dim), repeat=order - len(free)):
            weight = Fraction(1)
            for i in index:
                weight *= w[i]
            total = total + form(a, *free, *index) * weight
        return total

    z = [
        contract(a, (), 2) * r * r * Fraction(1, 2) + contract(a, (), 3) * r * r * r * Fraction(1, 6)
        for a in range(codim)
    ]
    jacobian = [
        [contract(a, (i,), 2) * r + contract(a, (i,), 3) * r * r * Fraction(1, 2) for i in range(dim)]
        for a in range(codim)
    ]
    zero = ring.constant(0)
    metric = [
        [sum((row[i] * row[j] for row in jacobian), zero) + (1 if i == j else 0) for j in range(dim)]
        for i in range(dim)
    ]
    square = sum((height * height for height in z), zero)
    abscissa = (r * (1 + square.divided(2)).sqrt()).reversion()
    density = determinant(metric).sqrt().compose(abscissa) * abscissa.divided().power(dim - 1) * abscissa.derivative()
    normal_curvature = sum((contract(a, (), 2) * contract(a, (), 2) for a in range(codim)), zero)
    shape = sum((contract(a, (i,), 2) * contract(a, (i,), 2) for a in range(codim) for i in range(dim)), zero)
    expected = shape * Fraction(1, 2) - normal_curvature * Fraction(dim + 2, 8)
    assert density.coefficient(0) == 1
    assert density.coefficient(1) == 0
    assert density.coefficient(2) == expected.parts[0]
    general = proofs.derive("curvature-bias").predictions["projected-volume"].expression
    values = {"normal_curvature_sq": normal_curvature, "shape_sq": shape}
    linear = sympy.Poly(general.xreplace({s: sympy.Integer(dim) for s in general.free_symbols if str(s) == "dim"}))
    evaluated = sum(
        (values[str(linear.gens[powers.index(1)])] * Fraction(int(c.p), int(c.q)) for powers, c in linear.terms()), zero
    )
    assert evaluated.parts[0] == expected.parts[0]


def test_as_stated_is_refuted_at_principal_directions(derivation) -> None:
    surface = derivation.chain("surface")
    first, second, x = sympy.symbols("curvature_1 curvature_2 direction_sin_sq", real=True)
    named = {
        symbol: {"curvature_1": first, "curvature_2": second}.get(str(symbol), x)
        for symbol in surface.conclusion.free_symbols
    }
    theta = sympy.Symbol("theta", real=True)
    value = surface.conclusion.xreplace(named).subs(x, sympy.sin(theta) ** 2)
    published = (first - second) ** 2 * sympy.sin(2 * theta) ** 2 / 8
    assert sympy.expand_trig(value - published).equals(0)
    assert derivation.chain("principal-directions").conclusion == 0
    verdicts = {finding.verdict for finding in derivation.findings if finding.form == Form.AS_STATED}
    assert verdicts == {Verdict.REFUTES}


def test_conclusion_is_what_the_prediction_says(derivation) -> None:
    conclusion = without_remainders(derivation.chain("projected-volume").conclusion)
    (radius,) = (symbol for symbol in conclusion.free_symbols if str(symbol) == "radius")
    expression = derivation.predictions["projected-volume"].expression
    assert sympy.expand(conclusion - 1 - expression * radius**2) == 0
