"""Sets of values: what a condition means. It holds where the value of its column is in the set.

This is the only place in Python that says so. ``holds`` in the core's ``table/grouping.cpp`` is the other, for groups;
``tests/property/test_conditions.py`` compares the two.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..table.columns import Column

INFINITY = float("inf")


class Intervals(NamedTuple):
    """Numbers x with ``low < x <= high`` for one of these pairs. An infinite end is none."""

    ends: tuple[tuple[float, float], ...]


class Levels(NamedTuple):
    """Some levels of a category."""

    levels: tuple[str, ...]


class Missing(NamedTuple):
    """No value."""


Values = Intervals | Levels | Missing


def holds(values: Values, column: Column) -> NDArray[np.bool_]:
    """Return where the values of a column are in a set. A missing value is in no set of numbers or levels."""
    if isinstance(values, Intervals):
        return _within(values, column.values)
    if isinstance(values, Missing):
        return column.missing
    wanted = set(values.levels)
    among = np.array([*(level in wanted for level in column.levels), False])
    return np.asarray(among[column.values])  # -1, missing, finds the False at the end


def _within(values: Intervals, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    if len(values.ends) == 1:
        return _between(numbers, *values.ends[0])
    within = np.zeros(len(numbers), bool)
    for low, high in values.ends:
        within |= _between(numbers, low, high)
    return within


def _between(numbers: NDArray[np.float64], low: float, high: float) -> NDArray[np.bool_]:
    if low == -INFINITY:
        return numbers <= high  # false for NaN
    if high == INFINITY:
        return numbers > low
    return np.asarray((numbers > low) & (numbers <= high))
