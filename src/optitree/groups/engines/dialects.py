"""What narwhals cannot say to an engine: names of our own, moments with a time zone, odd columns of Dask."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw

from ...table.reading import unreadable, zone_of


def in_known_zones(frame: "nw.LazyFrame[Any]", only: Collection[str] | None = None) -> "nw.LazyFrame[Any]":
    """Return a table of Dask's with its moments in UTC, which narwhals knows; all other tables as they are.

    ``only``: leave all columns but these as they are.
    """
    if not frame.implementation.is_dask():
        return frame
    native = nw.to_native(frame)
    zoned = [name for name, dtype in native.dtypes.items() if zone_of(dtype) and (only is None or name in only)]
    changed: nw.LazyFrame[Any] = nw.from_native(
        native.assign(**{name: native[name].dt.tz_convert("UTC") for name in zoned})
    )
    return changed if zoned else frame


def plain_table(frame: "nw.LazyFrame[Any]", plain: dict[str, str]) -> "nw.LazyFrame[Any]":
    """Return a table under other names, with moments as microseconds where engines differ about time zones."""
    return comparable(renamed(frame, list(plain.values())), {short: name for name, short in plain.items()})


def renamed(frame: "nw.LazyFrame[Any]", names: Sequence[str]) -> "nw.LazyFrame[Any]":
    """Return a table under other names, given in the order of its columns."""
    native, old = nw.to_native(frame), frame.collect_schema().names()
    if frame.implementation.is_pyspark():
        native = native.toDF(*names)  # by position, because Spark takes a dot in a name for a field
    elif frame.implementation.is_duckdb():
        pairs = zip(old, names, strict=True)
        native = native.project(", ".join(f"{in_quotes(before)} AS {in_quotes(after)}" for before, after in pairs))
    else:
        # To rename is safer than to select: to polars and DuckDB some names stand for several columns, "*" for all.
        return frame.rename(dict(zip(old, names, strict=True)))
    table: nw.LazyFrame[Any] = nw.from_native(native)
    return table


def comparable(
    frame: "nw.LazyFrame[Any]", names: Mapping[str, str], *, count_moments: bool = False
) -> "nw.LazyFrame[Any]":
    """Return a table with some of its columns in types that narwhals compares everywhere.

    All names are of our own; ``names`` are those columns, with what they are called in messages. ``count_moments``:
    turn all moments into microseconds where that is faster than to compare them by the calendar.
    """
    schema, native = frame.collect_schema(), nw.to_native(frame)
    if frame.implementation.is_pyspark():
        changed = _in_spark(native, names)
    elif frame.implementation.is_duckdb():
        counted = count_moments and nw.Datetime
        zoned = [name for name in names if getattr(schema[name], "time_zone", None) or schema[name] == counted]
        changed = native.project(", ".join(f"epoch_us({name}) AS {name}" if name in zoned else name for name in schema))
    elif frame.implementation.is_dask():
        changed = _in_dask(native, names)
    else:
        return frame
    table: nw.LazyFrame[Any] = nw.from_native(changed)
    return table


def _in_spark(native: Any, names: Collection[str]) -> Any:
    from pyspark.sql import functions  # noqa: PLC0415  (there if its frames are)

    moments = [name for name, dtype in native.dtypes if dtype == "timestamp" and name in names]
    return native.withColumns({name: functions.unix_micros(name) for name in moments}) if moments else native


def in_quotes(name: str) -> str:
    """Return a name as DuckDB's SQL has it, where it can be nothing but a name: as an expression "*" is all."""
    return '"' + name.replace('"', '""') + '"'


def _in_dask(native: Any, names: Mapping[str, str]) -> Any:
    """Make texts of categories that are numbers: beside a missing value pandas would write them otherwise."""
    changed = {}
    for name, dtype in native.dtypes[list(names)].items():
        if hasattr(dtype, "categories"):
            changed[name] = native[name].map_partitions(lambda part: part.cat.rename_categories(str))
        elif dtype.kind == "O":
            changed[name] = native[name].map_partitions(_only_text, names[name], meta=(name, dtype))
    return native.assign(**changed) if changed else native


def _only_text(part: Any, name: str) -> Any:
    if not all(isinstance(value, str) for value in part[part.notna()]):
        raise unreadable(name, part.dtype)
    return part
