from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy
import torch
from scipy.integrate import quad

import proofs
from manifoldtheory.ledger import Form, Verdict
from manifoldtheory.manifolds import Cylinder, MongePatch, Sphere
from manifoldtheory.manifolds.clouds import place_geodesic
from proofs.expressions import without_remainders
from proofs.majorants import RANGE
from proofs.majorants import density as majorant
from proofs.majorants import geodesic_density as geodesic_majorant
from proofs.series import Series, SeriesRing

from .graphs import GRAPHS, Graph, circle, cylinder, directions, quadrature, random_patch, sphere
from .random_patches import geodesic_densities, patch, ricci

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


def test_verdicts(derivation) -> None:
    """As stated: right by arclength, in polar coordinates, and for geodesics on surfaces; wrong by volume otherwise."""
    stated = {(f.quantity, f.verdict) for f in derivation.findings if f.form is Form.AS_STATED}
    right = {"geodesic-arc", "geodesic-polar", "geodesic-surface"}
    wrong = {"principal-directions", "reversed-order", "equal-spheres"}
    wrong |= {"reversed-geodesic-order", "local-reversal", "cylinder-over-3-sphere", "round-cylinder"}
    assert stated == {(name, Verdict.SUPPORTS) for name in right} | {(name, Verdict.REFUTES) for name in wrong}
    assert {f.verdict for f in derivation.findings if f.form is Form.REPAIRED} == {Verdict.SUPPORTS}


def test_conclusion_is_what_the_prediction_says(derivation) -> None:
    conclusion = without_remainders(derivation.chain("projected-volume").conclusion)
    (radius,) = (symbol for symbol in conclusion.free_symbols if str(symbol) == "radius")
    expression = derivation.predictions["projected-volume"].expression
    assert sympy.expand(conclusion - 1 - expression * radius**2) == 0


PATCHES = [pytest.param(dim, codim, id=f"{dim}-{codim}") for dim, codim in product((1, 2, 3), (1, 2))]


@pytest.mark.parametrize(("dim", "codim"), PATCHES)
@pytest.mark.parametrize("measure", ["arc", "polar", "volume"])
def test_geodesic_densities_stay_within_the_remainder(derivation, measure, dim: int, codim: int) -> None:
    """Geodesics integrated on random patches, the exponential map differentiated automatically; Ric from the metric."""
    graph = random_patch(dim, codim, 10 * dim + codim)
    manifold, v = patch(graph), directions(dim, 3)
    prediction = derivation.predictions[f"geodesic-{measure}"]
    invariants = {"normal_curvature_sq": np.array([graph.normal_curvature_sq(w) for w in v]), "dim": dim}
    for t in (0.01, float(RANGE)):
        found = (geodesic_densities(manifold, v, t, measure) - 1) / t**2
        bound = prediction.bound(dim=dim, radius=t, curvature_bound=graph.bound)
        predicted = prediction(**invariants, ricci=ricci(manifold, v))
        assert np.abs(found - predicted).max() <= bound + 1e-13 / t**2
    assert prediction.bound(dim=dim, radius=0.01, curvature_bound=1.0) < 0.01  # it leaves something to see


def invariants(graph: Graph, w: np.ndarray) -> dict[str, np.ndarray]:
    """F, S and Ric in every direction, by the Gauss equation in components."""
    h = graph.second_form
    bend = np.einsum("aij,ni,nj->na", h, w, w)
    shape = (np.einsum("aij,nj->nai", h, w) ** 2).sum(axis=(1, 2))
    return {
        "normal_curvature_sq": (bend**2).sum(1),
        "shape_sq": shape,
        "ricci": bend @ np.einsum("aii->a", h) - shape,
    }


@pytest.mark.parametrize(("dim", "codim"), PATCHES)
def test_both_coefficients_by_volume_have_one_average(derivation, dim: int, codim: int) -> None:
    graph = random_patch(dim, codim, dim + codim)
    w, weights = quadrature(dim)
    h = graph.second_form
    squares = {"second_form_sq": (h**2).sum(), "trace_form_sq": (np.einsum("aii->a", h) ** 2).sum()}
    average = derivation.predictions["coefficient-mean"](dim=dim, **squares)
    for name in ("projected-volume", "geodesic-volume"):
        assert weights @ derivation.predictions[name](dim=dim, **invariants(graph, w)) == pytest.approx(average)


