"""Bins: the code of a value says all that the conditions of its column can know of it.

Grouping rows by one code a column is the same as grouping them by hundreds of answers, and cheap
everywhere: in memory, and in an engine that has no idea of conditions.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..table.columns import CATEGORY, Column, Columns, Matrix
from ..table.reading import Table
from .condition import TRUE, AtMost, Between, Condition, Equals, IsMissing, IsOther, IsTrue

Codes = NDArray[np.uint32]


@dataclass(frozen=True)
class NumberBins:
    """Code k: above ``cuts[k - 1]`` and at most ``cuts[k]``; the last code: missing."""

    kind: str
    cuts: tuple[float, ...]

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.cuts) + 2

    def representatives(self) -> Column:
        """Return one value for each code."""
        above = np.nextafter(self.cuts[-1], np.inf) if self.cuts else 0.0
        return Column(self.kind, np.array([*self.cuts, above, np.nan]))


@dataclass(frozen=True)
class LevelBins:
    """A code for each frequent level, then: a rare one, an unknown one, missing."""

    frequent: tuple[str, ...]
    rare: tuple[str, ...] = ()

    kind = CATEGORY

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.frequent) + 3

    @cached_property
    def code_of(self) -> dict[str, int]:
        """The codes of the known levels."""
        rare = dict.fromkeys(self.rare, len(self.frequent))
        return rare | {level: code for code, level in enumerate(self.frequent)}

    def codes(self, column: Column) -> Codes:
        """Return the code of every value."""
        missing = self.size - 1
        unknown = missing - 1 if self.rare else missing - 2  # the lowest code without an answer
        table = [*(self.code_of.get(level, unknown) for level in column.levels), missing]
        return np.asarray(np.array(table, np.uint32)[column.values])

    def interval(self, condition: Condition) -> tuple[float, float]:
        """Return the codes for which a condition holds, as ``_interval_of`` does: there is one."""
        match condition:
            case Equals(level=level):
                code = self.code_of[level]
            case IsOther():
                code = self.size - 3
            case IsMissing():
                code = self.size - 1
            case _:
                raise TypeError(f"{condition} is not about levels")
        return code - 1, code

    def representatives(self) -> Column:
        """Return one value for each code."""
        unknown = "".join(self.code_of) + "?"  # longer than any known level
        levels = (*self.frequent, self.rare[0] if self.rare else unknown, unknown)
        return Column(CATEGORY, np.array([*range(len(levels)), -1], np.int32), levels)


Bins = NumberBins | LevelBins


def _interval_of(condition: Condition) -> tuple[float, float]:
    """Return the numbers for which a condition holds: low < x <= high, or NaN and NaN if x must be missing."""
    match condition:
        case AtMost(threshold=threshold):
            return -math.inf, threshold
        case Between(low=low, high=high):
            return -math.inf if low is None else low, math.inf if high is None else high
        case IsTrue():
            return TRUE, math.inf
        case IsMissing():
            return math.nan, math.nan
    raise TypeError(f"{condition} is not about numbers")


def bins_of(conditions: Iterable[Condition], kinds: Sequence[str]) -> tuple[Bins, ...]:
    """Return the coarsest bins of every column that decide all of its conditions."""
    cuts: list[set[float]] = [set() for _ in kinds]
    frequent: list[list[str]] = [[] for _ in kinds]
    rare: list[tuple[str, ...]] = [() for _ in kinds]
    for condition in conditions:
        at = condition.column
        match condition:
            case Equals(level=level):
                frequent[at].append(level)
            case IsOther(levels=levels):
                rare[at] = levels
            case _:
                cuts[at].update(end for end in _interval_of(condition) if math.isfinite(end))
    return tuple(
        LevelBins(tuple(frequent[k]), rare[k]) if kind == CATEGORY else NumberBins(kind, tuple(sorted(cuts[k])))
        for k, kind in enumerate(kinds)
    )


class Partition(NamedTuple):
    """Rows sorted into groups.

    The group of every row, numbered by first appearance, the codes of every group in the used columns, and where they
    are known its answers, packed into words.
    """

    group_of: Codes
    codes: Codes
    bits: NDArray[np.uint64] | None = None


@dataclass(frozen=True)
class Coding:
    """The bins of all columns, and what the conditions answer for each code.

    Two codes of a column with the same answers count as one, the lower: a missing value, say, in a
    column where no condition asks for it.
    """

    conditions: tuple[Condition, ...]
    kinds: tuple[str, ...]

    @cached_property
    def bins(self) -> tuple[Bins, ...]:
        """The bins of all columns."""
        return bins_of(self.conditions, self.kinds)

    @cached_property
    def answers(self) -> tuple[NDArray[np.bool_], ...]:
        """For each column a matrix of codes by conditions of the column, in their order."""
        mine: list[list[NDArray[np.bool_]]] = [[] for _ in self.bins]
        values = [bins.representatives() for bins in self.bins]
        for condition in self.conditions:
            mine[condition.column].append(condition.holds(values[condition.column]))
        return tuple(
            np.array(rows).T if rows else np.zeros((bins.size, 0), bool)
            for rows, bins in zip(mine, self.bins, strict=True)
        )

    @cached_property
    def used(self) -> tuple[int, ...]:
        """The columns that have conditions."""
        return tuple(sorted({condition.column for condition in self.conditions}))

    @cached_property
    def first_alike(self) -> tuple[Codes, ...]:
        """For each column and code the lowest code with the same answers."""
        result = []
        for answers in self.answers:
            seen: dict[bytes, int] = {}
            firsts = [seen.setdefault(row.tobytes(), code) for code, row in enumerate(answers)]
            result.append(np.array(firsts, np.uint32))
        return tuple(result)

    def group_table(self, table: Table, *, fresh: bool) -> Partition:
        """Group the rows of a table in memory by their codes.

        ``fresh``: the conditions were chosen for this table. All codes that occur then differ in their answers, and
        need not be merged.
        """
        found = Partition(*core.group_table(self._arrays(table.columns), self._intervals(), table.rows))
        if fresh:
            return found
        merged = self.group_codes(self.merge(found.codes.T), len(found.codes))
        return Partition(merged.group_of[found.group_of], merged.codes)

    def group_codes(self, codes: Iterable[Codes], rows: int) -> Partition:
        """Group rows of codes, given as an array for each used column."""
        return Partition(*core.group_rows([np.ascontiguousarray(column) for column in codes], rows))

    def merge(self, codes: Iterable[Codes]) -> list[Codes]:
        """Replace the codes in each used column by the lowest with the same answers."""
        return [self.first_alike[k][column] for k, column in zip(self.used, codes, strict=True)]

    def _arrays(self, columns: Columns) -> NDArray[np.float64] | NDArray[np.uint8] | list[NDArray[Any]]:
        """Return the columns of a table as the core takes them: values, and codes of categories where they are used."""
        if isinstance(columns, Matrix):
            return columns.values
        used = set(self.used)
        return [
            self._levels(k).codes(column) if kind == CATEGORY and k in used else column.values
            for k, (kind, column) in enumerate(zip(self.kinds, columns, strict=True))
        ]

    def _intervals(self) -> list[tuple[int, float, float]]:
        """Return for each condition its column, and the values or codes for which it holds."""
        return [
            (c.column, *(self._levels(c.column).interval(c) if self.kinds[c.column] == CATEGORY else _interval_of(c)))
            for c in self.conditions
        ]

    def _levels(self, column: int) -> LevelBins:
        bins = self.bins[column]
        assert isinstance(bins, LevelBins)
        return bins

    def sizes(self) -> list[int]:
        """Return the number of codes of each used column."""
        return [self.bins[k].size for k in self.used]

    def binary(self, codes: Sequence[Codes], rows: int) -> NDArray[np.bool_]:
        """Return the answers of rows of codes (of the used columns) to all conditions."""
        answers = {k: self.answers[k][column] for k, column in zip(self.used, codes, strict=True)}
        taken = dict.fromkeys(answers, 0)
        result = np.empty((rows, len(self.conditions)), dtype=bool)
        for at, condition in enumerate(self.conditions):
            k = condition.column
            result[:, at] = answers[k][:, taken[k]]
            taken[k] += 1
        return result
