"""Explicit contexts: averages over keys as finite sums, exactly or in floating point."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from proofs.expressions import Dot, Expectation
from proofs.gradients.attention_averages import AVERAGES
from proofs.gradients.softmax import base_score, base_weight

Context = Sequence[Mapping[Any, Any]]
"""For each key what symbols stand for: numbers or expressions, vectors as tuples of them."""


def with_weights(context: Context) -> Context:
    """The context with α = e^{s⁰}/E[e^{s⁰}] of every key added, from its `base_score`."""
    exponentials = [sympy.exp(key[base_score]) for key in context]
    mean = sympy.Add(*exponentials) / len(context)
    return [{**key, base_weight: value / mean} for key, value in zip(context, exponentials, strict=True)]


def on_keys(expression: Any, context: Context) -> Any:
    """An expression in averages over keys, and their inner products, with the sums written out.

    Raises ``KeyError`` for a symbol of the expression that has no value.
    """
    return _value(expression.xreplace(AVERAGES), context[0], context)


def _value(expression: Any, key: Mapping[Any, Any], context: Context) -> Any:
    if expression.is_Rational:
        return expression
    if isinstance(expression, sympy.Symbol):
        return key[expression]
    if isinstance(expression, Expectation):
        (argument,) = expression.args
        return sympy.Add(*(_value(argument, each, context) for each in context)) / len(context)
    if isinstance(expression, Dot):
        first, second = (key[vector] for vector in expression.args)
        return sympy.Add(*(a * b for a, b in zip(first, second, strict=True)))
    return expression.func(*(_value(argument, key, context) for argument in expression.args))
