"""CART whose size is chosen by cross-validation, on the folds that ours has: pruned, to any size, or by its depth.

What pruning at a penalty leaves of a tree is a part of it: one tree is grown to its end for each set of rows. Those of
every depth are grown one by one, as scikit-learn grows them: it breaks ties by chance, in the order in which it comes.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from optitree.models.dealing import dealt_out
from optitree.table.rows import read_rows

Numbers = NDArray[np.float64]
Nodes = NDArray[np.intp]

FOLDS = 5
# Shares of the variance, down to trees that are not pruned at all.
PENALTIES = (*np.geomspace(0.3, 1e-6, 40).tolist(), 0.0)
DEPTHS = tuple(range(1, 21))


class Cart:
    """A tree of scikit-learn grown to its end, on columns that it can read."""

    def __init__(self, X: pd.DataFrame, y: Numbers) -> None:
        self._columns = one_hot_columns().fit(X)
        tree: Any = DecisionTreeRegressor(random_state=0).fit(self._columns.transform(X), y).tree_
        self._tree = tree
        self.left, self.right = tree.children_left, tree.children_right
        self.is_leaf: NDArray[np.bool_] = self.left < 0
        self.values: Numbers = tree.value[:, 0, 0]
        self.loss: Numbers = tree.impurity * tree.weighted_n_node_samples / len(y)
        self.parent: Nodes = np.full(tree.node_count, -1, np.intp)
        for node in np.flatnonzero(~self.is_leaf):  # children come after their parents
            for child in (self.left[node], self.right[node]):
                self.parent[child] = node
        self._pruned_at = weakest_links(self)
        self._variance = float(np.var(y))

    def predict(self, X: pd.DataFrame, ends: NDArray[np.bool_]) -> Numbers:
        """Predictions when the nodes for which ``ends`` is true are leaves."""
        last = np.arange(len(ends))
        for node in range(1, len(ends)):
            above = last[self.parent[node]]
            if ends[above]:
                last[node] = above
        found: Numbers = self.values[last[self._tree.apply(self._codes(X))]]
        return found

    def pruned(self, penalty: float) -> NDArray[np.bool_]:
        """The nodes that are leaves when each costs this share of the variance."""
        return self.is_leaf | (self._pruned_at <= penalty * self._variance)

    def leaves(self, ends: NDArray[np.bool_]) -> int:
        """How many leaves are left."""
        reached = np.ones(len(ends), bool)
        for node in range(1, len(ends)):
            reached[node] = reached[self.parent[node]] and not ends[self.parent[node]]
        return int((reached & (ends | self.is_leaf)).sum())

    def _codes(self, X: pd.DataFrame) -> NDArray[np.float32]:
        return np.asarray(self._columns.transform(X), np.float32)


def weakest_links(tree: Cart) -> Numbers:
    """The penalty from which on each node is no split: the branch that pays least for its leaves goes first.

    Breiman, Friedman, Olshen and Stone (1984), chapter 3.
    """
    loss, leaves = np.where(tree.is_leaf, tree.loss, 0.0), tree.is_leaf.astype(np.intp)
    for node in range(len(loss) - 1, 0, -1):
        loss[tree.parent[node]] += loss[node]
        leaves[tree.parent[node]] += leaves[node]
    pruned_at = np.full(len(loss), np.inf)
    pruned_at[tree.is_leaf] = -np.inf
    splits = np.flatnonzero(~tree.is_leaf).tolist()

    def worth(node: int) -> float:
        return float(max(tree.loss[node] - loss[node], 0.0) / (leaves[node] - 1))

    waiting = [(worth(node), node) for node in splits]
    heapq.heapify(waiting)
    reached = 0.0
    while waiting:
        value, node = heapq.heappop(waiting)
        if leaves[node] == 1 or value != worth(node):
            continue  # cut, or said again since
        reached = max(reached, value)
        more, fewer = tree.loss[node] - loss[node], leaves[node] - 1
        below = [node]
        while below:
            split = below.pop()
            if leaves[split] > 1:
                leaves[split], pruned_at[split] = 1, reached
                below += [tree.left[split], tree.right[split]]
        loss[node] = tree.loss[node]
        above = int(tree.parent[node])
        while above >= 0:
            loss[above] += more
            leaves[above] -= fewer
            heapq.heappush(waiting, (worth(above), above))
            above = int(tree.parent[above])
    return pruned_at


class Tuned(NamedTuple):
    """Predictions of test rows and the leaves of the tree that was chosen."""

    predicted: Numbers
    leaves: int


def pruned(X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame) -> Tuned:
    """CART pruned at the penalty with the smallest validation loss."""
    losses: Numbers = np.zeros(len(PENALTIES))
    for train, held_out in dealt_out(read_rows(X, y, None, None), FOLDS):
        tree = Cart(X.iloc[train], y[train])
        found = [tree.predict(X.iloc[held_out], tree.pruned(penalty)) for penalty in PENALTIES]
        losses += [np.square(y[held_out] - predicted).sum() for predicted in found]
    tree = Cart(X, y)
    ends = tree.pruned(PENALTIES[int(np.argmin(losses))])
    return Tuned(tree.predict(X_test, ends), tree.leaves(ends))


def of_depth(X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame) -> Tuned:
    """CART of the depth with the smallest validation loss."""
    losses: Numbers = np.zeros(len(DEPTHS))
    for train, held_out in dealt_out(read_rows(X, y, None, None), FOLDS):
        columns = one_hot_columns().fit(X.iloc[train])
        Z, Z_held_out = columns.transform(X.iloc[train]), columns.transform(X.iloc[held_out])
        found = [_of_depth(depth).fit(Z, y[train]).predict(Z_held_out) for depth in DEPTHS]
        losses += [np.square(y[held_out] - predicted).sum() for predicted in found]
    columns = one_hot_columns().fit(X)
    tree = _of_depth(DEPTHS[int(np.argmin(losses))]).fit(columns.transform(X), y)
    return Tuned(tree.predict(columns.transform(X_test)), int(tree.get_n_leaves()))


def _of_depth(depth: int) -> DecisionTreeRegressor:
    return DecisionTreeRegressor(max_depth=depth, random_state=0)


def one_hot_columns() -> ColumnTransformer:
    """Numbers and their missing values as they are, text with a column for each of up to a hundred levels."""
    one_hot = OneHotEncoder(max_categories=100, handle_unknown="infrequent_if_exist", sparse_output=False)
    return make_column_transformer(
        (one_hot, make_column_selector(dtype_exclude=["number", "bool"])), remainder="passthrough"
    )
