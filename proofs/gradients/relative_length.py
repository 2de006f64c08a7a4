r"""Lengths of vectors near one that is not 0: ``|v|/|v₀| = 1 + t ⟨v₀, v₁⟩/|v₀|² + O(t²)`` for v = v₀ + t v₁ + O(t²)."""

from dataclasses import dataclass
from typing import Any

import sympy

from proofs.certificate import Chain, Equation
from proofs.conditions import remainder, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Dot, Remainders
from proofs.gradients.softmax import dot, t


@dataclass(frozen=True)
class RelativeLength:
    """A vector with its expansion, by name: v, v₀ and v₁; |v₀| (`norm`) and |v|/|v₀| (`stretch`)."""

    name: str
    error: Any

    def _symbol(self, suffix: str, **assumptions: bool) -> Any:
        return sympy.Symbol(f"{self.name}{suffix}", **assumptions)

    @property
    def vector(self) -> Any:
        """v."""
        return self._symbol("")

    @property
    def vector_0(self) -> Any:
        """v₀."""
        return self._symbol("_0")

    @property
    def vector_1(self) -> Any:
        """v₁."""
        return self._symbol("_1")

    @property
    def norm(self) -> Any:
        """|v₀|."""
        return self._symbol("_norm", positive=True)

    @property
    def stretch(self) -> Any:
        """|v|/|v₀|."""
        return self._symbol("_stretch", positive=True)

    @property
    def length(self) -> Any:
        """|v|."""
        return self.stretch * self.norm

    @property
    def square(self) -> Equation:
        """``⟨v, v⟩ = |v|²``."""
        return Dot(self.vector, self.vector), self.length**2

    @property
    def terms(self) -> tuple[tuple[Any, Any], ...]:
        """The terms of the expansion of v."""
        return (sympy.Integer(1), self.vector_0), (t, self.vector_1), (t**2, self.error)

    @property
    def taylor(self) -> Equation:
        """v = v₀ + t v₁ + O(t²)."""
        return self.vector, sympy.Add(*(scale * part for scale, part in self.terms))

    def chains(self, remainders: Remainders) -> tuple[Chain, ...]:
        """|v|²/|v₀|², its root, and the conclusion."""
        relative_square = self._symbol("_stretch_sq", real=True)
        squares = (relative_square, Dot(self.vector, self.vector) / self.norm**2)
        base = (Dot(self.vector_0, self.vector_0), self.norm**2)
        build = ChainBuilder(
            f"{self.name}-stretch-sq",
            "The squared length, relative to that at the base point",
            relative_square,
            remainders=remainders,
            definitions=[squares, self.taylor],
            hypotheses=[base],
            conditions=[
                vectors(self.vector, self.vector_0, self.vector_1),
                remainder(self.error, t, vector=True),
            ],
        )
        build.substitute("its meaning", squares)
        build.substitute("Taylor expansion", self.taylor)
        products = sum(a * b * dot(u, v) for a, u in self.terms for b, v in self.terms)
        whole = self.taylor[1]
        build.rewrite("bilinearity", "bilinearity", Dot(whole, whole), products)
        build.substitute("the length at the base point", base)
        square = build.truncate("expand in t", build.current, t, 1).done()
        build = ChainBuilder(
            f"{self.name}-stretch-root",
            "The length is the root of its square",
            sympy.sqrt(relative_square),
            definitions=[squares],
            hypotheses=[self.square],
            conditions=[vectors(self.vector)],
        )
        build.substitute("its meaning", squares)
        root = build.substitute("the length", self.square).done()
        build = ChainBuilder(
            f"{self.name}-stretch",
            "The length, relative to that at the base point",
            self.stretch,
            remainders=remainders,
            uses=[square, root],
        )
        build.substitute("as a root", turned(fact(root)))
        build.substitute("the squared length", fact(square))
        return square, root, build.truncate("expand in t", build.current, t, 1).done()

    def expand(self, build: ChainBuilder, covector: sympy.Symbol) -> None:
        """Expands ⟨covector, v⟩, v being replaced by its Taylor expansion already."""
        product = dot(covector, self.vector).xreplace(dict([self.taylor]))
        into = sum(scale * dot(covector, part) for scale, part in self.terms)
        build.rewrite("bilinearity", "bilinearity", product, into)
