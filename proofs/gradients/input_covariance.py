r"""The second moment E[ξ ξᵀ] of a cloud around p, uncentred: E t²/m on T, ¼ E t⁴ A on N, and nothing between to E t³.

Near p the manifold is the graph of z over T; with ξ = (ρ w, z(ρ w)) on the shell of radius t, averaged with the density
of `proofs.bias_attenuation`: ⟨v, ξ⟩² is t²/m, ⟨ν, ξ⟩² is ¼ t⁴ ⟨h^ν(w, w)²⟩, h^ν = ν_a h^a, which pairings turn into
¼ t⁴ (2 tr(h^ν h^ν) + (tr h^ν)²)/(m(m+2)); the product of the two is odd in w at the order t³. So A is the matrix
A_ab = (2 tr(h^a h^b) + tr h^a tr h^b)/(m(m+2)).
"""

from typing import Any

import sympy

from proofs.certificate import Chain
from proofs.conditions import deterministic, direction_free, remainder, sphere
from proofs.contractions import A, N, U, h, w
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Expectation, Mean, Remainders, is_remainder
from proofs.symbols import dim, normal_form_sq, normal_form_trace, radius, radius_4_mean, radius_sq_mean

t = radius
rho = sympy.Symbol("abscissa", positive=True)
e = sympy.Symbol("radius_scale", positive=True)
component, bend, height = sympy.symbols("direction_component bend_component height_component")
"""⟨v, w⟩ for a unit vector v of T; h^ν(w, w) and ⟨ν, z⟩ for a unit normal vector ν."""
a, b, i, j, k, q = sympy.symbols("a b i j k q")


def direction_averages() -> tuple[Chain, ...]:
    """⟨⟨v,w⟩²⟩, ⟨h^ν(w,w)²⟩ and ⟨⟨v,w⟩ h^ν(w,w)⟩; the second is 0 outside the first normal space."""
    uniform = [direction_free(dim), sphere(dim)]
    squared = (Mean(component**2), Mean(U[i] * U[j] * w[i] * w[j]))
    unit = (U[i] ** 2, sympy.Integer(1))
    build = ChainBuilder(
        "tangent-share",
        "Mean square of a component of the direction",
        squared[0],
        hypotheses=[squared, unit],
        conditions=uniform,
    )
    build.substitute("in components", squared)
    build.rewrite("average by pairings", "isserlis", build.current, U[i] ** 2 / dim)
    share = build.substitute("v is a unit vector", unit).done()
    bends = (Mean(bend**2), Mean(N[a] * N[b] * h[a, i, j] * h[b, k, q] * w[i] * w[j] * w[k] * w[q]))
    form = (2 * N[a] * N[b] * h[a, i, j] * h[b, i, j], 2 * normal_form_sq)
    traces = (N[a] * N[b] * h[a, i, i] * h[b, j, j], normal_form_trace**2)
    build = ChainBuilder(
        "normal-share",
        "Mean square of the second fundamental form along a normal vector",
        bends[0],
        hypotheses=[bends, form, traces],
        conditions=uniform,
    )
    build.substitute("in components", bends)
    build.rewrite("average by pairings", "isserlis", build.current, (form[0] + traces[0]) / (dim * (dim + 2)))
    bending = build.substitute("tr(h^ν h^ν) and tr h^ν", form, traces).done()
    products = (Mean(component * bend), Mean(U[i] * N[a] * h[a, j, k] * w[i] * w[j] * w[k]))
    build = ChainBuilder(
        "cross-share",
        "The product of a tangent and a normal component is odd in the direction",
        products[0],
        hypotheses=[products],
        conditions=uniform,
    )
    build.substitute("in components", products)
    cross = build.rewrite("average by pairings", "isserlis", build.current, sympy.Integer(0)).done()
    none = ((normal_form_sq, sympy.Integer(0)), (normal_form_trace, sympy.Integer(0)))
    build = ChainBuilder(
        "outside-first-normal",
        "A normal vector orthogonal to all h(v, v) has h^ν = 0",
        bends[0],
        hypotheses=none,
        uses=[bending],
    )
    build.substitute("mean square of h^ν", fact(bending))
    return share, bending, cross, build.substitute("h^ν = 0", *none).done()


