"""Small linear systems over batches."""

import torch
from torch import Tensor


def solve_definite(matrix: Tensor, right: Tensor) -> Tensor:
    """matrix⁻¹ right for positive definite matrices, by LDLᵀ over the leading axes: (m, m, …), (m, …) → (m, …).

    Unrolled: a batched LAPACK call per step costs ten times as much for the small m of a geodesic.
    """
    dim = right.shape[0]
    rows = [[matrix[i, j] for j in range(i, dim)] for i in range(dim)]
    solution = list(right.unbind(0))
    for i in range(dim):
        for j in range(i + 1, dim):
            factor = rows[i][j - i] / rows[i][0]
            for k in range(j, dim):
                rows[j][k - j] = rows[j][k - j] - factor * rows[i][k - i]
            solution[j] = solution[j] - factor * solution[i]
    for i in reversed(range(dim)):
        rest = solution[i]
        for j in range(i + 1, dim):
            rest = rest - rows[i][j - i] * solution[j]
        solution[i] = rest / rows[i][0]
    return torch.stack(solution)
