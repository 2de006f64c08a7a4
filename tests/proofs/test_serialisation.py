"""Certificates: an exact round trip, and one clear error for whatever is no certificate."""

import json
from itertools import pairwise
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import proofs
from manifoldtheory.errors import InputError
from proofs.certificate import Chain, Refusal, check
from proofs.conditions import independent, nonzero, remainder, vectors
from proofs.contractions import B, h
from proofs.expressions import At, Dot, Expectation, Mean, Norm, canonical
from proofs.serialisation import Certificate, dump, load

from .checking import chain, step

CLAIMS = tuple(proofs.PROVIDER.claims())
x, y = sympy.symbols("x y")
p = sympy.Symbol("p", positive=True)
real = sympy.Symbol("r", real=True)
i, j, k = sympy.symbols("i j k")
R = sympy.Symbol("remainder_1")
TEXT = dump(proofs.derive("tangent-normal-scaling").certificate)


@pytest.mark.parametrize("slug", CLAIMS)
def test_certificates_of_claims_go_there_and_back(slug: str) -> None:
    certificate = proofs.derive(slug).certificate
    text = dump(certificate)
    again = load(text)
    assert again == certificate
    assert dump(again) == text
    assert check(again.chains) == ()


leaves = st.sampled_from([x, y, p, real, R, B[i, i], h[k, i, j] ** 2]) | st.fractions(-9, 9, max_denominator=9).map(
    lambda value: sympy.Rational(value.numerator, value.denominator)
)


