r"""The gradient of a linear layer y = Wx along a manifold, and its average over a cloud, as series in the scale t.

From the definition of a derivative, along c eᵀ for a unit output vector c and an input vector e:
∂L/∂W · c eᵀ = ⟨c, δ⟩⟨e, x⟩, δ = ∂L/∂y and x = p + ξ. The cloud is ``u ↦ ξ(tu)`` with a random u of a law that does not
depend on t, in graph or normal coordinates at p, so that

    ⟨e_T, ξ⟩ = t x₁ + t³ x₃ + t⁴ x₄ + …,   ⟨e_N, ξ⟩ = t² z₂ + t³ z₃ + …,   ⟨c, δ⟩ = δ₀ + t δ₁ + t² δ₂ + …,

where x_k, z_k and δ_k are forms of degree k in u: x₁ = ⟨e_T, u⟩, z₂ = ½⟨e_N, II(u, u)⟩, δ₁ = Dδ u; x₃ = x₄ = … = 0 in
graph coordinates. A second-order tangent term there is none, in either of the two.
"""

from typing import Any

import sympy

from proofs.certificate import Chain, Equation
from proofs.conditions import deterministic, remainder, vectors
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Dot, Expectation, LimitAtZero, Remainders, is_remainder
from proofs.symbols import base_output_gradient, radius

ORDER = 6
"""The mean gradient is expanded through this power of t."""
t = radius
gradient = sympy.Symbol("delta")
"""⟨c, δ⟩."""
axes = {"tangent": sympy.Symbol("e_T"), "normal": sympy.Symbol("e_N")}
"""Unit vectors of T and of N."""
base, displacement = sympy.symbols("p xi")
_input, _row, _loss = sympy.symbols("x w_c L")
_step = sympy.Symbol("s", positive=True)

GRADIENT_FORMS = (base_output_gradient, *sympy.symbols("delta_1:6"))
"""δ_0, …, δ_5: the forms of ⟨c, δ⟩ by degree; δ_0 is a number."""
TANGENT_FORMS = dict(zip((1, 3, 4, 5, 6), sympy.symbols("x_1 x_3 x_4 x_5 x_6"), strict=True))
"""The forms of ⟨e_T, ξ⟩, by degree."""
NORMAL_FORMS = dict(zip(range(2, 7), sympy.symbols("z_2:7"), strict=True))
"""The forms of ⟨e_N, ξ⟩, by degree."""
FORMS = {"tangent": TANGENT_FORMS, "normal": NORMAL_FORMS}
MOMENTS: dict[str, dict[int, Any]] = {
    part: {order: sympy.Symbol(f"{part}_moment_{order}", real=True) for order in range(min(forms) + 1, ORDER + 1)}
    for part, forms in FORMS.items()
}
"""Coefficients of the mean gradient: E of what is of degree n in u in ⟨c, δ⟩⟨e, ξ⟩, by part and n.

The first ones, δ₀E[x₁] and δ₀E[z₂], have no name of their own.
"""


def products(part: str, order: int) -> list[tuple[Any, Any]]:
    """The products δ_j x_k (or δ_j z_k) of degree j + k = `order`."""
    return [(GRADIENT_FORMS[order - degree], form) for degree, form in FORMS[part].items() if degree <= order]


def averaged(gradient_form: Any, form: Any) -> Any:
    """E[δ_j x_k], δ_0 outside."""
    constant = gradient_form == base_output_gradient
    return gradient_form * Expectation(form) if constant else Expectation(gradient_form * form)


def coefficient(part: str, order: int) -> Any:
    """The coefficient of t^n in the mean gradient, ``Σ_{j+k=n} E[δ_j x_k]``."""
    return sympy.Add(*(averaged(*pair) for pair in products(part, order)))


def moment(part: str, order: int) -> Equation:
    """The definition of the name of a coefficient."""
    return MOMENTS[part][order], coefficient(part, order)


def slope(remainders: Remainders) -> Chain:
    """δ₁ = ⟨Dδ, u⟩: only the tangent part of the derivative of ⟨c, δ⟩ on the ambient space counts, to first order."""
    first, second = remainders(), remainders()
    derivative, direction, along = sympy.symbols("D_c u delta_x")
    smooth = (along, base_output_gradient + Dot(derivative, displacement) + second * t**2)
    curve = (displacement, t * direction + t**2 * first)
    build = ChainBuilder(
        "gradient-slope",
        "The output gradient changes along the manifold by its tangent derivative, to first order",
        LimitAtZero((along - base_output_gradient) / t, t),
        definitions=[smooth, curve],
        conditions=[
            vectors(derivative, direction, displacement),
            remainder(first, t, vector=True),
            remainder(second, t),
        ],
    )
    build.substitute("δ is differentiable, |ξ| = O(t)", smooth)
    build.substitute("ξ = t u + O(t²)", curve)
    (product,) = build.current.atoms(Dot)
    build.rewrite("bilinearity", "bilinearity", product, t * Dot(derivative, direction) + t**2 * Dot(derivative, first))
    return build.rewrite("limit", "limit", build.current, Dot(derivative, direction)).done()


