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
from .engine_column import EngineColumn, as_numbers, collect_numbers
from .expressions import STEP, code_of, fixed_point, number_of, weight_of
from .table import CATEGORY, check_kind, kind_of, unreadable

_BIN, _ROWS = "optitree_bin", "optitree_rows"

Statistics = dict[str, NDArray[np.float64]]  # mean, weight, scatter and rows of each group


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

    def columns(self) -> list[EngineColumn]:
        """Look at all columns in one query: their kinds and ranges, and whether they have gaps."""
        values = {}
        for name in self.names:
            plain, dtype = self._plain[name], self._dtypes[self._plain[name]]
            kind = kind_of(dtype)
            if kind is None:
                raise unreadable(name, dtype)
            values[plain] = kind, nw.col(plain).cast(nw.String) if kind == CATEGORY else number_of(plain, dtype)
        seen = self._frame.select(*(value.alias(plain) for plain, (_, value) in values.items()))
        questions = [nw.len().alias(_ROWS), *(nw.col(plain).count().alias(f"{plain}_there") for plain in values)]
        for plain, (kind, _) in values.items():
            if kind != CATEGORY:
                questions += [nw.col(plain).min().alias(f"{plain}_low"), nw.col(plain).max().alias(f"{plain}_high")]
        found = collect_numbers(seen.select(*questions))
        columns = []
        for name, (plain, (kind, value)) in zip(self.names, values.items(), strict=True):
            there = int(found[f"{plain}_there"][0])
            low, high = np.inf, -np.inf
            if kind != CATEGORY and there:
                low, high = float(found[f"{plain}_low"][0]), float(found[f"{plain}_high"][0])
                if np.isinf(low) or np.isinf(high):
                    raise ValueError(f"column {name!r} contains infinity; replace infinite values first")
            frame = self._frame.select(*EngineColumn.values(value, weight_of(self._weight)))
            columns.append(EngineColumn(name, kind, frame, low, high, there < found[_ROWS][0]))
        return columns

    def check_kinds(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        """Raise ValueError where a column is not of the kind that it had at fit."""
        for name, kind in zip(names, kinds, strict=True):
            check_kind(kind_of(self._dtypes[self._plain[name]]), kind, name)

    def sample_codes(self, coding: Coding, names: Sequence[str], rows: int) -> list[Codes]:
        """Return the codes of the first rows."""
        found = collect_numbers(self._frame.select(*self._codes(coding, names, complete=True)).head(rows))
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
            high, low = (as_numbers(found[_term_name(name, end)]).astype(np.float64) for end in (0, 1))
            return high / STEP + low / STEP / STEP

        rows = as_numbers(found[_ROWS]).astype(np.float64)
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
        frame = self._given.select(target.alias("y"), weight_of(self._weight).alias("w"))
        y, w = nw.col("y"), nw.col("w")
        found = collect_numbers(
            frame.select(
                nw.len().alias(_ROWS),
                y.count().alias("there"),
                y.min().alias("low"),
                y.max().alias("high"),
                w.min().alias("lightest"),
                w.max().alias("heaviest"),
                w.count().alias("weighed"),
            )
        )
        rows = int(found[_ROWS][0])
        if not rows:
            raise ValueError("the table has no rows; at least one is needed")
        if found["there"][0] < rows:
            raise ValueError(
                f"the target {self._called[0]!r} is missing in {rows - int(found['there'][0]):,} of {rows:,} rows; "
                f'leave them out first (in SQL: where "{self._called[0]}" is not null)'
            )
        check_weights(self._called[1], rows, found)
        low, high = float(found["low"][0]), float(found["high"][0])
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


def _power_above(value: float) -> float:
    """Return a power of two that is not below a number."""
    return float(2.0 ** np.ceil(np.log2(value))) if value > 0 else 1.0


def _term_name(name: str, end: int) -> str:
    return f"optitree_{name}_{end}"


def _code_name(column: int) -> str:
    return f"optitree_code_{column}"
