"""Every tree there is, for tables small enough: the reference that shares nothing with the solver."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .instances import Instance

TIE = 1e-12
Leaf = Callable[[int], float]  # what a leaf on a set of rows, a bit each, loses, in units of the root loss


@dataclass(frozen=True)
class Best:
    """The best tree: cost in units of the root loss, size, and (feature, yes, no) or None."""

    cost: float
    leaves: int
    depth: int
    split: Any


def leaf_losses(instance: Instance) -> Leaf:
    """Measure leaves row by row; no groups are formed."""
    loss = instance.problem.minimised
    return _by_rates(instance, loss.over, loss.under) if loss.needs_values else _squared(instance)


def _squared(instance: Instance) -> Leaf:
    weight = instance.weight.astype(np.longdouble)
    y = (instance.y - np.average(instance.y, weights=instance.weight)).astype(np.longdouble)
    n, total = len(y), (weight * y * y).sum()  # not as a double: squares of tiny targets would lose their digits
    squares = instance.y.astype(np.longdouble) ** 2
    rounding = 1e-30 * (weight * squares).sum()  # what the average alone leaves of equal targets

    @cache
    def leaf(rows: int) -> float:
        at = [r for r in range(n) if rows >> r & 1]
        mean = (weight[at] * y[at]).sum() / weight[at].sum()
        return float((weight[at] * (y[at] - mean) ** 2).sum() / total) if total > rounding else 0.0

    return leaf


def _by_rates(instance: Instance, over: float, under: float) -> Leaf:
    """Try every target of the table as the prediction of a leaf.

    What each costs on a set of rows is the sum of what it costs on the first and on the other half of the table, looked
    up in a table of all their subsets.
    """
    y, n = instance.y, len(instance.y)
    error = y[:, None] - y  # of the prediction in a row, for the target in a column
    costs = np.where(error > 0, over * error, -under * error) * instance.weight
    total = costs.sum(axis=1).min()
    if total == 0:
        return lambda _: 0.0
    half = n // 2
    subsets = [np.arange(1 << k)[:, None] >> np.arange(k) & 1 for k in (half, n - half)]
    first, other = (s @ part.T / total for s, part in zip(subsets, (costs[:, :half], costs[:, half:]), strict=True))

    @cache
    def leaf(rows: int) -> float:
        return float((first[rows & (1 << half) - 1] + other[rows >> half]).min())

    return leaf


class RowSets:
    """The sets of rows of a table, and their splits: (feature, rows where it holds, the others)."""

    def __init__(self, instance: Instance) -> None:
        n, self.features = instance.binary.shape
        self.least = instance.problem.min_samples_leaf
        self.yes = [sum(1 << r for r in range(n) if instance.binary[r, f]) for f in range(self.features)]
        self.all = (1 << n) - 1
        limit = instance.problem.max_depth
        self.depth = min(self.features, n) if limit is None else min(limit, self.features, n)

    def splits(self, rows: int) -> Iterator[tuple[int, int, int]]:
        for f in range(self.features):
            on, off = rows & self.yes[f], rows & ~self.yes[f]
            if on and off and min(on.bit_count(), off.bit_count()) >= self.least:
                yield f, on, off


def brute_force(instance: Instance) -> Best:
    """Try every split of every set of rows, and every way to share a limited number of leaves between its sides.

    Among trees of equal cost: fewest leaves, then least depth, then the earliest feature at the root, then fewest
    leaves where it holds; subtrees alike.
    """
    leaf, table, penalty = leaf_losses(instance), RowSets(instance), instance.problem.regularization

    @cache
    def best(rows: int, depth: int, most: int | None) -> Best:
        found = Best(leaf(rows) + penalty, 1, 0, None)
        if depth == 0 or most == 1:
            return found
        shares = [(None, None)] if most is None else [(share, most - share) for share in range(1, most)]
        for f, on, off in table.splits(rows):
            for share, rest in shares:
                a, b = best(on, depth - 1, share), best(off, depth - 1, rest)
                cost, leaves = a.cost + b.cost, a.leaves + b.leaves
                deep = 1 + max(a.depth, b.depth)
                tied = abs(cost - found.cost) <= TIE
                if cost < found.cost - TIE or (tied and (leaves, deep) < (found.leaves, found.depth)):
                    found = Best(cost, leaves, deep, (f, a.split, b.split))
        return found

    limit = instance.problem.max_leaves
    return best(table.all, table.depth, None if limit is None else min(limit, len(instance.y)))


def least_losses(instance: Instance) -> dict[int, float]:
    """Return the least loss of trees of every number of leaves that there are, in units of the root loss."""
    leaf, table = leaf_losses(instance), RowSets(instance)
    if leaf(table.all) == 0:
        return {1: 0.0}

    @cache
    def losses(rows: int, depth: int) -> dict[int, float]:
        best = {1: leaf(rows)}
        for _, on, off in table.splits(rows) if depth else ():
            for a, loss_a in losses(on, depth - 1).items():
                for b, loss_b in losses(off, depth - 1).items():
                    best[a + b] = min(best.get(a + b, np.inf), loss_a + loss_b)
        return best

    return losses(table.all, table.depth)