def symmetric_forms() -> Chain:
    """The symmetric forms on T have m(m+1)/2 dimensions: the trace of the projector ½(δ_ik δ_jl + δ_il δ_jk) on them.

    A = ¼ E t⁴ h (…) hᵀ for the map h from them to N, so that its rank is at most that.
    """
    identity = ((A[i, i], dim), (A[j, j], dim), (A[i, j] ** 2, dim))
    build = ChainBuilder(
        "first-normal-dim",
        "The dimension of the first normal space is at most that of the symmetric forms",
        (A[i, i] * A[j, j] + A[i, j] ** 2) / 2,
        hypotheses=identity,
    )
    build.substitute("A is the identity of T", *identity)
    return build.tidy("collect", dim * (dim + 1) / 2).done()


SHELLS = (
    ("tangent", (rho * component) ** 2, t**2, 3),
    ("normal", height**2, t**4 / 4, 4),
    ("cross", rho * component * height, t**3 / 2, 3),
)
"""Products of components of the input on a shell, the power that leads their average, and the order known."""


def shell_averages(remainders: Remainders, shell: Chain, abscissa_of: Chain, shares: tuple[Chain, ...]) -> list[Chain]:
    """Averages of ⟨v,ξ⟩², ⟨ν,ξ⟩² and ⟨v,ξ⟩⟨ν,ξ⟩ over the shell of radius t, from those over directions."""
    abscissa = (rho, abscissa_of.start)
    chains = []
    for (name, product, lead, order), share in zip(SHELLS, shares, strict=True):
        definitions, conditions = [abscissa], [direction_free(t)]
        taylor = (height, rho**2 / 2 * bend + rho**3 * remainders())
        if product.has(height):
            definitions.append(taylor)
            conditions += [remainder(error, rho) for error in _errors(taylor[1])]
        build = ChainBuilder(
            f"{name}-shell",
            f"Mean {'product of components' if name == 'cross' else f'square of a {name} component'} on a shell",
            Mean(shell.start * product),
            remainders=remainders,
            definitions=definitions,
            conditions=conditions,
            uses=[shell, abscissa_of, share],
        )
        if product.has(height):
            build.substitute("Taylor expansion of the graph", taylor)
        build.substitute("ρ is the abscissa at the ambient radius t", abscissa)
        build.substitute("its expansion, and the density of directions", fact(abscissa_of), fact(shell))
        build.truncate("expand in t", build.current.args[0], t, order)
        (rest,) = _errors(build.current)
        linear = lead * share.start + t ** (order + 1) * Mean(rest)
        build.rewrite("linearity of the average", "linearity", build.current, linear)
        build.truncate("name the remainder", build.current, t, order)
        chains.append(build.substitute("average over directions", fact(share)).done())
    return chains


SECOND = (radius_sq_mean, Expectation(t**2))
FOURTH = (radius_4_mean, Expectation(t**4))


def rates(remainders: Remainders, shells: list[Chain]) -> list[Chain]:
    """E⟨v,ξ⟩², E⟨ν,ξ⟩² and E⟨v,ξ⟩⟨ν,ξ⟩ under a radial law of scale e, from their averages over shells."""
    chains = []
    for shell, lead, excess in zip(shells, (t**2, t**4, None), (1, e, 1), strict=True):
        bound, (error,) = remainders(), _errors(shell.conclusion)
        rest = (Expectation(error * t**4 * (t if excess == e else 1)), bound * excess * radius_4_mean)
        moments = [SECOND] if lead == t**2 else [FOURTH] if lead else []
        coefficient = shell.conclusion.coeff(lead) if lead else sympy.Integer(0)
        build = ChainBuilder(
            shell.name.replace("shell", "rate"),
            shell.title.replace("on a shell", "of the input"),
            Expectation(shell.start),
            definitions=moments,
            hypotheses=[rest],
            conditions=[remainder(bound, e), *([deterministic(*coefficient.free_symbols)] if lead else [])],
            uses=[shell],
        )
        build.substitute("average over the shell", fact(shell))
        if lead:
            linear = coefficient * Expectation(lead) + rest[0]
            build.rewrite("linearity", "linearity", build.current, linear)
        build.substitute("moments of a radius of scale e", *map(turned, moments), rest)
        chains.append(build.done())
    return chains


def _errors(expression: Any) -> list[Any]:
    return [symbol for symbol in expression.free_symbols if is_remainder(symbol)]
