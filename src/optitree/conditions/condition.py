"""Conditions: the human-readable tests that a tree asks, such as ``age <= 40``.

    Condition
    ├── AtMost      age <= 40
    ├── Between     20 < age <= 40
    ├── IsTrue      smoker is true
    ├── Equals      region = north
    ├── IsIn        region in {north, east}
    ├── IsOther     region = other (12 levels)
    ├── UpTo        quality <= good, where levels have an order
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
from .values import INFINITY, Intervals, Levels, Missing, Values, holds

_TRUE = Intervals(((0.5, INFINITY),))  # false is 0, true is 1
_MISSING = Missing()
# What fields are called in files, where that is not their name.
NAMES_IN_FILES = {"has_missing": "gaps"}


@dataclass(frozen=True, slots=True)
class Condition(ABC):
    """A test of one column. ``column`` counts the columns of the table from 0."""

    column: int
    name: str

    kind: ClassVar[str] = ""

    @property
    @abstractmethod
    def values(self) -> Values:
        """The values for which the condition holds."""

    def holds(self, column: Column) -> NDArray[np.bool_]:
        """Evaluate the condition on the values of its column."""
        return holds(self.values, column)

    @abstractmethod
    def __str__(self) -> str: ...

    @abstractmethod
    def opposite(self) -> str:
        """Say what is known when the condition does not hold."""

    def in_full(self) -> str:
        """Return the condition with all that its text leaves out to be short."""
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {"kind": self.kind, **{NAMES_IN_FILES.get(name, name): value for name, value in asdict(self).items()}}


@dataclass(frozen=True, slots=True)
class AtMost(Condition):
    """``x <= threshold``. ``has_missing``: values of the column were missing at fit; ``date``: it holds dates."""

    threshold: float
    has_missing: bool = False
    date: bool = False

    kind: ClassVar[str] = "at most"

    @property
    def values(self) -> Values:
        """Numbers up to the threshold."""
        return Intervals(((-INFINITY, self.threshold),))

    def __str__(self) -> str:
        return f"{self.name} <= {_show(self.threshold, self.date)}"

    def opposite(self) -> str:
        """Return ``x > threshold``, with the missing values where there were any."""
        return f"{self.name} > {_show(self.threshold, self.date)}{_or_missing(self.has_missing)}"


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """``low < x <= high``, where one of the two ends may be open."""

    low: float | None
    high: float | None
    has_missing: bool = False
    date: bool = False

    kind: ClassVar[str] = "between"

    @property
    def values(self) -> Values:
        """Numbers between the ends."""
        low, high = self.low, self.high
        return Intervals(((-INFINITY if low is None else low, INFINITY if high is None else high),))

    def __str__(self) -> str:
        if self.low is None:
            return f"{self.name} <= {self._end(self.high)}"
        if self.high is None:
            return f"{self.name} > {self._end(self.low)}"
        return f"{self._end(self.low)} < {self.name} <= {self._end(self.high)}"

    def opposite(self) -> str:
        """Return the two sides of the interval, with the missing values where there were any."""
        sides = []
        if self.low is not None:
            sides.append(f"{self.name} <= {self._end(self.low)}")
        if self.high is not None:
            sides.append(f"{self.name} > {self._end(self.high)}")
        return " or ".join(sides) + _or_missing(self.has_missing)

    def _end(self, value: float | None) -> str:
        assert value is not None
        return _show(value, self.date)


@dataclass(frozen=True, slots=True)
class IsTrue(Condition):
    """A column of booleans is true."""

    has_missing: bool = False

    kind: ClassVar[str] = "is true"

    @property
    def values(self) -> Values:
        """The number 1, which true is."""
        return _TRUE

    def __str__(self) -> str:
        return f"{self.name} is true"

    def opposite(self) -> str:
        """Return that it is false."""
        return f"{self.name} is false{_or_missing(self.has_missing)}"


@dataclass(frozen=True, slots=True)
class Equals(Condition):
    """A category has a level."""

    level: str

    kind: ClassVar[str] = "equals"

    @property
    def values(self) -> Values:
        """The level."""
        return Levels((self.level,))

    def __str__(self) -> str:
        return f"{self.name} = {_show_level(self.level)}"

    def opposite(self) -> str:
        """Return that it has another level, or none."""
        return f"{self.name} is not {_show_level(self.level)}"


@dataclass(frozen=True, slots=True)
class IsIn(Condition):
    """A category has one of some levels, which are in alphabetical order."""

    levels: tuple[str, ...]

    kind: ClassVar[str] = "is in"

    @property
    def values(self) -> Values:
        """The levels."""
        return Levels(self.levels)

    def __str__(self) -> str:
        return f"{self.name} in {_show_set(self.levels)}"

    def opposite(self) -> str:
        """Return that it has another level, or none."""
        return f"{self.name} not in {_show_set(self.levels)}"

    def in_full(self) -> str:
        """Return the condition with all of its levels."""
        return f"{self.name} in {{{', '.join(map(_show_level, self.levels))}}}"


@dataclass(frozen=True, slots=True)
class UpTo(Condition):
    """A category whose levels have an order has one up to the last of these. ``has_missing`` as for numbers."""

    levels: tuple[str, ...]
    has_missing: bool = False

    kind: ClassVar[str] = "up to"

    @property
    def values(self) -> Values:
        """The levels."""
        return Levels(self.levels)

    def __str__(self) -> str:
        return f"{self.name} <= {_show_level(self.levels[-1])}"

    def opposite(self) -> str:
        """Return that it has a later level, with the missing values where there were any."""
        return f"{self.name} > {_show_level(self.levels[-1])}{_or_missing(self.has_missing)}"


@dataclass(frozen=True, slots=True)
class IsOther(Condition):
    """A category has one of its rare levels."""

    levels: tuple[str, ...]

    kind: ClassVar[str] = "is other"

    @property
    def values(self) -> Values:
        """The rare levels."""
        return Levels(self.levels)

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

    @property
    def values(self) -> Values:
        """What is missing."""
        return _MISSING

    def __str__(self) -> str:
        return f"{self.name} is missing"

    def opposite(self) -> str:
        """Return that there is a value."""
        return f"{self.name} is not missing"


KINDS: dict[str, type[Condition]] = {
    kind.kind: kind for kind in (AtMost, Between, IsTrue, Equals, IsIn, UpTo, IsOther, IsMissing)
}
_MOST_SHOWN = 4  # levels of a set; of more the first two are shown


def _show(value: float, date: bool) -> str:
    return format_date(value) if date else format_number(value)


def _show_level(level: str) -> str:
    """Return a level as it is, in quotes where blanks would not be seen."""
    return f'"{level}"' if level != level.strip() or not level else level


def _show_set(levels: tuple[str, ...]) -> str:
    if len(levels) <= _MOST_SHOWN:
        return f"{{{', '.join(map(_show_level, levels))}}}"
    return f"{{{', '.join(map(_show_level, levels[:2]))}, ... {len(levels)} levels}}"


def _or_missing(possible: bool) -> str:
    return " or missing" if possible else ""
