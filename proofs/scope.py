"""What is known at a step: definitions, hypotheses, conditions, remainders and facts, a chain's own and inherited.

Definitions and symbolic hypotheses are read as macros: a symbol stands for its right side wherever it occurs, and what
it depends on is what the unfolded expression depends on. Under a binder of x (see `proofs.expressions.BINDERS`) x
stands for itself. Equations hold for all values of what they do not define.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import sympy

from proofs.conditions import Condition
from proofs.expressions import (
    ELEMENTARY,
    Dot,
    Expectation,
    GramRoot,
    Inverse,
    Mean,
    Norm,
    NormalPart,
    Primitive,
    Slope,
    is_applied,
    is_binder,
    is_remainder,
)
from proofs.normal_forms import equal, proportional, terms
from proofs.signs import known
from proofs.wellformed import check_number, require

if TYPE_CHECKING:
    from proofs.facts import Fact

_NOTHING: frozenset[Any] = frozenset()
MOST_FACTORED = 100
"""Terms of a divisor that is factored."""
MOST_PARTS = 10_000
"""Parts of an expression looked at; definitions within definitions can make more."""


@dataclass(frozen=True)
class Remainder:
    """What is known of a remainder R: bounded as `variable` falls to 0.

    So are its first `derivatives`, ``t^k dᵏR/dtᵏ``, and, if `uniform`, all bounds hold in all directions at once.
    """

    variable: Any
    derivatives: int = 99
    uniform: bool = True
    is_vector: bool = False


@dataclass(frozen=True)
class Scope:
    """What a chain can use. `equations` are its definitions and hypotheses, `facts` what earlier chains proved.

    A fact comes with the symbols that its proof gives a meaning to, and those it assumes something not to vanish of.
    """

    definitions: Mapping[Any, Any]
    hypotheses: Mapping[Any, Any]
    conditions: frozenset[Condition]
    remainders: Mapping[Any, Remainder]
    facts: tuple["Fact", ...] = ()
    taken: frozenset[Any] = _NOTHING

    def _arguments(self, kind: str) -> tuple[tuple[Any, ...], ...]:
        return tuple(condition.arguments for condition in self.conditions if condition.kind == kind)

    def _union(self, kind: str) -> frozenset[Any]:
        return frozenset(argument for arguments in self._arguments(kind) for argument in arguments)

    def only(self, kind: str, what: str) -> tuple[Any, ...]:
        """The arguments of the only condition of a kind. Raises `Refused` where there is none."""
        found = self._arguments(kind)
        require(len(found) == 1, "the chain does not say {}", what)
        return found[0]

    @cached_property
    def meanings(self) -> dict[Any, Any]:
        """What symbols stand for: definitions, and hypotheses about a single symbol."""
        about = {left: right for left, right in self.hypotheses.items() if isinstance(left, sympy.Symbol)}
        return {**self.definitions, **about}

    @cached_property
    def vectors(self) -> frozenset[Any]:
        """The symbols that stand for vectors."""
        remainders = (symbol for symbol, remainder in self.remainders.items() if remainder.is_vector)
        return self._union("vectors") | self._union("curve") | self._union("identity") | frozenset(remainders)

    @cached_property
    def groupings(self) -> tuple[tuple[Any, ...], ...]:
        """Tuples of groups of symbols that are independent of each other."""
        return self._arguments("independent")

    @cached_property
    def centred(self) -> frozenset[Any]:
        """The vectors of mean zero."""
        return self._union("centred")

    @cached_property
    def gaussian(self) -> tuple[frozenset[Any], ...]:
        """Sets of jointly Gaussian numbers of mean zero."""
        return tuple(map(frozenset, self._arguments("gaussian")))

    @cached_property
    def finite(self) -> bool:
        """Whether expectations are averages over finitely many cases."""
        return bool(self._arguments("finite"))

    @cached_property
    def divisors(self) -> frozenset[Any]:
        """The expressions declared not to vanish, the positive ones among them."""
        return self._union("nonzero") | self._union("positive")

    def signed(self, expression: Any, property_: str) -> bool:
        """Whether an expression is ``positive`` or ``nonnegative`` by the signs of symbols or as declared."""
        declared = self._union("positive") | (self._union("nonnegative") if property_ == "nonnegative" else _NOTHING)
        return known(expression, property_) or any(equal(expression, sure) for sure in declared)

    @cached_property
    def _constants(self) -> dict[Any, frozenset[Any]]:
        return {Mean: self._union("direction-free"), Expectation: self._union("deterministic")}

    @cached_property
    def _memory(self) -> dict[Any, frozenset[Any]]:
        return {}

    @cached_property
    def _judged(self) -> dict[Any, bool]:
        return {}

    @cached_property
    def _unfolding(self) -> set[Any]:
        return set()

    def free(self, expression: Any, bound: frozenset[Any] = _NOTHING) -> frozenset[Any]:
        """What the unfolded expression depends on: symbols, remainders and labels of tensors.

        Raises `Refused` for a symbol that is defined in terms of itself.
        """
        found = self._memory.get((expression, bound))
        if found is None:
            require((expression, bound) not in self._unfolding, "{} is defined in terms of itself", expression)
            self._unfolding.add((expression, bound))
            try:
                found = self._memory[expression, bound] = self._free(expression, bound)
            finally:
                self._unfolding.discard((expression, bound))
        return found

    def _free(self, expression: Any, bound: frozenset[Any]) -> frozenset[Any]:
        if isinstance(expression, sympy.Symbol):
            meaning = None if expression in bound else self.meanings.get(expression)
            if meaning is not None:
                return self.free(meaning, bound)
            remainder = self.remainders.get(expression)
            own = frozenset((expression,))
            return own if remainder is None else own | self.free(remainder.variable, bound)
        if isinstance(expression, sympy.Indexed):
            return frozenset((cast("Any", expression.base).label,))
        if is_binder(expression):
            function, variable, *rest = expression.args
            found = self.free(function, bound | {variable}) - {variable}
            if is_applied(expression, Slope, Primitive):
                rest = [variable]
            return found.union(*(self.free(argument, bound) for argument in rest))
        return _NOTHING.union(*(self.free(argument, bound) for argument in expression.args))

    def depends(self, expression: Any, variable: Any) -> bool:
        """Whether an expression depends on a variable, as far as is known of what its symbols stand for."""
        return variable in self.free(expression, frozenset((variable,)))

    def vanishes(self, small: Any, variable: Any) -> bool:
        """Whether `small` falls to 0 with the variable: it is the variable, or defined as an `Inverse` at it."""
        meaning: Any = self.definitions.get(small)
        if meaning is None or not isinstance(meaning, Inverse):
            return small == variable
        return small == variable or meaning.args[1:] == (small, variable)

    def bounded(self, expression: Any, variable: Any, *, uniform: bool = False) -> bool:
        """Whether an expression is known to stay bounded as the variable falls to 0.

        What does not depend on the variable is; of what varies with the direction, everything but remainders and
        quotients is taken to be bounded in all directions (the sphere is compact).
        """
        key = (expression, variable, uniform)
        if key not in self._judged:
            self._judged[key] = self._bounded(expression, variable, uniform)
        return self._judged[key]

    def _bounded(self, expression: Any, variable: Any, uniform: bool) -> bool:
        if is_remainder(expression):
            remainder = self.remainders.get(expression)
            return (
                remainder is not None
                and self.vanishes(remainder.variable, variable)
                and (remainder.uniform or not uniform)
            )
        free = self.free(expression, frozenset((variable,)))
        if variable not in free and not any(map(is_remainder, free)):
            return not uniform or self.regular(expression)
        if isinstance(expression, sympy.Symbol):
            meaning = self.meanings.get(expression)
            return meaning is not None and self.bounded(meaning, variable, uniform=uniform)
        if is_applied(expression, Mean):
            return self.bounded(expression.args[0], variable, uniform=True)
        if is_applied(expression, Expectation):  # each of finitely many cases has its bound
            return self.finite and self.bounded(expression.args[0], variable, uniform=uniform)
        if expression.is_Pow:
            exponent = expression.exp
            positive = bool(exponent.is_Integer) and exponent > 0
            return positive and self.bounded(expression.base, variable, uniform=uniform)
        built = expression.is_Add or expression.is_Mul or is_applied(expression, Dot, Norm, NormalPart, GramRoot)
        built = built or (isinstance(expression, ELEMENTARY) and not isinstance(expression, sympy.log))
        return built and all(self.bounded(argument, variable, uniform=uniform) for argument in expression.args)

    def regular(self, expression: Any) -> bool:
        """Whether nothing that varies with the direction is divided by, or taken the logarithm of."""
        part: Any
        for part in sympy.preorder_traversal(expression):
            pole = isinstance(part, sympy.log) or (part.is_Pow and not (part.exp.is_Rational and part.exp > 0))
            if pole and not self.constant(Mean, part):
                return False
        return True

    def nonzero(self, expression: Any) -> bool:
        """Whether an expression is known not to vanish: by signs, by declared conditions, or factor by factor."""
        if known(expression, "nonzero") or any(proportional(expression, divisor) for divisor in self.divisors):
            return True
        if expression.is_Add:
            if terms(expression) > MOST_FACTORED:
                return False
            factored = sympy.factor(expression)
            return not factored.is_Add and self.nonzero(factored)
        if expression.is_Mul:
            return all(self.nonzero(argument) for argument in expression.args)
        return bool(expression.is_Pow) and self.nonzero(expression.base)

    def constant(self, head: Any, expression: Any, bound: frozenset[Any] = _NOTHING) -> bool:
        """Whether an expression is known to be constant under `Mean` or `Expectation`."""
        key = (head.__name__, expression, bound)
        if key not in self._judged:
            self._judged[key] = self._constant(head, expression, bound)
        return self._judged[key]

    def _constant(self, head: Any, expression: Any, bound: frozenset[Any]) -> bool:
        if expression.is_Rational or expression in bound or is_applied(expression, head):
            return True
        if expression in self._constants[head]:
            return True
        if isinstance(expression, sympy.Symbol):
            meaning = self.meanings.get(expression)
            return meaning is not None and self.constant(head, meaning, bound)
        if isinstance(expression, sympy.Indexed):
            return head is Mean and str(expression.base) != "w"
        if is_binder(expression) and not is_applied(expression, Slope, Primitive):
            bound = bound | {expression.args[1]}
        return all(self.constant(head, argument, bound) for argument in expression.args)

    def renamed(self, small: Any, variable: Any, new: Mapping[Any, Remainder]) -> "Scope":
        """The scope in which what is bounded as `small` falls to 0 is so as the variable does, with new remainders."""
        moved = {
            symbol: replace(remainder, variable=variable) if self.vanishes(remainder.variable, small) else remainder
            for symbol, remainder in self.remainders.items()
        }
        return replace(self, remainders={**moved, **new})

    def check(self) -> None:
        """Raises `Refused` where what is known contradicts itself, as far as that can be seen."""
        for symbol, meaning in self.meanings.items():
            self.free(symbol)
            if symbol in self.definitions:
                self._check_real(symbol, meaning)
            for property_ in ("positive", "nonnegative"):
                if getattr(symbol, f"is_{property_}"):
                    sure = symbol in self.definitions
                    fits = known(meaning, property_) if sure else not _violates(meaning, property_)
                    require(fits, "{} is {}, which its definition is not known to be", symbol, property_)
        for head, symbols in self._constants.items():
            for symbol in symbols & self.meanings.keys():
                require(self.constant(head, self.meanings[symbol]), "{} is declared constant but is not", symbol)
            remains = any(is_remainder(part) for symbol in symbols for part in symbol.free_symbols)
            require(not remains, "a remainder is declared constant")
        for groups in self.groupings:
            remains = any(is_remainder(symbol) for group in groups for symbol in group)
            require(not remains, "a remainder is declared independent of something")
            supports = [_NOTHING.union(*map(self.free, group)) for group in groups]
            require(len(_NOTHING.union(*supports)) == sum(map(len, supports)), "independent groups share a variable")
        own = self.centred | self._union("curve") | self._union("identity")
        require(
            not own & self.meanings.keys(),
            "a vector of mean zero, a derivative of the curve or the identity has a definition",
        )
        self._check_gaussian()
        for kind in ("sphere", "projectors", "curve", "identity"):
            require(len(self._arguments(kind)) <= 1, "two different conditions of kind {!r}", kind)
        for divisor in self.divisors:
            value = self.unfolded(divisor)
            finite = not value.has(sympy.zoo, sympy.nan)
            require(finite and not equal(value, sympy.Integer(0)), "{} is said not to be 0, but is", divisor)
        for property_ in ("positive", "nonnegative"):
            for expression in self._union(property_):
                fits = not _violates(self.unfolded(expression), property_)
                require(fits, "{} is said to be {}, but is not", expression, property_)

    def _check_real(self, symbol: Any, meaning: Any) -> None:
        """Every symbol is real, and none is defined by what is seen to be no real number."""
        part: Any
        for part in sympy.preorder_traversal(meaning):
            excluded: tuple[Any, ...] = ()
            if part.is_Pow and not part.exp.is_Integer:
                excluded = ((part.base, "negative"),)
            elif isinstance(part, sympy.log):
                excluded = ((part.args[0], "nonpositive"),)
            elif isinstance(part, sympy.asin):
                sine: Any = part.args[0]
                excluded = ((1 - sine**2, "negative"),)
            for expression, sign in excluded:
                real = not known(self.unfolded(expression), sign)
                require(real, "{} is defined by {}, which is not real", symbol, part)

    def _check_gaussian(self) -> None:
        """Gaussian numbers take values of either sign, infinitely many, and each has a variable of its own."""
        signed = self._union("positive") | self._union("nonnegative")
        numbers = _NOTHING.union(*self.gaussian)
        for symbol in numbers:
            meaning = self.meanings.get(symbol, symbol)
            one_sided = symbol in signed or any(known(meaning, sign) for sign in ("nonnegative", "nonpositive"))
            varies = not (one_sided or self.finite or self.constant(Expectation, symbol))
            require(varies, "{} is said to be Gaussian, which it can't be with its sign or so few values", symbol)
            others = _NOTHING.union(*map(self.free, numbers - {symbol}))
            require(not self.free(symbol) <= others, "the Gaussian {} has no variable of its own", symbol)

    def unfolded(self, expression: Any) -> Any:
        """The expression with definitions and hypotheses put in, symbols within symbols, not under binders."""
        parts = count()

        def unfold(part: Any, bound: frozenset[Any]) -> Any:
            require(next(parts) < MOST_PARTS, "{} is too large when its definitions are put in", expression)
            meaning = self.meanings.get(part, self.hypotheses.get(part))
            if meaning is not None and part not in bound:
                return unfold(meaning, bound | {part})
            if isinstance(part, sympy.Symbol | sympy.Indexed | sympy.Rational) or is_binder(part):
                return part
            arguments = [unfold(argument, bound) for argument in part.args]
            check_number(part.func, arguments)
            return part.func(*arguments)

        return unfold(expression, _NOTHING)


def _violates(meaning: Any, property_: str) -> bool:
    return known(meaning, "nonpositive" if property_ == "positive" else "negative")


def with_remainders(scope: Scope, new: Mapping[Any, Remainder]) -> Scope:
    """The scope with remainders that a step introduces. Raises `Refused` where one is not new."""
    for symbol in new:
        require(is_remainder(symbol), "{} is no name for a remainder", symbol)
        require(symbol not in scope.remainders and symbol not in scope.taken, "{} was introduced before", symbol)
    return replace(scope, remainders={**scope.remainders, **new}) if new else scope
