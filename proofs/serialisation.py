"""Certificates as JSON files: written, and read back without trusting them.

The text is one object: ``format``, ``version``, ``claim``, ``symbols`` (name and assumption), ``nodes`` and ``chains``.
A node is ``["symbol", k]``, ``["number", p, q]``, ``["pi"]``, ``["tensor", name, symbol…]`` or ``[head, node…]``, where
parts are referred to by their position among the nodes before it: no nesting, nothing evaluated, only the heads listed
here. Expressions of chains are positions of nodes. Whatever else a text holds is an `InputError`; whether the steps of
a well-formed one follow is for `proofs.certificate.check`.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from manifoldtheory.errors import InputError
from proofs.certificate import Chain, Step
from proofs.conditions import KINDS, Condition, fault
from proofs.contractions import TENSORS
from proofs.expressions import ELEMENTARY, HEADS
from proofs.rules import RULES
from proofs.wellformed import ASSUMPTIONS, assumption, check_grammar, check_number, make_symbol

FORMAT = "manifoldtheory certificate"
VERSION = 1
LARGEST_TEXT = 2_000_000
LONGEST_NUMBER = 100
LARGEST_EXPRESSION = 5_000
DEEPEST_EXPRESSION = 60
MOST_NODES = 20_000

_BUILDERS: Mapping[str, Callable[..., Any]] = {
    "add": sympy.Add,
    "mul": sympy.Mul,
    "pow": sympy.Pow,
    **{function.__name__: function for function in ELEMENTARY},
    **HEADS,
}
_NAMES = {sympy.Add: "add", sympy.Mul: "mul", sympy.Pow: "pow"}


@dataclass(frozen=True)
class Certificate:
    """The chains of a claim, those of other claims that they rest on first."""

    claim: str
    chains: tuple[Chain, ...]


def dump(certificate: Certificate) -> str:
    """The certificate as text; `load` gives it back exactly."""
    table = _Writer()
    chains = [_chain_record(chain, table) for chain in certificate.chains]
    record = {
        "format": FORMAT,
        "version": VERSION,
        "claim": certificate.claim,
        "symbols": table.symbols,
        "nodes": table.nodes,
        "chains": chains,
    }
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _Writer:
    def __init__(self) -> None:
        self.symbols: list[list[str]] = []
        self.nodes: list[list[Any]] = []
        self._symbols: dict[Any, int] = {}
        self._nodes: dict[Any, int] = {}

    def symbol(self, symbol: Any) -> int:
        if symbol not in self._symbols:
            self._symbols[symbol] = len(self.symbols)
            self.symbols.append([symbol.name, assumption(symbol)])
        return self._symbols[symbol]

    def __call__(self, expression: Any) -> int:
        if expression not in self._nodes:
            node = self._node(expression)
            self._nodes[expression] = len(self.nodes)
            self.nodes.append(node)
        return self._nodes[expression]

    def _node(self, expression: Any) -> list[Any]:
        if isinstance(expression, sympy.Symbol):
            return ["symbol", self.symbol(expression)]
        if isinstance(expression, sympy.Rational):
            return ["number", int(expression.p), int(expression.q)]
        if expression is sympy.pi:
            return ["pi"]
        if isinstance(expression, sympy.Indexed):
            return ["tensor", str(expression.base), *map(self.symbol, expression.indices)]
        name = _NAMES.get(type(expression), type(expression).__name__)
        return [name, *map(self, expression.args)]

    def value(self, value: Any) -> Any:
        """A parameter: an integer as it is where a rule takes one, else the positions of expressions."""
        if isinstance(value, tuple):
            return [self.value(entry) for entry in value]
        return value if isinstance(value, int) else self(value)


def _chain_record(chain: Chain, table: _Writer) -> dict[str, Any]:
    return {
        "name": chain.name,
        "title": chain.title,
        "start": table(chain.start),
        "definitions": table.value(chain.definitions),
        "hypotheses": table.value(chain.hypotheses),
        "conditions": [[condition.kind, table.value(condition.arguments)] for condition in chain.conditions],
        "uses": list(chain.uses),
        "steps": [
            {
                "title": step.title,
                "right": table(step.right),
                "rule": step.rule,
                "parameters": {name: table.value(value) for name, value in step.parameters.items()},
            }
            for step in chain.steps
        ],
    }


def load(text: str | bytes) -> Certificate:
    """Reads a certificate. Raises `InputError` for anything that is not one, of this version, and of sane size."""
    if len(text) > LARGEST_TEXT:
        raise InputError(f"the certificate has more than {LARGEST_TEXT} bytes: it is none of ours")
    try:
        record = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
        return _certificate(record)
    except InputError:
        raise
    except RecursionError as error:
        raise _bad("it is nested too deeply") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise _bad(f"it is truncated or no JSON ({error})") from error


def _bad(reason: str) -> InputError:
    return InputError(f"not a certificate: {reason}; write one with `manifoldtheory prove CLAIM --certificate FILE`")


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise _bad(reason)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _require(len(dict(pairs)) == len(pairs), "an object has a key twice")
    return dict(pairs)


def _integer(digits: str) -> int:
    _require(len(digits) <= LONGEST_NUMBER, f"a number has more than {LONGEST_NUMBER} digits")
    return int(digits)


def _no_number(text: str) -> Any:
    raise _bad(f"{text[:20]} is not a whole number")


def _typed(value: Any, kind: Any, what: str) -> Any:
    _require(type(value) is kind, f"{what} is not {'text' if kind is str else f'a {kind.__name__}'}")
    return value


def _keys(record: Any, keys: Iterable[str], what: str) -> dict[str, Any]:
    _typed(record, dict, what)
    keys = set(keys)
    _require(record.keys() == keys, f"{what} has not just the keys {', '.join(sorted(keys))}")
    return record


def _short(value: Any, what: str) -> str:
    text = _typed(value, str, what)
    _require(0 < len(text) <= 500 and text.isprintable(), f"{what} is empty, too long or not printable")
    return text


def _certificate(record: Any) -> Certificate:
    _typed(record, dict, "the text")
    _require(record.get("format") == FORMAT, f"its format is not {FORMAT!r}")
    version = record.get("version")
    if type(version) is not int or version != VERSION:
        raise InputError(
            f"a certificate of version {str(version)[:20]}, and this program reads version {VERSION}: "
            "write it anew with `manifoldtheory prove CLAIM --certificate FILE`"
        )
    _keys(record, ("format", "version", "claim", "symbols", "nodes", "chains"), "the certificate")
    symbols = _symbols(record["symbols"])
    nodes = _nodes(record["nodes"], symbols)
    chains = tuple(_chain(chain, nodes) for chain in _typed(record["chains"], list, "the list of chains"))
    _require(bool(chains), "it has no chains")
    names = [chain.name for chain in chains]
    _require(len(set(names)) == len(names), "two chains have the same name")
    return Certificate(_short(record["claim"], "the claim"), chains)


def _symbols(records: Any) -> list[Any]:
    symbols: list[Any] = []
    for record in _typed(records, list, "the list of symbols"):
        _require(len(_typed(record, list, "a symbol")) == 2, "a symbol is not a name and an assumption")
        name, assumed = (_typed(part, str, "a part of a symbol") for part in record)
        _short(name, "the name of a symbol")
        _require(assumed in ASSUMPTIONS, f"the symbol {name} has an unknown assumption")
        symbols.append(make_symbol(name, assumed))
    _require(len({symbol.name for symbol in symbols}) == len(symbols), "two symbols have the same name")
    return symbols


def _nodes(records: Any, symbols: list[Any]) -> list[Any]:
    _typed(records, list, "the list of nodes")
    _require(len(records) <= MOST_NODES, f"it has more than {MOST_NODES} nodes")
    nodes: list[Any] = []
    sizes: list[tuple[int, int]] = []
    for record in records:
        _require(bool(_typed(record, list, "a node")), "a node is empty")
        head, *parts = record
        _typed(head, str, "the head of a node")
        if head in _BUILDERS:
            arguments = [_at(nodes, part) for part in parts]
            size = 1 + sum(sizes[part][0] for part in parts)
            depth = 1 + max((sizes[part][1] for part in parts), default=0)
            _require(size <= LARGEST_EXPRESSION and depth <= DEEPEST_EXPRESSION, "an expression is too large")
            nodes.append(_built(head, arguments))
            sizes.append((size, depth))
        else:
            nodes.append(_leaf(head, parts, symbols))
            sizes.append((1, 1))
    return nodes


def _at(entries: list[Any], position: Any) -> Any:
    _require(type(position) is int and 0 <= position < len(entries), "a position points nowhere")
    return entries[position]


def _leaf(head: str, parts: list[Any], symbols: list[Any]) -> Any:
    if head == "symbol" and len(parts) == 1:
        return _at(symbols, parts[0])
    if head == "number" and len(parts) == 2:
        p, q = (_typed(part, int, "a numerator or denominator") for part in parts)
        _require(q > 0, "a denominator is not positive")
        number: Any = sympy.Rational(p, q)
        _require((number.p, number.q) == (p, q), "a fraction is not reduced")
        return number
    if head == "pi" and not parts:
        return sympy.pi
    if head == "tensor" and parts and parts[0] in TENSORS:
        name, *indices = parts
        _require(len(indices) == len(TENSORS[name]), f"the tensor {name} has {len(TENSORS[name])} indices")
        tensor: Any = sympy.IndexedBase(name)
        return tensor[tuple(_at(symbols, index) for index in indices)]
    raise _bad(f"{head[:20]!r} is no head with {len(parts)} parts")


def _built(head: str, arguments: list[Any]) -> Any:
    """The node, which SymPy must leave as it is written: what it would simplify or compute is not one."""
    if head == "pow":
        _require(len(arguments) == 2, "a power does not have two parts")
        base, exponent = arguments
        # Powers of numbers are numbers, except for roots: neither is worth computing for a stranger.
        plain = not base.is_Rational or (not exponent.is_Integer and max(abs(base.p), base.q) <= 10**6)
        small = not exponent.is_Rational or max(abs(exponent.p), exponent.q) <= 64
        _require(plain and small, "a power of a number, or with too large an exponent")
    try:
        check_number(_BUILDERS[head], arguments)
        result = _BUILDERS[head](*arguments)
        written = result.args == tuple(arguments) and _NAMES.get(type(result), type(result).__name__) == head
        if written:
            check_grammar(result)
    except Exception as error:  # whatever SymPy raises on it, it is not a node that we wrote
        raise _bad(f"{head!r} can't be built from its parts ({' '.join(str(error).split())[:100]})") from error
    _require(written, f"{head!r} is not in canonical form")
    return result


def _chain(record: Any, nodes: list[Any]) -> Chain:
    keys = ("name", "title", "start", "definitions", "hypotheses", "conditions", "uses", "steps")
    _keys(record, keys, "a chain")
    name = _short(record["name"], "the name of a chain")
    start = left = _at(nodes, record["start"])
    steps: list[Step] = []
    for entry in _typed(record["steps"], list, f"the steps of {name}"):
        step = _step(entry, left, nodes)
        left = step.right
        steps.append(step)
    return Chain(
        name,
        _short(record["title"], f"the title of {name}"),
        start,
        tuple(steps),
        _pairs(record["definitions"], nodes),
        _pairs(record["hypotheses"], nodes),
        tuple(_condition(entry, nodes) for entry in _typed(record["conditions"], list, "the conditions")),
        tuple(_short(entry, "the name of a chain used") for entry in _typed(record["uses"], list, "the uses")),
    )


def _step(record: Any, left: Any, nodes: list[Any]) -> Step:
    _keys(record, ("title", "right", "rule", "parameters"), "a step")
    rule = _short(record["rule"], "the rule of a step")
    _require(rule in RULES, f"unknown rule {rule[:40]!r}")
    kinds = RULES[rule].parameters
    given = _keys(record["parameters"], kinds, f"a step by {rule}")
    parameters = {name: _parameter(given[name], kind, nodes) for name, kind in kinds.items()}
    return Step(_short(record["title"], "the title of a step"), left, _at(nodes, record["right"]), rule, parameters)


def _parameter(value: Any, kind: str, nodes: list[Any]) -> Any:
    if kind == "integer":
        return _typed(value, int, "a parameter")
    if kind == "pairs":
        return _pairs(value, nodes)
    if kind == "list":
        return tuple(_at(nodes, entry) for entry in _typed(value, list, "a parameter"))
    expression = _at(nodes, value)
    _require(kind != "symbol" or isinstance(expression, sympy.Symbol), "a parameter is not a symbol")
    return expression


def _pairs(value: Any, nodes: list[Any]) -> tuple[tuple[Any, Any], ...]:
    pairs = [_typed(pair, list, "an equation") for pair in _typed(value, list, "a list of equations")]
    _require(all(len(pair) == 2 for pair in pairs), "an equation does not have two sides")
    return tuple((_at(nodes, left), _at(nodes, right)) for left, right in pairs)


def _condition(record: Any, nodes: list[Any]) -> Condition:
    _require(len(_typed(record, list, "a condition")) == 2, "a condition is not a kind and its arguments")
    kind, arguments = record
    _require(_typed(kind, str, "the kind of a condition") in KINDS, "a condition is of unknown kind")
    condition = Condition(
        kind,
        tuple(
            tuple(_at(nodes, entry) for entry in argument) if type(argument) is list else _at(nodes, argument)
            for argument in _typed(arguments, list, "the arguments of a condition")
        ),
    )
    reason = fault(condition)
    _require(reason is None, str(reason))
    return condition
