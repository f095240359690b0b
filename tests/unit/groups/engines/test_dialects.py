"""Columns of a table in an engine may have any name and any time zone."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from optitree import Binarizer, Groups, OptimalTreeRegressor, compress, load

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")

ENGINES = {
    "duckdb": lambda frame: duckdb.connect().from_df(frame),
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
}
NAMES = ["*", "^a.*$", "COLUMNS(*)", '"', "a, b", "c1", "x.y", "o'clock"]


def table(name="a", rows=200):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=rows), "ab": rng.normal(size=rows), "flag": rng.random(rows) < 0.5})
    return frame.assign(day=pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(rows), "D"), y=np.arange(rows) % 7.0)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("name", NAMES)
def test_a_column_may_have_any_name(engine, name):
    frame = table(name)
    groups = compress(engine(frame), target="y", binarizer=Binarizer("quantile", 2))
    expected = compress(frame, target="y", binarizer=Binarizer("quantile", 2))
    assert groups.conditions == expected.conditions
    np.testing.assert_array_equal(groups.codes, expected.codes)
    np.testing.assert_array_equal(groups.rows, expected.rows)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("rule", ["auto", "quantile", "uniform", "all"])
@pytest.mark.parametrize("encoding", ["threshold", "interval"])
def test_what_an_engine_made_can_be_saved(engine, tmp_path, rule, encoding):
    frame = table()
    frame.loc[3, "a"] = None
    groups = compress(engine(frame), target="y", binarizer=Binarizer(rule, 3, encoding=encoding))
    groups.save(tmp_path / "groups.npz")
    assert Groups.load(tmp_path / "groups.npz").conditions == groups.conditions
    model = OptimalTreeRegressor(max_depth=1).fit_groups(groups)
    model.save(tmp_path / "tree.json")
    assert load(tmp_path / "tree.json").tree_ == model.tree_


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Etc/GMT+5"])
def test_dask_takes_every_time_zone_of_pandas(zone):
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    frame = table()[["day", "y"]].assign(day=lambda frame: frame["day"].dt.tz_localize("UTC").dt.tz_convert(zone))
    groups = compress(dask.from_pandas(frame, npartitions=2), target="y", binarizer=Binarizer("quantile", 2))
    expected = compress(frame, target="y", binarizer=Binarizer("quantile", 2))
    assert groups.conditions == expected.conditions
    np.testing.assert_array_equal(groups.rows, expected.rows)
