"""Producing steps: expansions through `proofs.series`, and a builder that chains steps together."""

from collections.abc import Sequence
from typing import Any

import sympy

from proofs.certificate import Chain, Equation, Step
from proofs.conditions import Condition
from proofs.expressions import ELEMENTARY, Remainders, canonical, is_remainder
from proofs.series import Series, SeriesRing

_SLACK = 4  # orders kept beyond the one asked for: division by the variable costs some


class Expander:
    """Series of an expression in one variable, everything free of the variable being a coefficient."""

    def __init__(self, expression: Any, variable: sympy.Symbol, order: int) -> None:
        self.variable = variable
        atoms: dict[Any, str] = {}
        _coefficients(expression, variable, atoms)
        self._names = atoms
        self._atoms = {sympy.Symbol(name): atom for atom, name in atoms.items()}
        self.ring = SeriesRing(("x",), order + _SLACK, tuple(atoms.values()))

    def __call__(self, expression: Any) -> tuple[int, Series]:
        """``(v, f)`` for the series ``x^v f``."""
        if expression.is_Rational:
            return 0, self.ring.constant(expression)
        if expression == self.variable:
            return 1, self.ring.constant(1)
        if expression in self._names:
            return 0, self.ring[self._names[expression]]
        if expression.is_Mul:
            valuation, product = 0, self.ring.constant(1)
            for argument in expression.args:
                shift, factor = self(argument)
                valuation, product = valuation + shift, product * factor
            return valuation, product
        if expression.is_Add:
            terms = [self(argument) for argument in expression.args]
            lowest = min(shift for shift, _ in terms)
            total = self.ring.constant(0)
            for shift, term in terms:
                for _ in range(shift - lowest):
                    term = term * self.ring["x"]
                total = total + term
            return lowest, total
        if expression.is_Pow:
            valuation, base = self(expression.base)
            while not base.parts[0]:
                valuation, base = valuation + 1, base.divided()
            exponent = expression.exp
            if exponent.is_Integer and exponent > 0:
                power = self.ring.constant(1)
                for _ in range(int(exponent)):
                    power = power * base
            else:
                power = base.power(self(exponent)[1])
            return int(valuation * exponent), power
        if isinstance(expression, ELEMENTARY):
            return 0, self._elementary(expression)
        raise ValueError(f"{expression} has no expansion in {self.variable}")

    def _elementary(self, expression: Any) -> Series:
        """A function of a series that starts with 0 (the logarithm: with 1)."""
        valuation, argument = self(expression.args[0])
        for _ in range(valuation):
            argument = argument * self.ring["x"]
        return getattr(argument, type(expression).__name__)()

    def expression(self, valuation: int, series: Series, order: int) -> Any:
        """``Σ_{j ≤ order} c_j t^j`` with the coefficients written in the original atoms."""
        total = sympy.Integer(0)
        for degree in range(order - valuation + 1):
            coefficient = sympy.sympify(series.coefficient(degree).as_expr()).xreplace(self._atoms)
            total += sympy.factor(coefficient, deep=False) * self.variable ** (valuation + degree)
        return total


def _coefficients(expression: Any, variable: sympy.Symbol, atoms: dict[Any, str]) -> None:
    if expression.is_Rational or expression == variable:
        return
    whole = expression.is_Pow and bool(expression.args[1].is_Integer and expression.args[1] > 0)
    constant_power = expression.is_Pow and not whole and not expression.has(variable)
    composite = expression.is_Add or expression.is_Mul or expression.is_Pow
    composite = composite or (isinstance(expression, ELEMENTARY) and expression.has(variable))
    if composite and not constant_power:
        for argument in expression.args:
            _coefficients(argument, variable, atoms)
    else:
        atoms.setdefault(expression, f"c{len(atoms)}")


def expand(expression: Any, variable: sympy.Symbol, order: int) -> Any:
    """The expansion in `variable` through `order`, without a remainder."""
    expander = Expander(expression, variable, order)
    return expander.expression(*expander(expression), order)


