"""scikit-learn's greedy tree (CART) on the same table: numbers as they are, a column of 0 and 1 for each level."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from ..solver.losses import Loss
from ..table.columns import CATEGORY
from ..table.reading import Table, read_table

_MOST_LEVELS = 1000  # of a column that get one of their own, the most frequent


@dataclass(frozen=True)
class Encoded:
    """A table as scikit-learn's trees take it; missing numbers are NaN, missing levels have 0 everywhere."""

    values: NDArray[np.float32]

    @classmethod
    def of(cls, X: Any) -> "Encoded":
        """Return the columns of a table side by side."""
        table: Table = read_table(X)
        parts: list[NDArray[Any]] = []
        for column in table.columns:
            if column.kind != CATEGORY:
                parts.append(column.values.astype(np.float32)[:, None])
                continue
            counts = np.bincount(column.values[column.values >= 0], minlength=len(column.levels))
            frequent = np.sort(np.argsort(-counts, kind="stable")[:_MOST_LEVELS])
            parts.append((column.values[:, None] == frequent[None, :]).astype(np.float32))
        return cls(np.hstack(parts))


def fit_greedy(
    encoded: Encoded, y: NDArray[np.float64], weight: NDArray[np.float64] | None, loss: Loss, **limits: Any
) -> DecisionTreeRegressor:
    """Fit a greedy tree that minimises the same loss within the same limits."""
    if loss.name not in ("squared_error", "absolute_error"):
        raise ValueError(f"scikit-learn's greedy tree does not know loss={loss.name!r}; use squared_error or another")
    leaves = limits.pop("leaves")
    if leaves == 1:
        limits, leaves = {"min_impurity_decrease": np.inf}, None
    tree = DecisionTreeRegressor(criterion=loss.name, max_leaf_nodes=leaves, random_state=0, **limits)
    return tree.fit(encoded.values, y, sample_weight=weight)
