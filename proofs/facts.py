"""Opening a scope for a chain, and what a verified chain proves: a fact, with all that its proof took for granted."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy

from proofs.conditions import Condition, fault
from proofs.contractions import contracted
from proofs.expressions import (
    BINDERS,
    Dot,
    Expectation,
    HaarMean,
    Inverse,
    Iterate,
    Mean,
    Norm,
    NormalPart,
    Primitive,
    Slope,
    is_remainder,
)
from proofs.scope import Remainder, Scope
from proofs.wellformed import check_grammar, is_vector, is_whole, require

if TYPE_CHECKING:
    from proofs.certificate import Chain

_NOTHING: frozenset[Any] = frozenset()
_WITH_DUMMIES = frozenset(head.__name__ for head in (*BINDERS, Mean, HaarMean))


@dataclass(frozen=True)
class Trace:
    """What the proof of a fact depends on: the symbols it mentions, binds, expands in, and takes to be whole."""

    mentions: frozenset[Any]
    bound: frozenset[Any]
    small: frozenset[Any]
    whole: frozenset[Any]


@dataclass(frozen=True)
class Fact:
    """``start = conclusion``, proved in a scope; `traces` are those of its chain and of all that it rests on."""

    start: Any
    conclusion: Any
    scope: Scope
    traces: tuple[Trace, ...]

    def fits(self, scope: Scope) -> None:
        """Raises `Refused` where a scope gives a symbol of the fact a meaning that its proof did not allow for."""
        for symbol in scope.meanings.keys() - self.scope.meanings.keys():
            meaning = scope.meanings[symbol]
            depends = scope.free(symbol)
            for trace in self.traces:
                if symbol not in trace.mentions:
                    continue
                require(not depends & trace.bound, "{} depends on a variable that a fact is expanded in", symbol)
                small = isinstance(meaning, Inverse) and meaning.args[1] == symbol
                require(symbol not in trace.small or small, "{}, which a fact is expanded in, is not small", symbol)
                require(symbol not in trace.whole or is_whole(meaning), "{} is not known to be whole", symbol)


def merged(scopes: Iterable[Mapping[Any, Any]], what: str) -> dict[Any, Any]:
    """The union of mappings. Raises `Refused` where two of them differ about a key."""
    result: dict[Any, Any] = {}
    for mapping in scopes:
        for key, value in mapping.items():
            require(result.setdefault(key, value) == value, "two different {} of {}", what, key)
    return result


def open_scope(chain: "Chain", facts: Mapping[str, Fact], taken: frozenset[Any]) -> Scope:
    """What is known in a chain before its first step: its own declarations, and those of the facts it uses.

    Raises `Refused` where the chain declares what it may not. `taken` are the remainders that chains before it know.
    """
    missing = [name for name in chain.uses if name not in facts]
    require(not missing, "uses {}, not proved before it", ", ".join(missing))
    used = tuple(facts[name] for name in chain.uses)
    for left, _ in chain.definitions:
        require(isinstance(left, sympy.Symbol) and not is_remainder(left), "{} is defined, but is no symbol", left)
    require(len(dict(chain.definitions)) == len(chain.definitions), "a symbol is defined twice")
    require(len(dict(chain.hypotheses)) == len(chain.hypotheses), "two hypotheses about the same expression")
    for condition in chain.conditions:
        _check_condition(condition)
    own = dict(_remainders(chain.conditions))
    require(not own.keys() & taken, "a remainder is declared that was introduced before")
    scope = Scope(
        definitions=merged([dict(chain.definitions), *(fact.scope.definitions for fact in used)], "definitions"),
        hypotheses=merged([dict(chain.hypotheses), *(fact.scope.hypotheses for fact in used)], "hypotheses"),
        conditions=frozenset(chain.conditions).union(*(fact.scope.conditions for fact in used)),
        remainders=merged([own, *(fact.scope.remainders for fact in used)], "bounds"),
        facts=used,
        taken=taken,
    )
    require(not scope.definitions.keys() & scope.hypotheses.keys(), "a symbol is defined and has a hypothesis")
    for left, right in scope.hypotheses.items():
        _check_hypothesis(left, right, scope)
    _check_contractions(scope.hypotheses)
    equations = (*chain.definitions, *chain.hypotheses)
    for expression in (chain.start, *(side for equation in equations for side in equation)):
        known_ = all(symbol in scope.remainders for symbol in expression.free_symbols if is_remainder(symbol))
        require(known_, "{} has a remainder that is not declared", expression)
    scope.check()
    for left, right in equations:
        fits = is_vector(left, scope.vectors) == is_vector(right, scope.vectors)
        require(fits, "one side of {} = {} is a vector", left, right)
    is_vector(chain.start, scope.vectors)
    for fact in used:
        fact.fits(scope)
    return scope


def _check_condition(condition: Condition) -> None:
    reason = fault(condition)
    require(reason is None, str(reason))
    for argument in condition.arguments:
        for expression in argument if isinstance(argument, tuple) else (argument,):
            check_grammar(expression)
    if condition.kind.endswith("remainder"):
        symbol, variable, _ = condition.arguments
        require(is_remainder(symbol) and not is_remainder(variable), "a bound is declared of what is no remainder")
        require(bool(variable.is_positive), "{}, in which a remainder is bounded, is not positive", variable)


def _remainders(conditions: Iterable[Condition]) -> Iterator[tuple[Any, Remainder]]:
    for condition in conditions:
        if condition.kind.endswith("remainder"):
            symbol, variable, derivatives = condition.arguments
            yield symbol, Remainder(variable, int(derivatives), is_vector=condition.kind == "vector-remainder")


def _check_hypothesis(left: Any, right: Any, scope: Scope) -> None:
    """A hypothesis is about a symbol, a contraction, or a head that no rule evaluates by itself."""
    if left.atoms(sympy.Indexed) and not isinstance(left, Mean | Expectation | HaarMean):
        contracted(left)
        require(not left.is_Add, "a hypothesis about the sum {}", left)
    else:
        heads = Dot | Norm | NormalPart | Mean | Expectation | HaarMean
        about = (isinstance(left, sympy.Symbol) and not is_remainder(left)) or isinstance(left, heads)
        require(about, "a hypothesis about {}, which is not for hypotheses to say", left)
    about_symbol = isinstance(left, sympy.Symbol)
    require(about_symbol or bool(scope.free(left)), "a hypothesis about the constant {}", left)
    require(about_symbol or not right.has(left), "a hypothesis about {} in terms of itself", left)


def _check_contractions(hypotheses: Mapping[Any, Any]) -> None:
    """A contraction has one value, whatever its indices are called."""
    values: dict[Any, Any] = {}
    for left, right in hypotheses.items():
        if isinstance(left, sympy.Indexed | sympy.Mul | sympy.Pow):
            key = frozenset(contracted(left).items())
            require(values.setdefault(key, right) == right, "two different hypotheses of {}", left)


def prove_fact(chain: "Chain", scope: Scope, used: Iterable[Fact]) -> Fact:
    """The fact that a verified chain proves, in the scope after its last step."""
    expressions = tuple(chain.expressions())
    mentions = _NOTHING.union(*map(scope.free, expressions))
    dummies, small = set(), set()
    for step in chain.steps:
        small |= {step.parameters["variable"]} if "variable" in step.parameters else set()
    for head in _NOTHING.union(*map(_dummy_heads, expressions)):
        if isinstance(head, Mean | HaarMean):
            dummies.add(sympy.Symbol("w" if isinstance(head, Mean) else "P"))
            continue
        dummies.add(head.args[1])
        if isinstance(head, Slope | Primitive):
            small.add(head.args[1])
        elif isinstance(head, Inverse):
            small |= head.args[2].free_symbols
    iterates = _NOTHING.union(*(expression.atoms(Iterate) for expression in expressions))
    whole = _NOTHING.union(*(iterate.args[3].free_symbols for iterate in iterates))
    trace = Trace(mentions | whole, frozenset(dummies | small), frozenset(small), whole)
    return Fact(chain.start, chain.conclusion, scope, (trace, *(trace for fact in used for trace in fact.traces)))


@lru_cache(maxsize=100_000)
def _dummy_heads(expression: Any) -> frozenset[Any]:
    """The applied heads in an expression that have a variable of their own (told by name: `isinstance` is slow)."""
    found = _NOTHING.union(*map(_dummy_heads, expression.args))
    return found | {expression} if type(expression).__name__ in _WITH_DUMMIES else found