def revert(function: Any, inner: sympy.Symbol, variable: sympy.Symbol, order: int) -> Any:
    """The x with f(x) = t through t^order, for f = x + …."""
    expander = Expander(function, inner, order)
    valuation, series = expander(function)
    for _ in range(valuation):
        series = series * expander.ring["x"]
    return expander.expression(0, series.reversion(), order).xreplace({inner: variable})


class ChainBuilder:
    """Builds a chain step by step; each method appends a step to what is there."""

    def __init__(
        self,
        name: str,
        title: str,
        start: Any,
        *,
        remainders: Remainders | None = None,
        definitions: Sequence[Equation] = (),
        hypotheses: Sequence[Equation] = (),
        conditions: Sequence[Condition] = (),
        uses: Sequence[Chain] = (),
    ) -> None:
        self.name, self.title, self.start = name, title, canonical(start)
        self.definitions, self.hypotheses = tuple(definitions), tuple(hypotheses)
        self.conditions = tuple(conditions)
        self.uses = tuple(uses)
        self.current = self.start
        self.steps: list[Step] = []
        self.remainder = remainders or Remainders()

    def _append(self, title: str, right: Any, rule: str, **parameters: Any) -> "ChainBuilder":
        right = canonical(right)
        self.steps.append(Step(title, self.current, right, rule, parameters))
        self.current = right
        return self

    def substitute(self, title: str, *equations: Equation) -> "ChainBuilder":
        """Substitutes definitions and facts, all at once."""
        return self._append(title, self.current.xreplace(dict(equations)), "substitution", equations=equations)

    def rewrite(self, title: str, rule: str, part: Any, into: Any, **parameters: Any) -> "ChainBuilder":
        """Rewrites a part by a rule."""
        into = canonical(into)
        right = self.current.xreplace({part: into})
        return self._append(title, right, rule, part=part, into=into, **parameters)

    def truncate(self, title: str, part: Any, variable: sympy.Symbol, order: int) -> "ChainBuilder":
        """Expands a part in a variable, with a new remainder."""
        into = expand(part, variable, order) + self.remainder() * variable ** (order + 1)
        return self.rewrite(title, "truncation", part, into, variable=variable, order=order)

    def invert(self, title: str, part: Any, order: int) -> "ChainBuilder":
        """Expands an `Inverse` in its target variable, with a new remainder."""
        function, inner, variable = part.args
        into = revert(function, inner, variable, order) + self.remainder() * variable ** (order + 1)
        return self.rewrite(title, "reversion", part, into, order=order)

    def evaluate(self, title: str, part: Any) -> "ChainBuilder":
        """Evaluates an `At`, its remainders under new names."""
        function, variable, value = part.args
        old = sorted((symbol for symbol in function.free_symbols if is_remainder(symbol)), key=str)
        renamed = tuple((symbol, self.remainder()) for symbol in old)
        into = function.xreplace(dict(renamed)).xreplace({variable: value})
        return self.rewrite(title, "evaluation", part, into, renamed=renamed)

    def tidy(self, title: str, into: Any, part: Any = None) -> "ChainBuilder":
        """Writes the whole, or a part, in another form of the same rational function."""
        return self.rewrite(title, "ring-identity", self.current if part is None else part, into)

    def done(self) -> Chain:
        """The chain."""
        uses = tuple(chain.name for chain in self.uses)
        return Chain(
            self.name,
            self.title,
            self.start,
            tuple(self.steps),
            self.definitions,
            self.hypotheses,
            self.conditions,
            uses,
        )


def fact(chain: Chain) -> Equation:
    """``start = conclusion`` of a chain, to substitute in later ones."""
    return chain.start, chain.conclusion


def turned(equation: Equation) -> Equation:
    """The equation read from right to left."""
    left, right = equation
    return right, left
