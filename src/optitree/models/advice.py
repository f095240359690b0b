"""What to say of a search that ended before its proof: what is known, and what would help this very search."""

from collections import Counter
from typing import Any

from ..conditions.binarizer import Binarizer
from ..conditions.condition import AtMost, Between
from ..output.text import among_which, what_is_proven
from ..solver.solution import STOPS

_RUN_OUT = {"time_limit": "time", "memory_limit": "memory"}


def limit_message(model: Any) -> str:
    """Return the warning of a fitted model whose search was stopped."""
    status, among = model.status_, among_which(model.solution_)
    known = f"the tree's objective is {model.objective_:.6g}. {what_is_proven(model.solution_)}"
    return f"{STOPS[status]} came before the proof{among}: {known}. {_advice(model)}"


def _advice(model: Any) -> str:
    status, depth = model.status_, model.proven_depth_
    if status == "precision_limit":
        return "Bring the weights of the rows closer to each other to finish"
    steps = f"{', '.join(_easier(model))}, or raise {status}"
    if depth:
        return f"max_depth={depth} is proven within this {_RUN_OUT[status]}; to prove more, {steps}"
    return f"To finish, {steps}"


def _easier(model: Any) -> list[str]:
    """Return changes after which there is less to prove, those that cost the tree least first."""
    steps = []
    fewer = _fewer_thresholds(model.binarizer_)
    if fewer is not None:
        steps.append(f"use fewer thresholds with Binarizer(max_thresholds={fewer})")
    if model.regularization > 0 or model.max_leaves is None:
        steps.append(f"set a regularization above {model.regularization:g}")
    else:  # without a regularization the number of leaves alone decides
        steps.append(f"set max_leaves below {model.max_leaves}")
    return steps


def _fewer_thresholds(binarizer: Binarizer) -> int | None:
    """Return half as many thresholds as a column has now at most, or None where none has two."""
    per_column = Counter(c.column for c in binarizer.conditions_ if isinstance(c, AtMost | Between))
    most = max(per_column.values(), default=0)
    if binarizer.thresholds == "all":  # which asks for no number: the default is fewer if that is
        most = min(most, 2 * Binarizer().max_thresholds)
    else:
        most = min(most, binarizer.max_thresholds)
    return most // 2 if most > 1 else None
