"""Mean and variance of the energy in Haar-distributed subspaces, from the invariance of their projectors."""

import sympy

from proofs.certificate import Chain
from proofs.conditions import nonzero, projectors
from proofs.contractions import B, P
from proofs.expansion import ChainBuilder, fact
from proofs.expressions import HaarMean
from proofs.symbols import null_dim, rank, trace, trace_of_square

i, j, k, q = sympy.symbols("i j k q")
FIRST = rank / null_dim
_SHARE = rank / (null_dim * (null_dim - 1) * (null_dim + 2))
MOMENTS = (_SHARE * (rank * (null_dim + 1) - 2), _SHARE * (null_dim - rank), FIRST)
"""(a, b, c) in E P_ij P_kl = a δ_ij δ_kl + b(δ_ik δ_jl + δ_il δ_jk) and E P_ij = c δ_ij: see `null_moments`."""


def null_moments() -> tuple[Chain, ...]:
    """Mean and variance of tr(QᵀBQ)/k = tr(PB)/k over Haar projectors P = QQᵀ of rank k in n dimensions."""
    conditions = (
        ("trace", "E tr P = k determines c", P[i, i], rank, MOMENTS[2] * null_dim),
        (
            "squared-trace",
            "E (tr P)² = k², the first condition on a and b",
            P[i, i] * P[j, j],
            rank**2,
            MOMENTS[0] * null_dim**2 + 2 * MOMENTS[1] * null_dim,
        ),
        (
            "idempotence",
            "E tr P² = k, the second condition on a and b",
            P[i, j] * P[i, j],
            rank,
            MOMENTS[0] * null_dim + MOMENTS[1] * (null_dim**2 + null_dim),
        ),
    )
    haar = [projectors(null_dim, rank), nonzero(null_dim - 1)]
    chains = []
    for name, title, word, value, average in conditions:
        build = ChainBuilder(name, title, HaarMean(word), conditions=haar)
        build.rewrite("invariant form of the moments", "invariance", build.current, average, moments=MOMENTS)
        chains.append(build.tidy("collect", value).done())
    trace_of = (B[i, i], trace)
    square_of = (B[i, j] ** 2, trace_of_square)
    first = HaarMean(P[i, j] * B[i, j])
    average_energy = sympy.Symbol("average_energy")
    definition = (average_energy, first / rank)
    build = ChainBuilder(
        "null-mean",
        "Mean energy per dimension of a random subspace",
        average_energy,
        definitions=[definition],
        hypotheses=[trace_of],
        conditions=haar,
        uses=chains[:1],
    )
    build.substitute("tr(QᵀBQ) = tr(PB), P = QQᵀ", definition)
    build.rewrite("invariant form of the moments", "invariance", first, MOMENTS[2] * B[i, i], moments=MOMENTS)
    build.substitute("tr B", trace_of)
    mean = build.tidy("collect", trace / null_dim).done()
    second = HaarMean(P[i, j] * P[k, q] * B[i, j] * B[k, q])
    same_trace = (B[j, j], trace)
    build = ChainBuilder(
        "null-variance",
        "Variance of the energy per dimension of a random subspace",
        second / rank**2 - average_energy**2,
        hypotheses=[trace_of, same_trace, square_of],
        uses=[*chains, mean],
    )
    average = MOMENTS[0] * B[i, i] * B[j, j] + 2 * MOMENTS[1] * B[i, j] ** 2
    build.rewrite("invariant form of the moments", "invariance", second, average, moments=MOMENTS)
    build.substitute("the mean", fact(mean))
    build.substitute("tr B and tr B²", trace_of, same_trace, square_of)
    spread = trace_of_square - trace**2 / null_dim
    variance = 2 * (null_dim - rank) * spread / (rank * null_dim * (null_dim - 1) * (null_dim + 2))
    return (*chains, mean, build.tidy("collect", variance).done())
