"""Conditions and fitted binarizers as plain values for a file, and back, with care."""

import math
from typing import Any

import numpy as np

from ..table.columns import BOOLEAN, CATEGORY, DATE, NUMBER
from .binarizer import Binarizer
from .condition import KINDS, AtMost, Between, Condition, Equals, IsOther, IsTrue


def binarizer_to_dict(binarizer: Binarizer) -> dict[str, Any]:
    """Return a fitted binarizer as plain values."""
    names = getattr(binarizer, "feature_names_in_", None)
    return {
        "parameters": {name: plain(value) for name, value in binarizer.get_params(deep=False).items()},
        "columns": None if names is None else [str(name) for name in names],
        "kinds": list(binarizer.kinds_),
        "conditions": [condition.to_dict() for condition in binarizer.conditions_],
    }


def binarizer_from_dict(content: dict[str, Any]) -> Binarizer:
    """Read a fitted binarizer back. Raises ValueError or the like when something does not fit."""
    binarizer = Binarizer(**content["parameters"])
    binarizer._check_parameters()
    kinds = binarizer.kinds_ = tuple(content["kinds"])
    require(len(kinds) > 0, "there are no columns")
    require(all(kind in (NUMBER, BOOLEAN, DATE, CATEGORY) for kind in kinds), "a column is of no known kind")
    binarizer.n_features_in_ = len(kinds)
    names = content["columns"]
    if names is not None:
        require(len(names) == len(kinds) and all(isinstance(name, str) for name in names), "columns")
        binarizer.feature_names_in_ = np.array(names, dtype=object)
    binarizer.conditions_ = tuple(_condition(item, kinds) for item in content["conditions"])
    return binarizer


def _condition(content: dict[str, Any], kinds: tuple[str, ...]) -> Condition:
    fields = dict(content)
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
        case IsOther(levels=levels):
            require(all(isinstance(level, str) for level in levels) and len(levels) > 0, "a level is no text")
            fields["levels"] = tuple(levels)
            expected = (CATEGORY,)
        case _:
            expected = (NUMBER, BOOLEAN, DATE, CATEGORY)
    require(kinds[column] in expected, "a condition does not fit its column")
    require(all(type(fields.get(name, False)) is bool for name in ("gaps", "date")), "a mark is not true or false")
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
    """Return a number of numpy's as one of Python's."""
    return value.item() if isinstance(value, np.generic) else value
