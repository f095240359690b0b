"""The table as the programs see it: groups instead of rows, targets between 0 and 1.

Both formulations have variables for every row. Rows that agree on all features go the same way in every tree, so one
set of variables for each *group* of them is the same program with fewer symbols. What a group loses is a sum over its
*points*:

- absolute error: a point for each distinct target, weighted by its rows;
- squared error: one point, the mean m of its n targets, of weight n, because
  sum of (f - y)^2 over the group = n (f - m)^2 + sum of (y - m)^2, and the last sum, the *floor*, is in every tree.

Targets are moved and scaled to lie between 0 and 1, which keeps the big-M constants small and changes no quotient of
losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.mip.full_tree import Splits, route

Loss = Literal["squared_error", "absolute_error"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Groups (features), and their points (group, target, weight). Losses are sums over rows, root_loss never 0."""

    loss: Loss
    features: NDArray[np.bool_]
    group: NDArray[np.intp]
    target: Floats
    weight: Floats
    floor: float
    root_loss: float


def sample(X: ArrayLike, y: ArrayLike, loss: Loss) -> Sample:
    """Make groups and points of a table of 0/1 columns."""
    features, of_row = np.unique(np.asarray(X, dtype=np.bool_), axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)
    values = np.asarray(y, dtype=np.float64)
    scaled = (values - values.min()) / (np.ptp(values) or 1.0)
    # Where the target is constant every tree loses nothing: any root loss gives the quotient 0.
    root_loss = leaf_loss(scaled, np.ones(len(scaled)), loss) or 1.0
    if loss == "squared_error":
        weight = np.bincount(of_row).astype(np.float64)
        mean = np.bincount(of_row, scaled) / weight
        floor = float(((scaled - mean[of_row]) ** 2).sum())
        return Sample(loss, features, np.arange(len(features)), mean, weight, floor, root_loss)
    points, count = np.unique(np.column_stack((of_row, scaled)), axis=0, return_counts=True)
    group = points[:, 0].astype(np.intp)
    return Sample(loss, features, group, points[:, 1], count.astype(np.float64), 0.0, root_loss)


def objective(data: Sample, splits: Splits, depth: int, regularization: float) -> float:
    """Return loss / root_loss + regularization * leaves of a tree whose leaves predict what is best for them.

    A leaf is one that some row reaches: a split that leaves a side empty is none.
    """
    leaf = route(splits, depth, data.features)[data.group]
    losses = [leaf_loss(data.target[leaf == t], data.weight[leaf == t], data.loss) for t in np.unique(leaf)]
    return (sum(losses) + data.floor) / data.root_loss + regularization * len(losses)


def leaf_means(data: Sample, splits: Splits, depth: int) -> Floats:
    """Return the mean target of the leaf that each point is in."""
    leaf = route(splits, depth, data.features)[data.group]
    return np.bincount(leaf, data.weight * data.target)[leaf] / np.bincount(leaf, data.weight)[leaf]


def leaf_loss(target: Floats, weight: Floats, loss: Loss) -> float:
    """Return what the best prediction of a leaf loses: the mean, or a median."""
    if loss == "squared_error":
        return float((weight * (target - np.average(target, weights=weight)) ** 2).sum())
    order = np.argsort(target)
    below = np.cumsum(weight[order])
    median = target[order][np.searchsorted(below, below[-1] / 2)]
    return float((weight * np.abs(target - median)).sum())
