"""scikit-learn's greedy tree (CART), on raw columns or on our conditions, and as large as it is told to be."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from optitree import Groups


def fit_cart(X: pd.DataFrame, y: pd.Series, leaves: int) -> Pipeline:
    """CART on the raw columns."""
    return make_pipeline(cart_columns(), _tree(leaves)).fit(X, y)


def cart_objective(groups: Groups, leaves: int, regularization: float) -> float:
    """The objective of CART on the conditions of groups: a group counts with its weight, as its rows would."""
    answers = groups.coding.binary(list(groups.codes.T), len(groups))
    tree = _tree(leaves).fit(answers, groups.mean, sample_weight=groups.weight)
    root = np.average(groups.mean, weights=groups.weight)
    inside = groups.scatter.sum()
    loss, root_loss = (
        inside + (groups.weight * (groups.mean - predicted) ** 2).sum() for predicted in (tree.predict(answers), root)
    )
    return float(loss / root_loss if root_loss > 0 else 0.0) + regularization * int(tree.get_n_leaves())


def _tree(leaves: int) -> DecisionTreeRegressor:
    if leaves > 1:
        return DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
    return DecisionTreeRegressor(max_depth=1, min_impurity_decrease=np.finfo(np.float64).max)


def cart_columns() -> ColumnTransformer:
    """Columns for CART: numbers and their gaps as they are, text one-hot with the rest beyond ten levels."""
    one_hot = OneHotEncoder(max_categories=10, handle_unknown="infrequent_if_exist", sparse_output=False)
    return make_column_transformer(
        (one_hot, make_column_selector(dtype_exclude=["number", "bool"])), remainder="passthrough"
    )
