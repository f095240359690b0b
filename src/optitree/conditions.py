"""Conditions: the human-readable tests that a tree asks, such as ``age <= 40``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


def format_number(value: float) -> str:
    """Write a number as a person would: ``40`` and ``0.15``, not ``40.0``."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one column: ``x <= threshold``, or for a column of booleans that it is true."""

    column: int
    name: str
    threshold: float | None = None

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Evaluate the condition on the values of its column."""
        return values == 1 if self.threshold is None else values <= self.threshold

    def __str__(self) -> str:
        if self.threshold is None:
            return f"{self.name} is true"
        return f"{self.name} <= {format_number(self.threshold)}"

    def opposite(self) -> str:
        """Say what is known when the condition does not hold."""
        if self.threshold is None:
            return f"{self.name} is false"
        return f"{self.name} > {format_number(self.threshold)}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {"column": self.column, "name": self.name, "threshold": self.threshold}


def separating_threshold(low: float, high: float) -> float:
    """Return a number t with ``low <= t < high``: their midpoint, in as few digits as will do.

    Six significant digits are kept at least, so that the threshold stays in the middle, and more
    where six would not separate the two values.
    """
    middle = low / 2 + high / 2
    for digits in range(6, 18):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return low
