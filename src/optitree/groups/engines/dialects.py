"""What narwhals cannot say to an engine: names of our own, moments with a time zone, odd columns of Dask."""

from typing import Any

import narwhals.stable.v2 as nw

from ...table.reading import unreadable, zone_of


def in_known_zones(frame: "nw.LazyFrame[Any]") -> "nw.LazyFrame[Any]":
    """Return a table of Dask's with its moments in UTC, which narwhals knows; all other tables as they are."""
    if not frame.implementation.is_dask():
        return frame
    native = nw.to_native(frame)
    zoned = [name for name, dtype in native.dtypes.items() if zone_of(dtype)]
    changed: nw.LazyFrame[Any] = nw.from_native(
        native.assign(**{name: native[name].dt.tz_convert("UTC") for name in zoned})
    )
    return changed if zoned else frame


def plain_table(frame: "nw.LazyFrame[Any]", plain: dict[str, str]) -> "nw.LazyFrame[Any]":
    """Return a table under other names, with moments as microseconds where engines differ about time zones."""
    native, names = nw.to_native(frame), list(plain.values())
    zoned = [name for name, dtype in frame.collect_schema().items() if getattr(dtype, "time_zone", None)]
    if frame.implementation.is_pyspark():
        changed = _in_spark(native, names)
    elif frame.implementation.is_duckdb():
        changed = _in_duckdb(native, plain, zoned)
    else:
        changed = _in_dask(native) if frame.implementation.is_dask() else native
        table: nw.LazyFrame[Any] = nw.from_native(changed)
        # To rename is safer than to select: to polars and DuckDB some names stand for several columns, "*" for all.
        return table.rename(plain)
    renamed: nw.LazyFrame[Any] = nw.from_native(changed)
    return renamed


def _in_spark(native: Any, names: list[str]) -> Any:
    """Rename by position, because Spark takes a dot in a name for a field."""
    from pyspark.sql import functions  # noqa: PLC0415  (there if its frames are)

    renamed = native.toDF(*names)
    moments = [name for name, dtype in renamed.dtypes if dtype == "timestamp"]
    return renamed.withColumns({name: functions.unix_micros(name) for name in moments}) if moments else renamed


def _in_duckdb(native: Any, plain: dict[str, str], zoned: list[str]) -> Any:
    columns = []
    for name, short in plain.items():
        column = in_quotes(name)
        columns.append(f"{f'epoch_us({column})' if name in zoned else column} AS {short}")
    return native.project(", ".join(columns))


def in_quotes(name: str) -> str:
    """Return a name as DuckDB's SQL has it, where it can be nothing but a name: as an expression "*" is all."""
    return '"' + name.replace('"', '""') + '"'


def _in_dask(native: Any) -> Any:
    """Make texts of categories that are numbers: beside a missing value pandas would write them otherwise."""
    changed = {}
    for name, dtype in native.dtypes.items():
        if hasattr(dtype, "categories"):
            changed[name] = native[name].map_partitions(lambda part: part.cat.rename_categories(str))
        elif dtype.kind == "O":
            changed[name] = native[name].map_partitions(_only_text, name, meta=(name, dtype))
    return native.assign(**changed) if changed else native


def _only_text(part: Any, name: str) -> Any:
    if not all(isinstance(value, str) for value in part[part.notna()]):
        raise unreadable(name, part.dtype)
    return part
