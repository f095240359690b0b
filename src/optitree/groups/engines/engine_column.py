"""A column of a table that an engine holds: its values and levels, found by histograms."""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ...conditions.profile import LevelProfile, NumberProfile
from .expressions import fixed_point, from_fixed_point, number_code, within

# Bins of equal width over the whole range of a column: those of the first histogram, and of the next ones, which look
# into a few of its bins only. Beyond, and where a bin has few rows, every value is asked for.
_FINENESS = (2**16, 2**28, 2**40, 2**52)
_FEW_ROWS = 200_000
_MOST_LEVELS = 100_000
_VALUE, _WEIGHT, _BIN, _LOW, _HIGH, _ROWS = (
    f"optitree_{name}" for name in ("value", "weight", "bin", "low", "high", "rows")
)
_WEIGHT_ENDS = (f"{_WEIGHT}_0", f"{_WEIGHT}_1")
_AGGREGATES = (
    nw.col(_VALUE).min().alias(_LOW),
    nw.col(_VALUE).max().alias(_HIGH),
    *(nw.col(end).sum() for end in _WEIGHT_ENDS),
    nw.len().alias(_ROWS),
)
# The rows of the matrix of runs.
_LOWS, _HIGHS, _WEIGHTS, _COUNTS, _STEPS = range(5)


class EngineColumn:
    """A column in an engine, with the weights of its rows."""

    def __init__(
        self,
        name: str,
        kind: str,
        values: "nw.LazyFrame[Any]",
        ends: tuple[float, float],
        has_missing: bool,
        order: tuple[str, ...] | None,
    ) -> None:
        self.kind = kind
        self.has_missing = has_missing
        self.few = None  # to know takes a query
        self._name = name
        self._present = values.filter(~nw.col(_VALUE).is_null())
        self._low, self._high = ends
        self._order = order
        self._runs: NDArray[np.float64] | None = None

    @staticmethod
    def values(value: Any, weight: Any) -> tuple[Any, ...]:
        """Return the columns that ``values`` must have; weights are at most 1, and only their proportions matter."""
        ends = zip(_WEIGHT_ENDS, fixed_point(weight), strict=True)
        return value.alias(_VALUE), *(term.alias(end) for end, term in ends)

    def numbers(self, most: int | None) -> NumberProfile:
        """Return values and weights: all of them, or exact wherever ``most`` quantiles may fall."""
        if most is None:
            runs = self._group(self._present, nw.col(_VALUE), len(_FINENESS))
        else:
            runs = self._group(self._present, self._bin(0), 0) if self._runs is None else self._runs
            while len(unclear := _unclear(runs, most)):
                runs = self._look_into(runs, unclear)
            self._runs = runs
        return NumberProfile(runs[_LOWS], runs[_HIGHS], runs[_WEIGHTS])

    def levels(self) -> LevelProfile:
        """Return the levels of a category."""
        return self._levels

    @cached_property
    def _levels(self) -> LevelProfile:
        counted = self._present.group_by(_VALUE).agg(*(nw.col(end).sum() for end in _WEIGHT_ENDS))
        found = counted.head(_MOST_LEVELS + 1).collect()
        if len(found) > _MOST_LEVELS:
            raise ValueError(
                f"column {self._name!r} has more than {_MOST_LEVELS:,} different texts; drop it, or replace it by a "
                "column with fewer"
            )
        weights = _weights({end: as_numbers(found[end]) for end in _WEIGHT_ENDS})
        weight_of = dict(zip(found[_VALUE].to_list(), weights.tolist(), strict=True))
        levels = sorted(weight_of) if self._order is None else [level for level in self._order if level in weight_of]
        return LevelProfile(tuple(levels), np.array([weight_of[level] for level in levels]), order=self._order)

    def ranges(self, thresholds: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and greatest value of each bin between thresholds."""
        if not thresholds:
            return np.array([self._low]), np.array([self._high])
        lows, highs = np.full(len(thresholds) + 1, np.inf), np.full(len(thresholds) + 1, -np.inf)
        found = collect_numbers(
            self._present.with_columns(number_code(nw.col(_VALUE), thresholds).alias(_BIN))
            .group_by(_BIN)
            .agg(*_AGGREGATES)
        )
        at = found[_BIN].astype(np.intp)
        lows[at], highs[at] = found[_LOW], found[_HIGH]
        return lows, highs

    def _look_into(self, runs: NDArray[np.float64], unclear: NDArray[np.intp]) -> NDArray[np.float64]:
        """Replace the coarsest of the unclear runs by finer ones, all in one query."""
        step = int(runs[_STEPS, unclear].min()) + 1
        chosen = unclear[runs[_STEPS, unclear] < step]
        value = nw.col(_VALUE)
        ends = list(zip(runs[_LOWS, chosen].tolist(), runs[_HIGHS, chosen].tolist(), strict=True))
        inside = self._present.filter(within(value, ends))
        if step == len(_FINENESS) or runs[_COUNTS, chosen].sum() <= _FEW_ROWS:
            finer = self._group(inside, value, len(_FINENESS))
        else:
            finer = self._group(inside, self._bin(step), step)
        runs = np.concatenate([np.delete(runs, chosen, axis=1), finer], axis=1)
        return runs[:, np.argsort(runs[_LOWS])]

    def _bin(self, step: int) -> Any:
        if not self._low < self._high:
            return nw.lit(0)
        # Halves where the width is beyond the range of floating point.
        half = 1.0 if math.isfinite(self._high - self._low) else 0.5
        share = (nw.col(_VALUE) * half - self._low * half) / (self._high * half - self._low * half)
        return (share * _FINENESS[step]).floor()

    @staticmethod
    def _group(frame: "nw.LazyFrame[Any]", by: Any, step: int) -> NDArray[np.float64]:
        """Return the runs of values with the same bin, ascending."""
        found = collect_numbers(frame.with_columns(by.alias(_BIN)).group_by(_BIN).agg(*_AGGREGATES))
        order = np.argsort(found[_LOW])
        found[_WEIGHT] = _weights(found)
        rows = [found[name][order] for name in (_LOW, _HIGH, _WEIGHT, _ROWS)]
        return np.array([*rows, np.full(len(order), step)], dtype=np.float64)


def _weights(found: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    return from_fixed_point(*(found[end] for end in _WEIGHT_ENDS))


def collect_numbers(frame: "nw.LazyFrame[Any]") -> dict[str, NDArray[Any]]:
    """Run a query and return its columns as numbers."""
    found = frame.collect()
    return {name: as_numbers(found[name]) for name in found.columns}


def as_numbers(series: "nw.Series[Any]") -> NDArray[Any]:
    """Return a column of a result: integers as they are, all else as floating point."""
    if series.dtype.is_integer() and not series.is_null().any():
        return np.asarray(series.to_numpy())
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _unclear(runs: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return the runs of several values to look into: where a quantile falls, or all if there are few."""
    several = runs[_LOWS] < runs[_HIGHS]
    if runs.shape[1] <= most + 1:
        return np.flatnonzero(several)
    after = np.cumsum(runs[_WEIGHTS])
    wanted = after[-1] * np.arange(1, most + 1) / (most + 1)
    slack = 1e-9 * after[-1]
    first = np.searchsorted(after, wanted - slack)
    last = np.minimum(np.searchsorted(after, wanted + slack), runs.shape[1] - 1)
    touched = np.unique(np.concatenate([first, last]))
    return np.asarray(touched[several[touched]])
