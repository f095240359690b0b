"""The tree as one of scikit-learn's, for all that takes those: shap, dtreeviz, supertree, ``plot_tree``."""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeRegressor

from ...solver.losses import Loss
from .fitted_tree import FittedTree


def to_sklearn(fitted: FittedTree, binarizer: Any) -> Pipeline:
    """Return a fitted pipeline of two steps: ``conditions`` answers them, ``tree`` asks for the answers.

    An answer is 0 or 1, so a node asks ``answer <= 0.5``: its left side is no, its right side is yes.
    """
    if not fitted.conditions:
        raise ValueError(
            "to_sklearn has no conditions to make columns of, which scikit-learn needs; the model predicts "
            f"{fitted.tree.nodes[0].value!r} for every row"
        )
    columns = len(fitted.conditions)
    tree = DecisionTreeRegressor(criterion=_criterion(fitted.loss))
    tree.fit(np.zeros((1, columns)), [0.0])  # a leaf, which has all attributes that a fitted tree has
    make, arguments, state = tree.tree_.__reduce__()
    whole = make(*arguments)
    whole.__setstate__({**state, **_state(fitted, state["nodes"].dtype)})
    tree.tree_ = whole
    return Pipeline([("conditions", binarizer), ("tree", tree)])


def _criterion(loss: Loss) -> str:
    """Return the name of the loss; scikit-learn's trees have none for quantiles, of which a median is one."""
    return "squared_error" if loss.name == "squared_error" else "absolute_error"


def _state(fitted: FittedTree, dtype: Any) -> dict[str, Any]:
    """Return nodes in preorder with the left side first, as scikit-learn grows them."""
    number_of = {condition: number for number, condition in enumerate(fitted.conditions)}
    order, waiting = [], [0]
    while waiting:
        at = waiting.pop()
        order.append(at)
        node = fitted.tree.nodes[at]
        waiting += [] if node.is_leaf else [node.yes, node.no]  # the last is the next
    place = {at: number for number, at in enumerate(order)}
    nodes = np.zeros(len(order), dtype)
    for number, at in enumerate(order):
        node = fitted.tree.nodes[at]
        split = node.condition is not None
        nodes[number]["left_child"] = place[node.no] if split else -1
        nodes[number]["right_child"] = place[node.yes] if split else -1
        nodes[number]["feature"] = number_of[node.condition] if node.condition is not None else -2
        nodes[number]["threshold"] = 0.5 if split else -2.0
        nodes[number]["impurity"] = max(node.loss, 0.0) / node.weight
        nodes[number]["n_node_samples"] = node.rows
        nodes[number]["weighted_n_node_samples"] = node.weight
    values = np.array([fitted.tree.nodes[at].value for at in order]).reshape(-1, 1, 1)
    return {"nodes": nodes, "values": values, "node_count": len(order), "max_depth": fitted.tree.depth}
