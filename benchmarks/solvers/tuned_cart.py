"""CART whose size is chosen by cross-validation, on the folds that ours has: pruned, to any size, or by its depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from optitree.models.dealing import dealt_out
from optitree.table.rows import read_rows

Numbers = NDArray[np.float64]

FOLDS = 5
# Shares of the variance, down to trees that are not pruned at all.
PENALTIES = (*np.geomspace(0.3, 1e-6, 40).tolist(), 0.0)
DEPTHS = tuple(range(1, 21))


class Tuned:
    """Predictions of test rows and the leaves of the tree that was chosen."""

    def __init__(self, X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame, settings: Sequence[dict[str, Any]]) -> None:
        losses = np.zeros(len(settings))
        for train, held_out in dealt_out(read_rows(X, y, None, None), FOLDS):
            columns = one_hot_columns().fit(X.iloc[train])
            Z, Z_held_out = columns.transform(X.iloc[train]), columns.transform(X.iloc[held_out])
            for at, setting in enumerate(settings):
                tree = _tree(setting, y[train]).fit(Z, y[train])
                losses[at] += np.square(y[held_out] - tree.predict(Z_held_out)).sum()
        columns = one_hot_columns().fit(X)
        tree = _tree(settings[int(np.argmin(losses))], y).fit(columns.transform(X), y)
        self.predicted: Numbers = tree.predict(columns.transform(X_test))
        self.leaves = int(tree.get_n_leaves())


def pruned(X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame) -> Tuned:
    """CART pruned at the penalty with the smallest validation loss."""
    return Tuned(X, y, X_test, [{"penalty": penalty} for penalty in PENALTIES])


def of_depth(X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame) -> Tuned:
    """CART of the depth with the smallest validation loss."""
    return Tuned(X, y, X_test, [{"max_depth": depth} for depth in DEPTHS])


def one_hot_columns() -> ColumnTransformer:
    """Numbers and their missing values as they are, text with a column for each of up to a hundred levels."""
    one_hot = OneHotEncoder(max_categories=100, handle_unknown="infrequent_if_exist", sparse_output=False)
    return make_column_transformer(
        (one_hot, make_column_selector(dtype_exclude=["number", "bool"])), remainder="passthrough"
    )


def _tree(setting: dict[str, Any], y: Numbers) -> DecisionTreeRegressor:
    penalty = setting.get("penalty", 0.0) * float(np.var(y))
    return DecisionTreeRegressor(ccp_alpha=penalty, max_depth=setting.get("max_depth"), random_state=0)
