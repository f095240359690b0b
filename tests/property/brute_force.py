"""Every tree there is, for tables small enough: the reference that shares nothing with the solver."""

from collections.abc import Callable
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
    y = (y - np.average(y, weights=weight)).astype(np.longdouble)
    total = float((weight * y * y).sum())
    if total == 0:
        return Best(regularization, 1, 0, None)
    weight = weight.astype(np.longdouble)
    n = len(y)

    @cache
    def leaf(rows: int) -> float:
        at = [r for r in range(n) if rows >> r & 1]
        mean = (weight[at] * y[at]).sum() / weight[at].sum()
        return float((weight[at] * (y[at] - mean) ** 2).sum() / total) + regularization

    return best_tree(binary, leaf, max_depth, min_samples_leaf)


def brute_force_rates(
    binary: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    regularization: float,
    max_depth: int | None,
    min_samples_leaf: int,
    rates: tuple[float, float],
) -> Best:
    """Do the same where an error costs so much a unit, by its direction.

    A leaf tries every target of the table as its prediction. What each costs on a set of rows is the sum of what it
    costs on the first and on the other half of the table, looked up in a table of all their subsets.
    """
    n = len(y)
    below, above = rates
    error = y[:, None] - y  # of the prediction in a row, for the target in a column
    costs = np.where(error > 0, below * error, -above * error) * weight
    total = costs.sum(axis=1).min()
    if total == 0:
        return Best(regularization, 1, 0, None)
    half = n // 2
    subsets = [np.arange(1 << k)[:, None] >> np.arange(k) & 1 for k in (half, n - half)]
    first, other = (s @ part.T / total for s, part in zip(subsets, (costs[:, :half], costs[:, half:]), strict=True))

    @cache
    def leaf(rows: int) -> float:
        return float((first[rows & (1 << half) - 1] + other[rows >> half]).min()) + regularization

    return best_tree(binary, leaf, max_depth, min_samples_leaf)


def best_tree(binary: np.ndarray, leaf: Callable[[int], float], max_depth: int | None, min_samples_leaf: int) -> Best:
    """Return the best tree, where a leaf on a set of rows, a bit each, costs ``leaf`` of it."""
    n, features = binary.shape
    yes = [sum(1 << r for r in range(n) if binary[r, f]) for f in range(features)]

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
