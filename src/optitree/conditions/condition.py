"""Conditions: the human-readable tests that a tree asks, such as ``age <= 40``.

    Condition
    ├── AtMost      age <= 40
    ├── Between     20 < age <= 40
    ├── IsTrue      smoker is true
    ├── Equals      region = north
    ├── IsOther     region = other (12 levels)
    └── IsMissing   age is missing

A missing value fails every condition but the last, and so does a level that was not there at fit.
"""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..table.columns import Column
from .readable import format_date, format_number


@dataclass(frozen=True, slots=True)
class Condition(ABC):
    """A test of one column. ``column`` counts the columns of the table from 0."""

    column: int
    name: str

    kind: ClassVar[str] = ""

    @abstractmethod
    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Evaluate the condition on the values of its column."""

    @abstractmethod
    def __str__(self) -> str: ...

    @abstractmethod
    def opposite(self) -> str:
        """Say what is known when the condition does not hold."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True, slots=True)
class AtMost(Condition):
    """``x <= threshold``. ``gaps``: the column had missing values at fit; ``date``: it holds dates."""

    threshold: float
    gaps: bool = False
    date: bool = False

    kind: ClassVar[str] = "at most"

    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Compare; NaN fails."""
        return values.values <= self.threshold

    def __str__(self) -> str:
        return f"{self.name} <= {_show(self.threshold, self.date)}"

    def opposite(self) -> str:
        """Return ``x > threshold``, with the missing values where there are any."""
        return f"{self.name} > {_show(self.threshold, self.date)}{_or_missing(self.gaps)}"


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """``low < x <= high``, where one of the two ends may be open."""

    low: float | None
    high: float | None
    gaps: bool = False
    date: bool = False

    kind: ClassVar[str] = "between"

    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Compare; NaN fails."""
        above = values.values > (-np.inf if self.low is None else self.low)
        return above & (values.values <= (np.inf if self.high is None else self.high))

    def __str__(self) -> str:
        if self.low is None:
            return f"{self.name} <= {self._end(self.high)}"
        if self.high is None:
            return f"{self.name} > {self._end(self.low)}"
        return f"{self._end(self.low)} < {self.name} <= {self._end(self.high)}"

    def opposite(self) -> str:
        """Return the two sides of the interval, with the missing values where there are any."""
        sides = []
        if self.low is not None:
            sides.append(f"{self.name} <= {self._end(self.low)}")
        if self.high is not None:
            sides.append(f"{self.name} > {self._end(self.high)}")
        return " or ".join(sides) + _or_missing(self.gaps)

    def _end(self, value: float | None) -> str:
        assert value is not None
        return _show(value, self.date)


@dataclass(frozen=True, slots=True)
class IsTrue(Condition):
    """A column of booleans is true."""

    gaps: bool = False

    kind: ClassVar[str] = "is true"

    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Compare with 0 and 1; NaN fails."""
        return np.asarray(values.values > TRUE)

    def __str__(self) -> str:
        return f"{self.name} is true"

    def opposite(self) -> str:
        """Return that it is false."""
        return f"{self.name} is false{_or_missing(self.gaps)}"


@dataclass(frozen=True, slots=True)
class Equals(Condition):
    """A category has a level."""

    level: str

    kind: ClassVar[str] = "equals"

    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Compare; missing values and unknown levels fail."""
        return values.is_level({self.level})

    def __str__(self) -> str:
        return f"{self.name} = {_show_level(self.level)}"

    def opposite(self) -> str:
        """Return that it has another level, or none."""
        return f"{self.name} is not {_show_level(self.level)}"


@dataclass(frozen=True, slots=True)
class IsOther(Condition):
    """A category has one of its rare levels."""

    levels: tuple[str, ...]

    kind: ClassVar[str] = "is other"

    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Compare; missing values and unknown levels fail."""
        return values.is_level(set(self.levels))

    def __str__(self) -> str:
        return f"{self.name} = {self._other()}"

    def opposite(self) -> str:
        """Return that it has a frequent level, or none."""
        return f"{self.name} is not {self._other()}"

    def _other(self) -> str:
        return f"other ({len(self.levels)} levels)"


@dataclass(frozen=True, slots=True)
class IsMissing(Condition):
    """A value is missing."""

    kind: ClassVar[str] = "is missing"

    def holds(self, values: Column) -> NDArray[np.bool_]:
        """Look for the gaps."""
        return values.missing

    def __str__(self) -> str:
        return f"{self.name} is missing"

    def opposite(self) -> str:
        """Return that there is a value."""
        return f"{self.name} is not missing"


TRUE = 0.5  # between false, 0, and true, 1

KINDS: dict[str, type[Condition]] = {kind.kind: kind for kind in (AtMost, Between, IsTrue, Equals, IsOther, IsMissing)}


def _show(value: float, date: bool) -> str:
    return format_date(value) if date else format_number(value)


def _show_level(level: str) -> str:
    """Return a level as it is, in quotes where blanks would not be seen."""
    return f'"{level}"' if level != level.strip() or not level else level


def _or_missing(gaps: bool) -> str:
    return " or missing" if gaps else ""
