"""The groups that the search sees of a binarised dataset, made as the estimator makes them."""

from __future__ import annotations

from functools import cache

import numpy as np

from benchmarks.data.cells import load
from optitree import Groups
from optitree.conditions.rules import Rules
from optitree.groups.groups import group_rows
from optitree.table.reading import read_table
from optitree.table.rows import Rows


@cache
def groups(dataset: str) -> Groups:
    """Every 0/1 column is one condition."""
    data = load(dataset)
    table = read_table(data.X.astype(np.bool_))
    return group_rows(Rows(table, data.y), Rules())
