"""Every tree there is, for tables small enough: the reference that shares nothing with the solver."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

TIE = 1e-12


@dataclass(frozen=True)
class Best:
    """The best tree: cost in units of the root loss, size, and (feature, yes, no) or None."""

    cost: float
    leaves: int
    depth: int
    split: Any


def brute_force(
    binary: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    regularization: float,
    max_depth: int | None,
    min_samples_leaf: int,
) -> Best:
    """Try every split of every set of rows.

    Among trees of equal cost: fewest leaves, then least depth, then the earliest feature at the
    root; subtrees alike. Rows are counted one by one, no groups are formed.
    """
    n, features = binary.shape
    y = (y - np.average(y, weights=weight)).astype(np.longdouble)
    total = float((weight * y * y).sum())
    if total == 0:
        return Best(regularization, 1, 0, None)
    weight = weight.astype(np.longdouble)
    yes = [sum(1 << r for r in range(n) if binary[r, f]) for f in range(features)]

    @cache
    def leaf(rows: int) -> float:
        at = [r for r in range(n) if rows >> r & 1]
        mean = (weight[at] * y[at]).sum() / weight[at].sum()
        return float((weight[at] * (y[at] - mean) ** 2).sum() / total) + regularization

    @cache
    def best(rows: int, depth: int) -> Best:
        found = Best(leaf(rows), 1, 0, None)
        if depth == 0:
            return found
        for f in range(features):
            on, off = rows & yes[f], rows & ~yes[f]
            if min(on.bit_count(), off.bit_count()) < min_samples_leaf or not on or not off:
                continue
            a, b = best(on, depth - 1), best(off, depth - 1)
            cost, leaves = a.cost + b.cost, a.leaves + b.leaves
            deep = 1 + max(a.depth, b.depth)
            tied = abs(cost - found.cost) <= TIE
            if cost < found.cost - TIE or (tied and (leaves, deep) < (found.leaves, found.depth)):
                found = Best(cost, leaves, deep, (f, a.split, b.split))
        return found

    return best((1 << n) - 1, min(features, n) if max_depth is None else min(max_depth, features))


def brute_force_with_leaves(
    binary: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    regularization: float,
    max_depth: int | None,
    min_samples_leaf: int,
    max_leaves: int,
) -> Best:
    """Find the best tree with at most so many leaves, trying every way to share them between the sides of a split."""
    n, features = binary.shape
    y = (y - np.average(y, weights=weight)).astype(np.longdouble)
    total = float((weight * y * y).sum())
    if total == 0:
        return Best(regularization, 1, 0, None)
    weight = weight.astype(np.longdouble)
    yes = [sum(1 << r for r in range(n) if binary[r, f]) for f in range(features)]

    @cache
    def leaf(rows: int) -> float:
        at = [r for r in range(n) if rows >> r & 1]
        mean = (weight[at] * y[at]).sum() / weight[at].sum()
        return float((weight[at] * (y[at] - mean) ** 2).sum() / total) + regularization

    @cache
    def best(rows: int, depth: int, most: int) -> Best:
        found = Best(leaf(rows), 1, 0, None)
        if depth == 0 or most == 1:
            return found
        for f in range(features):
            on, off = rows & yes[f], rows & ~yes[f]
            if min(on.bit_count(), off.bit_count()) < min_samples_leaf or not on or not off:
                continue
            for share in range(1, most):
                a, b = best(on, depth - 1, share), best(off, depth - 1, most - share)
                cost, leaves = a.cost + b.cost, a.leaves + b.leaves
                deep = 1 + max(a.depth, b.depth)
                tied = abs(cost - found.cost) <= TIE
                if cost < found.cost - TIE or (tied and (leaves, deep) < (found.leaves, found.depth)):
                    found = Best(cost, leaves, deep, (f, a.split, b.split))
        return found

    depth = min(features, n) if max_depth is None else min(max_depth, features)
    return best((1 << n) - 1, depth, min(max_leaves, n))