def _combined(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pairs = st.tuples(children, children)
    return st.one_of(
        pairs.map(lambda pair: pair[0] + pair[1]),
        pairs.map(lambda pair: pair[0] * pair[1]),
        pairs.map(lambda pair: At(pair[0], x, pair[1])),
        children.map(lambda child: Mean(child)),
        children.map(lambda child: child**2),
        children.map(lambda child: 1 / (p + child**2)),
        children.map(lambda child: sympy.sqrt(p * child)),
        children.map(lambda child: sympy.log(p + child**2)),
        children.map(lambda child: p**child),
    )


expressions = st.recursive(leaves, _combined, max_leaves=8).map(canonical)


@given(expressions, expressions)
def test_any_expression_goes_there_and_back(left: Any, right: Any) -> None:
    if any(each.has(sympy.zoo, sympy.nan, sympy.I, sympy.oo) for each in (left, right)):
        return  # not of the grammar
    conditions = (remainder(R, p, 2), nonzero(p), vectors(x, y), independent((x,), (y,)))
    found = chain("one", step("ring-identity", left, left, right), definitions=((x, y),), conditions=conditions)
    certificate = Certificate("a-claim", (found,))
    text = dump(certificate)
    if any(map(_has_large_powers, (left, right))):  # refused, never changed
        with pytest.raises(InputError, match=r"power|exponent"):
            load(text)
    else:
        assert load(text) == certificate


def _has_large_powers(expression: Any) -> bool:
    """Powers of numbers, or with exponents above 64."""
    return any(
        (power.base.is_Rational and (power.exp.is_Integer or max(abs(power.base.p), power.base.q) > 10**6))
        or (power.exp.is_Rational and max(abs(power.exp.p), power.exp.q) > 64)
        for power in expression.atoms(sympy.Pow)
    )


def changed(change: Any) -> str:
    record = json.loads(TEXT)
    change(record)
    return json.dumps(record)


def put(*path: Any, value: Any) -> Any:
    def change(record: Any) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = value

    return change


def node(*parts: Any) -> Any:
    return lambda record: record["nodes"].append(list(parts))


def doubled(record: Any) -> None:
    """An expression of 2^200 parts in 200 nodes."""
    for _ in range(200):
        last = len(record["nodes"]) - 1
        record["nodes"].append(["dot", last, last])


def nested(record: Any) -> None:
    for _ in range(300):
        record["nodes"].append(["mean", len(record["nodes"]) - 1])


HOSTILE = {
    "empty": "",
    "no JSON": "certificate",
    "a list": "[]",
    "a number": "7",
    "truncated": TEXT[: len(TEXT) // 2],
    "not Unicode": b"\xff\xfe{}",
    "nested deeply": "[" * 100_000 + "]" * 100_000,
    "nested objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "a key twice": TEXT.replace('{"format"', '{"version":1,"format"', 1),
    "not a number": TEXT.replace('"version":1', '"version":NaN', 1),
    "infinity": TEXT.replace('"version":1', '"version":Infinity', 1),
    "a float": TEXT.replace('"version":1', '"version":1.0', 1),
    "a huge integer": TEXT.replace('"version":1', '"version":' + "9" * 5000, 1),
    "another version": changed(put("version", value=2)),
    "a version that is text": changed(put("version", value="1")),
    "another format": changed(put("format", value="proof")),
    "an unknown key": changed(put("code", value="import os")),
    "no chains": changed(put("chains", value=[])),
    "chains that are none": changed(put("chains", value={})),
    "a chain that is none": changed(put("chains", 0, value=3)),
    "an unknown rule": changed(put("chains", 0, "steps", 0, "rule", value="trust-me")),
    "a missing parameter": changed(put("chains", 0, "steps", 0, "parameters", value={})),
    "a parameter of another kind": changed(put("chains", 2, "steps", -1, "parameters", "order", value="3")),
    "a parameter that is true": changed(put("chains", 2, "steps", -1, "parameters", "order", value=True)),
    "a position that is none": changed(put("chains", 0, "start", value=10**6)),
    "a negative position": changed(put("chains", 0, "start", value=-1)),
    "two chains of one name": changed(lambda record: record["chains"].append(record["chains"][0])),
    "two symbols of one name": changed(lambda record: record["symbols"].append(["arclength", ""])),
    "an unknown assumption": changed(lambda record: record["symbols"].append(["q", "zero"])),
    "a name that is no text": changed(lambda record: record["symbols"].append([3, ""])),
    "an unprintable name": changed(put("chains", 0, "name", value="a\u001b[31m")),
    "an unknown head": changed(node("exec", 0)),
    "a dunder": changed(node("__import__", 0)),
    "a head that is none": changed(node(3, 0)),
    "an empty node": changed(node()),
    "a node of itself": changed(lambda record: record["nodes"].append(["mean", len(record["nodes"])])),
    "a number with no denominator": changed(node("number", 1, 0)),
    "a fraction not reduced": changed(node("number", 2, 4)),
    "a power of a number": changed(lambda record: record["nodes"].extend([["number", 7, 1], ["pow", -2, -1]])),
    "too many arguments": changed(node("norm", 0, 0)),
    "a binder of no symbol": changed(lambda r: r["nodes"].extend([["number", 5, 1], ["slope", 0, len(r["nodes"])]])),
    "not in canonical form": changed(node("add", 0, 0)),
    "an unknown tensor": changed(node("tensor", "Q", 0)),
    "a tensor with a slot too few": changed(node("tensor", "h", 0)),
    "an expression that doubles": changed(doubled),
    "an expression nested deeply": changed(nested),
    "an unknown condition": changed(put("chains", 0, "conditions", value=[["everything-true", [0]]])),
    "a condition without arguments": changed(put("chains", 0, "conditions", value=[["vectors", []]])),
    "an equation of one side": changed(put("chains", 0, "definitions", value=[[0]])),
    "uses that are no names": changed(put("chains", 0, "uses", value=[1])),
    "too long": TEXT + " " * 3_000_000,
}


def powers(exponent: Any) -> str:
    def change(record: Any) -> None:
        record["symbols"].append(["q", ""])
        count = len(record["nodes"])
        record["nodes"] += [["symbol", len(record["symbols"]) - 1], ["number", exponent, 1], ["pow", count, count + 1]]

    return changed(change)


HOSTILE["a huge exponent"] = powers(10**50)
HOSTILE["a large exponent"] = powers(65)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_certificate_is_one_clear_error(name: str) -> None:
    with pytest.raises(InputError) as error:
        load(HOSTILE[name])
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_moderate_exponents_are_read() -> None:
    assert load(powers(64)).claim == "tangent-normal-scaling"


@given(st.integers(0, len(TEXT) - 1), st.sampled_from('0123456789"[]{},:-axyz'))
def test_a_damaged_text_never_breaks_the_checker(position: int, character: str) -> None:
    """A character changed: an `InputError`, or a certificate that is checked to the end."""
    try:
        certificate = load(TEXT[:position] + character + TEXT[position + 1 :])
    except InputError:
        return
    assert all(isinstance(refusal, Refusal) for refusal in check(certificate.chains))


def test_work_without_end_is_refused_at_once() -> None:
    """Well-formed steps that would take forever: a large power expanded, definitions within definitions."""
    symbols = sympy.symbols("z0:20")
    large = (sympy.Add(*symbols)) ** 60
    bomb = chain("bomb", step("ring-identity", large, large, large + 1))
    assert "terms" in str(check([bomb])[0])
    names = sympy.symbols("d0:60")
    definitions = tuple((a, Dot(b, b) + Norm(b)) for a, b in pairwise(names))
    unfolding = Chain(
        "unfolding",
        "unfolding",
        names[0],
        (step("linearity", Expectation(names[0]), Expectation(names[0]), names[0]),),
        definitions=definitions,
        conditions=(nonzero(names[0]),),
    )
    assert check([unfolding])
