"""The lemmas on sequences: what they accept holds for the sequences computed, and near misses are refused."""

import math

import pytest
import sympy

from proofs.conditions import nonnegative, positive
from proofs.expressions import LimitAtInfinity, Map, Recursion
from proofs.rules import Refused

from ..checking import apply

a, b, q, x = sympy.symbols("a b q x")
k, n, rate, source = sympy.symbols("k n rate source", positive=True)
start = sympy.Symbol("start", nonnegative=True)
HALF = sympy.Rational(1, 2)
LOG = sympy.log


def geometric(part, into, *conditions, terms=(q,), factors=(1 - q,)) -> None:
    apply("geometric-limit", part, into, given={"conditions": conditions}, terms=terms, factors=factors)


BETWEEN = (nonnegative(q), positive(1 - q))


def test_geometric_sequences_vanish() -> None:
    geometric(LimitAtInfinity(a + b * q**n, n), a, *BETWEEN)
    geometric(LimitAtInfinity((a + b * q**n) ** 2, n), a**2, *BETWEEN)
    third = sympy.Rational(1, 3)
    geometric(LimitAtInfinity(a * (2 * third) ** n + b, n), b, terms=(third, third), factors=(third,))


@pytest.mark.parametrize(
    ("part", "into", "conditions", "lists", "reason"),
    [
        (LimitAtInfinity(a + b * q**n, n), a + b, BETWEEN, {}, "the limit differs"),
        (LimitAtInfinity(a + b * q**n, n), a, BETWEEN[:1], {}, "not known to be positive"),
        (LimitAtInfinity(a + b * q**n, n), a, BETWEEN[1:], {}, "not known to be nonnegative"),
        (LimitAtInfinity(a + b * q**n, n), a, BETWEEN, {"terms": (q, sympy.Integer(1))}, "do not add up"),
        (LimitAtInfinity(a + b * q**n, n), a, BETWEEN, {"factors": (sympy.Integer(1),)}, "do not make up"),
        (LimitAtInfinity(a + b * 2**n, n), a, (), {"terms": (sympy.Integer(2),), "factors": (-1 * HALF,)}, "make up"),
        (LimitAtInfinity(a + n * q**n, n), a, BETWEEN, {}, "depends on n"),
        (LimitAtInfinity(n + b * q**n, n), n, BETWEEN, {}, "depends on n"),
        (LimitAtInfinity(a + q**n + b**n, n), a, BETWEEN, {}, "powers of one base"),
        (LimitAtInfinity(a + b / q**n, n), a, BETWEEN, {}, "powers of one base"),
        (LimitAtInfinity(a + b / (1 + q**n), n), a, BETWEEN, {}, "no polynomial|not a polynomial"),
    ],
)
def test_refused_geometric_limits(part, into, conditions, lists, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        geometric(part, into, *conditions, **lists)


def test_the_base_may_not_depend_on_the_index() -> None:
    with pytest.raises(Refused, match="depends on n"):
        apply(
            "geometric-limit",
            LimitAtInfinity(a + b * q**n, n),
            a,
            given={"conditions": BETWEEN, "definitions": ((q, 1 - 1 / (n + 1)),)},
            terms=(q,),
            factors=(1 - q,),
        )


def sequence(function, first=start, last=n):
    return Recursion(Map(function, x), k, first, last)


FAST = (1 - rate / k) ** 2 * x + source / k**2
EVENTUALLY = positive(2 * rate - 1)


def test_chung() -> None:
    given = {"conditions": (EVENTUALLY,)}
    apply("chung", LimitAtInfinity(n * sequence(FAST), n), source / (2 * rate - 1), given=given)
    cube = (1 - 3 / k) * x + a / k**3 + b / k**4
    apply("chung", LimitAtInfinity(n**2 * sequence(cube, b), n), a)
    apply("chung", LimitAtInfinity(n * sequence((1 - 2 / k) * x), n), sympy.Integer(0))


@pytest.mark.parametrize(
    ("function", "weight", "into", "conditions", "reason"),
    [
        (FAST, n, source / (2 * rate - 1), (), "not known to be positive"),
        (FAST, n, source / (2 * rate - 1), (positive(rate - 1),), "not known to be positive"),
        (FAST, n, source / (2 * rate), (EVENTUALLY,), "the limit differs"),
        (FAST, n, source / (rate - 1), (EVENTUALLY, positive(rate - 1)), "the limit differs"),
        (FAST, n**2, source, (EVENTUALLY, positive(2 * rate - 2)), "order of k"),
        (FAST, n * LOG(n), source / (2 * rate - 1), (EVENTUALLY,), "no power"),
        (FAST, 1 / n, source / (2 * rate - 1), (EVENTUALLY,), "no power"),
        ((1 - rate / k) ** 2 * x + source / k, n, source / (2 * rate - 1), (EVENTUALLY,), "order of k"),
        ((2 - rate / k) * x + source / k**2, n, source / (rate - 1), (positive(rate - 1),), "does not tend to 1"),
        ((1 - rate / k) * x**2 + source / k**2, n, source / (rate - 1), (positive(rate - 1),), "not linear"),
        ((1 - rate / sympy.sqrt(k)) * x + source / k**2, n, source, (), "polynomial"),
        ((1 - 3 / (k + 1)) * x + source / k**2, n, source / 2, (), "polynomial"),
        ((1 - 3 / n) * x + source / k**2, n, source / 2, (), "depends on an index"),
    ],
)
def test_refused_instances_of_chung(function, weight, into, conditions, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        apply("chung", LimitAtInfinity(weight * sequence(function), n), into, given={"conditions": conditions})


@pytest.mark.parametrize(
    ("part", "given", "reason"),
    [
        (LimitAtInfinity(n * sequence(FAST), n), {"definitions": ((source, k),)}, "depends on an index"),
        (LimitAtInfinity(n * sequence(FAST), n), {"definitions": ((source, x**2 + 1),)}, "depends on an index"),
        (LimitAtInfinity(n * sequence(FAST, k), n), {}, "bound symbol"),
        (LimitAtInfinity(n * sequence(FAST, n), n), {}, "depends on an index"),
        (LimitAtInfinity(n * sequence(FAST, last=rate), n), {}, "not indexed"),
        (LimitAtInfinity(n * sequence(FAST) + 1, n), {}, "no power"),
        (LimitAtInfinity(n * sequence(FAST) ** 2, n), {}, "no power"),
        (LimitAtInfinity(n * Recursion(FAST, k, start, n), n), {}, "needs a map"),
        (sequence(FAST), {}, "not a limit"),
    ],
)
def test_what_is_no_such_sequence(part, given, reason: str) -> None:
    given = {"conditions": (EVENTUALLY,), **given}
    with pytest.raises(Refused, match=reason):
        apply("chung", part, source / (2 * rate - 1), given=given)


CRITICAL = (1 - 1 / (2 * k)) ** 2 * x + source / k**2


def test_critical_decay() -> None:
    apply("chung-critical", LimitAtInfinity(n / LOG(n) * sequence(CRITICAL), n), source)


@pytest.mark.parametrize(
    ("function", "weight", "into", "reason"),
    [
        (CRITICAL, n / LOG(n), 2 * source, "the limit differs"),
        (FAST, n / LOG(n), source, "rate of decay"),
        (CRITICAL, n, source, "no power"),
        (CRITICAL, n / LOG(n) ** 2, source, "no power"),
        (CRITICAL, n**2 / LOG(n), source, "rate of decay"),
    ],
)
def test_refused_critical_decay(function, weight, into, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        apply("chung-critical", LimitAtInfinity(weight * sequence(function), n), into)


BELOW_HALF = (positive(1 - 2 * rate),)


def slow(function=FAST, first=start, conditions=BELOW_HALF, into=-2 * rate, power: int = 1) -> None:
    part = LimitAtInfinity(LOG(sequence(function, first)) / LOG(n) ** power, n)
    apply("chung-slow", part, into, given={"conditions": conditions})


def test_slow_decay() -> None:
    slow()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"into": -rate}, "the exponent differs"),
        ({"conditions": ()}, "not known to be positive"),
        ({"conditions": (positive(1 - rate),)}, "not known to be positive"),
        ({"first": a}, "may be negative"),
        ({"function": (1 - 2 * rate / k) * x + source / k**2}, "may be negative"),
        ({"function": (1 - rate / k) ** 2 * x + a / k**2}, "not known to be positive"),
        ({"function": (1 - rate / k) ** 2 * x}, "not known to be positive"),
        ({"function": (1 - rate / k) ** 2 * x + source / k}, "order of k"),
        ({"power": 2}, "not the logarithm"),
    ],
)
def test_refused_slow_decay(changes, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        slow(**changes)


@pytest.mark.parametrize(("decay", "order", "beta"), [(2.5, 1, 0.7), (3.5, 2, -1.2), (1.6, 1, 1.0)])
def test_the_lemma_holds_for_sequences_computed(decay: float, order: int, beta: float) -> None:
    """x_k = (1 − α/k) x_{k−1} + β k^{−p−1}: n^p x_n is within O(n^{p−α} + 1/n) of β/(α − p)."""
    errors = []
    for last in (2_000, 8_000):
        value = 3.0
        for index in range(1, last + 1):
            value = (1 - decay / index) * value + beta / index ** (order + 1)
        errors.append(abs(last**order * value - beta / (decay - order)))
    rate_of_convergence = min(decay - order, 1.0)
    assert errors[1] <= errors[0] * 4**-rate_of_convergence * 1.1
    assert errors[1] < 0.05 * abs(beta / (decay - order))


def test_critical_and_slow_sequences_computed() -> None:
    """n x_n = log n + C + O(log n/n) for α = 1, and x_n = C n^{−α}(1 + O(n^{α−1})) for α = 0.4."""
    last = (1_000, 100_000)
    values = {}
    for decay in (1.0, 0.4):
        value = early = 2.0
        for index in range(1, last[1] + 1):
            value = (1 - decay / (2 * index)) ** 2 * value + 1 / index**2
            if index == last[0]:
                early = value
        values[decay] = early, value
    early, late = values[1.0]
    assert last[1] * late - last[0] * early == pytest.approx(
        math.log(last[1] / last[0]), abs=math.log(last[0]) / last[0]
    )
    early, late = values[0.4]
    assert math.log(late / early) / math.log(last[1] / last[0]) == pytest.approx(-0.4, abs=last[0] ** (0.4 - 1))


def test_declared_signs() -> None:
    """What is declared positive may be divided by; what contradicts itself is refused."""
    apply("ring-identity", (a**2 - 1) / (a - 1), a + 1, given={"conditions": (positive(a - 1),)})
    with pytest.raises(Refused, match="not known to differ from 0"):
        apply("ring-identity", (a**2 - 1) / (a - 1), a + 1, given={"conditions": (nonnegative(a - 1),)})


@pytest.mark.parametrize(
    "condition", [positive(b), positive(sympy.Integer(0)), positive(-rate), nonnegative(-rate), nonnegative(b)]
)
def test_contradictory_signs(condition) -> None:
    with pytest.raises(Refused, match="is said"):
        apply("ring-identity", a, a, given={"conditions": (condition,), "definitions": ((b, -1 - rate),)})
