"""Long formulas in parts: sums within a formula get names, so that every line is a plain sum of products."""

from collections.abc import Collection
from typing import Any

LARGEST = 10
"""Operations of a sum within a formula above which it gets a name of its own."""


def in_parts(expression: Any, letter: str, taken: Collection[str] = ()) -> tuple[list[tuple[Any, Any]], Any]:
    """``[(a_1, sum), …]`` in the order in which they need each other, and the expression in terms of them.

    A sum that occurs twice has one name, ``letter_1``, ``letter_2``, …, none of those `taken`.
    """
    import sympy

    names: dict[Any, Any] = {}
    fresh = (name for name in sympy.numbered_symbols(f"{letter}_", start=1) if name.name not in taken)

    def named(part: Any, *, outermost: bool) -> Any:
        if not part.args:
            return part
        terms_only = outermost and (part.is_Add or part.is_Mul)
        part = part.func(*(named(argument, outermost=terms_only and not argument.is_Add) for argument in part.args))
        if outermost or not part.is_Add or part.count_ops() <= LARGEST:
            return part
        if part not in names:
            names[part] = next(fresh)
        return names[part]

    rest = named(expression, outermost=True)
    return [(name, part) for part, name in names.items()], rest
