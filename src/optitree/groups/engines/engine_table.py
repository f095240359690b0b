"""Tables that an engine holds (DuckDB, Dask, Spark, polars' lazy frames): it works, we ask.

Every question is a small query through narwhals that returns a number, a histogram or the groups. Rows never leave the
engine.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from ...conditions.bins import Codes
from ...conditions.coding import Coding
from ...table.columns import BOOLEAN, CATEGORY, NUMBER
from ...table.reading import check_kind, kind_of, unreadable
from ...table.target import SMALLEST_SHARE
from .dialects import in_known_zones, plain_table
from .engine_column import EngineColumn, as_numbers, collect_numbers
from .expressions import code_of, fixed_point, from_fixed_point, number_of

_LOTS = 9973.0
_BIN, _ROWS, _VALUE = "optitree_bin", "optitree_rows", "optitree_value"

# Mean, weight, scatter and rows of each group; value too if the values of the target are kept apart.
Statistics = dict[str, NDArray[np.float64]]


class EngineTable:
    """A table in an engine: its columns, its target, and the groups that the engine makes of its rows.

    With ``values`` rows of a group that have different targets stay apart.
    """

    def __init__(self, frame: "nw.LazyFrame[Any]", target: str, weight: str | None, *, values: bool = False) -> None:
        frame = in_known_zones(frame)
        schema = frame.collect_schema()
        self.names = [name for name in schema if name not in (target, weight)]
        # Names of our own: those of the table may have dots, quotes or blanks, which not every engine takes.
        self._plain = {name: f"c{number}" for number, name in enumerate(schema)}
        self.kinds = {name: kind_of(dtype) for name, dtype in schema.items()}
        self._target, self._weight, self.values = target, weight, values
        self._frame = plain_table(frame, self._plain)
        self._dtypes = self._frame.collect_schema()
        self._y, self._w = self._number("target", target), nw.lit(1.0)
        self.rows, low, high, heaviest = self._look()
        if weight is not None:
            self._frame = self._frame.filter(self._w > 0)
        # Measured from the middle of its range a target keeps its precision however large it is.
        self.origin = low / 2 + high / 2
        self._y_scale = _power_above(max(high - self.origin, self.origin - low))
        self._w_scale = _power_above(heaviest)

    def columns(self, names: Sequence[str]) -> list[EngineColumn]:
        """Look at columns in one query: their kinds and ranges, and whether values are missing."""
        if not names:
            return []
        values = {name: self._value(name) for name in names}
        plain = self._plain
        seen = self._frame.select(*(value.alias(plain[name]) for name, value in values.items()))
        questions = [nw.len().alias(_ROWS)]
        for name in names:
            column = nw.col(plain[name])
            questions.append(column.count().alias(f"{plain[name]}_there"))
            if self.kinds[name] != CATEGORY:
                questions += [column.min().alias(f"{plain[name]}_low"), column.max().alias(f"{plain[name]}_high")]
        found = collect_numbers(seen.select(*questions))
        columns = []
        for name, value in values.items():
            there = int(found[f"{plain[name]}_there"][0])
            kind = self.kinds[name] or NUMBER
            low, high = np.inf, -np.inf
            if kind != CATEGORY and there:
                low, high = float(found[f"{plain[name]}_low"][0]), float(found[f"{plain[name]}_high"][0])
                if np.isinf(low) or np.isinf(high):
                    raise ValueError(f"column {name!r} contains infinity; replace infinite values first")
            frame = self._frame.select(*EngineColumn.values(value, self._w / self._w_scale))
            missing = there < int(found[_ROWS][0])
            columns.append(EngineColumn(name, kind, frame, (low, high), missing, self._order(name)))
        return columns

    def check(self, wanted: Mapping[str, str]) -> None:
        """Raise ValueError where columns are not of the kinds that they had at fit, or hold infinity."""
        for name, kind in wanted.items():
            if self._dtypes[self._plain[name]] != nw.Unknown:  # a column without a type has no values
                check_kind(self.kinds[name], kind, name)
        self.columns(list(wanted))

    def sample_codes(self, coding: Coding, names: Sequence[str], rows: int) -> list[Codes]:
        """Return the codes of the first rows; those of their targets too if these are kept apart."""
        keys = self._codes(coding, names, None) + self._value_key()
        found = collect_numbers(self._frame.select(*keys).head(rows))
        codes = [found[_code_name(k)].astype(np.uint32) for k in coding.used]
        if self.values:
            codes.append(np.unique(found[_VALUE], return_inverse=True)[1].astype(np.uint32))
        return codes

    def group(
        self, coding: Coding, names: Sequence[str], levels: Mapping[int, Sequence[str]] | None
    ) -> tuple[list[Codes], Statistics]:
        """Let the engine group by code: the codes of each column, and what is known of each group.

        ``levels`` has all levels of the columns that are categories, if the conditions were chosen for this table.
        """
        found, statistics = self._group(self._codes(coding, names, levels))
        return [np.asarray(found[_code_name(k)].to_numpy()).astype(np.uint32) for k in coding.used], statistics

    def distinct_rows(self, share: float) -> tuple["nw.DataFrame[Any]", Statistics]:
        """Let the engine group by the values themselves, all or about a share of the rows."""
        for name in self.names:
            self._value(name)  # or there is an error
        chosen = self._frame if share >= 1 else self._frame.filter(self._lot() < share)
        found, statistics = self._group([nw.col(self._plain[name]) for name in self.names], chosen)
        return found.select(nw.col(self._plain[name]).alias(name) for name in self.names), statistics

    def _lot(self) -> Any:
        """Draw a number from 0 to 1 for each row out of its values: the same in every order and engine."""
        lot = (self._y - self.origin) / self._y_scale * _LOTS
        for number, name in enumerate(self.names, start=1):
            if self.kinds[name] in (NUMBER, BOOLEAN):
                value = self._value(name)
                usual = nw.when(value.abs() < _LOTS * _LOTS).then(value).otherwise(nw.lit(0.0))  # nor is it missing
                lot = lot + usual * (number * 0.6180339887498949 * _LOTS)
        return lot - lot.floor()

    def _group(
        self, keys: list[Any], frame: "nw.LazyFrame[Any] | None" = None
    ) -> tuple["nw.DataFrame[Any]", Statistics]:
        value = (self._y - self.origin) / self._y_scale
        share = self._w / self._w_scale
        terms = {"sum": fixed_point(share * value), "square": fixed_point(share * value * value)}
        if self._weight is not None:
            terms["weight"] = fixed_point(share)
        named = {_term_name(name, end): term for name, ends in terms.items() for end, term in enumerate(ends)}
        frame = (self._frame if frame is None else frame).select(
            *keys, *self._value_key(), *(term.alias(name) for name, term in named.items())
        )
        by = [name for name in frame.collect_schema().names() if name not in named]
        grouped = frame.group_by(*by).agg(nw.len().alias(_ROWS), *(nw.col(name).sum() for name in named))
        found = grouped.with_columns(*(nw.col(name).cast(nw.Int64) for name in named)).collect()
        return found, self._statistics(found)

    def _statistics(self, found: "nw.DataFrame[Any]") -> Statistics:
        def real(name: str) -> NDArray[np.float64]:
            return from_fixed_point(*(as_numbers(found[_term_name(name, end)]) for end in (0, 1)))

        rows = as_numbers(found[_ROWS]).astype(np.float64)
        weight = rows / self._w_scale if self._weight is None else real("weight")
        total = real("sum")
        mean = total / weight
        scatter = np.maximum(real("square") - mean * total, 0)
        value = {"value": as_numbers(found[_VALUE]).astype(np.float64)} if self.values else {}
        return value | {
            "mean": mean * self._y_scale,
            "weight": weight * self._w_scale,
            "scatter": scatter * self._y_scale * self._y_scale * self._w_scale,
            "rows": rows,
        }

    def _codes(self, coding: Coding, names: Sequence[str], levels: Mapping[int, Sequence[str]] | None) -> list[Any]:
        codes = []
        for k in coding.used:
            plain = self._plain[names[k]]
            known = None if levels is None else levels.get(k)
            codes.append(code_of(plain, self._dtypes[plain], coding.bins[k], known).alias(_code_name(k)))
        return codes or [nw.lit(0).alias(_BIN)]

    def _value_key(self) -> list[Any]:
        return [self._y.alias(_VALUE)] if self.values else []

    def _order(self, name: str) -> tuple[str, ...] | None:
        """Return the levels of a category in their order, if they have one. DuckDB gives one to all, of no meaning."""
        dtype: Any = self._dtypes[self._plain[name]]
        if dtype != nw.Enum or self._frame.implementation.is_duckdb():
            return None
        return tuple(dict.fromkeys(map(str, dtype.categories)))

    def _value(self, name: str) -> Any:
        plain, kind = self._plain[name], self.kinds[name]
        if kind == CATEGORY:
            return nw.col(plain).cast(nw.String)
        if kind is None:
            dtype = self._dtypes[plain]
            if dtype != nw.Unknown:
                raise unreadable(name, dtype)
            return nw.lit(None).cast(nw.Float64)  # a column without a type has no values
        return number_of(plain, self._dtypes[plain])

    def _number(self, role: str, name: str) -> Any:
        if self.kinds[name] not in (NUMBER, BOOLEAN):
            raise ValueError(f"the {role} {name!r} has type {self._dtypes[self._plain[name]]}, not numbers; convert it")
        return self._value(name)

    def _look(self) -> tuple[int, float, float, float]:
        if self._weight is not None:
            self._w = self._number("weight", self._weight)
        frame = self._frame.select(self._y.alias("y"), self._w.alias("w"))
        y, w = nw.col("y"), nw.col("w")
        found = collect_numbers(
            frame.select(
                nw.len().alias(_ROWS),
                y.count().alias("there"),
                y.min().alias("low"),
                y.max().alias("high"),
                w.min().alias("least"),
                nw.when(w > 0).then(w).min().alias("lightest"),
                w.max().alias("heaviest"),
                w.count().alias("weighed"),
            )
        )
        rows = int(found[_ROWS][0])
        if not rows:
            raise ValueError("the table has no rows; at least one is needed")
        if found["there"][0] < rows:
            raise ValueError(
                f"the target {self._target!r} is missing in {rows - int(found['there'][0]):,} of {rows:,} rows; "
                f'leave them out first: where "{self._target}" is not null (in SQL, or with --where)'
            )
        check_weights(self._weight, rows, found)
        low, high = float(found["low"][0]), float(found["high"][0])
        check_range(self._target, low, high)
        return rows, low, high, float(found["heaviest"][0])


def check_weights(name: str | None, rows: int, found: dict[str, NDArray[Any]]) -> None:
    """Raise ValueError where weights cannot be used."""
    if name is None:
        return
    least, lightest, heaviest = (float(found[which][0]) for which in ("least", "lightest", "heaviest"))
    if found["weighed"][0] < rows or not np.isfinite([least, heaviest]).all():
        raise ValueError(f"the weight {name!r} is missing or infinite in some rows; give these rows weight 0")
    if least < 0:
        raise ValueError(f"the weight {name!r} is negative in some rows; weights must be 0 or more")
    if lightest < SMALLEST_SHARE * heaviest:
        raise ValueError(
            f"the weight {name!r} has positive values below {SMALLEST_SHARE:g} of the largest, too small to count "
            "exactly; set them to 0"
        )
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
