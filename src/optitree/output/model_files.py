"""Models as versioned JSON files, read back with care."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..conditions.condition import Condition
from ..conditions.condition_set import ConditionSet
from ..conditions.serialize import conditions_from_dict, conditions_to_dict, finite, plain, require
from ..errors import FileFormatError
from ..solver.solution import STATUSES, Solution
from ..solver.tree import Node, Tree
from ..writing import replacing
from .model_pictures import targets_from_dict, targets_to_dict, trace_from_list, trace_to_list

_FORMAT = "optitree-model"
_VERSION = 3
_READABLE = (2, 3)  # version 2 has no sets of levels, no counts of missing values, no targets of leaves and no trace
_NUMBERS = ("objective", "lower_bound", "loss", "root_loss", "seconds", "megabytes")
_NODE_FIELDS = ("yes", "no", "value", "rows", "weight", "loss")

Model = TypeVar("Model")


@dataclass(frozen=True)
class SavedModel:
    """All that a file says of a model: its parameters but for the binarizer, its conditions, and its solution."""

    parameters: dict[str, Any]
    default_binarizer: bool
    conditions: ConditionSet
    solution: Solution


def write_model(model: SavedModel, path: str | Path) -> None:
    """Write a fitted model to a file."""
    solution, conditions = model.solution, model.conditions
    number_of = {condition: number for number, condition in enumerate(conditions.conditions)}
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "parameters": {name: plain(value) for name, value in model.parameters.items()},
        "binarizer": conditions_to_dict(conditions),
        "default_binarizer": model.default_binarizer,
        "solution": {
            "status": solution.status,
            **{name: plain(getattr(solution, name)) for name in _NUMBERS},
            **({"proven_depth": solution.proven_depth} if solution.proven_depth else {}),
            "solved": solution.solved,
            "cached": solution.cached,
        },
        "tree": [
            {
                "condition": None if node.condition is None else number_of[node.condition],
                **{name: plain(getattr(node, name)) for name in _NODE_FIELDS},
                **({"missing": node.missing} if node.missing else {}),
            }
            for node in solution.tree.nodes
        ],
        **({"targets": targets_to_dict(solution.tree.targets)} if solution.tree.targets else {}),
        **({"trace": trace_to_list(solution.trace)} if solution.trace else {}),
    }
    text = json.dumps(content, indent=1, allow_nan=False)
    with replacing(path, "w") as file:
        file.write(text + "\n")


def read_model(path: str | Path, make: Callable[[SavedModel], Model]) -> Model:
    """Read what ``write_model`` wrote, and make a model of it.

    FileFormatError is raised when the file is damaged or of another kind, also where only ``make`` notices.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested without end
        raise FileFormatError(f"{path} is not a JSON file; give a file written by model.save()") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise FileFormatError(f"{path} is not an optitree model; give a file written by model.save()")
    version = content.get("version")
    if version not in _READABLE or isinstance(version, bool):
        shown = repr(version) if version is None or isinstance(version, int | str) else "no number"
        raise FileFormatError(
            f"{path} has version {shown} of the model format, this is optitree "
            f"for version {_VERSION}; save it again with the optitree that reads it, or upgrade"
        )
    try:
        return make(_read(content))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise FileFormatError(f"{path} is damaged ({problem}); save the model again from where it was fitted") from None


def _read(content: dict[str, Any]) -> SavedModel:
    conditions = conditions_from_dict(content["binarizer"])
    summary = content["solution"]
    require(isinstance(content["parameters"], dict), "parameters are not named")
    require(type(content["default_binarizer"]) is bool, "a mark is not true or false")
    require(summary["status"] in STATUSES, "unknown status")
    require(summary["lower_bound"] <= summary["objective"], "lower_bound is above objective")
    solution = Solution(
        status=summary["status"],
        tree=_read_tree(content, conditions.conditions),
        objective=finite(summary["objective"]),
        lower_bound=finite(summary["lower_bound"]),
        loss=finite(summary["loss"]),
        root_loss=finite(summary["root_loss"]),
        seconds=finite(summary["seconds"]),
        solved=_whole(summary["solved"]),
        cached=_whole(summary["cached"]),
        megabytes=finite(summary["megabytes"]),
        proven_depth=_read_proven_depth(summary),
        trace=trace_from_list(content.get("trace", [])),
    )
    return SavedModel(content["parameters"], content["default_binarizer"], conditions, solution)


def _read_proven_depth(summary: dict[str, Any]) -> int | None:
    """Return what is there, or what the status says: it is written where there is more to say."""
    depth = summary.get("proven_depth", None if summary["status"] == "optimal" else 0)
    require(depth is None or (type(depth) is int and depth >= 0), "proven_depth is not a number of questions")
    require(depth is None or summary["status"] != "optimal", "a proof for some depths only is not optimal")
    return depth


def _read_tree(content: dict[str, Any], conditions: tuple[Condition, ...]) -> Tree:
    nodes = [_read_node(item, conditions) for item in content["tree"]]
    require(all(node.rows > 0 and node.weight > 0 for node in nodes), "a node has no rows")
    require(all(0 <= node.missing <= node.rows for node in nodes), "a node misses more values than it has rows")
    _check_order(nodes, len(conditions))
    leaves = [at for at, node in enumerate(nodes) if node.is_leaf]
    return Tree(tuple(nodes), targets_from_dict(content["targets"], leaves) if "targets" in content else None)


def _whole(value: Any) -> int:
    require(type(value) is int, "a number is not whole")
    return int(value)


def _read_node(item: dict[str, Any], conditions: tuple[Condition, ...]) -> Node:
    number = item["condition"]
    require(number is None or (type(number) is int and 0 <= number < len(conditions)), "a node has no such condition")
    return Node(
        None if number is None else conditions[number],
        _whole(item["yes"]),
        _whole(item["no"]),
        finite(item["value"]),
        _whole(item["rows"]),
        finite(item["weight"]),
        finite(item["loss"]),
        _whole(item.get("missing", 0)),
    )


def _check_order(nodes: list[Node], conditions: int) -> None:
    """Raise ValueError unless the yes child follows its split, and the no child the yes subtree.

    Not by recursion: a file may have any depth. A tree has not, because no path in it asks twice.
    """
    waiting: list[tuple[int, int]] = [(0, 0)]  # where the next subtrees have to begin, last one first; depths
    for at, node in enumerate(nodes):
        require(bool(waiting), "the tree does not hang together")
        begin, depth = waiting.pop()
        require(begin == at, "the nodes of the tree are out of order")
        if not node.is_leaf:
            require(depth < conditions, "the tree is deeper than its conditions allow")
            require(node.yes == at + 1, "the nodes of the tree are out of order")
            waiting += [(node.no, depth + 1), (node.yes, depth + 1)]
    require(not waiting, "the tree breaks off")
