"""The statement of a certificate: conditions, groups and tree in the checker's terms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..conditions.condition import Condition
from ..conditions.condition_set import ConditionSet
from ..conditions.values import INFINITY, Intervals, Levels
from ..groups import groups as solver_groups
from ..solver.tree import Tree
from ..table.rows import Rows
from ..verify_table import Groups, group_rows, whole


@dataclass(frozen=True)
class Subject:
    """What a certificate is about: groups, of rows or added up by someone else, and the conditions between them.

    ``place`` has, for each of these groups, its number among the solver's.
    """

    groups: Groups
    conditions: ConditionSet
    place: NDArray[np.intp]
    source: str
    origin: float = 0.0


def of_rows(rows: Rows, grouped: solver_groups.Groups) -> Subject:
    """Add up rows exactly."""
    rows = rows.counted()
    table, target, weight, _ = rows
    assert target is not None
    conditions = grouped.conditions
    answers = np.zeros((len(target), len(conditions)), bool)
    for k, condition in enumerate(conditions):
        answers[:, k] = condition.holds(table.columns[condition.column])
    weights = np.ones(len(target)) if weight is None else weight
    groups = group_rows(answers, target.tolist(), weights.tolist())
    number_of = {name: k for k, name in enumerate(_names(_answers(grouped)))}
    place = np.array([number_of[name] for name in groups.names()], np.intp)
    return Subject(groups, grouped.condition_set, place, "rows")


def of_groups(grouped: solver_groups.Groups) -> Subject:
    """Take the statistics of groups as they are: doubles are exact numbers."""
    answers = _answers(grouped)
    place = np.array(sorted(range(len(grouped)), key=_names(answers).__getitem__), np.intp)
    weight, a = whole(grouped.weight[place].tolist())
    mean, b = whole(grouped.mean[place].tolist())
    scatter, c = whole(grouped.scatter[place].tolist())
    finer = max((c - a + 1) // 2, b) - b  # so that squares count in whole numbers too
    mean, b = [m << finer for m in mean], b + finer
    shift = a + 2 * b - c
    sums = [w * m for w, m in zip(weight, mean, strict=True)]
    squares = [(v << shift) + s * m for v, s, m in zip(scatter, sums, mean, strict=True)]
    rows = [int(n) for n in grouped.rows[place]]
    groups = Groups(answers[place], rows, weight, sums, squares, (a, b))
    return Subject(groups, grouped.condition_set, place, "groups", float(grouped.origin))


def describe(condition: Condition, columns: Sequence[str]) -> dict[str, Any]:
    """Return a condition as the set of values for which it holds."""
    about: dict[str, Any] = {"column": columns[condition.column], "text": str(condition)}
    match condition.values:
        case Intervals(ends):
            about["intervals"] = [[_end(low, -INFINITY), _end(high, INFINITY)] for low, high in ends]
        case Levels(levels):
            about["levels"] = list(levels)
        case _:
            about["missing"] = True
    return about


def nested(tree: Tree, conditions: Sequence[Condition]) -> Any:
    """Return a tree as nested lists: None for a leaf, else condition, where it holds, where it does not."""
    number_of = {condition: number for number, condition in enumerate(conditions)}
    made: dict[int, Any] = {}
    for at in range(len(tree) - 1, -1, -1):  # children come after their parent
        node = tree.nodes[at]
        split = node.condition
        made[at] = None if split is None else [number_of[split], made.pop(node.yes), made.pop(node.no)]
    return made[0]


def _end(value: float, none: float) -> float | None:
    return None if value == none else float(value)


def _answers(grouped: solver_groups.Groups) -> NDArray[np.bool_]:
    return np.asarray(grouped.coding.binary(list(grouped.codes.T), len(grouped)), bool)


def _names(answers: NDArray[np.bool_]) -> list[str]:
    return [row.tobytes().hex() for row in np.packbits(answers, axis=1)]
