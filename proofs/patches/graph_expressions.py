"""Graphs as users type them: ``x**2 - 3*x*y + y**3`` as heights in exact power series. Nothing typed is run as code.

Coordinates are x, y, z or u1, u2, …; several heights, for codimension above 1, are separated by ``;`` or ``,``. Numbers
are taken exactly, decimals too. The text is read as a syntax tree, of which only arithmetic, rational powers, π, e and
the functions of `FUNCTIONS` are known; the series come from `proofs.series`.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from manifoldtheory.errors import InputError
from manifoldtheory.ledger.linear_notation import linear
from proofs.patches.elementary_series import FUNCTIONS, Constants, NotSmooth, TooLarge, apply, inverse, power, product
from proofs.patches.monge_graphs import MongeGraph
from proofs.series import Series, SeriesRing

LETTERS = ("x", "y", "z")
LONGEST = 2000
"""Characters of an expression."""
MOST_NODES = 400
LARGEST_POWER = 64
"""Of the numerator and the denominator of an exponent."""
_NUMBERED = re.compile(r"u([1-9])")
_NUMBER = re.compile(r"\d{1,60}(\.\d{0,60})?([eE][+-]?\d{1,2})?|\.\d{1,60}([eE][+-]?\d{1,2})?")
_CONSTANTS = {"pi": sympy.pi, "e": sympy.E}


@dataclass(frozen=True)
class TypedGraph:
    """What was typed, understood: a syntax tree for each height, and the names of the coordinates."""

    text: str
    heights: tuple[ast.expr, ...]
    coordinates: tuple[str, ...]

    @property
    def dim(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)


def read_graph(text: str) -> TypedGraph:
    """The graph that a text describes. Raises `InputError` for anything but functions of the coordinates."""
    if len(text) > LONGEST:
        raise InputError(f"the graph has {len(text)} characters, and {LONGEST} at most can be read: shorten it")
    heights = tuple(tree for part in text.split(";") for tree in _trees(part.strip()))
    nodes = [node for height in heights for node in ast.walk(height)]
    if len(nodes) > MOST_NODES:
        raise InputError(f"the graph has {len(nodes)} parts, and {MOST_NODES} at most can be read: shorten it")
    functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in functions)
    return TypedGraph(text, heights, _coordinates([name for name in names if name not in _CONSTANTS], text))


def _trees(part: str) -> Sequence[ast.expr]:
    try:
        tree = ast.parse(part, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if "=" in part:
            raise InputError(
                f"{_short(part)!r} is an equation, not a function of the coordinates: give z alone"
            ) from error
        raise InputError(f"{_short(part)!r} is no expression: type a height like x**2 - 3*x*y + y**3") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = ast.get_source_segment(part, node)  # a decimal as it was typed, before it was rounded
    return tree.elts if isinstance(tree, ast.Tuple) else [tree]


def _coordinates(names: Sequence[str], text: str) -> tuple[str, ...]:
    for name in names:
        if name in FUNCTIONS:
            raise InputError(f"the function {name} is used without an argument: write {name}(x)")
        if name not in LETTERS and not _NUMBERED.fullmatch(name):
            raise InputError(
                f"unknown name {name!r}: a graph is a function of the coordinates x, y, z or u1, u2, …, u9"
            )
    if not names:
        raise InputError(f"{text!r} depends on no coordinate: a graph is a function of x, y, z or u1, u2, …")
    numbers = [int(name[1:]) for name in names if name not in LETTERS]
    if numbers and len(numbers) < len(names):
        raise InputError(f"{text!r} mixes coordinates x, y, z with u1, u2, …: use one kind")
    if numbers:
        return tuple(f"u{number}" for number in range(1, max(numbers) + 1))
    return LETTERS[: 1 + max(map(LETTERS.index, names))]


@dataclass(frozen=True)
class Heights:
    """The typed heights in power series, the constant terms included, over coefficients that stand for constants."""

    series: tuple[Series, ...]
    constants: Constants


def expand_heights(graph: TypedGraph, order: int) -> Heights:
    """The heights through an order. Raises `InputError` where one is not smooth at the origin, or not understood."""
    slots = sum(isinstance(node, ast.Call | ast.BinOp | ast.Name) for tree in graph.heights for node in ast.walk(tree))
    constants = Constants(3 * slots + 3)
    ring = SeriesRing(graph.coordinates, order, constants.names)
    reader = _Reader(ring, constants)
    return Heights(tuple(reader.read(tree) for tree in graph.heights), constants)


class _Reader:
    def __init__(self, ring: SeriesRing, constants: Constants) -> None:
        self.ring, self.constants = ring, constants

    def read(self, node: ast.expr) -> Series:
        try:
            return self._read(node)
        except NotSmooth as reason:
            raise InputError(
                f"{_typed(node)} {reason}: the graph must be smooth at the base point, the origin of the coordinates"
            ) from reason
        except TooLarge as reason:
            raise InputError(f"{_typed(node)} {reason}: take a smaller graph") from reason

    def _read(self, node: ast.expr) -> Series:
        match node:
            case ast.Constant():
                return self.ring.constant(_number(node))
            case ast.Name(id=name) if name in _CONSTANTS:
                return self.constants.series(_CONSTANTS[name], self.ring)
            case ast.Name(id=name):
                return self.ring[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.read(operand)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.read(left) + self.read(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self.read(left) - self.read(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return product(self.read(left), self.read(right))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return product(self.read(left), inverse(self.read(right), self.constants))
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return power(self.read(left), self._exponent(right), self.constants)
            case ast.BinOp(op=ast.BitXor()):
                raise InputError(f"{_typed(node)}: powers are written **, as in x**2")
            case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
                return apply(name, self.read(argument), self.constants)
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                raise InputError(f"{_typed(node)}: {name} takes one argument")
            case ast.Compare():
                raise InputError(f"{_typed(node)} is a relation, not a function of the coordinates: give z alone")
        raise InputError(
            f"{_typed(node)} is not understood: a graph is made of numbers, coordinates, + - * / **, pi, e and "
            f"{', '.join(FUNCTIONS)}"
        )

    def _exponent(self, node: ast.expr) -> Fraction:
        """A rational number."""
        value = self.read(node)
        known = self.constants.value(value.parts[0])
        if any(value.parts[1:]) or not known.is_Rational:
            raise InputError(f"the exponent {_typed(node)} is no rational number: write a**b as exp(b*log(a))")
        if max(abs(known.p), known.q) > LARGEST_POWER:
            raise InputError(f"the exponent {_typed(node)} has a part above {LARGEST_POWER}: take a smaller power")
        return Fraction(int(known.p), int(known.q))


def _number(node: ast.Constant) -> Fraction:
    typed = node.kind or ""
    if type(node.value) not in (int, float):
        raise InputError(f"{_short(typed)} is no number: a graph is a function of its coordinates")
    if not _NUMBER.fullmatch(typed):
        raise InputError(
            f"the number {_short(typed)} is too long, or not decimal: take 60 digits at most, exponents below 100"
        )
    return Fraction(typed)


def _typed(node: ast.expr) -> str:
    return _short(ast.unparse(node))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


def graph_over_tangent(graph: TypedGraph, order: int, *, align: bool = False) -> MongeGraph:
    """The graph through an order, its base point moved to the origin.

    With `align` the ambient space is turned so that it is one over its tangent space. Raises `InputError` for a
    gradient that is not 0 without it, and for what `expand_heights` refuses.
    """
    from proofs.patches.aligned_graphs import aligned, gradient_of

    heights = expand_heights(graph, order)
    gradient = gradient_of(heights)
    if any(entry != 0 for row in gradient for entry in row):
        if not align:
            shown = "; ".join(f"({', '.join(map(linear, row))})" for row in gradient)
            raise InputError(
                f"the gradient of {graph.text!r} at the base point is {shown}, not 0: its tangent space there is "
                "tilted; --align turns the ambient space so that the graph lies over it"
            )
        return aligned(graph.text, heights, gradient)
    return heights.constants.over_tangent(graph.text, heights.series)
