"""The least loss for every number of leaves, for small tables: a reference that shares nothing with the solver."""

from functools import cache

import numpy as np


def least_losses(
    binary: np.ndarray, y: np.ndarray, weight: np.ndarray, max_depth: int | None, min_samples_leaf: int
) -> dict[int, float]:
    """Return the least loss of trees of every number of leaves that there are, in units of the root loss."""
    n, features = binary.shape
    weight = weight.astype(np.longdouble)
    y = (y - np.average(y, weights=weight)).astype(np.longdouble)
    total = (weight * y * y).sum()
    if total == 0:
        return {1: 0.0}
    yes = [sum(1 << r for r in range(n) if binary[r, f]) for f in range(features)]

    @cache
    def losses(rows: int, depth: int) -> dict[int, float]:
        at = [r for r in range(n) if rows >> r & 1]
        mean = (weight[at] * y[at]).sum() / weight[at].sum()
        best = {1: float((weight[at] * (y[at] - mean) ** 2).sum() / total)}
        for f in range(features if depth else 0):
            on, off = rows & yes[f], rows & ~yes[f]
            if not on or not off or min(on.bit_count(), off.bit_count()) < min_samples_leaf:
                continue
            for a, loss_a in losses(on, depth - 1).items():
                for b, loss_b in losses(off, depth - 1).items():
                    best[a + b] = min(best.get(a + b, np.inf), loss_a + loss_b)
        return best

    return losses((1 << n) - 1, features if max_depth is None else min(max_depth, features))
