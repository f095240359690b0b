"""Every tree there is, as sets of leaves: the reference for trees that are nearly as good as the best."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

TIE = 1e-12
# The order of trees: leaves, depth, feature at the root (-1: a leaf), then the same of its two sides, yes first.
LEAF: tuple[Any, ...] = (1, 0, -1)


@dataclass(frozen=True)
class Found:
    """A set of leaves, each a set of rows as bits, and the first of the trees that have these leaves."""

    cost: float
    leaves: frozenset[int]
    tree: tuple[Any, ...]


def all_near(
    binary: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    regularization: float,
    max_depth: int | None,
    min_samples_leaf: int,
    within: float,
) -> list[Found]:
    """Try every split of every set of rows; in order. Sets that cost too much by themselves are left out."""
    n, features = binary.shape
    y = (y - np.average(y, weights=weight)).astype(np.longdouble)
    weight = weight.astype(np.longdouble)
    total = float((weight * y * y).sum())
    yes = [sum(1 << r for r in range(n) if binary[r, f]) for f in range(features)]

    @cache
    def leaf(rows: int) -> float:
        at = [r for r in range(n) if rows >> r & 1]
        mean = (weight[at] * y[at]).sum() / weight[at].sum()
        loss = float((weight[at] * (y[at] - mean) ** 2).sum())
        return (loss / total if total > 1e-20 else 0.0) + regularization

    @cache
    def splits(rows: int) -> list[tuple[int, int, int]]:
        sides = [(f, rows & yes[f], rows & ~yes[f]) for f in range(features)]
        return [
            (f, on, off) for f, on, off in sides if min(on.bit_count(), off.bit_count()) >= max(min_samples_leaf, 1)
        ]

    @cache
    def least(rows: int, depth: int) -> float:
        if depth == 0:
            return leaf(rows)
        return min([leaf(rows), *(least(a, depth - 1) + least(b, depth - 1) for _, a, b in splits(rows))])

    everything, deepest = (1 << n) - 1, min(features, n) if max_depth is None else min(max_depth, features, n)
    limit = (1 + within) * least(everything, deepest) + TIE

    @cache
    def trees(rows: int, depth: int) -> dict[frozenset[int], tuple[float, tuple[Any, ...]]]:
        found = {frozenset([rows]): (leaf(rows), LEAF)} if leaf(rows) <= limit else {}
        for f, on, off in splits(rows) if depth else ():
            # No leaf costs less than nothing.
            for a, (cost_a, tree_a) in trees(on, depth - 1).items():
                for b, (cost_b, tree_b) in trees(off, depth - 1).items():
                    if cost_a + cost_b > limit:
                        continue
                    tree = (tree_a[0] + tree_b[0], 1 + max(tree_a[1], tree_b[1]), f, tree_a, tree_b)
                    union = a | b
                    if union not in found or tree < found[union][1]:
                        found[union] = (cost_a + cost_b, tree)
        return found

    return in_order([Found(cost, a, tree) for a, (cost, tree) in trees(everything, deepest).items()])


def in_order(found: list[Found]) -> list[Found]:
    """Sort by cost, and where costs are equal, up to rounding, by tree."""
    found = sorted(found, key=lambda each: each.cost)
    ranks = np.cumsum(np.diff([each.cost for each in found], prepend=found[0].cost) > TIE)
    return [each for _, each in sorted(zip(ranks, found, strict=True), key=lambda pair: (pair[0], pair[1].tree))]
