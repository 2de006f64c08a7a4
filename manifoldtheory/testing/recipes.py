"""What drawn examples are made of: tensors and patches as pure functions of a few round numbers and a seed.

The strategies draw the arguments, these functions expand them. A failing example therefore prints as a short call, and
the call rebuilds the object exactly:

    patch=monge_patch(3, 32, (1.0, 0.5), 7, 0.25)

Seed 0 always means the aligned choice (coordinate axes, the identity); every other seed means a rotation drawn from
the Haar measure by a generator of that seed. Everything is float64, on the CPU.
"""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.errors import InputError
from manifoldtheory.manifolds.base import Submanifold
from manifoldtheory.manifolds.checks import require_dim
from manifoldtheory.manifolds.monge import MongePatch
from manifoldtheory.testing.checks import (
    LARGEST_VOCABULARY,
    require_form,
    require_instance,
    require_number,
    require_numbers,
    require_seed,
    require_whole,
)


def second_form(
    dim: int, codim: int, curvatures: Sequence[float] = (), seed: int = 0, mixing: float = 0.0
) -> Float[Tensor, "codim m m"]:
    """h = (1 − μ) Σ_j κ_j n_j v_j v_jᵀ + μ Σ_j κ_j n′_j v′_j v′_jᵀ, with |h(v, v)| ≤ max |κ_j| for every unit v.

    The v_j are orthonormal and the n_j unit vectors, so that Σ_j (v·v_j)² n_j is a convex combination of unit vectors:
    hence the bound, which the first sum attains at v_j.

    Args:
        dim: m.
        codim: d − m.
        curvatures: κ, at most m of them, in 1/length; missing ones are 0.
        seed: 0 for coordinate axes v_j = e_j, n_j = e_{j mod codim}; else Haar-random v, independent uniform n.
        mixing: μ in [0, 1]; the second family is always random, so that h has no common principal axes if 0 < μ.

    Raises `InputError` for more than m curvatures, a mixing outside [0, 1], and forms too large for memory.
    """
    require_dim("dim", dim)
    require_dim("codim", codim)
    require_form(dim, codim, order=2)
    kappa = _filled("curvatures", curvatures, dim)
    mixing = require_number("mixing", mixing, 0, 1)
    generator = _generator(seed)
    form = (1 - mixing) * _bent(kappa, codim, generator if seed else None, order=2)
    return form + mixing * _bent(kappa, codim, generator, order=2) if mixing else form


def trace_free(form: Float[Tensor, "codim m m"]) -> Float[Tensor, "codim m m"]:
    """h^a − (tr h^a/m) I: the second form of a submanifold that is minimal at the point."""
    mean = torch.diagonal(form, dim1=-2, dim2=-1).mean(-1)
    return form - mean[:, None, None] * torch.eye(form.shape[-1], dtype=form.dtype)


class DrawnPatch(MongePatch):
    """A Monge patch that remembers the call that made it."""

    _call: str

    def __repr__(self) -> str:
        return self._call


def monge_patch(
    dim: int,
    ambient_dim: int,
    curvatures: Sequence[float] = (),
    seed: int = 0,
    mixing: float = 0.0,
    cubic: Sequence[float] = (),
) -> MongePatch:
    """The graph of ½ h(u, u) + ⅙ k(u, u, u): h the `second_form` of these arguments, k = Σ_j λ_j n_j v_j ⊗ v_j ⊗ v_j.

    Likewise |k(u, v, v)| ≤ max |λ_j| |u| for unit v, so that |II(v, v)| ≤ max |κ_j| + max |λ_j| |u| at (u, z(u)). The
    `repr` of the patch is this call. `cubic` holds the λ_j, in 1/length².
    """
    require_dim("dim", dim)
    require_dim("ambient_dim", ambient_dim)
    if dim >= ambient_dim:
        raise InputError(f"a patch needs dim < ambient_dim, got {dim} and {ambient_dim}")
    curvatures, cubic = require_numbers("curvatures", curvatures), require_numbers("cubic", cubic)
    codim = ambient_dim - dim
    form = second_form(dim, codim, curvatures, seed, mixing)
    third = None
    if any(cubic):
        require_form(dim, codim, order=3)
        third = _bent(_filled("cubic", cubic, dim), codim, _generator(seed) if seed else None, order=3)
    patch = DrawnPatch(form, third)
    optional = [(curvatures, ()), (seed, 0), (mixing, 0.0), (cubic, ())]
    while optional and optional[-1][0] == optional[-1][1]:
        optional.pop()
    patch._call = f"monge_patch({', '.join(map(repr, (dim, ambient_dim, *(value for value, _ in optional))))})"
    return patch


