"""A greedy tree that splits categories by sets of levels, as CART was first described; grown best first.

scikit-learn's has no such splits. Levels are parted in the order of their mean target in the node; a missing level is
one of them. A missing number goes to the side where it fits better, as in scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Rows = NDArray[np.intp]


def subset_cart_losses(X: pd.DataFrame, y: pd.Series, most: int) -> list[float]:
    """The share of the root loss that the greedy trees of 1, 2, ... leaves leave."""
    columns = [_codes(X[name]) for name in X.columns]
    target = y.to_numpy(np.float64) - float(y.mean())
    leaves: list[tuple[float, Rows, Rows]] = [_best_split(columns, target, np.arange(len(target)))]
    losses = [1.0]
    total = float(target @ target)
    while len(losses) < most:
        gain, left, right = leaves.pop(max(range(len(leaves)), key=lambda k: leaves[k][0]))
        if gain <= 0:
            break
        losses.append(losses[-1] - gain / total)
        leaves += [_best_split(columns, target, left), _best_split(columns, target, right)]
    return losses


def _codes(column: pd.Series) -> tuple[bool, NDArray[np.float64]]:
    """Whether the values have an order, and the values; those without one as numbers of levels, missing included."""
    if pd.api.types.is_numeric_dtype(column):
        return True, column.to_numpy(np.float64, na_value=np.nan)
    return False, pd.factorize(column, use_na_sentinel=False)[0].astype(np.float64)


def _best_split(
    columns: list[tuple[bool, NDArray[np.float64]]], target: NDArray[np.float64], rows: Rows
) -> tuple[float, Rows, Rows]:
    best: tuple[float, Rows, Rows] = (0.0, rows, rows[:0])
    own = target[rows]
    for ordered, values in columns:
        for place in _orders(ordered, values[rows], own):
            order = np.argsort(place, kind="stable")
            ends = np.flatnonzero(np.diff(place[order]) > 0) + 1
            if not len(ends):
                continue
            sums = np.cumsum(own[order])
            left, count = sums[ends - 1], len(rows)
            gains = left**2 / ends + (sums[-1] - left) ** 2 / (count - ends) - sums[-1] ** 2 / count
            at = int(gains.argmax())
            if gains[at] > best[0] * (1 + 1e-12) + 1e-12:
                best = float(gains[at]), rows[order[: ends[at]]], rows[order[ends[at] :]]
    return best


def _orders(ordered: bool, values: NDArray[np.float64], target: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """The ways to put rows in order before they are cut."""
    if not ordered:
        codes = values.astype(np.intp)
        counts = np.bincount(codes)
        with np.errstate(invalid="ignore"):
            yield (np.bincount(codes, target) / counts)[codes]
        return
    missing = np.isnan(values)
    if missing.all():
        return
    yield np.where(missing, np.nanmax(values) + 1, values)
    if missing.any():
        yield np.where(missing, np.nanmin(values) - 1, values)
