r"""Sign-like updates: the energy of the update in T is capped, whatever that of the gradient.

While a gradient g lasts, Adam steps by sgn g in every coordinate. For Gaussian g, E[sgn g_i sgn g_j] is
(2/π) arcsin ρ_ij (Sheppard 1899), and 1 on the diagonal: if coordinate axes span T the energy per dimension is 1 in T
and in N.

If T is in general position to the axes, rotate them about u = g/|g|, with everything else fixed: the part of s = sgn u
across u, of length √(d − ⟨s, u⟩²), is uniform in direction. With the share c² = |P_T u|² the energy |P_T s|² is then
c² ⟨s, u⟩² + (m − c²)(d − ⟨s, u⟩²)/(d−1) on average. Over all rotations E⟨s, u⟩² = E(Σ|u_i|)² = 1 + 2(d−1)/π, and

    E|P_T s|² = (1 − 2/π) m + (2/π) d E c²,

exactly, in any dimension and for any law of the gradient relative to T. At c² = 1 the ratio of energies per dimension
is 1 + 2d/((π−2)m) = (2/(π−2)) (d−m)/m + π/(π−2).
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain
from proofs.conditions import deterministic, direction_free, independent, nonzero, sphere
from proofs.contractions import A, U, w
from proofs.derivation import Derivation, Finding
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import Expectation, Iterate, Mean, Slope
from proofs.gradients.diagonal_tangent import diagonal_energy, diagonal_tangent
from proofs.gradients.gaussian_signs import along, components, plackett, sign_alignment, sign_correlation, x, y
from proofs.rules.gaussian import sign
from proofs.symbols import ambient_dim, dim, second_moment_decay, steps, tangent_share

CLAIM = Claim(
    slug="adam-step-cap",
    title="The energy of a sign-like update in the tangent space is capped",
    section="gradients",
    source="beyond arXiv:2604.08764",
    statements=(
        Statement(
            Form.REPAIRED,
            "While a gradient lasts, Adam steps by its sign, whatever the decay rates. For jointly Gaussian components "
            "E[sgn g_i sgn g_j] = (2/π) arcsin ρ_ij. The energy per dimension of the update in T over that in N is 1 "
            "if coordinate axes span T; if T is in general position to the axes it is "
            "(d−m)((π−2)m + 2d c²)/(m((π−2)(d−m) + 2d(1−c²))), c² = E[|P_T g|²/|g|²], which grows with c² up to "
            "1 + 2d/((π−2)m) = (2/(π−2))(d−m)/m + π/(π−2): the cap, however large the ratio of the gradient.",
            (
                Hypothesis("constant gradient", "the gradient has not changed since the first step, and Adam's ε is 0"),
                Hypothesis("components", "no component of the gradient vanishes (almost surely)"),
                Hypothesis(
                    "general position",
                    "energies are averaged over rotations of the axes before the ratio is taken; for a single T, and T "
                    "along a vector of signs, there is no cap",
                ),
                Hypothesis("dimension", "0 < m < d"),
            ),
        ),
    ),
)

gradient = sympy.Symbol("gradient")
moment = sympy.Symbol("moment")
first_moment_decay = sympy.Symbol("first_moment_decay", positive=True)
"""β₁ of Adam."""
sign_tangent, sign_normal = sympy.symbols("sign_1 sign_2")
"""Signs of a component along an axis in T, and along one in N."""
across = sympy.Symbol("across")
"""The length of the part of sgn u across u."""
share = sympy.Symbol("share", nonnegative=True)
"""|P_T u|², of which `tangent_share` is the mean."""
energy = sympy.Symbol("energy")
i, j = sympy.symbols("i j")
codim = ambient_dim - dim


def derive() -> Derivation:
    """The derivation: Adam's steps are signs, how signs correlate, axes that span T, and rotated axes."""
    step, signs, aligned = _adam_step(), sign_correlation(), _aligned()
    identities = plackett()
    sizes = components()
    alignment = sign_alignment(sizes[-1])
    rotated = _rotated_about_gradient()
    energy_mean = _tangent_energy(rotated, alignment)
    ratio = _ratio(energy_mean)
    growth, cap, diagonal = _growth(ratio), _cap(ratio), diagonal_energy()
    findings = (
        Finding(Form.REPAIRED, Verdict.SUPPORTS, step.name, (step.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, signs.name, (*(chain.name for chain in identities), signs.name)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, aligned.name, (aligned.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, ratio.name, (ratio.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, cap.name, (growth.name, cap.name)),
    )
    chains = (step, *identities, signs, aligned, *sizes, alignment, rotated, energy_mean, ratio, growth, cap, diagonal)
    instances = (diagonal_tangent(diagonal, energy_mean),)
    return Derivation(CLAIM, chains, findings, predictions(signs, ratio, cap), counterexamples=instances)


def _adam_step() -> Chain:
    """m̂_n/√v̂_n = g/√(g²) after n steps of the same gradient."""
    averages = [
        Iterate(decay * moment + (1 - decay) * value, moment, 0, steps)
        for decay, value in ((first_moment_decay, gradient), (second_moment_decay, gradient**2))
    ]
    first, second = averages
    start = (first / (1 - first_moment_decay**steps)) / sympy.sqrt(second / (1 - second_moment_decay**steps))
    build = ChainBuilder(
        "adam-step",
        "Adam's step in a coordinate whose gradient has been the same for n steps, per step size",
        start,
        conditions=[nonzero(1 - decay**steps) for decay in (first_moment_decay, second_moment_decay)],
    )
    into = (1 - first_moment_decay**steps) * gradient
    build.rewrite("the average of a constant gradient", "induction", first, into)
    into = (1 - second_moment_decay**steps) * gradient**2
    return build.rewrite("and of its square", "induction", second, into).done()


def _aligned() -> Chain:
    """Signs have square 1: m coordinates in T and d − m in N."""
    signs = ((sign_tangent, sign(x)), (sign_normal, sign(y)))
    in_tangent = (sympy.Symbol("tangent_energy"), dim * Expectation(sign_tangent**2))
    in_normal = (sympy.Symbol("normal_energy"), codim * Expectation(sign_normal**2))
    build = ChainBuilder(
        "aligned-energy-ratio",
        "The ratio of energies per dimension of the update where coordinate axes span T",
        (in_tangent[0] / dim) / (in_normal[0] / codim),
        definitions=[*signs, in_tangent, in_normal],
        conditions=[nonzero(codim)],
    )
    build.substitute("m coordinates in T, d − m in N", in_tangent, in_normal)
    return build.substitute("signs", *signs).done()


def _rotated_about_gradient() -> Chain:
    """|P_T s|² for s = ⟨s,u⟩u + |s_⊥| w, where w is uniform across u, averaged over w.

    P_T has the entries c², U_i and A_ij in u and an orthonormal basis across u (of A only symmetry is used).
    """
    bilinear = (
        energy,
        along**2 * share + 2 * along * across * U[i] * w[i] + across**2 * A[i, j] * w[i] * w[j],
    )
    pythagoras = (across, sympy.sqrt(ambient_dim - along**2))
    trace_of = (A[i, i], dim - share)
    build = ChainBuilder(
        "rotation-about-gradient",
        "The energy of sgn u in T, averaged over rotations of the axes about u",
        Mean(energy),
        definitions=[pythagoras],
        hypotheses=[bilinear, trace_of],
        conditions=[sphere(ambient_dim - 1), direction_free(along, ambient_dim, share), nonzero(ambient_dim - 1)],
    )
    build.substitute("the two parts of sgn u", bilinear)
    build.substitute("|sgn u|² = d", pythagoras)
    average = along**2 * share + (ambient_dim - along**2) * A[i, i] / (ambient_dim - 1)
    build.rewrite("average by pairings", "isserlis", build.current, average)
    return build.substitute("tr P_T = m", trace_of).done()


def _tangent_energy(rotated: Chain, alignment: Chain) -> Chain:
    """E|P_T s|² = (1 − 2/π)m + (2/π)d E c²."""
    mean_share = (Expectation(share), tangent_share)
    build = ChainBuilder(
        "tangent-energy",
        "The energy of the update in T, averaged over rotations of the axes",
        Expectation(rotated.start),
        hypotheses=[mean_share],
        conditions=[deterministic(dim, ambient_dim), independent((share,), (along,))],
        uses=[rotated, alignment],
    )
    build.substitute("rotations about the gradient", fact(rotated))
    rest = ambient_dim - 1
    joint = Expectation(along**2 * share)
    linear = dim * ambient_dim - dim * Expectation(along**2) - ambient_dim * Expectation(share) + ambient_dim * joint
    build.rewrite("linearity", "linearity", build.current, linear / rest)
    product = Expectation(along**2) * Expectation(share)
    build.rewrite("where the axes are does not depend on T", "independence", joint, product)
    build.substitute("all rotations", fact(alignment), mean_share)
    pi = sympy.pi
    return build.tidy("collect", (1 - 2 / pi) * dim + 2 / pi * ambient_dim * tangent_share).done()


def _ratio(energy_mean: Chain) -> Chain:
    """The ratio of energies per dimension; |s|² = d is the sum of both."""
    in_tangent = energy_mean.start
    below = (sympy.pi - 2) * codim + 2 * ambient_dim * (1 - tangent_share)
    build = ChainBuilder(
        "update-energy-ratio",
        "Energy per tangent dimension over energy per normal dimension of the update, for axes in general position",
        (in_tangent / dim) / ((ambient_dim - in_tangent) / codim),
        conditions=[nonzero(codim), nonzero(below)],
        uses=[energy_mean],
    )
    build.substitute("the energy in T", fact(energy_mean))
    above = (sympy.pi - 2) * dim + 2 * ambient_dim * tangent_share
    return build.tidy("collect", codim * above / (dim * below)).done()


def _growth(ratio: Chain) -> Chain:
    """The ratio grows with the share: its derivative is a square times positive factors."""
    build = ChainBuilder(
        "growth-with-share",
        "How the ratio changes with the tangent share of the gradient",
        Slope(ratio.conclusion, tangent_share),
        conditions=[nonzero(sympy.denom(ratio.conclusion) / dim)],
    )
    below = (sympy.pi - 2) * codim + 2 * ambient_dim * (1 - tangent_share)
    into = 2 * sympy.pi * ambient_dim**2 * codim / (dim * below**2)
    return build.rewrite("differentiate", "differentiation", build.current, into).done()


def _cap(ratio: Chain) -> Chain:
    tangent_only = (tangent_share, sympy.Integer(1))
    build = ChainBuilder(
        "update-energy-ratio-cap",
        "The ratio for a gradient in T",
        ratio.start,
        hypotheses=[tangent_only],
        uses=[ratio],
    )
    build.substitute("axes in general position", fact(ratio))
    build.substitute("c² = 1", tangent_only)
    return build.tidy("collect", 1 + 2 * ambient_dim / ((sympy.pi - 2) * dim)).done()


def predictions(signs: Chain, ratio: Chain, cap: Chain) -> dict[str, Prediction]:
    """``sign-correlation``, ``update-energy-ratio`` and ``update-energy-ratio-cap``; all exact.

    The two ratios are of energies averaged over rotations of the axes.
    """
    exact: tuple[Any, ...] = (signs, ratio, cap)
    return {chain.name: Prediction(chain.name, chain.conclusion) for chain in exact}
