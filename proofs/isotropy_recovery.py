r"""Isotropy after the removal of a subspace: when removing the tangent space helps, and when it does not.

IsoScore* of a covariance C with spectrum λ in R^d, as it is published: λ̂ = √d λ/|λ|, the defect
δ = |λ̂ − 1|/√(2(d − √d)) from the vector 1 of ones, the fraction φ = (d − δ²(d − √d))²/d² of dimensions in use, and the
score (dφ − 1)/(d − 1). It equals (PR − 1)/(d − 1) with the participation ratio PR = S₁²/S₂, S₁ = tr C, S₂ = tr C².

A spectral subspace Q of dimension k removed, PR′ = (S₁ − tr C_Q)²/(S₂ − tr C_Q²) in the d − k dimensions left. For
two of them with eigenvalues t = n + g and n, and c = S₂/S₁,

    PR′_T − PR′_N = (A²⟨g, n − c⟩ + A²⟨g, t − c⟩ + ⟨g, 1⟩⟨n, n − c⟩(A + A_T) + c⟨g, 1⟩²A)/(B B_T)

with A, A_T = S₁ − ⟨n, 1⟩, S₁ − ⟨t, 1⟩ and B, B_T = S₂ − |n|², S₂ − |t|²: positive when t ≥ n ≥ c entry by entry and
t ≠ n.

Source: Rudman and Eickhoff, "Stable anisotropic regularization", ICLR 2024, for the definition.
"""

from typing import Any

import sympy

from manifoldtheory.ledger import Claim, Form, Hypothesis, Prediction, Statement, Verdict
from proofs.certificate import Chain, Equation
from proofs.conditions import nonzero, vectors
from proofs.derivation import Derivation, Finding
from proofs.energy.removed_spectra import counterexamples, instances
from proofs.expansion import ChainBuilder, fact, turned
from proofs.expressions import Dot, Slope
from proofs.symbols import (
    ambient_dim,
    rank,
    removed_eigenvalue,
    removed_trace,
    removed_trace_of_square,
    trace,
    trace_of_square,
)

CLAIM = Claim(
    slug="isotropy-recovery",
    title="Removing the tangent space recovers isotropy, if its variances lie above those of the average",
    section="energy",
    statements=(
        Statement(
            Form.AS_STATED,
            "Removing the tangent space raises IsoScore* more than removing normal subspaces of its dimension, for it "
            "holds more variance per dimension.",
            (Hypothesis("variance", "the variance per dimension in T is higher than in N"),),
        ),
        Statement(
            Form.REPAIRED,
            "IsoScore* is (PR − 1)/(d − 1), PR = (tr C)²/tr C². Without a spectral subspace Q of dimension k it is "
            "(PR′ − 1)/(d − k − 1), PR′ = (S₁ − tr C_Q)²/(S₂ − tr C_Q²); in one removed eigenvalue PR′ falls up to "
            "S₂/S₁ and rises beyond. Of two spectral subspaces with eigenvalues t and n in order, t ≥ n ≥ S₂/S₁ and "
            "t ≠ n, removing the one of t leaves the higher score.",
            (
                Hypothesis("spectral", "the removed subspaces are spanned by eigenvectors of C"),
                Hypothesis("dimensions", "both have dimension k, and scores are compared in the d − k > 1 left"),
                Hypothesis("threshold", "every removed eigenvalue is at least S₂/S₁, S₁ = tr C and S₂ = tr C²"),
            ),
        ),
    ),
)

spectrum, ones = sympy.symbols("spectrum ones")
"""The eigenvalues of C, and the vector whose entries are 1."""
removed, removed_ones = sympy.symbols("removed_spectrum removed_ones")
"""The same with the entries outside Q set to 0."""
kept, kept_ones = sympy.symbols("kept_spectrum kept_ones")
normalised = sympy.Symbol("normalised_spectrum")
defect, fraction = sympy.symbols("isotropy_defect used_fraction")
TRACES = (
    (Dot(spectrum, ones), trace),
    (Dot(spectrum, spectrum), trace_of_square),
    (Dot(ones, ones), ambient_dim),
)
KEPT_TRACES = (
    (Dot(kept, kept_ones), sympy.Symbol("kept_trace")),
    (Dot(kept, kept), sympy.Symbol("kept_trace_of_square", positive=True)),
    (Dot(kept_ones, kept_ones), sympy.Symbol("kept_dim", positive=True)),
)


