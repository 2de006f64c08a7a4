"""Laws of random subspaces, and the one of them that makes a given energy typical.

A random rank-k subspace is the span of Y = C^½ Z with Z (d, k) standard normal: Haar for C = I, else matrix angular
central Gaussian (Chikuse 1990). Its energy per dimension of a second moment A is E = tr((YᵀY)⁻¹ YᵀAY)/k. Drawing
L Z in place of Z, with S = LLᵀ, gives a law of the same kind, a *tilt*. Its mean projector for large d is
P = ρΣ(I + ρΣ)⁻¹, Σ = C^½ S C^½, with ρ such that tr P = k; so its mean energy is tr(AP)/k, and its Kullback–Leibler
divergence from the law of C is

    D(S) = d/2 (log|I + τS| − k log τ) − k/2 log|S| + const,    p(S) = τS(I + τS)⁻¹,  tr p = k.

The tilt sought has the least D among those of mean energy e. In coordinates where S = I it is stationary when

    k I − d p + 2θ B = 0,    B = Lᵀ C^½ ρ(I + ρΣ)⁻¹ (A − ā I) (I + ρΣ)⁻¹ C^½ L,   tr B = 0,

with the multiplier θ of the energy. For Haar that is a scalar equation in each eigenvector of A, and for k ≪ d the
exponential tilt I − c(A − λI) of S⁻¹; in general it is solved by Newton steps on log S, whose Hessian is that of Haar.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from jaxtyping import Float
from scipy.optimize import brentq, fminbound
from scipy.special import expit
from torch import Tensor

from manifoldtheory.errors import InputError

ROUNDING = 1e-6
"""Share of the largest eigenvalue by which one of a covariance may fall below 0, from rounding to float32."""
MOST_STEPS = 40
CONVERGED = 0.02
"""Size of a step in log S after which a tilt is as good as the mean field's own error."""
LARGEST_STEP = 2.0
RELAXATION = 0.5
"""Share of a Newton step taken under a C that is not I, whose Hessian is only roughly that of Haar."""
MOST_TILT = 60.0


@dataclass(frozen=True)
class SubspaceLaw:
    """Spans of `root` z, z (r, k) standard normal, in the eigenbasis of a second moment; r directions can occur.

    `root` is (r, r), or the diagonal (r,) of a diagonal one. `variances` is the spectrum of S, and S is diagonal in the
    coordinates of z: z_i has `variances`_i times the variance that it has in the law that is tilted.
    """

    energies: Float[Tensor, " r"]
    """Eigenvalues of the second moment."""
    root: Tensor
    variances: Float[Tensor, " r"]

    def span(self, z: Float[Tensor, "n r k"]) -> Float[Tensor, "n r k"]:
        return self.root[:, None] * z if self.root.ndim == 1 else self.root @ z

    def dual(self) -> "SubspaceLaw":
        """The law, not tilted, of the orthogonal complement: it spans C^{−½} Z, and takes the rest of tr A."""
        root = 1 / self.root if self.root.ndim == 1 else torch.linalg.inv(self.root).mT
        return SubspaceLaw(-self.energies, root, torch.ones_like(self.variances))

    def energy(self, z: Float[Tensor, "n r k"]) -> Float[Tensor, " n"]:
        """Energy per dimension in the span of each z, by Cholesky QR: rounding grows like the condition of `span`.

        Not finite, or off by more than rounding, where that is beyond 1e8.
        """
        y = self.span(z)
        basis = torch.linalg.solve_triangular(torch.linalg.cholesky_ex(y.mT @ y).L, y.mT, upper=False)
        inner = torch.linalg.solve_ex(basis @ basis.mT, (basis * self.energies) @ basis.mT).result
        return inner.diagonal(dim1=-2, dim2=-1).mean(-1)

    def log_densities(self, z: Float[Tensor, "n r k"], parts: Iterable[float]) -> Float[Tensor, "p n"]:
        """log |S^t|^{−k/2} (|zᵀSz| / |zᵀS^{1−t}z|)^{r/2} for each t of `parts`: of the tilt S^t against none."""
        dim, rank = z.shape[1:]
        logs = self.variances.log()
        none = _log_gram(z, logs)
        return torch.stack(
            [
                dim / 2 * (none - _log_gram(z, (1 - part) * logs)) - part * rank / 2 * logs.sum()
                if part
                else torch.zeros_like(none)
                for part in parts
            ]
        )