def weight_gradient(remainders: Remainders, part: str) -> Chain:
    """∂L/∂W along c eᵀ is ⟨c, δ⟩⟨e, ξ⟩ + ⟨c, δ⟩⟨e, p⟩, for any loss of class C^{1,1}."""
    error, axis = remainders(), axes[part]
    moved, change = sympy.symbols(f"L_{part[0].upper()} Delta_{part[0].upper()}")
    taylor = (moved, _loss + gradient * change + error * change**2)
    linear = (change, Dot(_row + _step * axis, _input) - Dot(_row, _input))
    split = (_input, base + displacement)
    build = ChainBuilder(
        f"weight-gradient-{part}",
        f"The derivative of the loss by the weights along a {part} direction",
        LimitAtZero((moved - _loss) / _step, _step),
        definitions=[taylor, linear, split],
        conditions=[vectors(_row, axis, _input, base, displacement), remainder(error, _step)],
    )
    build.substitute("δ is the derivative of the loss by the output", taylor)
    build.substitute("the layer is linear; |c| = 1", linear)
    build.substitute("x = p + ξ", split)
    after, before = sorted(build.current.atoms(Dot), key=lambda product: not product.has(_step))
    step = Dot(axis, base) + Dot(axis, displacement)
    build.rewrite("bilinearity", "bilinearity", after - before, _step * step)
    return build.rewrite("limit", "limit", build.current, gradient * step).done()


def output_gradient(remainders: Remainders) -> Chain:
    """⟨c, δ⟩ along the manifold, by degrees in u."""
    error = remainders()
    along = (gradient, sum(t**k * form for k, form in enumerate(GRADIENT_FORMS)) + t**ORDER * error)
    build = ChainBuilder(
        "output-gradient",
        "The output gradient along the manifold",
        gradient,
        definitions=[along],
        conditions=[remainder(error, t)],
    )
    return build.substitute("Taylor expansion in t", along).done()


def token(remainders: Remainders, entry: Chain, along: Chain, part: str) -> Chain:
    """⟨c, δ⟩⟨e, ξ⟩ by degrees in u; the base term is taken off."""
    axis, forms, error = axes[part], FORMS[part], remainders()
    position = (Dot(axis, displacement), sum(t**k * form for k, form in forms.items()) + t ** (ORDER + 1) * error)
    build = ChainBuilder(
        f"token-{part}",
        f"The gradient of one token along a {part} direction, without its base term",
        entry.start - gradient * Dot(axis, base),
        remainders=remainders,
        hypotheses=[position],
        conditions=[remainder(error, t)],
        uses=[entry, along],
    )
    build.substitute("the gradient of the weights", fact(entry))
    build.tidy("the base term cancels", gradient * Dot(axis, displacement))
    build.substitute("Taylor expansions along the manifold", fact(along), position)
    into = sum(t**n * sympy.Add(*(a * b for a, b in products(part, n))) for n in range(min(forms), ORDER + 1))
    into += remainders() * t ** (ORDER + 1)
    return build.rewrite("expand in t", "truncation", build.current, into, variable=t, order=ORDER).done()


def mean(remainders: Remainders, token_of: Chain, part: str) -> Chain:
    """E[⟨c, δ⟩⟨e, ξ⟩] by powers of t."""
    (error,) = (symbol for symbol in token_of.conclusion.free_symbols if is_remainder(symbol))
    bound = remainders()
    integrable = (Expectation(error), bound)
    moments = [moment(part, order) for order in MOMENTS[part]]
    build = ChainBuilder(
        f"mean-{part}",
        f"The mean gradient along a {part} direction",
        Expectation(token_of.start),
        definitions=moments,
        hypotheses=[integrable],
        conditions=[deterministic(t, base_output_gradient), remainder(bound, t)],
        uses=[token_of],
    )
    build.substitute("the gradient of one token", fact(token_of))
    linear = sum(t**order * coefficient(part, order) for order in range(min(FORMS[part]), ORDER + 1))
    build.rewrite("linearity", "linearity", build.current, linear + t ** (ORDER + 1) * Expectation(error))
    return build.substitute("coefficients by name", *map(turned, moments), integrable).done()
