"""Bins: the code of a value says all that the conditions of its column can know of it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..table.columns import CATEGORY, Column
from .condition import Condition, IsOther
from .values import Intervals, Levels, Missing, Values

Codes = NDArray[np.uint32]
MISSING = (math.nan, math.nan)  # what the core takes for an interval of the values that are missing


@dataclass(frozen=True)
class NumberBins:
    """Code k: above ``thresholds[k - 1]`` and at most ``thresholds[k]``; the last code: missing."""

    kind: str
    thresholds: tuple[float, ...]

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.thresholds) + 2

    def representatives(self) -> Column:
        """Return one value for each code."""
        above = np.nextafter(self.thresholds[-1], np.inf) if self.thresholds else 0.0
        return Column(self.kind, np.array([*self.thresholds, above, np.nan]))


@dataclass(frozen=True)
class LevelBins:
    """A code for each class of levels that no condition tells apart, then one for the levels of no condition.

    The last code is for what is missing. Where no class is that of "other" levels, one code more is left free before
    it: files of groups have these numbers.
    """

    classes: tuple[tuple[str, ...], ...]
    has_other: bool = False

    kind = CATEGORY

    @property
    def unnamed(self) -> int:
        """The code of levels that no condition names."""
        return len(self.classes)

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.classes) + (2 if self.has_other else 3)

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The codes of the levels that conditions name."""
        return {level: code for code, levels in enumerate(self.classes) for level in levels}

    def codes(self, column: Column) -> Codes:
        """Return the code of every value."""
        table = [*(self.code_of.get(level, self.unnamed) for level in column.levels), self.size - 1]
        return np.asarray(np.array(table, np.uint32)[column.values])

    def intervals(self, values: Values) -> list[tuple[float, float]]:
        """Return the codes of a set of values: ``low < code <= high`` for one of the pairs."""
        if isinstance(values, Missing):
            return [(self.size - 2, self.size - 1)]
        if isinstance(values, Intervals):
            raise TypeError(f"{values} is not about levels")
        found: list[tuple[float, float]] = []
        for code in sorted({self.code_of[level] for level in values.levels}):
            low = found.pop()[0] if found and found[-1][1] == code - 1 else code - 1
            found.append((low, code))
        return found

    def representatives(self) -> Column:
        """Return one value for each code."""
        unnamed = "".join(self.code_of) + "?"  # longer than any level of a condition
        levels = [levels[0] for levels in self.classes] + [unnamed] * (self.size - 1 - self.unnamed)
        return Column(CATEGORY, np.array([*range(len(levels)), -1], np.int32), tuple(levels))


Bins = NumberBins | LevelBins


def intervals_of(values: Values) -> Sequence[tuple[float, float]]:
    """Return a set of numbers as the core takes it: ``low < x <= high`` for one of the pairs."""
    if isinstance(values, Intervals):
        return values.ends
    if isinstance(values, Missing):
        return (MISSING,)
    raise TypeError(f"{values} is not about numbers")


def bins_of(conditions: Iterable[Condition], kinds: Sequence[str]) -> tuple[Bins, ...]:
    """Return the coarsest bins of every column that decide all of its conditions."""
    mine: list[list[Condition]] = [[] for _ in kinds]
    for condition in conditions:
        mine[condition.column].append(condition)
    return tuple(
        _level_bins(asked) if kind == CATEGORY else NumberBins(kind, _thresholds(asked))
        for kind, asked in zip(kinds, mine, strict=True)
    )


def _thresholds(conditions: Iterable[Condition]) -> tuple[float, ...]:
    ends = (end for condition in conditions for pair in intervals_of(condition.values) for end in pair)
    return tuple(sorted({end for end in ends if math.isfinite(end)}))


def _level_bins(conditions: Sequence[Condition]) -> LevelBins:
    """Return a class for each set of conditions that hold for some level, in the order of the conditions."""
    holding: dict[str, list[int]] = {}
    for number, condition in enumerate(conditions):
        values = condition.values
        if isinstance(values, Levels):
            for level in values.levels:
                holding.setdefault(level, []).append(number)
    classes: dict[tuple[int, ...], list[str]] = {}
    for level, numbers in holding.items():
        classes.setdefault(tuple(numbers), []).append(level)
    has_other = any(isinstance(condition, IsOther) for condition in conditions)
    return LevelBins(tuple(map(tuple, classes.values())), has_other)