def _log_gram(z: Tensor, log_weights: Tensor) -> Tensor:
    scaled = z * (log_weights / 2).exp()[:, None]
    return torch.logdet(scaled.mT @ scaled)


def subspace_law(matrix: Float[Tensor, "d d"], shape: Float[Tensor, "d d"] | None, rank: int) -> SubspaceLaw:
    """The law of C = `shape`, Haar for ``None``, within the directions that C has (Σ is singular off them).

    Raises `InputError` when these are fewer than `rank`, or C has negative eigenvalues.
    """
    if shape is None:
        energies = torch.linalg.eigvalsh(matrix)
        return SubspaceLaw(energies, torch.ones_like(energies), torch.ones_like(energies))
    values, vectors = torch.linalg.eigh(shape / shape.abs().max().clamp(min=torch.finfo(shape.dtype).tiny))
    if float(values[0]) < -ROUNDING * float(values[-1]):
        raise InputError(
            f"the covariance has the eigenvalue {float(values[0]):.3g} for a largest of {float(values[-1]):.3g} (in "
            "units of its largest entry): pass one that is positive semi-definite"
        )
    kept = values > max(0.0, float(values[-1])) * len(values) * torch.finfo(values.dtype).eps
    if int(kept.sum()) < rank:
        raise InputError(f"the covariance has fewer than {rank} directions, so no subspace of that rank can be drawn")
    values, vectors = values[kept], vectors[:, kept]
    energies, rotation = torch.linalg.eigh(vectors.T @ matrix @ vectors)
    return SubspaceLaw(energies, rotation.T * values.sqrt(), torch.ones_like(values))


def tilted(law: SubspaceLaw, rank: int, energy: float) -> SubspaceLaw:
    """The law of least divergence with this mean energy; `law` itself, untilted, if its mean energy is no lower.

    A `law` that is tilted already is the starting point, in either direction. One direction (k = 1) needs no large d.
    """
    if rank == 1:
        return _tilted_direction(law, energy)
    relaxation = 1.0 if law.root.ndim == 1 else RELAXATION
    for _ in range(MOST_STEPS):
        mean, gradient = _mean_energy(law, rank)
        if mean >= energy and bool((law.variances == 1).all()):
            break
        step = _newton_step(law.variances, gradient, rank, rank * (energy - mean))
        size = float(torch.linalg.vector_norm(step))
        if not size > CONVERGED:  # NaN, where all is saturated, also ends it
            break
        law = _moved(law, step * min(relaxation, LARGEST_STEP / size))
    return law


def _tilted_direction(law: SubspaceLaw, energy: float) -> SubspaceLaw:
    """The exponential tilt of {Yᵀ(A − eI)Y ≥ 0}: S⁻¹ = I − 2θF, F = C^½(A − eI)C^½, with θ such that tr(S F) = 0."""
    excess = law.energies - energy
    if law.root.ndim == 1:
        root = law.root / law.variances.sqrt()
        form, rotation = root.square() * excess, None
    else:
        root = law.root / law.variances.sqrt()
        form, rotation = torch.linalg.eigh(root.T @ (excess[:, None] * root))
    form = form / form.max()

    def spread(u: float) -> Tensor:
        return 1 / (1 - form + math.exp(-u) * form)  # 2θ = 1 − e⁻ᵘ in units of 1 / largest eigenvalue

    def imbalance(u: float) -> float:
        return float((form * spread(u)).sum())

    u = _root(imbalance, 0.0, MOST_TILT) if imbalance(0.0) < 0 < imbalance(MOST_TILT) else 0.0
    variances = spread(u)
    root = root if rotation is None else root @ rotation
    return SubspaceLaw(law.energies, root * variances.sqrt(), variances)


