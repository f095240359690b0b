"""What commands print for machines: plain values, the tree among them."""

import json
import math
from typing import Any

import typer

from ..groups.groups import Groups


def print_json(answer: dict[str, Any]) -> None:
    """Print one object; numbers that JSON does not have are null."""
    typer.echo(json.dumps(_plain(answer), allow_nan=False))


def model_data(model: Any) -> dict[str, Any]:
    """Return what is known of a fitted tree, and the tree itself as ``tree.schema.json`` describes it."""
    return {
        "status": model.status_,
        "regularization": model.regularization,
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "gap": model.gap_,
        "proven_depth": model.proven_depth_,
        "loss": model.loss_,
        "root_loss": model.root_loss_,
        "leaves": model.n_leaves_,
        "depth": model.depth_,
        "seconds": model.solution_.seconds,
        "tree": model.to_dict()["tree"],
    }


def groups_data(groups: Groups) -> dict[str, Any]:
    """Return how large a table is, and what can be asked of it."""
    return {
        "rows": groups.n_rows,
        "groups": len(groups),
        "conditions": [str(condition) for condition in groups.conditions],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):  # numpy's
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
