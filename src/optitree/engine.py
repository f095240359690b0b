"""Tables that an engine holds (DuckDB, Dask, Spark, polars' lazy frames): it works, we ask.

Every question is a small query through narwhals that returns a number, a histogram or the groups. Rows never leave the
engine.
"""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from .bins import Codes, Coding
from .expressions import STEP, code_of, fixed_point, number_code, number_of, weight_of
from .profile import LevelProfile, NumberProfile
from .table import CATEGORY, check_kind, kind_of, unreadable

_BINS = 65_536  # of the first histogram of a column
_FINER_BINS = 4_096  # of one that looks into a single bin of another
_MOST_LEVELS = 100_000
_NAMES = ("value", "weight", "bin", "low", "high", "rows")
_VALUE, _WEIGHT, _BIN, _LOW, _HIGH, _ROWS = (f"optitree_{name}" for name in _NAMES)

Statistics = dict[str, NDArray[np.float64]]  # mean, weight, scatter and rows of each group


class EngineColumn:
    """A column in an engine, with the weights of its rows."""

    def __init__(self, frame: "nw.LazyFrame[Any]", name: str, plain: str, dtype: Any, weight: str | None) -> None:
        kind = kind_of(dtype)
        if kind is None:
            raise unreadable(name, dtype)
        self.kind = kind
        self._name = name
        value = nw.col(plain).cast(nw.String) if kind == CATEGORY else number_of(plain, dtype)
        self._frame = frame.select(value.alias(_VALUE), weight_of(weight).alias(_WEIGHT))
        self._low, self._high, self._missing = self._look()
        self._profiles: dict[int | None, NumberProfile] = {}

    @property
    def gaps(self) -> bool:
        """Whether a value is missing."""
        return self._missing > 0

    def numbers(self, most: int | None) -> NumberProfile:
        """Return values and weights: all of them, or exact wherever ``most`` quantiles may fall."""
        if most not in self._profiles:
            self._profiles[most] = self._profile(most)
        return self._profiles[most]

    def _profile(self, most: int | None) -> NumberProfile:
        if most is None:
            found = _arrays(self._present().group_by(_VALUE).agg(nw.col(_WEIGHT).sum()))
            order = np.argsort(found[_VALUE])
            values, weights = found[_VALUE][order], found[_WEIGHT][order]
            return NumberProfile(values, values, weights)
        runs = self._runs(self._low, self._high, _BINS)
        while len(unclear := _unclear(runs, most)):
            for k in unclear[::-1]:
                finer = self._runs(runs[0][k], runs[1][k], _FINER_BINS)
                runs = np.concatenate([runs[:, :k], finer, runs[:, k + 1 :]], axis=1)
        return NumberProfile(runs[0], runs[1], runs[2])

    def levels(self) -> LevelProfile:
        """Return the levels of a category."""
        counted = self._present().group_by(_VALUE).agg(nw.col(_WEIGHT).sum())
        found = counted.head(_MOST_LEVELS + 1).collect()
        if len(found) > _MOST_LEVELS:
            raise ValueError(
                f"column {self._name!r} has more than {_MOST_LEVELS:,} different texts; drop it, or replace it by a "
                "column with fewer"
            )
        pairs = sorted(zip(found[_VALUE].to_list(), found[_WEIGHT].to_list(), strict=True))
        return LevelProfile(tuple(level for level, _ in pairs), np.array([float(weight) for _, weight in pairs]))

    def ranges(self, cuts: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the least and greatest value of each bin between cuts."""
        if not cuts:
            return np.array([self._low]), np.array([self._high])
        lows, highs = np.full(len(cuts) + 1, np.inf), np.full(len(cuts) + 1, -np.inf)
        binned = self._present().with_columns(number_code(nw.col(_VALUE), cuts).alias(_BIN))
        found = _arrays(binned.group_by(_BIN).agg(nw.col(_VALUE).min().alias(_LOW), nw.col(_VALUE).max().alias(_HIGH)))
        at = found[_BIN].astype(np.intp)
        lows[at], highs[at] = found[_LOW], found[_HIGH]
        return lows, highs

    def _present(self) -> "nw.LazyFrame[Any]":
        return self._frame.filter(~nw.col(_VALUE).is_null())

    def _look(self) -> tuple[float, float, int]:
        value = nw.col(_VALUE)
        if self.kind == CATEGORY:
            found = _arrays(self._frame.select(nw.len().alias(_ROWS), value.count().alias(_BIN)))
            return 0.0, 0.0, int(found[_ROWS][0] - found[_BIN][0])
        found = _arrays(
            self._frame.select(
                value.min().alias(_LOW), value.max().alias(_HIGH), value.count().alias(_BIN), nw.len().alias(_ROWS)
            )
        )
        low, high = float(found[_LOW][0]), float(found[_HIGH][0])
        if np.isinf(low) or np.isinf(high):
            raise ValueError(f"column {self._name!r} contains infinity; replace infinite values first")
        missing = int(found[_ROWS][0] - found[_BIN][0])
        return (np.inf, -np.inf, missing) if np.isnan(low) else (low, high, missing)

    def _runs(self, low: float, high: float, bins: int) -> NDArray[np.float64]:
        """Return lows, highs and weights of a histogram of the values between two."""
        if not low <= high:
            return np.empty((3, 0))
        if low == high:
            same = _arrays(self._present().filter(nw.col(_VALUE) == low).select(nw.col(_WEIGHT).sum()))
            return np.array([[low], [high], [same[_WEIGHT][0]]])
        # Halves, because the width may be beyond the range of floating point.
        share = (nw.col(_VALUE) * 0.5 - low * 0.5) / (high * 0.5 - low * 0.5)
        inside = self._present().filter((nw.col(_VALUE) >= low) & (nw.col(_VALUE) <= high))
        binned = inside.with_columns((share * (bins - 1)).floor().alias(_BIN))
        found = _arrays(
            binned.group_by(_BIN).agg(
                nw.col(_VALUE).min().alias(_LOW), nw.col(_VALUE).max().alias(_HIGH), nw.col(_WEIGHT).sum()
            )
        )
        order = np.argsort(found[_LOW])
        return np.array([found[_LOW][order], found[_HIGH][order], found[_WEIGHT][order]])


def _unclear(runs: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Return the runs of several values to look into: where a quantile falls, or all if there are few."""
    lows, highs, weights = runs
    several = lows < highs
    if len(lows) <= most + 1:
        return np.flatnonzero(several)
    after = np.cumsum(weights)
    wanted = after[-1] * np.arange(1, most + 1) / (most + 1)
    slack = 1e-9 * after[-1]
    first = np.searchsorted(after, wanted - slack)
    last = np.minimum(np.searchsorted(after, wanted + slack), len(lows) - 1)
    touched = np.unique(np.concatenate([first, last]))
    return np.asarray(touched[several[touched]])


class EngineTable:
    """A table in an engine: its columns, its target, and the groups that the engine makes of its rows."""

    def __init__(self, frame: "nw.LazyFrame[Any]", target: str, weight: str | None) -> None:
        schema = frame.collect_schema()
        self.names = [name for name in schema if name not in (target, weight)]
        # Names of our own: those of the table may have dots, quotes or blanks, which not every engine takes.
        self._plain = {name: f"c{number}" for number, name in enumerate(schema)}
        self._dtypes = {self._plain[name]: dtype for name, dtype in schema.items()}
        self._called = target, weight
        self._target, self._weight = self._plain[target], None if weight is None else self._plain[weight]
        self._given = _renamed(frame, self._plain)
        self._frame = self._given if weight is None else self._given.filter(weight_of(self._weight) > 0)
        self.rows, low, high, heaviest = self._look()
        # Measured from the middle of its range a target keeps its precision however large it is.
        self.origin = low / 2 + high / 2
        self._y_scale = _power_above(max(high - self.origin, self.origin - low))
        self._w_scale = _power_above(heaviest)

    def column(self, name: str) -> EngineColumn:
        """Return one of the columns."""
        plain = self._plain[name]
        return EngineColumn(self._frame, name, plain, self._dtypes[plain], self._weight)

    def check_kinds(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        """Raise ValueError where a column is not of the kind that it had at fit."""
        for name, kind in zip(names, kinds, strict=True):
            check_kind(kind_of(self._dtypes[self._plain[name]]), kind, name)

    def sample_codes(self, coding: Coding, names: Sequence[str], rows: int) -> list[Codes]:
        """Return the codes of the first rows."""
        found = _arrays(self._frame.select(*self._codes(coding, names, complete=True)).head(rows))
        return [found[_code_name(k)].astype(np.uint32) for k in coding.used]

    def group(self, coding: Coding, names: Sequence[str], complete: bool) -> tuple[list[Codes], Statistics]:
        """Let the engine group by code: the codes of each column, and what is known of each group."""
        found, statistics = self._group(self._codes(coding, names, complete))
        return [np.asarray(found[_code_name(k)].to_numpy()).astype(np.uint32) for k in coding.used], statistics

    def distinct_rows(self) -> tuple["nw.DataFrame[Any]", Statistics]:
        """Let the engine group by the values themselves."""
        found, statistics = self._group([nw.col(self._plain[name]) for name in self.names])
        return found.select(nw.col(self._plain[name]).alias(name) for name in self.names), statistics

    def _group(self, keys: list[Any]) -> tuple["nw.DataFrame[Any]", Statistics]:
        value = (number_of(self._target, self._dtypes[self._target]) - self.origin) / self._y_scale
        share = weight_of(self._weight) / self._w_scale
        terms = {"sum": fixed_point(share * value), "square": fixed_point(share * value * value)}
        if self._weight is not None:
            terms["weight"] = fixed_point(share)
        named = {_term_name(name, end): term for name, ends in terms.items() for end, term in enumerate(ends)}
        frame = self._frame.select(*keys, *(term.alias(name) for name, term in named.items()))
        by = [name for name in frame.collect_schema().names() if name not in named]
        grouped = frame.group_by(*by).agg(nw.len().alias(_ROWS), *(nw.col(name).sum() for name in named))
        found = grouped.with_columns(*(nw.col(name).cast(nw.Int64) for name in named)).collect()
        return found, self._statistics(found)

    def _statistics(self, found: "nw.DataFrame[Any]") -> Statistics:
        def real(name: str) -> NDArray[np.float64]:
            high, low = (_numbers(found[_term_name(name, end)]).astype(np.float64) for end in (0, 1))
            return high / STEP + low / STEP / STEP

        rows = _numbers(found[_ROWS]).astype(np.float64)
        weight = rows / self._w_scale if self._weight is None else real("weight")
        total = real("sum")
        mean = total / weight
        scatter = np.maximum(real("square") - mean * total, 0)
        return {
            "mean": mean * self._y_scale,
            "weight": weight * self._w_scale,
            "scatter": scatter * self._y_scale * self._y_scale * self._w_scale,
            "rows": rows,
        }

    def _codes(self, coding: Coding, names: Sequence[str], complete: bool) -> list[Any]:
        codes = []
        for k in coding.used:
            plain = self._plain[names[k]]
            codes.append(code_of(plain, self._dtypes[plain], coding.bins[k], complete).alias(_code_name(k)))
        return codes or [nw.lit(0).alias(_BIN)]

    def _look(self) -> tuple[int, float, float, float]:
        target = number_of(self._target, self._dtypes[self._target])
        frame = self._given.select(target.alias(_VALUE), weight_of(self._weight).alias(_WEIGHT))
        value, weight = nw.col(_VALUE), nw.col(_WEIGHT)
        found = _arrays(
            frame.select(
                nw.len().alias(_ROWS),
                value.count().alias(_BIN),
                value.min().alias(_LOW),
                value.max().alias(_HIGH),
                weight.min().alias("lightest"),
                weight.max().alias("heaviest"),
                weight.count().alias("weighed"),
            )
        )
        rows = int(found[_ROWS][0])
        if not rows:
            raise ValueError("the table has no rows; at least one is needed")
        if found[_BIN][0] < rows:
            raise ValueError(
                f"the target {self._called[0]!r} is missing in {rows - int(found[_BIN][0]):,} of {rows:,} rows; leave "
                f'them out first (in SQL: where "{self._called[0]}" is not null)'
            )
        check_weights(self._called[1], rows, found)
        low, high = float(found[_LOW][0]), float(found[_HIGH][0])
        check_range(self._called[0], low, high)
        return rows, low, high, float(found["heaviest"][0])


def _renamed(frame: "nw.LazyFrame[Any]", plain: dict[str, str]) -> "nw.LazyFrame[Any]":
    if frame.implementation.is_dask():
        frame = nw.from_native(_with_text_levels(nw.to_native(frame)))
    if frame.implementation.is_pyspark():  # takes a dot in a name for a field of a struct
        renamed: nw.LazyFrame[Any] = nw.from_native(nw.to_native(frame).toDF(*plain.values()))
        return renamed
    return frame.select(*(nw.col(name).alias(short) for name, short in plain.items()))


def _with_text_levels(native: Any) -> Any:
    """Make texts of categories that are numbers: beside a missing value pandas would write them otherwise."""
    categories = [name for name, dtype in native.dtypes.items() if hasattr(dtype, "categories")]
    return native.assign(
        **{name: native[name].map_partitions(lambda part: part.cat.rename_categories(str)) for name in categories}
    )


def check_weights(name: str | None, rows: int, found: dict[str, NDArray[Any]]) -> None:
    """Raise ValueError where weights cannot be used."""
    if name is None:
        return
    lightest, heaviest = float(found["lightest"][0]), float(found["heaviest"][0])
    if found["weighed"][0] < rows or not np.isfinite([lightest, heaviest]).all():
        raise ValueError(f"the weight {name!r} is missing or infinite in some rows; give these rows weight 0")
    if lightest < 0:
        raise ValueError(f"the weight {name!r} is negative in some rows; weights must be 0 or more")
    if not 1e-50 <= heaviest <= 1e50:
        raise ValueError(
            f"the largest weight {name!r} is {heaviest:g}; at least one must be positive, and only proportions matter, "
            "so scale them to about 1"
        )


def check_range(name: str, low: float, high: float) -> None:
    """Raise ValueError where a target cannot be used."""
    if not np.isfinite([low, high]).all() or max(-low, high) > 1e100:
        raise ValueError(f"the target {name!r} has values that are infinite or beyond 1e100; leave out these rows")
    if 0 < high - low < 1e-100:
        raise ValueError(f"the values of the target {name!r} differ by less than 1e-100; multiply it by a constant")


def _arrays(frame: "nw.LazyFrame[Any]") -> dict[str, NDArray[Any]]:
    """Run a query and return its columns as numbers."""
    found = frame.collect()
    return {name: _numbers(found[name]) for name in found.columns}


def _numbers(series: "nw.Series[Any]") -> NDArray[Any]:
    if series.dtype.is_integer() and not series.is_null().any():
        return np.asarray(series.to_numpy())
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _power_above(value: float) -> float:
    """Return a power of two that is not below a number."""
    return float(2.0 ** np.ceil(np.log2(value))) if value > 0 else 1.0


def _term_name(name: str, end: int) -> str:
    return f"optitree_{name}_{end}"


def _code_name(column: int) -> str:
    return f"optitree_code_{column}"
