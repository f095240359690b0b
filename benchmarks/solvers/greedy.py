"""scikit-learn's greedy tree (CART), on raw columns and as large as it is told to be."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor


def fit_cart(X: pd.DataFrame, y: pd.Series, leaves: int) -> Pipeline:
    """CART on the raw columns."""
    tree = (
        DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
        if leaves > 1
        else DecisionTreeRegressor(max_depth=1, min_impurity_decrease=np.inf)
    )
    return make_pipeline(cart_columns(), tree).fit(X, y)


def cart_columns() -> ColumnTransformer:
    """Columns for CART: numbers and their gaps as they are, text one-hot with the rest beyond ten levels."""
    one_hot = OneHotEncoder(max_categories=10, handle_unknown="infrequent_if_exist", sparse_output=False)
    return make_column_transformer(
        (one_hot, make_column_selector(dtype_exclude=["number", "bool"])), remainder="passthrough"
    )
