"""Profiles: what is to be known of a column to choose its conditions, wherever its rows are."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..table.columns import CATEGORY, Columns, Matrix, numbers_of
from ..table.rows import Rows


@dataclass(frozen=True)
class NumberProfile:
    """Runs of neighbouring values in ascending order, mostly of one value each.

    A threshold at place k is between ``highs[k - 1]`` and ``lows[k]``.
    ``codes`` has the run of every row where the rows are in memory; missing values come last.
    """

    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    weights: NDArray[Any]
    codes: NDArray[np.uint32] | None = None

    def __len__(self) -> int:
        return len(self.lows)

    def around(self, place: int) -> tuple[float, float]:
        """Return the values on both sides of a place."""
        return float(self.highs[place - 1]), float(self.lows[place])


@dataclass(frozen=True)
class LevelProfile:
    """The levels of a category that have rows, with their weights; missing values come last.

    They are in alphabetical order, or in that of ``order``: all levels that there can be, where they have an order.
    ``rows`` counts those of each level, where the rows are in memory.
    """

    levels: tuple[str, ...]
    weights: NDArray[Any]
    codes: NDArray[np.uint32] | None = None
    rows: NDArray[Any] | None = None
    order: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.levels)


class Source(Protocol):
    """A column, in memory or in an engine, that answers questions about all of its values."""

    @property
    def kind(self) -> str:
        """Number, boolean, date or category."""

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""

    @property
    def few(self) -> Sequence[float] | None:
        """Every value in ascending order, where it is known that there are no more than a few; None for a category."""

    def numbers(self, most: int | None) -> NumberProfile:
        """Return the profile of a column that is no category.

        It has every value, or at least (``most`` is a number) those next to so many quantiles, and all if they are
        fewer.
        """

    def levels(self) -> LevelProfile:
        """Return the profile of a category."""

    def ranges(self, thresholds: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and greatest value of each bin between thresholds, inf and -inf if empty."""


def _sums(codes: NDArray[np.uint32], size: int, weight: NDArray[np.float64] | None) -> NDArray[Any]:
    """Return the weight of every code, the same for every order of the rows."""
    if weight is None:
        return np.bincount(codes, minlength=size)
    return core.add_up(codes, size, np.zeros(len(codes)), weight)[0]


def columns_in_memory(rows: Rows) -> list["ColumnInMemory"]:
    """Return the columns of a table, looked at in one go for those with few values."""
    columns = rows.table.columns
    few = core.few_values(numbers_of(columns))
    if not isinstance(columns, Matrix):
        known = iter(few)
        few = [None if column.kind == CATEGORY else next(known) for column in columns]
    copies = None if rows.merged is None else rows.merged.rows
    return [ColumnInMemory(columns, at, rows.weight, seen, copies) for at, seen in enumerate(few)]


class ColumnInMemory:
    """A column in memory, with the weights of its rows. ``few``: its values and whether some are missing, if known."""

    few: list[float] | None = None
    _numbers: NumberProfile | None = None

    def __init__(
        self,
        columns: Columns,
        at: int,
        weight: NDArray[np.float64] | None,
        few: tuple[list[float], bool] | None = None,
        copies: NDArray[np.float64] | None = None,
    ) -> None:
        self.kind = columns.kinds[at] if isinstance(columns, Matrix) else columns[at].kind
        self._columns, self._at = columns, at
        self._weight, self._copies = weight, copies
        if few is not None:
            self.few, self.has_missing = few

    @cached_property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return bool(self._columns[self._at].missing.any())

    def numbers(self, most: int | None) -> NumberProfile:
        """Return the distinct values, all of them whatever ``most`` is."""
        if self._numbers is None:
            values, codes, counts = core.distinct_values(self._columns[self._at].values)
            self.has_missing = bool(counts[-1] > 0)  # known now, and need not be looked for
            weights = counts if self._weight is None else _sums(codes, len(counts), self._weight)
            self._numbers = NumberProfile(values, values, weights[:-1], codes)
        return self._numbers

    def levels(self) -> LevelProfile:
        """Return the levels of a category."""
        column = self._columns[self._at]
        known = column.levels
        codes = np.where(column.values < 0, len(known), column.values).astype(np.uint32)
        weights, rows = (_sums(codes, len(known) + 1, each)[:-1] for each in (self._weight, self._copies))
        there = weights > 0  # a level may have no rows, or those of weight zero that were left out
        number = np.append(np.cumsum(there) - 1, there.sum())
        levels = tuple(level for level, has_rows in zip(known, there, strict=True) if has_rows)
        codes = number[codes].astype(np.uint32)
        return LevelProfile(levels, weights[there], codes, rows[there], known if column.ordered else None)

    def ranges(self, thresholds: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and greatest value of each bin between thresholds."""
        return core.bin_ranges(self._columns[self._at].values, np.array(thresholds, dtype=np.float64))
