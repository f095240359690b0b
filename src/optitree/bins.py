"""Bins: the code of a value says all that the conditions of its column can know of it.

Grouping rows by one code a column is the same as grouping them by hundreds of answers, and cheap
everywhere: in memory, and in an engine that has no idea of conditions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from . import native
from .conditions import TRUE, AtMost, Between, Condition, Equals, IsOther, IsTrue
from .table import CATEGORY, Column, Table

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

    def codes(self, column: Column) -> Codes:
        """Return the code of every value."""
        return native.bin_codes(column.values, np.array(self.cuts))

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
        unknown, missing = self.size - 2, self.size - 1
        table = [*(self.code_of.get(level, unknown) for level in column.levels), missing]
        return np.asarray(np.array(table, np.uint32)[column.values])

    def representatives(self) -> Column:
        """Return one value for each code."""
        unknown = "".join(self.code_of) + "?"  # longer than any known level
        levels = (*self.frequent, self.rare[0] if self.rare else unknown, unknown)
        return Column(CATEGORY, np.array([*range(len(levels)), -1], np.int32), levels)


Bins = NumberBins | LevelBins


def bins_of(conditions: Sequence[Condition], kinds: Sequence[str]) -> tuple[Bins, ...]:
    """Return the coarsest bins of every column that decide all of its conditions."""
    cuts: list[set[float]] = [set() for _ in kinds]
    frequent: list[list[str]] = [[] for _ in kinds]
    rare: list[tuple[str, ...]] = [() for _ in kinds]
    for condition in conditions:
        at = condition.column
        match condition:
            case AtMost(threshold=threshold):
                cuts[at].add(threshold)
            case Between(low=low, high=high):
                cuts[at] |= {end for end in (low, high) if end is not None}
            case IsTrue():
                cuts[at].add(TRUE)
            case Equals(level=level):
                frequent[at].append(level)
            case IsOther(levels=levels):
                rare[at] = levels
    return tuple(
        LevelBins(tuple(frequent[k]), rare[k]) if kind == CATEGORY else NumberBins(kind, tuple(sorted(cuts[k])))
        for k, kind in enumerate(kinds)
    )


@dataclass(frozen=True)
class Coding:
    """The bins of all columns, and what the conditions answer for each code.

    Two codes of a column with the same answers count as one, the lower: a missing value, say, in a
    column where no condition asks for it.
    """

    conditions: tuple[Condition, ...]
    bins: tuple[Bins, ...]

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

    def codes(self, table: Table, *, fresh: bool) -> list[Codes]:
        """Return the codes of the rows in each used column.

        ``fresh``: the conditions were chosen for this table. All codes of numbers that occur then differ in their
        answers, and need not be merged.
        """
        codes = []
        for k in self.used:
            column = self.bins[k].codes(table.columns[k])
            codes.append(column if fresh and isinstance(self.bins[k], NumberBins) else self.merge(k, column))
        return codes

    def merge(self, column: int, codes: Codes) -> Codes:
        """Replace codes by the lowest with the same answers."""
        alike = self.first_alike[column]
        return np.asarray(alike[codes])

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