def test_published_coefficients_of_geodesics(derivation) -> None:
    """Archimedes: 0 on S²; (2−m)κ²/8 on S^m; cos⁴θ/6 on the cylinder, which is flat. Measured, not only evaluated."""
    t = 0.01
    law = derivation.predictions["geodesic-volume"]
    for dim in (1, 2, 3, 6):
        expected = law(dim=dim, normal_curvature_sq=4.0, ricci=(dim - 1) * 4.0)
        assert expected == pytest.approx((2 - dim) * 4 / 8)
        manifold = Sphere(dim, 0.5)
        bound = law.bound(dim=dim, radius=t, curvature_bound=2.0)
        pole = manifold.chart(torch.eye(dim + 1, dtype=torch.float64)[0] / 2)
        w = torch.tensor(directions(dim, 2))
        found = place_geodesic(pole, torch.full((2,), t, dtype=torch.float64), w, "volume")[2]
        assert np.abs((found.numpy() - 1) / t**2 - expected).max() <= bound
    v = circle(8)
    expected = law(dim=2, normal_curvature_sq=v[:, 0] ** 4, ricci=0.0)
    assert expected == pytest.approx(v[:, 0] ** 4 / 6)
    point = torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64)
    found = place_geodesic(
        Cylinder(1.0).chart(point), torch.full((8,), t, dtype=torch.float64), torch.tensor(v), "volume"
    )
    assert np.abs((found[2].numpy() - 1) / t**2 - expected).max() <= law.bound(dim=2, radius=t, curvature_bound=1.0)


def test_on_surfaces_geodesics_favour_high_curvature(derivation) -> None:
    """c − ⟨c⟩ = (F − ⟨F⟩)/6 on a random surface in R⁵, measured at equispaced directions."""
    graph, t = random_patch(2, 3, 4), 0.01
    v = circle(16)
    measured = (geodesic_densities(patch(graph), v, t, "volume") - 1) / t**2
    form = invariants(graph, v)["normal_curvature_sq"]
    bound = derivation.predictions["geodesic-volume"].bound(dim=2, radius=t, curvature_bound=graph.bound)
    expected = (form - form.mean()) / 6
    assert np.abs(measured - measured.mean() - expected).max() <= 2 * bound + 1e-9
    assert np.ptp(expected) > 8 * bound
    given = derivation.chain("geodesic-surface").conclusion
    values = {"normal_curvature_sq": form[0], "mean(normal_curvature_sq)": form.mean()}
    atoms = {
        atom: values[str(atom)]
        for atom in sorted(given.atoms(sympy.Symbol, sympy.Function), key=lambda a: -len(str(a)))
    }
    assert float(given.subs(atoms)) == pytest.approx(expected[0])


def test_the_third_order_term_is_odd(derivation) -> None:
    """½(q(w) − q(−w))/t³ on random patches against what the derivation has for it, h and k contracted in components."""
    conclusion = without_remainders(derivation.chain("density-either-way").conclusion)
    (radius,) = (symbol for symbol in conclusion.free_symbols if str(symbol) == "radius")
    term = sympy.lambdify(["bending_change", "shape_change", "dim", "sense"], conclusion.coeff(radius, 3))
    t = 0.004
    for dim, codim in ((1, 2), (2, 1), (3, 2)):
        graph = random_patch(dim, codim, dim)
        for w in directions(dim, 3):
            third = np.stack([graph.hessian(axis) - graph.second_form for axis in np.eye(dim)], axis=-1)
            sway = np.einsum("aijk,j,k->ai", third, w, w)
            shape = np.einsum("aij,j->ai", graph.second_form, w)
            expected = term((shape @ w) @ (sway @ w), (shape * sway).sum(), dim, 1)
            measured = (graph.density(w, t) - graph.density(-w, t)) / 2 / t**3
            # the next odd term has at most the majorant's coefficient of y⁵; densities are rounded to 1e-15
            fifth = float(majorant().coefficient(5).as_expr().subs("m", dim))
            assert abs(measured - expected) <= fifth * t**2 * 1.1 + 1e-15 / t**3


