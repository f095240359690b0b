"""Trees that peers return as optimal, as the checker takes them: null, or [condition, where it holds, where not]."""

from __future__ import annotations

import importlib
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data.cells import Bits, Cell, Targets, load
from optitree import OptimalTreeRegressor
from optitree.verify import verify

# Where a peer was seen to be wrong.
PEERS = {
    Cell("optical", 0.01, 6): "pystreed",
    Cell("airfoil", 0.005, 5): "pystreed",
    Cell("airquality", 0.01, 6): "pystreed",
    Cell("real-estate", 0.01, 6): "pystreed",
    Cell("airquality", 0.01, 4): "osrt",
    Cell("servo", 0.01, 6): "osrt",
}
CELLS = tuple(PEERS)


def refute(cell: Cell) -> dict[str, Any]:
    """Make the peer's tree and our certificate, and give both to the checker."""
    data = load(cell.dataset)
    peer = PEERS[cell]
    tree = {"pystreed": streed_tree, "osrt": osrt_tree}[peer](data.X, data.y, cell)
    X = data.X.astype(bool)
    model = OptimalTreeRegressor(cell.regularization, max_depth=cell.max_depth).fit(X, data.y)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        file = Path(folder, "proof.json")
        model.certificate(X, data.y).save(file)
        numbers = {condition.column: k for k, condition in enumerate(model.binarizer_.conditions_)}
        verdict = verify(file, X, data.y, tree=renumber(tree, numbers))
    return {
        "peer": peer,
        "objective": verdict.objective,
        "rival": verdict.rival,
        "accepted": verdict.accepted,
        "refuted": verdict.accepted and not verdict.optimal,
        "words": str(verdict),
    }


def renumber(tree: Any, numbers: dict[int, int]) -> Any:
    """Return a tree over columns as one over conditions."""
    if tree is None:
        return None
    column, yes, no = tree
    return [numbers[column], renumber(yes, numbers), renumber(no, numbers)]


def streed_tree(X: Bits, y: Targets, cell: Cell) -> Any:
    """The tree of pystreed as it comes, with its default bound."""
    package = importlib.import_module("pystreed")
    model = package.STreeDRegressor(max_depth=cell.max_depth, cost_complexity=cell.regularization)
    model.fit(X.astype(np.intc), y)

    def nested(node: Any) -> Any:
        if node.is_leaf_node():
            return None
        return [int(node.feature), nested(node.right_child), nested(node.left_child)]

    return nested(model.get_tree())


def osrt_tree(X: Bits, y: Targets, cell: Cell) -> Any:
    """The tree of osrt as it comes: with at least 7 rows in a leaf, which it does not say."""
    package, pandas = importlib.import_module("osrt"), importlib.import_module("pandas")
    frame = pandas.DataFrame(X, columns=[f"f{column}" for column in range(X.shape[1])])
    depth = 0 if cell.max_depth is None else cell.max_depth + 1
    model = package.OSRT({"regularization": cell.regularization, "depth_budget": depth})
    model.fit(frame, pandas.DataFrame({"y": y}))

    def nested(node: Any) -> Any:
        if "prediction" in node:
            return None
        return [int(node["feature"]), nested(node["true"]), nested(node["false"])]

    source = model.tree.source if hasattr(model.tree, "source") else json.loads(model.json())
    return nested(source[0] if isinstance(source, list) else source)
