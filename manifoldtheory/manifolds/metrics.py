"""What metric a geomstats space carries, measured."""

from typing import Any

import numpy as np
import torch

from manifoldtheory.manifolds.geomstats_bridge import double_precision, load_geomstats, process_state_kept

SAMPLES = 5
"""Random tangent vectors on which the metric is compared."""


def metric_ratio(space: Any) -> float | None:
    """c with |v|² = c |v|²_F for every tangent vector tried, F the Frobenius norm; ``None`` if it is not constant.

    Where points are intrinsic coordinates, v is pushed to the surrounding space first. On any backend; random state,
    which geomstats' samplers draw from, is put back afterwards.
    """
    gs = load_geomstats("geomstats.backend")
    with process_state_kept(), double_precision():
        torch.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002 # what geomstats draws from on its numpy backend
        points = getattr(space, "spread_points", space.random_point)(SAMPLES)
        vectors = space.to_tangent(gs.random.normal(size=(SAMPLES, *space.shape)), points)
        squares = np.asarray(space.metric.squared_norm(vectors, points), dtype=float)
        if hasattr(space, "jacobian_immersion"):
            vectors = gs.matvec(space.jacobian_immersion(points), vectors)
        flat = np.asarray(vectors, dtype=float).reshape(SAMPLES, -1)
    ratios = squares / (flat**2).sum(-1)
    mean = float(ratios.mean())
    return mean if bool(np.abs(ratios - mean).max() <= 1e-9 * abs(mean)) and mean > 0 else None