@pytest.mark.parametrize("measure", ["arc", "polar", "volume"])
def test_the_third_order_term_of_geodesics_is_odd(derivation, measure) -> None:
    """The same for geodesics: F′ = 2⟨h(v,v), k(v,v,v)⟩ and Ric′ from ∇II = k at the vertex, by the Gauss equation."""
    conclusion = without_remainders(derivation.chain(f"geodesic-{measure}-either-way").conclusion)
    (radius,) = (symbol for symbol in conclusion.free_symbols if str(symbol) == "radius")
    term = sympy.lambdify(["bending_rate", "ricci_rate", "dim", "sense"], conclusion.coeff(radius, 3))
    t = 0.004
    for dim, codim in ((1, 2), (2, 1), (3, 2)):
        graph = random_patch(dim, codim, dim)
        chart = patch(graph).chart(torch.zeros(dim + codim, dtype=torch.float64))
        third = np.stack([graph.hessian(axis) - graph.second_form for axis in np.eye(dim)], axis=-1)
        fifth = float(geodesic_majorant(measure).coefficient(5).as_expr().subs("m", dim))
        v = directions(dim, 3)
        ways = torch.tensor(np.concatenate([v, -v]))
        density = place_geodesic(chart, torch.full((6,), t, dtype=torch.float64), ways, measure)[2].numpy()
        measured = (density[:3] - density[3:]) / 2 / t**3
        for direction, odd in zip(v, measured, strict=True):
            bent, shape = graph.second_form @ direction, np.einsum("aijk,j,k->ai", third, direction, direction)
            trace_rate = np.einsum("aiik,k->a", third, direction) @ (bent @ direction)
            trace_rate += np.einsum("aii->a", graph.second_form) @ (shape @ direction)
            bending_rate = 2 * (bent @ direction) @ (shape @ direction)
            expected = term(bending_rate, trace_rate - 2 * (bent * shape).sum(), dim, 1)
            # the next odd term has at most the majorant's coefficient of y⁵; densities are rounded to 1e-14
            assert abs(odd - expected) <= fifth * t**2 * 1.1 + 1e-14 / t**3


def test_reversed_everywhere(derivation) -> None:
    """c = 7/32 + 3x/16 (geodesics) and 5/32 + 3x/8 (P_T ξ) where F = 1 − ¾x; S^{m−1} × R: falling in F from m = 6."""
    x = np.linspace(0, 1, 11)
    values = {"dim": 3, "normal_curvature_sq": 1 - 0.75 * x, "shape_sq": 25 / 16 - 3 * x / 16}
    geodesic, projected = (derivation.predictions[f"{kind}-volume"] for kind in ("geodesic", "projected"))
    assert projected(**values) == pytest.approx(5 / 32 + 3 * x / 8)
    assert geodesic(**values, ricci=1.5 * (1 - 1.5 * x) - values["shape_sq"]) == pytest.approx(7 / 32 + 3 * x / 16)
    for dim in (3, 4, 5, 6, 9):
        falling = np.diff(geodesic(dim=dim, normal_curvature_sq=x**2, ricci=(dim - 2) * x)) < 0
        assert falling.all() == (dim >= 6)
        assert falling.any()


def test_reversal_of_two_principal_directions(derivation) -> None:
    """Measured at the threshold: −k, 1, …, 1 is reversed for k > (10 − 3m)/(m + 2), so for every k from m = 4 on."""
    family = derivation.chain("pinched-hypersurface").conclusion
    contrast = sympy.lambdify(["dim", "negative_curvature"], family)
    for dim, k in ((3, 0.1), (3, 0.3), (4, 0.0), (5, 0.5)):
        assert (contrast(dim, k) > 0) == (k > (10 - 3 * dim) / (dim + 2))
    graph_form = torch.diag(torch.tensor([-0.3, 1.0, 1.0], dtype=torch.float64))[None]
    measured = geodesic_densities(MongePatch(graph_form), np.eye(3)[:2], 0.01, "volume")
    bound = derivation.predictions["geodesic-volume"].bound(dim=3, radius=0.01, curvature_bound=1.0)
    assert (measured[0] - measured[1]) / 1e-4 == pytest.approx(contrast(3, 0.3), abs=2 * bound)