def chernoff_bound(energies: Float[Tensor, " d"], rank: int, energy: float) -> float:
    """Upper bound of P(E ≥ `energy`) for Haar subspaces and a second moment of these eigenvalues.

    The tilt S = (αI − A)⁻¹ has the density |S|^{−k/2} |QᵀS⁻¹Q|^{−d/2} against Haar, so that, least over α > λ₁,

        P ≤ Π (α − λᵢ)^{−k/2} Π (α − μⱼ)^{d/2},

    where the μⱼ are the most equal numbers of sum k·`energy` between what the eigenvalues of QᵀAQ interlace with: by
    concavity of the logarithm, no |QᵀS⁻¹Q| in the event is larger. For k = 1 this is Chernoff's bound for yᵀ(A − eI)y.
    """
    ascending = energies.sort().values.cpu().numpy()
    least, most = ascending[:rank], ascending[-rank:]
    width = ascending[-1] - ascending[0]
    if rank * energy <= least.sum():
        return 1.0
    if rank * energy >= most.sum():
        return 0.0
    level = _root(lambda level: float(np.clip(level, least, most).sum()) - rank * energy, ascending[0], ascending[-1])
    gaps, equal_gaps = ascending[-1] - ascending, ascending[-1] - np.clip(level, least, most)

    def log_bound(log_share: float) -> float:
        beyond = width * math.exp(log_share)  # α − λ₁
        return float(len(gaps) * np.log(beyond + equal_gaps).sum() - rank * np.log(beyond + gaps).sum()) / 2

    best = cast("float", fminbound(log_bound, -MOST_TILT, MOST_TILT))
    return math.exp(min(0.0, log_bound(best)))


def mean_energy(law: SubspaceLaw, rank: int) -> float:
    """tr(AP)/k: the mean energy per dimension, for large d."""
    return _mean_energy(law, rank)[0]


def _mean_energy(law: SubspaceLaw, rank: int) -> tuple[float, Tensor]:
    """tr(AP)/k, and B."""
    if law.root.ndim == 1:
        filled = _filled(law.root.square(), rank)
        window, trace = filled * (1 - filled), float((law.energies * filled).sum())
        return trace / rank, window * (law.energies - (window * law.energies).sum() / window.sum())
    values, vectors = torch.linalg.eigh(law.root.T @ law.root)
    filled = _filled(values.clamp(min=0), rank)
    projected = law.root @ vectors * (filled / values.clamp(min=torch.finfo(values.dtype).tiny)).sqrt()
    within = projected.T @ (law.energies[:, None] * projected)
    # `within` is P^½ A P^½: one (I − P)^½ on each side leaves what a change of S can move.
    free = (1 - filled).sqrt()
    gradient = free[:, None] * within * free
    gradient = gradient - torch.diag(filled * (1 - filled) * (gradient.trace() / (filled * (1 - filled)).sum()))
    return float(within.trace()) / rank, vectors @ gradient @ vectors.T


def _newton_step(variances: Tensor, gradient: Tensor, rank: int, missing: float) -> Tensor:
    """Change of log S, a vector where all is diagonal, that makes up the `missing` energy to first order."""
    dim, filled = len(variances), _filled(variances, rank)
    hessian, slope = dim * filled**2 - 2 * rank * filled + rank, rank - dim * filled
    if gradient.ndim == 2:
        hessian, slope = (hessian[:, None] * hessian).sqrt(), torch.diag(slope)
    theta = (missing - (gradient * slope / hessian).sum()) / (gradient.square() / hessian).sum()
    return (slope + theta * gradient) / hessian


def _moved(law: SubspaceLaw, step: Tensor) -> SubspaceLaw:
    """L becomes L exp(step/2), and the coordinates those where S is diagonal again."""
    if step.ndim == 1:
        return SubspaceLaw(law.energies, law.root * (step / 2).exp(), law.variances * step.exp())
    factor = torch.linalg.matrix_exp(step / 2)
    variances, rotation = torch.linalg.eigh(factor.T @ (law.variances[:, None] * factor))
    return SubspaceLaw(
        law.energies, law.root @ factor @ rotation, variances.clamp(min=torch.finfo(variances.dtype).tiny)
    )


def _filled(values: Tensor, rank: int) -> Tensor:
    """τx/(1 + τx) with the τ for which they add up to k."""
    if rank == len(values):
        return torch.ones_like(values)
    logs = values.clamp(min=torch.finfo(values.dtype).tiny).log()
    numbers = logs.cpu().numpy()
    log_tau = _root(lambda u: float(expit(numbers + u).sum()) - rank, -numbers.max() - 40, -numbers.min() + 40)
    filled = torch.sigmoid(logs + log_tau)
    return filled * (rank / filled.sum())


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    return cast("float", brentq(function, low, high))