def derive() -> Derivation:
    """The score in closed form, its change by a removal, the comparison of two, and spectra that refute the claim."""
    score = _score("iso-score-star", "IsoScore* of a covariance", spectrum, ones, TRACES)
    parts = _parts()
    removal = _score(
        "removal-score", "IsoScore* in the dimensions left by a spectral subspace", kept, kept_ones, KEPT_TRACES, parts
    )
    turning = _turning_point()
    comparison = _comparison()
    refuting = instances(removal)
    findings = (
        *(Finding(Form.AS_STATED, Verdict.REFUTES, instance.name, instance.chains) for instance in refuting),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, score.name, (score.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, removal.name, (removal.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, "turning-eigenvalue", (turning.name,)),
        Finding(Form.REPAIRED, Verdict.SUPPORTS, comparison.name, (comparison.name,)),
    )
    chains = (score, *parts, removal, turning, comparison, *(c for each in refuting for c in each.own_chains))
    return Derivation(
        CLAIM,
        chains,
        findings,
        predictions(score, removal, turning),
        counterexamples=counterexamples(refuting),
    )


def _score(
    name: str,
    title: str,
    values: Any,
    unit: Any,
    products: tuple[Equation, ...],
    parts: tuple[Chain, ...] = (),
) -> Chain:
    """The published definition for the spectrum `values`, and what its products with itself and the ones are."""
    first, second, dims = (value for _, value in products)
    root = sympy.sqrt(dims)
    scale = root / sympy.sqrt(second)
    unit_length = (normalised, scale * values)
    difference = normalised - unit
    defect_of = (defect, sympy.sqrt(Dot(difference, difference)) / sympy.sqrt(2 * (dims - root)))
    fraction_of = (fraction, ((dims - defect**2 * (dims - root)) / dims) ** 2)
    build = ChainBuilder(
        name,
        title,
        (dims * fraction - 1) / (dims - 1),
        definitions=[unit_length, defect_of, fraction_of],
        hypotheses=products,
        conditions=[vectors(values, unit, normalised), *map(nonzero, (second, dims - 1, dims - root))],
        uses=parts,
    )
    build.substitute("fraction of the dimensions in use", fraction_of)
    build.substitute("defect: the distance from the isotropic spectrum", defect_of)
    build.substitute("the spectrum at length √d, |λ|² = tr C²", unit_length)
    (product,) = build.current.atoms(Dot)
    expanded = scale**2 * Dot(values, values) - 2 * scale * Dot(values, unit) + Dot(unit, unit)
    build.rewrite("bilinearity", "bilinearity", product, expanded)
    build.substitute("tr C, tr C² and the dimension", *products)
    build.tidy("collect", (first**2 / second - 1) / (dims - 1))
    if parts:
        build.substitute("what they are sums over", *map(turned, products))
        build.substitute("and what the subspace leaves of them", *map(fact, parts))
    return build.done()


def _parts() -> tuple[Chain, ...]:
    """⟨λ′, 1⟩, |λ′|² and the dimension of what is left by Q: its entries agree with λ or are 0."""
    conditions = [vectors(spectrum, ones, removed, removed_ones, kept, kept_ones)]
    remaining = ((kept, spectrum - removed), (kept_ones, ones - removed_ones))
    agreements = (
        (Dot(removed, ones), removed_trace),
        (Dot(spectrum, removed_ones), removed_trace),
        (Dot(removed, removed_ones), removed_trace),
        (Dot(spectrum, removed), removed_trace_of_square),
        (Dot(removed, removed), removed_trace_of_square),
        (Dot(ones, removed_ones), rank),
        (Dot(removed_ones, removed_ones), rank),
    )
    wholes = (
        ("left-trace", "Trace of what is left", kept, kept_ones),
        ("left-trace-of-square", "Trace of its square", kept, kept),
        ("left-dimension", "Its dimension", kept_ones, kept_ones),
    )
    chains = []
    for name, title, left, right in wholes:
        used = tuple(equation for equation in remaining if equation[0] in (left, right))
        start = Dot(left, right)
        build = ChainBuilder(
            name, title, start, definitions=used, hypotheses=(*TRACES, *agreements), conditions=conditions
        )
        build.substitute("entries in Q are taken out", *used)
        products = _bilinear(dict(remaining)[left], dict(remaining)[right])
        build.rewrite("bilinearity", "bilinearity", build.current, products)
        known = {side for side, _ in (*TRACES, *agreements)} & products.atoms(Dot)
        equations = [equation for equation in (*TRACES, *agreements) if equation[0] in known]
        build.substitute("what is removed agrees with the spectrum", *equations)
        chains.append(build.done())
    return tuple(chains)


def _bilinear(left: Any, right: Any) -> Any:
    total = sympy.Integer(0)
    order = (spectrum, removed, ones, removed_ones)
    for a, u in ((left.coeff(vector), vector) for vector in order):
        for b, v in ((right.coeff(vector), vector) for vector in order):
            total += a * b * Dot(*sorted((u, v), key=order.index)) if a and b else 0
    return total


def _turning_point() -> Chain:
    """The derivative of PR′ = (S₁ − x)²/(S₂ − x²) in the removed eigenvalue x changes sign at S₂/S₁."""
    x = removed_eigenvalue
    ratio = (trace - x) ** 2 / (trace_of_square - x**2)
    build = ChainBuilder(
        "turning-eigenvalue",
        "The participation ratio left, as a function of one removed eigenvalue",
        Slope(ratio, x),
        conditions=[nonzero(trace_of_square - x**2), nonzero(trace)],
    )
    rate = 2 * trace * (trace - x) * (x - trace_of_square / trace) / (trace_of_square - x**2) ** 2
    build.rewrite("derivative", "differentiation", build.current, sympy.diff(ratio, x))
    return build.tidy("factorise: S₁ > x, for eigenvalues are not negative", rate).done()


tangent_values, normal_values, gap = sympy.symbols("tangent_spectrum normal_spectrum spectrum_gap")
"""The eigenvalues that are removed, t and n in order, and g = t − n."""
threshold = sympy.Symbol("turning_eigenvalue", positive=True)


def _comparison() -> Chain:
    """PR′ without T less PR′ without N: terms that are not negative, and one that is positive."""
    names = "kept_trace_T kept_trace_N kept_square_T kept_square_N gap_trace"
    trace_t, trace_n, square_t, square_n, gap_trace = sympy.symbols(names, positive=True)
    above_t, above_n, own = sympy.symbols("gap_above_T gap_above_N N_above", nonnegative=True)
    larger = normal_values + gap
    cut = threshold * ones
    products = (
        (Dot(gap, ones), gap_trace),
        (Dot(gap, larger - cut), above_t),
        (Dot(gap, normal_values - cut), above_n),
        (Dot(normal_values, normal_values - cut), own),
    )
    traces = ((trace_t, trace - Dot(larger, ones)), (trace_n, trace - Dot(normal_values, ones)))
    square = threshold * trace
    own_square = Dot(normal_values, normal_values)
    larger_square = own_square + 2 * Dot(normal_values, gap) + Dot(gap, gap)
    squares = ((square_t, square - larger_square), (square_n, square - own_square))
    larger_of, square_of = (tangent_values, larger), (trace_of_square, square)
    build = ChainBuilder(
        "comparison",
        "What is left without T against what is left without N, for eigenvalues t ≥ n ≥ S₂/S₁ in order",
        (trace - Dot(tangent_values, ones)) ** 2 / (trace_of_square - Dot(tangent_values, tangent_values))
        - (trace - Dot(normal_values, ones)) ** 2 / (trace_of_square - Dot(normal_values, normal_values)),
        definitions=[larger_of],
        hypotheses=[square_of, *products, *traces, *squares],
        conditions=[vectors(tangent_values, normal_values, gap, ones), *(nonzero(value) for _, value in squares)],
    )
    build.substitute("t = n + g; S₂ = c S₁", larger_of, square_of)
    (left_t, left_n), (whole_t, whole_n) = (tuple(value for _, value in pairs) for pairs in (traces, squares))
    spread, upper, lower, excess = (product for product, _ in products)
    numerator = (
        left_n**2 * (upper + lower)
        + spread * excess * left_n
        + spread * excess * left_t
        + threshold * spread**2 * left_n
    )
    build.rewrite("bilinearity; collect", "bilinearity", build.current, numerator / (whole_n * whole_t))
    return build.substitute(
        "signs: entries of g and of t, n above c", *products, *map(turned, (*traces, *squares))
    ).done()


def predictions(score: Chain, removal: Chain, turning: Chain) -> dict[str, Prediction]:
    """``iso-score-star``, ``removal-score`` and ``turning-eigenvalue``, all exact."""
    (excess,) = (factor for factor in turning.conclusion.args if factor.coeff(removed_eigenvalue) == 1)
    expressions = {
        score.name: score.conclusion,
        removal.name: removal.conclusion,
        turning.name: removed_eigenvalue - excess,
    }
    return {name: Prediction(name, expression) for name, expression in expressions.items()}
