"""Conditions as plain values for a file, and back, with care."""

import math
from dataclasses import asdict
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..table.columns import BOOLEAN, CATEGORY, DATE, NUMBER
from .condition import KINDS, NAMES_IN_FILES, AtMost, Between, Condition, Equals, IsIn, IsOther, IsTrue, UpTo
from .condition_set import ConditionSet
from .rules import Rules, check_rules


def conditions_to_dict(conditions: ConditionSet) -> dict[str, Any]:
    """Return conditions as plain values."""
    return {
        "parameters": {name: plain(value) for name, value in sorted(asdict(conditions.rules).items())},
        "columns": None if conditions.names is None else list(conditions.names),
        "kinds": list(conditions.kinds),
        "conditions": [
            {name: plain(value) for name, value in condition.to_dict().items()} for condition in conditions.conditions
        ],
    }


def conditions_from_dict(content: dict[str, Any]) -> ConditionSet:
    """Read conditions back. Raises ValueError or the like when something does not fit."""
    rules = check_rules(Rules(**content["parameters"]))
    for name in ("kinds", "conditions"):
        require(isinstance(content[name], list), f"{name} are not in a list")
    kinds = tuple(content["kinds"])
    require(len(kinds) > 0, "there are no columns")
    require(all(kind in (NUMBER, BOOLEAN, DATE, CATEGORY) for kind in kinds), "a column is of no known kind")
    names = content["columns"]
    if names is not None:
        known = isinstance(names, list) and all(isinstance(name, str) for name in names)
        require(known and len(names) == len(kinds) == len(set(names)), "columns are not a name for each in a list")
    conditions = tuple(_condition(item, kinds) for item in content["conditions"])
    return ConditionSet(conditions, kinds, None if names is None else tuple(names), rules)


def _condition(content: dict[str, Any], kinds: tuple[str, ...]) -> Condition:
    names = {in_files: name for name, in_files in NAMES_IN_FILES.items()}
    fields = {names.get(name, name): value for name, value in content.items()}
    kind = KINDS[fields.pop("kind")]
    column = fields["column"]
    require(type(column) is int and 0 <= column < len(kinds), "a condition has no such column")
    require(isinstance(fields["name"], str), "a condition has no name")
    expected: tuple[str, ...]
    match kind(**fields):
        case AtMost(threshold=threshold):
            fields["threshold"] = finite(threshold)
            expected = (DATE,) if fields["date"] else (NUMBER,)
        case Between(low=low, high=high):
            require(low is not None or high is not None, "an interval has no ends")
            fields["low"], fields["high"] = (end if end is None else finite(end) for end in (low, high))
            expected = (DATE,) if fields["date"] else (NUMBER,)
        case IsTrue():
            expected = (BOOLEAN,)
        case Equals(level=level):
            require(isinstance(level, str), "a level is no text")
            expected = (CATEGORY,)
        case IsIn(levels=levels) | IsOther(levels=levels) | UpTo(levels=levels):
            require(isinstance(levels, list) and len(levels) > 0, "levels are not in a list")
            require(all(isinstance(level, str) for level in levels), "a level is no text")
            require(len(set(levels)) == len(levels), "a level is there twice")
            fields["levels"] = tuple(levels)
            expected = (CATEGORY,)
        case _:
            expected = (NUMBER, BOOLEAN, DATE, CATEGORY)
    require(kinds[column] in expected, "a condition does not fit its column")
    require(
        all(type(fields.get(name, False)) is bool for name in ("has_missing", "date")), "a mark is not true or false"
    )
    return kind(**fields)


def finite(value: Any) -> float:
    """Return a number that is one."""
    require(not isinstance(value, bool) and math.isfinite(value), "a number is not finite")
    return float(value)


def require(holds: bool, problem: str) -> None:
    """Raise ValueError when something does not hold."""
    if not holds:
        raise ValueError(problem)


def plain(value: Any) -> Any:
    """Return a number of any kind (numpy's, a fraction) as one that JSON knows, and all else as it is."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Real) and not isinstance(value, int) else value
