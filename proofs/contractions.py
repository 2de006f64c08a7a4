"""Contracted tensor expressions in any dimension: canonical forms and averages over the unit sphere.

An expression is a sum of products of indexed tensors; an index that occurs twice is summed. The unit vector ``w`` is
contracted into slots of other tensors. Averages follow from Isserlis' theorem in its spherical form: the mean of
``w_{i1} … w_{i2p}`` over the unit sphere of R^m is the sum over all pairings of products of δ, over
``m(m+2)…(m+2p−2)``.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import permutations, product
from math import factorial, prod
from typing import Any

import sympy

from proofs.normal_forms import Nonzero, equal, expanded

w: Any = sympy.IndexedBase("w")
"""The unit direction."""
h: Any = sympy.IndexedBase("h")
"""The second fundamental form: ``h[a, i, j]``, normal index first, symmetric in i and j."""
P: Any = sympy.IndexedBase("P")
"""An orthogonal projector, symmetric."""
B: Any = sympy.IndexedBase("B")
"""A symmetric matrix."""
A: Any = sympy.IndexedBase("A")
"""An orthogonal projector in the tangent space, symmetric."""
U: Any = sympy.IndexedBase("U")
"""A tangent vector."""
N: Any = sympy.IndexedBase("N")
"""A normal vector."""

G: Any = sympy.IndexedBase("G")
"""A symmetric matrix in the tangent space."""

TENSORS: Mapping[str, tuple[str, ...]] = {
    "w": ("tangent",),
    "h": ("normal", "tangent", "tangent"),
    "A": ("tangent", "tangent"),
    "G": ("tangent", "tangent"),
    "U": ("tangent",),
    "N": ("normal",),
    "P": ("null", "null"),
    "B": ("null", "null"),
}
"""The tensors there are, and the space of each of their slots."""

SYMMETRIC_SLOTS: Mapping[str, tuple[int, int]] = {"h": (1, 2), "P": (0, 1), "B": (0, 1), "A": (0, 1), "G": (0, 1)}

Factor = tuple[str, tuple[Any, ...]]
Network = tuple[Factor, ...]
Contracted = dict[Network, Any]
"""Scalar coefficients by canonical network."""

MOST_ARRANGEMENTS = 100_000
"""What canonical forms try: all orders of the factors and their symmetric slots."""

_UNIT = "w"  # the label of a slot into which the unit vector is contracted


def contracted(expression: Any) -> Contracted:
    """The canonical form of a contracted expression. Raises ``ValueError`` where an index is not summed."""
    result: Contracted = {}
    cost = 0
    for term in sympy.Add.make_args(expanded(expression)):
        scalar, factors = sympy.Integer(1), []
        for factor in sympy.Mul.make_args(term):
            base, power = factor.as_base_exp()
            if isinstance(base, sympy.Indexed) and power.is_Integer and power > 0:
                factors += [(str(base.base), tuple(base.indices))] * int(power)
            else:
                scalar *= factor
        if scalar.has(sympy.Indexed) or scalar.free_symbols & {i for _, indices in factors for i in indices}:
            raise ValueError(f"{term} is no product of tensors and a number")
        absorbed = _absorb(factors, term)
        cost += _arrangements_of(absorbed)
        _check_cost(cost)
        network = canonical(absorbed)
        result[network] = result.get(network, 0) + scalar
    return result


def same(left: Contracted, right: Contracted, nonzero: Nonzero | None = None) -> bool:
    """Whether two canonical forms agree, their coefficients compared as rational functions."""
    zero = sympy.Integer(0)
    return all(equal(left.get(network, zero), right.get(network, zero), nonzero) for network in left | right)


def _absorb(factors: list[Factor], term: Any) -> Network:
    """Contracts the unit vectors into the slots they share an index with; checks that every index is summed."""
    counts = Counter(index for _, indices in factors for index in indices)
    if any(number != 2 for number in counts.values()):
        raise ValueError(f"every index must occur exactly twice in {term}")
    spaces: dict[Any, str] = {}
    for name, indices in factors:
        slots = TENSORS.get(name, ())
        if len(slots) != len(indices):
            raise ValueError(f"{name} is no tensor with {len(indices)} slots")
        for index, space in zip(indices, slots, strict=True):
            if not isinstance(index, sympy.Symbol) or spaces.setdefault(index, space) != space:
                raise ValueError(f"the index {index} is summed over no one space in {term}")
    units = Counter(indices[0] for name, indices in factors if name == _UNIT)
    return tuple(
        (name, tuple(_UNIT if index in units else index for index in indices))
        for name, indices in factors
        if name != _UNIT
    )


def _arrangements_of(network: Network, *, paired: bool = False) -> int:
    """How many arrangements its canonical form tries, for all pairings of its unit vectors or as it is."""
    slots = sum(indices.count(_UNIT) for _, indices in network) if paired else 0
    return prod(range(slots - 1, 1, -2)) * factorial(len(network)) * 2 ** len(network)


def _check_cost(arrangements: int) -> None:
    if arrangements > MOST_ARRANGEMENTS:
        raise ValueError(f"more than {MOST_ARRANGEMENTS} arrangements of tensors")


def canonical(network: Network) -> Network:
    """The least relabelling of a network under reordering of factors, symmetric slots and names of summed indices."""
    return min((_relabelled(arrangement) for arrangement in _arrangements(network)), default=())


def _arrangements(network: Network) -> Iterator[Network]:
    options = []
    for name, indices in network:
        slots = SYMMETRIC_SLOTS.get(name)
        variants = [indices]
        if slots is not None:
            swapped = list(indices)
            swapped[slots[0]], swapped[slots[1]] = swapped[slots[1]], swapped[slots[0]]
            variants.append(tuple(swapped))
        options.append([(name, variant) for variant in variants])
    for choice in product(*options):
        yield from permutations(choice)


def _relabelled(network: Network) -> Network:
    labels: dict[Any, str] = {}
    return tuple(
        (name, tuple(_UNIT if index == _UNIT else labels.setdefault(index, f"i{len(labels)}") for index in indices))
        for name, indices in network
    )


def pairings(items: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, Any], ...]]:
    """All ways to split the items into pairs; none when their number is odd."""
    if not items:
        yield ()
        return
    first, *rest = items
    for position, partner in enumerate(rest):
        for others in pairings(tuple(rest[:position] + rest[position + 1 :])):
            yield ((first, partner), *others)


def spherical_average(form: Contracted, dimension: Any) -> Contracted:
    """Average of a contracted expression over the unit vector in `dimension` dimensions."""
    _check_cost(sum(_arrangements_of(network, paired=True) for network in form))
    result: Contracted = {}
    for network, scalar in form.items():
        slots = tuple(
            (position, slot)
            for position, (_, indices) in enumerate(network)
            for slot, index in enumerate(indices)
            if index == _UNIT
        )
        weight = sympy.Integer(1)
        for step in range(len(slots) // 2):
            weight *= dimension + 2 * step
        for pairing in pairings(slots):
            joined = canonical(_joined(network, pairing))
            result[joined] = result.get(joined, 0) + scalar / weight
    return result


def _joined(network: Network, pairing: tuple[Any, ...]) -> Network:
    indices = [list(slots) for _, slots in network]
    for number, pair in enumerate(pairing):
        for position, slot in pair:
            indices[position][slot] = f"pair{number}"
    return tuple((name, tuple(slots)) for (name, _), slots in zip(network, indices, strict=True))


def haar_average(form: Contracted, dimension: Any, moments: tuple[Any, Any, Any]) -> Contracted:
    """Average over projectors P invariant under rotation, from E P_ij = c δ_ij and E P_ij P_kl = a δ_ij δ_kl + b(…).

    `moments` is (a, b, c). By invariance the second moment of a symmetric matrix has exactly this form, with
    b(δ_ik δ_jl + δ_il δ_jk). A loop of δ is the dimension.
    """
    a, b, c = moments
    result: Contracted = {}
    for network, scalar in form.items():
        projectors = [indices for name, indices in network if name == "P"]
        others = tuple(factor for factor in network if factor[0] != "P")
        if len(projectors) == 1:
            choices = [(c, (projectors[0],))]
        elif len(projectors) == 2:
            (i, j), (k, q) = projectors
            choices = [(a, ((i, j), (k, q))), (b, ((i, k), (j, q))), (b, ((i, q), (j, k)))]
        else:
            raise ValueError("an average over projectors takes one or two of them")
        for moment, deltas in choices:
            joined, loops = _with_deltas(others, deltas)
            key = canonical(joined)
            result[key] = result.get(key, 0) + scalar * moment * dimension**loops
    return result


def _with_deltas(network: Network, deltas: tuple[tuple[Any, Any], ...]) -> tuple[Network, int]:
    loops, pending = 0, list(deltas)
    while pending:
        left, right = pending.pop()
        if left == right:
            loops += 1
            continue
        # the summed index `right` is renamed `left` everywhere
        pending = [tuple(left if index == right else index for index in pair) for pair in pending]
        network = tuple(
            (name, tuple(left if index == right else index for index in indices)) for name, indices in network
        )
    return network, loops
