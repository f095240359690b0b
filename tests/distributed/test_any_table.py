"""An engine makes of any table that hypothesis can think of the groups that are made of it in memory."""

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from optitree import Binarizer, compress

from ..property.tables import KINDS, binarizers, kinds_of, tables_of

pytestmark = pytest.mark.filterwarnings("ignore:column .* looks like an id")

# Queries are slow: a table that fails is shown as it is instead of a simpler one after minutes.
few = settings(max_examples=40, deadline=None, derandomize=True, phases=[Phase.generate])
ENGINES = ["lazy polars", "DuckDB"]
SAME = tuple(kind for kind in KINDS if kind != "ordered")  # an order that gets lost on the way from pyarrow


def lazy(table, engine):
    """Return a table as an engine holds it."""
    if engine == "lazy polars":
        return pl.from_arrow(table).lazy()
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    connection = duckdb.connect()
    connection.register("given", table)
    return connection.sql("select * from given")


def weighted(data, table):
    """Return a table with a target and with weights that are added exactly in any order."""
    values = data.draw(st.lists(st.integers(-5, 5), min_size=len(table), max_size=len(table)))
    weights = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=len(table), max_size=len(table)))
    weights[0] = 1.0
    return table.append_column("y", pa.array(values, pa.float64())).append_column("w", pa.array(weights))


def group(frame, binarizer):
    return compress(frame, target="y", weight="w", binarizer=binarizer)


def check_same(groups, expected):
    assert list(map(str, groups.conditions)) == list(map(str, expected.conditions))
    assert groups.conditions == expected.conditions
    np.testing.assert_array_equal(groups.codes, expected.codes)
    np.testing.assert_array_equal(groups.rows, expected.rows)
    np.testing.assert_array_equal(groups.weight, expected.weight)
    np.testing.assert_allclose(groups.mean + (groups.origin - expected.origin), expected.mean, rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(groups.scatter, expected.scatter, rtol=1e-12, atol=1e-11)


@few
@pytest.mark.parametrize("engine", ENGINES)
@given(kinds=kinds_of(SAME, columns=3), binarizer=binarizers(), data=st.data())
def test_an_engine_chooses_the_conditions_and_makes_the_groups_of_memory(engine, kinds, binarizer, data):
    table = weighted(data, data.draw(tables_of(kinds)))
    check_same(group(lazy(table, engine), binarizer), group(table, binarizer))


@few
@pytest.mark.parametrize("engine", ENGINES)
@given(kinds=kinds_of(SAME, columns=3), binarizer=binarizers(), data=st.data())
def test_an_engine_groups_a_later_table_as_memory_does(engine, kinds, binarizer, data):
    first, later = (weighted(data, data.draw(tables_of(kinds))) for _ in range(2))
    known = group(first, binarizer).binarizer
    if known.conditions_:
        check_same(group(lazy(later, engine), known), group(later, known))


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_groups_by_no_conditions_at_all(engine):
    table = pa.table({"a": [1, 1], "y": [0.0, 1.0], "w": [1.0, 1.0]})
    known = group(table, Binarizer()).binarizer
    assert known.conditions_ == ()
    assert isinstance(nw.from_native(lazy(table, engine)), nw.LazyFrame)
    check_same(group(lazy(table, engine), known), group(table, known))
