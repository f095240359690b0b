"""Models as versioned JSON files, read back with care."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from .binarizer import Binarizer
from .conditions import Condition
from .errors import FileFormatError
from .estimator import OptimalTreeRegressor
from .solution import Solution
from .tree import Node, Tree

_FORMAT = "optitree-model"
_VERSION = 1
_NUMBERS = ("objective", "lower_bound", "loss", "root_loss", "seconds", "megabytes")
_STATUSES = ("optimal", "time_limit", "memory_limit", "interrupted")


def save(model: OptimalTreeRegressor, path: str | Path) -> None:
    """Write a fitted model to a file."""
    solution = model.solution_
    parameters = model.get_params(deep=False)
    parameters["binarizer"] = model.binarizer_.get_params(deep=False)
    names = getattr(model, "feature_names_in_", None)
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "default_binarizer": model.binarizer is None,
        "columns": None if names is None else [str(name) for name in names],
        "n_columns": model.n_features_in_,
        "conditions": [condition.to_dict() for condition in model.binarizer_.conditions_],
        "solution": {
            "status": solution.status,
            **{name: getattr(solution, name) for name in _NUMBERS},
            "solved": solution.solved,
            "cached": solution.cached,
        },
        "tree": solution.tree.to_list(),
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
    parameters = dict(content["parameters"])
    binarizer = Binarizer(**parameters.pop("binarizer"))
    binarizer._check_parameters()
    model = OptimalTreeRegressor(**parameters, binarizer=None if content["default_binarizer"] else binarizer)
    model._problem(), model._limits()
    width = content["n_columns"]
    _require(type(width) is int and width >= 1, "n_columns is not a positive number")
    names = content["columns"]
    if names is not None:
        _require(len(names) == width and all(isinstance(n, str) for n in names), "columns")
        model.feature_names_in_ = binarizer.feature_names_in_ = np.array(names, dtype=object)
    model.n_features_in_ = binarizer.n_features_in_ = width
    binarizer.conditions_ = tuple(_read_condition(c, width) for c in content["conditions"])
    model.binarizer_ = binarizer
    summary = content["solution"]
    _require(summary["status"] in _STATUSES, "unknown status")
    _require(summary["lower_bound"] <= summary["objective"], "lower_bound is above objective")
    model._set_solution(
        Solution(
            status=summary["status"],
            tree=_read_tree(content["tree"], width),
            objective=_finite(summary["objective"]),
            lower_bound=_finite(summary["lower_bound"]),
            loss=_finite(summary["loss"]),
            root_loss=_finite(summary["root_loss"]),
            seconds=_finite(summary["seconds"]),
            solved=int(summary["solved"]),
            cached=int(summary["cached"]),
            megabytes=_finite(summary["megabytes"]),
        )
    )
    return model


def _read_condition(content: dict[str, Any], width: int) -> Condition:
    column, threshold = content["column"], content["threshold"]
    _require(type(column) is int and 0 <= column < width, "a condition has no such column")
    return Condition(column, str(content["name"]), None if threshold is None else _finite(threshold))


def _read_tree(content: list[dict[str, Any]], width: int) -> Tree:
    nodes = []
    for item in content:
        condition = item["condition"]
        nodes.append(
            Node(
                None if condition is None else _read_condition(condition, width),
                int(item["yes"]),
                int(item["no"]),
                _finite(item["value"]),
                int(item["rows"]),
                _finite(item["weight"]),
                _finite(item["loss"]),
            )
        )

    # In preorder: the yes child follows its split, the no child follows the whole yes subtree.
    def end_of(at: int) -> int:
        _require(at < len(nodes), "the tree breaks off")
        node = nodes[at]
        if node.is_leaf:
            return at + 1
        _require(node.yes == at + 1, "the nodes of the tree are out of order")
        no = end_of(node.yes)
        _require(node.no == no, "the nodes of the tree are out of order")
        return end_of(no)

    _require(all(node.rows > 0 and node.weight > 0 for node in nodes), "a node has no rows")
    _require(len(nodes) > 0 and end_of(0) == len(nodes), "the tree does not hang together")
    return Tree(tuple(nodes))


def _finite(value: Any) -> float:
    _require(not isinstance(value, bool) and math.isfinite(value), "a number is not finite")
    return float(value)


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
