"""Rows of the tables of gradient claims: under which hypotheses which power of t leads the tangent and normal parts."""

from dataclasses import dataclass
from typing import Any

import sympy

from manifoldtheory.ledger import Hypothesis
from proofs.certificate import Chain
from proofs.expressions import without_remainders


@dataclass(frozen=True)
class LeadingTerm:
    """``coefficient · t^exponent``, the first term of the conclusion of `chain` as t falls to 0."""

    exponent: int
    coefficient: Any
    chain: str


@dataclass(frozen=True)
class Row:
    """One case of a table: its hypotheses, and the leading terms of a gradient's tangent and normal parts.

    The exponents are those of the parts' norms wherever the coefficients do not vanish.
    """

    name: str
    hypotheses: tuple[Hypothesis, ...]
    tangent: LeadingTerm
    normal: LeadingTerm

    @property
    def ratio_exponent(self) -> int:
        """The power of t that leads normal over tangent: above 0 gradients lean to the tangent space."""
        return self.normal.exponent - self.tangent.exponent


def leading(chain: Chain, variable: sympy.Symbol) -> LeadingTerm:
    """The leading term of a chain's conclusion ``Σ c_k t^k + remainder``; ``ValueError`` where it states none."""
    coefficients: dict[int, Any] = {}
    term: Any
    for term in sympy.Add.make_args(without_remainders(chain.conclusion)):
        coefficient, power = term.as_independent(variable, as_Add=False)
        exponent = power.as_base_exp()[1] if power != 1 else sympy.Integer(0)
        coefficients[int(exponent)] = coefficients.get(int(exponent), sympy.Integer(0)) + coefficient
    exponent = min((power for power, coefficient in coefficients.items() if coefficient != 0), default=None)
    if exponent is None:
        raise ValueError(f"the chain {chain.name!r} concludes no term in {variable}")
    return LeadingTerm(exponent, coefficients[exponent], chain.name)
