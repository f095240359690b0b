"""Random tables with a column of every kind, and values of every kind that has ever been routed wrongly."""

import datetime as dt
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from optitree import Binarizer

EDGES = [0.0, -0.0, 5e-324, -5e-324, 1e-323, 2.3e-308, 1.0, 1 + 2**-52, 1 - 2**-53, 1.7e308, -1.7e308, 1.69e308]
LEVELS = ["", " ", "a", "b", "c", "d", "A", "é", "other", "None", "nan", "0", "is missing", "a b"]
FLOATS = st.one_of(
    st.sampled_from([*EDGES, float("nan")]),
    st.integers(-3, 3).map(float),
    st.floats(-1.7e308, 1.7e308, allow_subnormal=True),
)
FLOATS32 = st.one_of(
    st.sampled_from([0.0, -0.0, 1e-45, 0.1, 0.2, 1.0, 3e38, float("nan")]).map(lambda value: float(np.float32(value))),
    st.floats(width=32, allow_infinity=False),
)
EARLIEST, LATEST = dt.datetime(1690, 1, 1), dt.datetime(2250, 1, 1)  # where floating point counts microseconds exactly


def whole(least: int, most: int) -> st.SearchStrategy[int]:
    near = [n for m in (2**53, 2**60, 0) for n in range(m - 2, m + 3) if least <= n <= most]
    return st.one_of(st.sampled_from(near), st.integers(least, most))


KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "float": (pa.float64(), FLOATS),
    "float with missing": (pa.float64(), st.none() | FLOATS),
    "float32": (pa.float32(), FLOATS32),
    "int": (pa.int64(), whole(-(2**63), 2**63 - 1)),
    "int with missing": (pa.int64(), st.none() | st.integers(-5, 5)),
    "uint": (pa.uint64(), whole(0, 2**64 - 1)),
    "boolean": (pa.bool_(), st.booleans()),
    "boolean with missing": (pa.bool_(), st.none() | st.booleans()),
    "text": (pa.string(), st.one_of(st.sampled_from(LEVELS), st.text(max_size=2))),
    "text with missing": (pa.string(), st.none() | st.sampled_from(LEVELS)),
    "category": (pa.dictionary(pa.int32(), pa.string()), st.none() | st.sampled_from(LEVELS)),
    "ordered": (pa.dictionary(pa.int32(), pa.string(), ordered=True), st.none() | st.sampled_from(LEVELS)),
    "date": (pa.date32(), st.none() | st.dates(EARLIEST.date(), LATEST.date())),
    "moment": (pa.timestamp("us"), st.none() | st.datetimes(EARLIEST, LATEST)),
    "close moment": (
        pa.timestamp("us"),
        st.datetimes(dt.datetime(1999, 12, 31, 23, 59, 59), dt.datetime(2000, 1, 1, 0, 0, 1)),
    ),
}
MAKERS = {"pandas": pa.Table.to_pandas, "polars": pl.from_arrow, "pyarrow": lambda table: table}


@st.composite
def tables_of(draw: st.DrawFn, kinds: list[str], rows: int = 30) -> pa.Table:
    """Return a table with a column c0, c1, ... of each of these kinds."""
    length = draw(st.integers(1, rows))
    arrays = {}
    for number, kind in enumerate(kinds):
        dtype, values = KINDS[kind]
        drawn = draw(st.lists(values, min_size=length, max_size=length))
        if kind == "category":
            arrays[f"c{number}"] = pa.array(drawn, pa.string()).dictionary_encode()
        elif kind == "ordered":
            numbers = pa.array([None if level is None else LEVELS.index(level) for level in drawn], pa.int32())
            arrays[f"c{number}"] = pa.DictionaryArray.from_arrays(numbers, LEVELS, ordered=True)
        else:
            arrays[f"c{number}"] = pa.array(drawn, dtype)
    return pa.table(arrays)


def kinds_of(kinds: tuple[str, ...] = tuple(KINDS), columns: int = 4) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(kinds), min_size=1, max_size=columns)


def tables(kinds: tuple[str, ...] = tuple(KINDS), rows: int = 30, columns: int = 4) -> st.SearchStrategy[pa.Table]:
    """Return tables of columns of some of these kinds."""
    return kinds_of(kinds, columns).flatmap(lambda chosen: tables_of(chosen, rows))


def targets(rows: int) -> st.SearchStrategy[np.ndarray]:
    value = st.integers(-5, 5).map(float) | st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
    return st.lists(value, min_size=rows, max_size=rows).map(np.array)


def binarizers(
    thresholds: tuple[str, ...] = ("auto", "quantile", "uniform", "all", "reference"),
) -> st.SearchStrategy[Binarizer]:
    return st.builds(
        Binarizer,
        thresholds=st.sampled_from(thresholds),
        max_thresholds=st.integers(1, 8),
        encoding=st.sampled_from(["threshold", "interval"]),
        max_categories=st.integers(2, 5),
        drop=st.sampled_from([None, "first"]),
    )
