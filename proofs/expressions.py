r"""What steps are written in: SymPy expressions with uninterpreted heads, and remainders as symbols.

A truncated expansion carries its error explicitly: ``poly(t) + remainder_n t^k`` stands for a function whose
remainder_n is bounded near t = 0. No `Order` objects: a remainder is a symbol like any other, and a truncation that
loses one that matters shows it in its coefficients.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import count
from typing import Any, cast

import sympy
from sympy.printing.latex import LatexPrinter

from manifoldtheory.ledger import notation
from manifoldtheory.ledger.linear_notation import linear
from manifoldtheory.ledger.notation import latex_to_text, symbol_latex, symbol_text

Dot = cast("Any", sympy.Function("dot"))
"""Inner product of two vectors (for matrices the Frobenius product); vectors are plain symbols."""
Norm = cast("Any", sympy.Function("norm"))
NormalPart = cast("Any", sympy.Function("normal_part"))
"""Orthogonal projection on the normal space."""
GramRoot = cast("Any", sympy.Function("gram_root"))
"""√det(I + JᵀJ) of a Jacobian J."""
Determinant = cast("Any", sympy.Function("determinant"))
"""Determinant of a square matrix."""
Inverse = cast("Any", sympy.Function("inverse_at"))
"""``Inverse(f, x, t)``: the x near 0 with f(x) = t."""
Slope = cast("Any", sympy.Function("slope"))
"""``Slope(f, t)``: df/dt."""
Primitive = cast("Any", sympy.Function("primitive"))
"""``Primitive(f, t)``: ∫₀ᵗ f."""
LimitAtZero = cast("Any", sympy.Function("limit_at_zero"))
"""``LimitAtZero(f, s)``: the limit of f as s falls to 0."""
Mean = cast("Any", sympy.Function("mean"))
"""Average over unit directions w of the tangent space."""
At = cast("Any", sympy.Function("at"))
"""``At(f, x, a)``: f at x = a."""
Expectation = cast("Any", sympy.Function("expectation"))
Derived = cast("Any", sympy.Function("derived"))
"""``Derived(f, n)``: the n-th derivative along the curve."""
HaarMean = cast("Any", sympy.Function("haar_mean"))
"""Average over Haar-distributed orthogonal projectors P of rank k in n dimensions."""
Iterate = cast("Any", sympy.Function("iterate"))
"""``Iterate(f, x, a, n)``: a after n times x ↦ f, for a whole number n ≥ 0."""
Flow = cast("Any", sympy.Function("flow"))
"""``Flow(f, x, a, τ)``: x(τ) for dx/dτ = f and x(0) = a."""
Map = cast("Any", sympy.Function("map_of"))
"""``Map(f, x)``: the map x ↦ f."""
Recursion = cast("Any", sympy.Function("recursion"))
"""``Recursion(Map(f, x), k, a, n)``: a_n for a_0 = a and a_k = f at x = a_{k−1}, where f may depend on k."""
LimitAtInfinity = cast("Any", sympy.Function("limit_at_infinity"))
"""``LimitAtInfinity(f, n)``: the limit of f as n grows through the whole numbers."""
Zero = cast("Any", sympy.Function("zero_of"))
"""``Zero(f, x)``: the only x, of those that its assumptions allow, with f(x) = 0."""

ELEMENTARY: tuple[Any, ...] = (sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.asin)
"""The functions that are what analysis says they are; beside them there is the number π."""

ARITY: Mapping[Any, int] = {
    **dict.fromkeys((Norm, NormalPart, GramRoot, Determinant, Mean, Expectation, HaarMean), 1),
    **dict.fromkeys((Dot, Slope, Primitive, LimitAtZero, Derived, Zero, Map, LimitAtInfinity), 2),
    **dict.fromkeys((Inverse, At), 3),
    **dict.fromkeys((Iterate, Flow, Recursion), 4),
}
"""The heads, with their numbers of arguments."""

HEADS: Mapping[str, Any] = {head.__name__: head for head in ARITY}

BINDERS = (Inverse, At, LimitAtZero, Slope, Primitive, Iterate, Flow, Zero, Map, Recursion, LimitAtInfinity)
"""Heads whose first argument is a function of their second, a symbol; what that symbol stands for elsewhere does not
matter there. `Slope` and `Primitive` are functions of the same symbol."""

_BINDER_NAMES = frozenset(head.__name__ for head in BINDERS)


def is_binder(expression: Any) -> bool:
    """Whether the expression is one of `BINDERS`, applied (``isinstance`` on SymPy's heads is slow)."""
    return type(expression).__name__ in _BINDER_NAMES


def is_applied(expression: Any, *heads: Any) -> bool:
    """Whether the expression is one of the heads, applied (``isinstance`` on SymPy's heads is slow)."""
    name = type(expression).__name__
    return any(name == head.__name__ for head in heads)


def rewritten(expression: Any, function: Callable[[Any], Any], *heads: Any) -> Any:
    """The expression with what is one of the heads, applied, as the function gives it; inner ones first."""
    if not expression.args or isinstance(expression, sympy.Indexed):
        return expression
    arguments = [rewritten(argument, function, *heads) for argument in expression.args]
    if any(new is not old for new, old in zip(arguments, expression.args, strict=True)):
        expression = expression.func(*arguments)
    return function(expression) if is_applied(expression, *heads) else expression


_REMAINDER = "remainder_"


def canonical(expression: Any) -> Any:
    """The expression built again from its parts, so that SymPy's canonical form is taken at every node."""
    if not expression.args or isinstance(expression, sympy.Indexed):
        return expression
    return expression.func(*map(canonical, expression.args))


class Remainders:
    """Fresh remainder symbols; the chains of a derivation share one numbering."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self) -> sympy.Symbol:
        return sympy.Symbol(f"{_REMAINDER}{next(self._numbers)}")


def is_remainder(expression: Any) -> bool:
    """Whether the expression is a remainder symbol."""
    return isinstance(expression, sympy.Symbol) and expression.name.startswith(_REMAINDER)


_SYMBOLS = {
    "all_ones": r"\mathbf{1}",
    "arclength": "s",
    "abscissa": r"\rho",
    "base_score": "s^0",
    "base_weight": r"\alpha",
    "centred": "c",
    "centred_0": "c_0",
    "centred_1": "c_1",
    "centred_norm": "|c_0|",
    "centred_stretch": r"\tfrac{|c|}{|c_0|}",
    "coordinate_change": r"\langle y, x - p\rangle",
    "direction_sin_sq": "x",
    "curvature_operator": r"\mathcal{R}",
    "curvature_operator_0": r"\mathcal{R}_0",
    "gamma_1": r"\gamma^{\prime}",
    "gamma_2": r"\gamma^{\prime\prime}",
    "gamma_3": r"\gamma^{\prime\prime\prime}",
    "head_dim": "d_k",
    "head_query": "q",
    "identity": "I",
    "image": "k",
    "image_0": "k_0",
    "image_1": "k_1",
    "image_norm": "|k_0|",
    "image_stretch": r"\tfrac{|k|}{|k_0|}",
    "input_direction": "y",
    "jacobi_fields": r"\mathcal{J}",
    "kept_ones": r"1_{Q^\perp}",
    "kept_spectrum": r"\lambda_{Q^\perp}",
    "key": "x",
    "key_coordinate": r"\langle y, x\rangle",
    "key_score": "s",
    "key_value": "u",
    "key_value_mean": r"\bar{u}",
    "key_weight": r"\omega",
    "normal_spectrum": r"\lambda_N",
    "normalised_spectrum": r"\hat\lambda",
    "ones": "1",
    "output_direction": "b",
    "plane_direction": "b",
    "plane_direction_across": r"b^{\perp}",
    "position_angle": r"\theta",
    "query_covector": r"\kappa",
    "query_covector_0": r"\kappa_0",
    "query_covector_1": r"\kappa_1",
    "query_direction": "y_q",
    "query_input": "x_q",
    "removed_ones": "1_Q",
    "removed_spectrum": r"\lambda_Q",
    "score_rate": r"\dot{s}",
    "spectrum": r"\lambda",
    "tangent_spectrum": r"\lambda_T",
    "turning_eigenvalue": r"\lambda_\ast",
    "base_point": "p",
    "displacement": r"\xi",
    "distance": r"|x|",
    "input_gradient": r"\partial L/\partial x",
    "output_gradient": r"\delta",
    "plane_1": "e_1",
    "plane_2": "e_2",
    "rms_input": "x",
    "rms_output": "y",
    "scaled_output": "y(cx)",
    "sphere_point": "u",
    "sphere_velocity": r"u^{\prime}",
    "sphere_acceleration": r"u^{\prime\prime}",
    "value_change": r"\langle v, x - p\rangle",
    "value_covector": "v",
}

_HEADS = {
    "at": r"\left.{0}\right|_{{{1} = {2}}}",
    "dot": r"\left\langle {0}, {1}\right\rangle",
    "norm": r"\left|{0}\right|",
    "normal_part": r"P_N\left({0}\right)",
    "gram_root": r"\sqrt{{\det\left(I + J^\top J\right)}}\Big|_{{J = {0}}}",
    "determinant": r"\det\left({0}\right)",
    "inverse_at": r"\left({1}: {0} = {2}\right)",
    "slope": r"\frac{{d}}{{d {1}}}\left({0}\right)",
    "primitive": r"\int_0^{{{1}}} {0}\, d{1}",
    "limit_at_zero": r"\lim_{{{1}\to 0}} {0}",
    "mean": r"\left\langle {0}\right\rangle",
    "expectation": r"\operatorname{{E}}\left[{0}\right]",
    "derived": r"\frac{{d^{{{1}}}}}{{ds^{{{1}}}}} {0}",
    "haar_mean": r"\operatorname{{E}}_{{P}}\left[{0}\right]",
    "iterate": r"\left({1}\mapsto {0}\right)^{{\circ {3}}}\left({2}\right)",
    "map_of": r"\left({1}\mapsto {0}\right)",
    "recursion": r"\left({0}\right)_{{{1} = 1, \dots, {3}}}\left({2}\right)",
    "limit_at_infinity": r"\lim_{{{1}\to\infty}} {0}",
    "flow": r"\left.{1}\left({3}\right)\right|_{{\dot{{{1}}} = {0},\ {1}(0) = {2}}}",
    "zero_of": r"\left({1}: {0} = 0\right)",
}


_TEXT_HEADS = {
    "at": "({0})[{1} = {2}]",
    "dot": "⟨{0}, {1}⟩",
    "norm": "|{0}|",
    "normal_part": "P_N({0})",
    "gram_root": "√det(I + JᵀJ)[J = {0}]",
    "determinant": "det({0})",
    "inverse_at": "({1}: {0} = {2})",
    "slope": "(d/d{1})({0})",
    "primitive": "∫₀({0})d{1}",
    "limit_at_zero": "lim({0}; {1} → 0)",
    "limit_at_infinity": "lim({0}; {1} → ∞)",
    "mean": "⟨{0}⟩",
    "expectation": "E[{0}]",
    "derived": "(d/ds)^{1}({0})",
    "haar_mean": "E_P[{0}]",
    "iterate": "({1} ↦ {0})^∘{3}({2})",
    "map_of": "({1} ↦ {0})",
    "recursion": "({0})[{1} = 1…{3}]({2})",
    "flow": "{1}({3})[d{1}/d{3} = {0}, {1}(0) = {2}]",
    "zero_of": "({1}: {0} = 0)",
}


class _Printer(LatexPrinter):
    def _print_Function(self, expr: Any, exp: Any = None) -> str:
        pattern = _HEADS.get(type(expr).__name__)
        if pattern is None:
            return super()._print_Function(expr, exp)
        text = pattern.format(*(self._print(argument) for argument in expr.args))
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _print_Indexed(self, expr: Any) -> str:
        return f"{self._print(expr.base)}_{{{''.join(self._print(index) for index in expr.indices)}}}"


@cache
def latex(expression: Any) -> str:
    """LaTeX of a step's side, in the notation of the theory; remainders are printed as ε₁, ε₂, …"""
    return _Printer({"symbol_names": {symbol: _name(symbol) for symbol in expression.free_symbols}}).doprint(expression)


def _name(symbol: Any) -> str:
    name = str(symbol)
    if is_remainder(symbol):
        return rf"\varepsilon_{{{name.removeprefix(_REMAINDER)}}}"
    return _SYMBOLS.get(name) or symbol_latex(name)


@cache
def text(expression: Any) -> str:
    """The same on one line of Unicode; heads without a notation of their own are functions."""
    return linear(expression, _text_name, _TEXT_HEADS)


def _text_name(name: str) -> str:
    if name.startswith(_REMAINDER):
        return f"ε_{name.removeprefix(_REMAINDER)}"
    return latex_to_text(_SYMBOLS[name]) if name in _SYMBOLS else symbol_text(name)


def mathml(expression: Any) -> str:
    """The same as presentation MathML, a ``<math>`` element."""
    return notation.mathml(latex(expression))


def without_remainders(expression: Any) -> Any:
    """What a conclusion states to the order it was derived to: its remainders set to 0."""
    symbols = [symbol for symbol in expression.free_symbols if is_remainder(symbol)]
    return expression.xreplace(dict.fromkeys(symbols, sympy.Integer(0)))
