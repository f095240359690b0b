"""Models as versioned JSON files, read back with care."""

import json
from pathlib import Path
from typing import Any

from sklearn.base import clone

from ..conditions.condition import Condition
from ..conditions.serialize import binarizer_from_dict, binarizer_to_dict, finite, plain, require
from ..errors import FileFormatError
from ..models.estimator import OptimalTreeRegressor
from ..solver.solution import Solution
from ..solver.tree import Node, Tree

_FORMAT = "optitree-model"
_VERSION = 2
_NUMBERS = ("objective", "lower_bound", "loss", "root_loss", "seconds", "megabytes")
_NODE_FIELDS = ("yes", "no", "value", "rows", "weight", "loss")
_STATUSES = ("optimal", "near_optimal", "time_limit", "memory_limit", "interrupted")


def save(model: OptimalTreeRegressor, path: str | Path) -> None:
    """Write a fitted model to a file."""
    solution = model.solution_
    parameters = model.get_params(deep=False)
    del parameters["binarizer"]
    number_of = {condition: number for number, condition in enumerate(model.binarizer_.conditions_)}
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "parameters": {name: plain(value) for name, value in parameters.items()},
        "binarizer": binarizer_to_dict(model.binarizer_),
        "default_binarizer": model.binarizer is None,
        "solution": {
            "status": solution.status,
            **{name: getattr(solution, name) for name in _NUMBERS},
            "solved": solution.solved,
            "cached": solution.cached,
        },
        "tree": [
            {
                "condition": None if node.condition is None else number_of[node.condition],
                **{name: getattr(node, name) for name in _NODE_FIELDS},
            }
            for node in solution.tree.nodes
        ],
    }
    text = json.dumps(content, indent=1, allow_nan=False)
    Path(path).write_text(text + "\n", encoding="utf-8")


def load(path: str | Path) -> OptimalTreeRegressor:
    """Read a model written by ``OptimalTreeRegressor.save``.

    Nothing in the file is executed. FileFormatError is raised when it is damaged or of another kind.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested without end
        raise FileFormatError(f"{path} is not a JSON file; give a file written by model.save()") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise FileFormatError(f"{path} is not an optitree model; give a file written by model.save()")
    if content.get("version") != _VERSION:
        raise FileFormatError(
            f"{path} has version {content.get('version')!r} of the model format, this is optitree "
            f"for version {_VERSION}; save it again with the optitree that reads it, or upgrade"
        )
    try:
        return _read_model(content)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise FileFormatError(f"{path} is damaged ({problem}); save the model again from where it was fitted") from None


def _read_model(content: dict[str, Any]) -> OptimalTreeRegressor:
    binarizer = binarizer_from_dict(content["binarizer"])
    default = content["default_binarizer"]
    model = OptimalTreeRegressor(**content["parameters"], binarizer=None if default else clone(binarizer))
    model._problem(), model._limits()
    model.binarizer_ = binarizer
    model.n_features_in_ = binarizer.n_features_in_
    if hasattr(binarizer, "feature_names_in_"):
        model.feature_names_in_ = binarizer.feature_names_in_
    summary = content["solution"]
    require(summary["status"] in _STATUSES, "unknown status")
    require(summary["lower_bound"] <= summary["objective"], "lower_bound is above objective")
    model._set_solution(
        Solution(
            status=summary["status"],
            tree=_read_tree(content["tree"], binarizer.conditions_),
            objective=finite(summary["objective"]),
            lower_bound=finite(summary["lower_bound"]),
            loss=finite(summary["loss"]),
            root_loss=finite(summary["root_loss"]),
            seconds=finite(summary["seconds"]),
            solved=int(summary["solved"]),
            cached=int(summary["cached"]),
            megabytes=finite(summary["megabytes"]),
        )
    )
    return model


def _read_tree(content: list[dict[str, Any]], conditions: tuple[Condition, ...]) -> Tree:
    nodes = []
    for item in content:
        number = item["condition"]
        require(
            number is None or (type(number) is int and 0 <= number < len(conditions)), "a node has no such condition"
        )
        nodes.append(
            Node(
                None if number is None else conditions[number],
                int(item["yes"]),
                int(item["no"]),
                finite(item["value"]),
                int(item["rows"]),
                finite(item["weight"]),
                finite(item["loss"]),
            )
        )

    # In preorder: the yes child follows its split, the no child follows the whole yes subtree.
    def end_of(at: int) -> int:
        require(at < len(nodes), "the tree breaks off")
        node = nodes[at]
        if node.is_leaf:
            return at + 1
        require(node.yes == at + 1, "the nodes of the tree are out of order")
        no = end_of(node.yes)
        require(node.no == no, "the nodes of the tree are out of order")
        return end_of(no)

    require(all(node.rows > 0 and node.weight > 0 for node in nodes), "a node has no rows")
    require(len(nodes) > 0 and end_of(0) == len(nodes), "the tree does not hang together")
    return Tree(tuple(nodes))