def base_point(manifold: Submanifold, seed: int = 0) -> Float[Tensor, " d"]:
    """A point on the manifold: the image of coordinates 0 for seed 0 (the vertex of a Monge patch), else a sample."""
    require_instance("manifold", manifold, Submanifold, "Sphere(2)")
    if require_seed(seed):
        return manifold.sample(1, generator=_generator(seed))[0]
    return manifold.immersion(torch.zeros(manifold.dim, dtype=torch.float64))


def orthonormal_frame(ambient_dim: int, dim: int, seed: int = 0) -> Float[Tensor, "d k"]:
    """k orthonormal columns in R^d: the first k axes for seed 0, else Haar-random. Raises `InputError` if k > d."""
    require_dim("dim", dim)
    require_dim("ambient_dim", ambient_dim)
    if dim > ambient_dim:
        raise InputError(f"{dim} orthonormal vectors don't fit into {ambient_dim} dimensions: lower dim")
    return _frame(ambient_dim, dim, _generator(seed) if require_seed(seed) else None)


def covariance(spectrum: Sequence[float], seed: int = 0) -> Float[Tensor, "d d"]:
    """Q diag(spectrum) Qᵀ, symmetric to the last bit: Q the identity for seed 0, else Haar-random."""
    numbers = require_numbers("spectrum", spectrum, 0)
    require_dim("the size of a covariance", len(numbers))
    values = torch.tensor(numbers, dtype=torch.float64)
    if not require_seed(seed):
        return torch.diag(values)
    axes = _frame(len(values), len(values), _generator(seed))
    product = (axes * values) @ axes.mT
    return (product + product.mT) / 2


def frequency_table(
    vocabulary: int, exponent: float = 0.0, multiples: Mapping[int, float] | None = None
) -> Float[Tensor, " vocabulary"]:
    """f_r ∝ c_r (r + 1)^{−exponent}, Σ f_r = 1: Zipf's law, with the tokens in `multiples` c_r times as frequent.

    Raises `InputError` for more than 10⁸ tokens, exponents beyond ±20, and multiples beyond 1e-9 to 1e9.
    """
    require_whole("vocabulary", vocabulary, 1, LARGEST_VOCABULARY)
    exponent = require_number("exponent", exponent, -20, 20)
    factors = dict(multiples or {}) if multiples is None or isinstance(multiples, Mapping) else None
    if factors is None:
        raise InputError(f"multiples must be a mapping from tokens to factors, got {multiples!r}: e.g. {{0: 2.0}}")
    for token, factor in factors.items():
        require_whole("a token of multiples", token, 0, vocabulary - 1)
        require_number(f"multiples[{token}]", factor, 1e-9, 1e9)
    weight = torch.arange(1, vocabulary + 1, dtype=torch.float64) ** -exponent
    for token, factor in factors.items():
        weight[token] *= float(factor)
    return weight / weight.sum()


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(require_seed(seed))


def _filled(name: str, values: Sequence[float], dim: int) -> Tensor:
    """The values in float64, followed by zeros up to `dim`."""
    values = require_numbers(name, values)
    if len(values) > dim:
        raise InputError(f"{name} has {len(values)} entries, and a form in {dim} dimensions takes at most {dim}")
    return torch.tensor([*values, *[0.0] * (dim - len(values))], dtype=torch.float64)


def _bent(values: Tensor, codim: int, generator: torch.Generator | None, *, order: int) -> Tensor:
    """Σ_j values_j n_j v_j^{⊗order}, (codim, m, …); aligned without a generator."""
    dim = len(values)
    axes = _frame(dim, dim, generator)
    if generator is None:
        normals = torch.eye(codim, dtype=torch.float64)[:, torch.arange(dim) % codim]
    else:
        gaussian = torch.randn(codim, dim, generator=generator, dtype=torch.float64)
        normals = gaussian / torch.linalg.vector_norm(gaussian, dim=0)
    powers = axes
    for _ in range(order - 1):
        powers = (powers[:, None] * axes).reshape(-1, dim)
    return ((normals * values) @ powers.mT).reshape(codim, *[dim] * order)


def _frame(ambient_dim: int, dim: int, generator: torch.Generator | None) -> Tensor:
    """The first axes, or Haar: QR is unique, and Haar, only with the signs of R's diagonal moved into Q."""
    if generator is None:
        return torch.eye(ambient_dim, dim, dtype=torch.float64)
    gaussian = torch.randn(ambient_dim, dim, generator=generator, dtype=torch.float64)
    frame, triangle = torch.linalg.qr(gaussian)
    return frame * torch.where(torch.diagonal(triangle) < 0, -1.0, 1.0)
