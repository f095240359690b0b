"""Every tree there is, as sets of leaves: the reference for trees that are nearly as good as the best."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .brute_force import TIE, RowSets, leaf_losses
from .instances import Instance

# The order of trees: leaves, depth, feature at the root (-1: a leaf), then the same of its two sides, yes first.
LEAF: tuple[Any, ...] = (1, 0, -1)


@dataclass(frozen=True)
class Found:
    """A set of leaves, each a set of rows as bits, and the first of the trees that have these leaves."""

    cost: float
    leaves: frozenset[int]
    tree: tuple[Any, ...]


def all_near(instance: Instance, within: float) -> list[Found]:
    """Try every split of every set of rows; in order. Sets that cost too much by themselves are left out."""
    losses, table, penalty = leaf_losses(instance), RowSets(instance), instance.problem.regularization

    def leaf(rows: int) -> float:
        return losses(rows) + penalty

    @cache
    def least(rows: int, depth: int) -> float:
        if depth == 0:
            return leaf(rows)
        return min([leaf(rows), *(least(a, depth - 1) + least(b, depth - 1) for _, a, b in table.splits(rows))])

    limit = (1 + within) * least(table.all, table.depth) + TIE

    @cache
    def trees(rows: int, depth: int) -> dict[frozenset[int], tuple[float, tuple[Any, ...]]]:
        found = {frozenset([rows]): (leaf(rows), LEAF)} if leaf(rows) <= limit else {}
        for f, on, off in table.splits(rows) if depth else ():
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

    return in_order([Found(cost, a, tree) for a, (cost, tree) in trees(table.all, table.depth).items()])


def in_order(found: list[Found]) -> list[Found]:
    """Sort by cost, and where costs are equal, up to rounding, by tree."""
    found = sorted(found, key=lambda each: each.cost)
    ranks = np.cumsum(np.diff([each.cost for each in found], prepend=found[0].cost) > TIE)
    return [each for _, each in sorted(zip(ranks, found, strict=True), key=lambda pair: (pair[0], pair[1].tree))]
