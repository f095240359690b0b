"""Codes for all columns of a table, and groups of rows by them.

Grouping rows by one code a column is the same as grouping them by hundreds of answers, and cheap everywhere: in memory,
and in an engine that has no idea of conditions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..table.columns import CATEGORY, Columns, Matrix
from ..table.reading import Table
from .bins import Bins, Codes, LevelBins, bins_of, intervals_of
from .condition import Condition


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
        arrays, intervals = self._arrays(table.columns), self._intervals()
        found = Partition(*core.group_table(arrays, intervals, len(self.conditions), table.rows))
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

    def _intervals(self) -> list[tuple[int, int, float, float]]:
        """Return the intervals of all conditions: of values, or of the codes of levels, for which they hold."""
        found = []
        for number, condition in enumerate(self.conditions):
            at, values = condition.column, condition.values
            pairs = self._levels(at).intervals(values) if self.kinds[at] == CATEGORY else intervals_of(values)
            for low, high in pairs:
                found.append((number, at, low, high))
        return found

    def _arrays(self, columns: Columns) -> NDArray[np.float64] | NDArray[np.uint8] | list[NDArray[Any]]:
        """Return the columns of a table as the core takes them: values, and codes of categories where they are used."""
        if isinstance(columns, Matrix):
            return columns.values
        used = set(self.used)
        return [
            self._levels(k).codes(column) if kind == CATEGORY and k in used else column.values
            for k, (kind, column) in enumerate(zip(self.kinds, columns, strict=True))
        ]

    def _levels(self, column: int) -> LevelBins:
        bins = self.bins[column]
        assert isinstance(bins, LevelBins)
        return bins
