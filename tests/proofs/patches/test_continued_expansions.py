import math
from typing import Any

import pytest
import sympy

from manifoldtheory.errors import InputError
from proofs.patches.continued_expansions import LOWEST_ORDER, expand_on, surfaces
from proofs.patches.geodesic_series import geodesic
from proofs.patches.monge_graphs import monge_patch
from proofs.patches.series_size import MOST_TERMS, estimate
from proofs.symbols import radius


def powers(expression: Any) -> list[int]:
    """The powers of the radius in a sum of terms."""
    terms = [term for term in sympy.Add.make_args(expression) if term != 0]
    return [int(term.as_coeff_exponent(radius)[1]) for term in terms]


@pytest.mark.parametrize("place", range(8))
def test_standing_surfaces(place: int) -> None:
    order, found = surfaces(4)
    assert len(found) == 8
    expansion = expand_on(found[place], order)
    assert set(expansion.checks) == {"unit-speed", "derived-terms"}
    assert all(expansion.checks.values())
    for name, prediction in expansion.predictions.items():
        last = order + (2 if name == "normal_norm_sq" else 0)
        assert prediction.remainder is not None
        assert max(powers(prediction.expression)) <= last
        assert min(powers(prediction.remainder.expression), default=last + 1) > last


def test_sphere_has_the_closed_forms() -> None:
    """Archimedes and the chord: s = 2r asin(t/2r), |P_N ξ|² = t⁴/4r², |P_T ξ|² = t² − t⁴/4r²."""
    order, found = surfaces(8)
    (sphere,) = (surface for surface in found if surface.slug == "sphere")
    predictions = expand_on(sphere, order).predictions
    values = {"radius": 0.3, "sphere_radius": 0.8}
    exact = {
        "arclength": 1.6 * math.asin(0.3 / 1.6),
        "tangent_norm": 0.3 * math.sqrt(1 - (0.3 / 1.6) ** 2),
        "normal_norm_sq": (0.3**2 / 1.6) ** 2,
    }
    for name, value in exact.items():
        rest = predictions[name].bound(**values)
        assert predictions[name](**values) == pytest.approx(value, abs=1.2 * rest + 1e-15)
        assert name == "normal_norm_sq" or abs(predictions[name](**values) - value) > rest / 1.2


def test_a_typed_graph() -> None:
    """z = x² on a line: s and t of the parabola, whose arclength is elementary."""
    order, (surface,) = surfaces(10, "x**2")
    prediction = expand_on(surface, order).predictions["arclength"]
    at = 0.1
    t = math.hypot(at, at**2)
    exact = at / 2 * math.sqrt(1 + 4 * at**2) + math.asinh(2 * at) / 4
    values = {"radius": t} | ({"v_1": 1.0} if "v_1" in prediction.symbols else {})
    assert prediction(**values) == pytest.approx(exact, abs=2 * prediction.bound(**values))


def test_the_estimate_is_from_above() -> None:
    for dim, codim, order in ((1, 1, 8), (1, 2, 7), (2, 1, 6), (3, 1, 5)):
        found = geodesic(monge_patch(dim, codim, order), (1, *[0] * (dim - 1)))
        weights = {degree - 1: codim * math.comb(degree + dim - 1, dim - 1) for degree in range(2, order + 1)}
        size = estimate(dim, order, weights, symbolic=False, graded=True)
        terms = sum(len(value) for series in (*found.position, *found.height, found.arclength) for value in series)
        assert terms <= size.terms < MOST_TERMS


def test_refused_before_any_work() -> None:
    with pytest.raises(InputError, match=f"order 3 is below {LOWEST_ORDER}"):
        surfaces(3)
    with pytest.raises(InputError, match=r"order 14 is too high for Monge patch .* terms \([0-9.,]+ GB\)"):
        surfaces(14)
    with pytest.raises(InputError, match=r"at least .* terms"):
        surfaces(10**9)
    with pytest.raises(InputError, match="order 50 is too high for a graph over 2 coordinates"):
        surfaces(50, "x*y")
    with pytest.raises(InputError, match="--align turns the graph of --graph"):
        surfaces(5, align=True)
    with pytest.raises(InputError, match="divides by 0"):
        surfaces(5, "1/x")
