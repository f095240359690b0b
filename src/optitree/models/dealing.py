"""Folds that are alike: rows dealt out in the order of their targets, whatever order they came in."""

import numpy as np
from numpy.typing import NDArray

from ..table.columns import CATEGORY
from ..table.rows import Rows

Split = tuple[NDArray[np.intp], NDArray[np.intp]]
# An odd number with its bits all over: the golden ratio of 64 bits.
_MIX = np.uint64(0x9E3779B97F4A7C15)


def dealt_out(rows: Rows, folds: int) -> list[Split]:
    """Part rows into folds, each with its share of low and of high targets.

    Rows in the order of their targets are dealt out, so many at a time, one to each fold, to which one by lot. The lots
    are the same every time, and of rows with one target those of other columns come first by what is in them, so the
    order in which rows came plays no part.
    """
    assert rows.target is not None
    count = rows.table.rows
    order = np.lexsort((_contents(rows), rows.target))
    rounds = -(-count // folds)
    lots = np.random.default_rng(0).permuted(np.tile(np.arange(folds), (rounds, 1)), axis=1)
    fold_of = np.empty(count, np.intp)
    fold_of[order] = lots.ravel()[:count]
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(folds)]


def _contents(rows: Rows) -> NDArray[np.uint64]:
    """Return a number for each row that follows from its values; different rows have different ones, almost surely."""
    found = np.zeros(rows.table.rows, np.uint64)
    for column in rows.table.columns:
        if column.kind == CATEGORY:
            values = column.values.astype(np.int64).view(np.uint64)
        else:
            values = np.where(np.isnan(column.values), np.nan, column.values + 0.0).view(np.uint64)  # one NaN, one zero
        found = (found ^ values) * _MIX
        found ^= found >> np.uint64(32)
    return found
