"""The tree as plain values, for JSON: all that is needed to predict, and nothing that changes while the tree does not.

``tree.schema.json`` beside this file is its schema.
"""

import json
from typing import Any

from ...conditions.condition import Condition
from ...conditions.values import INFINITY, Levels, Missing, Values
from ...solver.tree import Node
from ..leaves import spread_of
from .fitted_tree import FittedTree

FORMAT, VERSION = "optitree-tree", 1


def to_dict(fitted: FittedTree) -> dict[str, Any]:
    """Return the tree as dictionaries, lists, text and numbers."""
    solution = fitted.solution

    def of_node(node: Node) -> dict[str, Any]:
        return {
            "rows": int(node.rows),
            "weight": float(node.weight),
            "prediction": float(node.value),
            "spread": spread_of(node, fitted.loss),
        }

    def of_split(node: Node, condition: Condition, yes: dict[str, Any], no: dict[str, Any]) -> dict[str, Any]:
        asked = {
            "column": condition.column,
            "name": condition.name,
            "text": condition.in_full(),
            **_holds_for(condition.values),
        }
        return {**of_node(node), "condition": asked, "yes": yes, "no": no}

    return {
        "format": FORMAT,
        "version": VERSION,
        "columns": [{"name": name, "kind": kind} for name, kind in zip(fitted.names, fitted.kinds, strict=True)],
        "loss": fitted.loss.name,
        **({"quantile": fitted.loss.under} if fitted.loss.name == "quantile" else {}),
        "regularization": fitted.regularization,
        "status": solution.status,
        "objective": float(solution.objective),
        "lower_bound": float(solution.lower_bound),
        "training_loss": float(solution.loss),
        "root_loss": float(solution.root_loss),
        "leaves": fitted.tree.n_leaves,
        "depth": fitted.tree.depth,
        "tree": fitted.fold(of_node, of_split),
    }


def to_json(fitted: FittedTree) -> str:
    """Return the same as text, a line for each value, so that a comparison of two files shows what is new."""
    return json.dumps(to_dict(fitted), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _holds_for(values: Values) -> dict[str, Any]:
    """Return the values for which a condition holds, in one of three forms. An end that is null is open."""
    if isinstance(values, Missing):
        return {"missing": True}
    if isinstance(values, Levels):
        return {"levels": list(values.levels)}
    ends = [[None if end in (-INFINITY, INFINITY) else float(end) for end in pair] for pair in values.ends]
    return {"intervals": ends}
