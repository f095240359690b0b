"""Expressions: what an engine is to compute of each row, in terms that every engine knows."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ...conditions.bins import Bins, LevelBins
from ...conditions.values import INFINITY, Levels, Missing, Values
from ...table.columns import CATEGORY, DATE
from ...table.reading import kind_of

_MANY_THRESHOLDS = 32
_EPOCH = dt.date(1970, 1, 1)
_DAY = 86_400_000_000  # microseconds


def number_of(name: str, dtype: Any) -> Any:
    """Return an expression for a column as floating point, null where it is missing."""
    kind = kind_of(dtype)
    if kind == DATE:
        return _microseconds(nw.col(name), dtype)
    value = nw.col(name).cast(nw.Float64)
    if dtype.is_float():
        return nw.when(~nw.col(name).is_nan()).then(value)
    return value


def _microseconds(column: Any, dtype: Any) -> Any:
    """Count microseconds since 1970 by the calendar, which every engine knows (not all count seconds)."""
    time = nw.lit(0.0)
    if dtype == nw.Datetime:
        if dtype.time_zone is not None:
            column = column.dt.convert_time_zone("UTC")
        hours, minutes, seconds, microseconds = (  # some engines have 8-bit hours
            part.cast(nw.Float64)
            for part in (column.dt.hour(), column.dt.minute(), column.dt.second(), column.dt.microsecond())
        )
        time = ((hours * 60 + minutes) * 60 + seconds) * 1e6 + microseconds
    year = column.dt.year().cast(nw.Float64)
    leap_days = ((year - 1969) / 4).floor() - ((year - 1901) / 100).floor() + ((year - 1601) / 400).floor()
    days = (year - 1970) * 365 + leap_days + column.dt.ordinal_day().cast(nw.Float64) - 1
    return days * _DAY + time


def number_code(value: Any, thresholds: Sequence[Any]) -> Any:
    """Return how many of the thresholds are below a value, as an expression; null where it is missing."""
    if not thresholds:
        return nw.when(~value.is_null()).then(nw.lit(0))
    if len(thresholds) <= _MANY_THRESHOLDS:
        code = _one_if(value > thresholds[0])
        for threshold in thresholds[1:]:
            code = code + _one_if(value > threshold)
        return nw.when(~value.is_null()).then(code)
    middle = len(thresholds) // 2
    above = number_code(value, thresholds[middle + 1 :]) + (middle + 1)
    return nw.when(value <= thresholds[middle]).then(number_code(value, thresholds[:middle])).otherwise(above)


def _one_if(condition: Any) -> Any:
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def within(value: Any, ranges: Sequence[tuple[float, float]]) -> Any:
    """Return whether a value lies in one of some ascending ranges, found by halving."""
    if len(ranges) == 1:
        ((low, high),) = ranges
        return (value >= low) & (value <= high)
    middle = len(ranges) // 2
    left, right = within(value, ranges[:middle]), within(value, ranges[middle:])
    return nw.when(value < ranges[middle][0]).then(left).otherwise(right)


def code_of(name: str, dtype: Any, bins: Bins, levels: Sequence[str] | None = None) -> Any:
    """Return the code of a value as an expression. ``levels``: all there are, where that is known."""
    missing = nw.lit(bins.size - 1)
    if isinstance(bins, LevelBins):
        text = nw.col(name).cast(nw.String)
        return nw.when(text.is_null()).then(missing).otherwise(_level_code(text, bins, levels))
    if dtype == nw.Date:
        days = [_day_of(threshold) for threshold in bins.thresholds]
        return nw.when(nw.col(name).is_null()).then(missing).otherwise(number_code(nw.col(name), days))
    value = number_of(name, dtype)
    return nw.when(value.is_null()).then(missing).otherwise(number_code(value, bins.thresholds))


def _day_of(threshold: float) -> dt.date:
    """Return the day of a moment. Days are compared as they are: one is later than a moment if it is than its day."""
    return _EPOCH + dt.timedelta(days=threshold // _DAY)


def value_of(name: str, dtype: Any, kind: str) -> Any:
    """Return an expression for what conditions compare: text, a day, or floating point; null where it is missing."""
    if dtype == nw.Unknown:  # a column without a type has no values
        return nw.lit(None).cast(nw.String if kind == CATEGORY else nw.Float64)
    if kind == CATEGORY:
        return nw.col(name).cast(nw.String)
    return nw.col(name) if dtype == nw.Date else number_of(name, dtype)


def is_among(value: Any, values: Values, *, days: bool = False) -> Any:
    """Return whether a value, such as ``value_of`` returns, is in a set of values; never null."""
    if isinstance(values, Missing):
        return value.is_null()
    if isinstance(values, Levels):
        return value.is_in(values.levels).fill_null(False)
    inside = []
    for low, high in values.ends:
        sides = [value > (_day_of(low) if days else low)] if low > -INFINITY else []
        sides += [value <= (_day_of(high) if days else high)] if high < INFINITY else []
        inside.append(nw.all_horizontal(*sides, ignore_nulls=False) if sides else ~value.is_null())
    found = inside[0] if len(inside) == 1 else nw.any_horizontal(*inside, ignore_nulls=False)
    return found.fill_null(False)


def _level_code(text: Any, bins: LevelBins, levels: Sequence[str] | None) -> Any:
    """Return the code of a level that is there. A class may have very many levels: these are not named one by one."""
    if levels is None:
        named = {members[0]: code for code, members in enumerate(bins.classes) if len(members) == 1}
        other = nw.lit(bins.unnamed)
        for code, members in enumerate(bins.classes):
            if len(members) > 1:
                other = nw.when(text.is_in(members)).then(nw.lit(code)).otherwise(other)
    else:
        codes = {level: bins.code_of.get(level, bins.unnamed) for level in sorted(levels)}
        most_frequent = Counter(codes.values()).most_common(1)[0][0] if codes else bins.unnamed
        named = {level: code for level, code in codes.items() if code != most_frequent}
        other = nw.lit(most_frequent)
    if not named:
        return other
    code = text.replace_strict(named, default=-1, return_dtype=nw.Int64)
    return nw.when(code >= 0).then(code).otherwise(other)


# Sums of integers are the same in every order and engine. A term of absolute value at most 1 is taken as two of them,
# hi * 2^-31 + lo * 2^-62 with 0 <= lo < 2^31, so that up to 2^32 rows are added in 64 bits. Scaling by powers of two
# and taking off the whole part are exact in floating point, so every engine has the same integers.
STEP = 2.0**31


def fixed_point(term: Any) -> tuple[Any, Any]:
    """Return the two integers of a term."""
    scaled = term * STEP
    high = scaled.floor()
    low = ((scaled - high) * STEP).floor()
    return high.cast(nw.Int64), low.cast(nw.Int64)


def from_fixed_point(high: NDArray[Any], low: NDArray[Any]) -> NDArray[np.float64]:
    """Return what sums of the two integers stand for."""
    return high.astype(np.float64) / STEP + low.astype(np.float64) / STEP / STEP
