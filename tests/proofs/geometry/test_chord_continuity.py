"""Curves that are C² or C³ and no more: arcs by quadrature against chords, no geodesic equation, no Taylor series."""

import math

import pytest
from scipy.integrate import quad

import proofs
from manifoldtheory.ledger import Form, Verdict

LENGTHS = (0.02, 0.005, 0.00125)


@pytest.fixture(scope="module")
def derivation():
    return proofs.derive("chord-arc")


def arc_and_chord(twist: float, rough: float, power: float, u: float) -> tuple[float, float]:
    """Along z = u²/2 + twist u³/6 + rough u^power for u > 0: s − u and t − u, as small as they are."""

    def stretch(x: float) -> float:
        square = (x + twist * x**2 / 2 + rough * power * x ** (power - 1)) ** 2
        return square / (1 + math.sqrt(1 + square))

    height = u**2 / 2 + twist * u**3 / 6 + rough * u**power
    arc = quad(stretch, 0, u, epsabs=0, epsrel=1e-13)[0]
    return arc, height**2 / (u + math.hypot(u, height))


def limits(twist: float, rough: float, power: float, order: int) -> list[float]:
    """(s − t)/s³, or (s − F s³/24 − t)/s⁴ for F = 1, at ever smaller u."""
    found = []
    for u in LENGTHS:
        arc, chord = arc_and_chord(twist, rough, power, u)
        s, difference = u + arc, arc - chord
        found.append(difference / s**3 if order == 3 else (difference - s**3 / 24) / s**4)
    return found


def value(derivation, name: str, **values: float) -> float:
    """The conclusion of a chain as ω falls to 0."""
    conclusion = derivation.chain(name).conclusion
    return float(conclusion.subs({symbol: values.get(symbol.name, 0) for symbol in conclusion.free_symbols}))


def test_the_third_order_needs_c2(derivation) -> None:
    """γ″ moves by ω = |z″ − 1| ~ √s on the curve with u^{5/2}: the limit is F/24, approached like √s, not like s."""
    found = limits(0.0, 1.0, 2.5, 3)
    exact = value(derivation, "chord-where-c2", normal_curvature_sq=1.0)
    assert exact == 1 / 24
    for u, here in zip(LENGTHS, found, strict=True):
        # F is between 1 and (1 + ω)², so that σω ≤ 2ω + ω² in (F + σω)/24
        oscillation = 3.75 * math.sqrt(u)
        assert abs(here - exact) <= (2 * oscillation + oscillation**2) / 24
    coarse, fine = (abs(here - exact) for here in found[-2:])
    assert coarse / fine == pytest.approx(2, rel=0.1)  # √4: no O(s⁴) here


def test_the_fourth_order_needs_c3(derivation) -> None:
    """On the curve with u^{7/2}, F′ = 2⟨γ″, γ‴⟩ = 2·twist."""
    twist = 0.6
    found = limits(twist, 1.0, 3.5, 4)
    exact = value(derivation, "chord-where-c3", bending_rate=2 * twist)
    assert exact == pytest.approx(twist / 24, rel=1e-15)
    coarse, fine = (abs(here - exact) for here in found[-2:])
    assert coarse / fine == pytest.approx(2, rel=0.1)
    assert fine < abs(exact) / 2
    assert limits(-twist, 1.0, 3.5, 4)[-1] - found[-1] == pytest.approx(-2 * exact, rel=0.1)


def test_without_c2_the_coefficient_is_lost() -> None:
    """Along z = u^{3/2}, of class C^{1,½}, (s − t)/s³ grows like 1/s, with corrections of order u."""

    def ratio(u: float) -> float:
        arc = quad(lambda x: 2.25 * x / (1 + math.sqrt(1 + 2.25 * x)), 0, u, epsabs=0, epsrel=1e-13)[0]
        return (arc - u**3 / (u + math.hypot(u, u**1.5))) / (u + arc) ** 3

    coarse, fine = map(ratio, LENGTHS[1:])
    assert fine / coarse == pytest.approx(4, rel=5 * LENGTHS[1])


def test_verdicts(derivation) -> None:
    verdicts = {finding.quantity: finding.verdict for finding in derivation.findings if finding.form is Form.REPAIRED}
    assert verdicts["chord-where-c2"] is verdicts["chord-where-c3"] is verdicts["odd-rate"] is Verdict.SUPPORTS
