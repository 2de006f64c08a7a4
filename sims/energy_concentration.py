"""R_energy of per-token gradients, by autograd through a linear layer, over radii, with and without noise."""

from functools import partial

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from manifoldtheory.estimators import SecondMoment, TangentProxy, energy_ratio, fit_exponent, pooled
from manifoldtheory.ledger import Evidence, Prediction, rung
from manifoldtheory.manifolds import FixedRadius
from proofs import PROVIDER as PROOFS
from sims.engine import chunk_sizes, map_chunks
from sims.sampling import Curvature
from sims.simulation import Simulation

CHUNK = 2**15
OUTPUTS = 4
"""Of the linear layer y = W ξ."""
BLOCKS = 16
"""Equal shares of the points, left out in turn by the jackknife."""
NOISES = {"energy-ratio": 0.0, "noisy-energy-ratio": 1e-4}
"""Standard deviation σ of the ambient noise, per dimension."""
THINNING = 4
"""Autograd of every token costs more than its place on a graph."""


def simulate(simulation: Simulation) -> list[Evidence]:
    """R_energy in the tangent space at every radius, and its exponent without noise."""
    prediction = PROOFS.predictions("energy-concentration")["energy-ratio"]
    curvature, subject = simulation.curvature, simulation.subject
    proxy = TangentProxy(subject.manifold.tangent_frame(subject.base_point))
    radii, points = simulation.radii, simulation.points // THINNING
    evidence: list[Evidence] = []
    ladder: list[tuple[float, float]] = []
    for index, t in enumerate(radii):
        simulation.progress(f"radius {t:.1e}", index, len(radii))
        chunks = map_chunks(
            partial(gradient_moments, curvature, t),
            chunk_sizes(points, CHUNK),
            simulation.stream("points"),  # the same at every radius
            executor=simulation.executor,
        )
        for quantity, noise in NOISES.items():
            blocks = [pooled(block) for block in zip(*(chunk[quantity] for chunk in chunks), strict=True)]
            ratio, stderr = jackknife_ratio(blocks, proxy)
            known = {
                "dim": subject.dim,
                "ambient_dim": subject.ambient_dim,
                "curvature_sq_mean": curvature.mean_normal_curvature_sq,
                "radius_sq_mean": t**2,
                "radius_4_mean": t**4,
                "radius_6_mean": t**6,
                "noise_variance": noise**2,
                "curvature_bound": curvature.bound,
            }
            remainder = float(prediction.bound(**known))
            evidence.append(
                simulation.compare(
                    quantity,
                    measured=ratio,
                    predicted=float(prediction(**known)),
                    stderr=stderr,
                    remainder=remainder,
                    blocks=BLOCKS,
                    n=points,
                    bin=rung("radius", t),
                )
            )
            if quantity == "energy-ratio":
                ladder.append((ratio, float(np.hypot(stderr, remainder))))
    law = fit_exponent(radii, *zip(*ladder, strict=True))
    evidence.append(simulation.compare_exponent("energy-ratio-exponent", law, predicted_exponent()))
    return evidence


def predicted_exponent() -> float:
    """The power of t in the noise-free law on a shell, where E t² = t² and E t⁴ = t⁴."""
    import sympy

    t = sympy.Symbol("radius", positive=True)
    law = PROOFS.predictions("energy-concentration")["energy-ratio"].expression
    at = {"radius_sq_mean": t**2, "radius_4_mean": t**4, "noise_variance": sympy.Integer(0)}
    on_shell = law.subs([(symbol, at[str(symbol)]) for symbol in law.free_symbols if str(symbol) in at])
    return float(Prediction("energy-ratio on a shell", on_shell).exponent("radius"))


def gradient_moments(
    curvature: Curvature, t: float, generator: torch.Generator, n: int
) -> dict[str, list[SecondMoment]]:
    """Moments of the input side of per-token gradients ∂loss/∂W = δ xᵀ, at volume-uniform points of one radius.

    Without and with noise, each in equal blocks of tokens. The layer learns from a teacher it already agrees with, so
    that the output gradient δ is the label noise of each token, independent of its input x = ξ + ε.
    """
    subject = curvature.subject
    cloud = subject.manifold.sample_cloud(
        subject.base_point, n, FixedRadius(t), direction="projected", generator=generator
    )
    frames = subject.manifold.tangent_frame(subject.base_point), subject.manifold.normal_frame(subject.base_point)
    displacement = cloud.tangent @ frames[0].mT + cloud.normal @ frames[1].mT
    draw = partial(torch.randn, generator=generator, device=generator.device, dtype=displacement.dtype)
    noise, label_noise = draw(n, subject.ambient_dim), draw(n, OUTPUTS)
    weight = draw(OUTPUTS, subject.ambient_dim) / subject.ambient_dim**0.5
    moments = {}
    for quantity, scale in NOISES.items():
        x = displacement + scale * noise
        label = torch.nn.functional.linear(x, weight) + label_noise
        gradients = token_gradients(weight, x, label)
        rows, weights = gradients.flatten(0, 1), cloud.weight.repeat_interleave(OUTPUTS)
        moments[quantity] = [
            SecondMoment(subject.ambient_dim).update(block, block_weights)
            for block, block_weights in zip(rows.chunk(BLOCKS), weights.chunk(BLOCKS), strict=True)
        ]
    return moments


def token_gradients(
    weight: Float[Tensor, "out d"], x: Float[Tensor, "n d"], label: Float[Tensor, "n out"]
) -> Float[Tensor, "n out d"]:
    """∂/∂W of ½ |W x − label|² of every token, by autograd through a copy of the linear layer for each."""
    weights = weight.expand(len(x), -1, -1).clone().requires_grad_()
    output = torch.bmm(weights, x[..., None])[..., 0]
    (gradients,) = torch.autograd.grad(0.5 * (output - label).square().sum(), weights)
    return gradients


def jackknife_ratio(blocks: list[SecondMoment], proxy: TangentProxy) -> tuple[float, float]:
    """R_energy of all blocks, and its standard error by leaving out one block in turn."""

    def ratio(kept: list[SecondMoment]) -> float:
        return energy_ratio(pooled(kept), proxy, draws=0).ratio

    left_out = np.array([ratio(blocks[:i] + blocks[i + 1 :]) for i in range(len(blocks))])
    factor = (len(blocks) - 1) / len(blocks)
    return ratio(blocks), float(np.sqrt(factor * ((left_out - left_out.mean()) ** 2).sum()))
