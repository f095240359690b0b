"""The rows of a table in memory, with their targets and weights."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .reading import Table, read_table
from .target import read_target, read_weight


class Merged(NamedTuple):
    """What rows that stand for several hide: how many they are, and their squared deviations from the mean target."""

    rows: NDArray[np.float64]
    scatter: NDArray[np.float64]


class Rows(NamedTuple):
    """A table, and for each row its target (None: nobody asks) and its weight (None: all count the same).

    Where equal rows are there once, ``merged`` says what each stands for.
    """

    table: Table
    target: NDArray[np.float64] | None
    weight: NDArray[np.float64] | None = None
    merged: Merged | None = None

    def take(self, rows: NDArray[Any]) -> "Rows":
        """Return some rows."""
        target, weight = (None if values is None else values[rows] for values in (self.target, self.weight))
        merged = None if self.merged is None else Merged(*(values[rows] for values in self.merged))
        return Rows(self.table.take(rows), target, weight, merged)

    def counted(self) -> "Rows":
        """Return the rows of positive weight: a row of weight zero counts nowhere."""
        return self if self.weight is None or self.weight.all() else self.take(self.weight > 0)


def read_rows(X: Any, y: Any, sample_weight: Any, estimator: Any) -> Rows:
    """Read and check all that ``fit`` is given. ``estimator``: who asks, for messages."""
    table = read_table(X)
    return Rows(table, read_target(y, table.rows, estimator), read_weight(sample_weight, table.rows))
