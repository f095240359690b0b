"""The groups that the search sees of a binarised dataset, made as the estimator makes them."""

from __future__ import annotations

from functools import cache

import numpy as np

from benchmarks.data.cells import load
from optitree import Binarizer, Groups
from optitree.groups.groups import group_table
from optitree.table.reading import read_table


@cache
def groups(dataset: str) -> Groups:
    """Every 0/1 column is one condition."""
    data = load(dataset)
    binarizer = Binarizer()
    table = read_table(data.X.astype(np.bool_), binarizer)
    binarizer._fit_table(table, None, None)
    return group_table(table, binarizer, data.y, None)
