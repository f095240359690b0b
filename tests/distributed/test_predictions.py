"""Tables that an engine holds are predicted by the engine, and stay there; Spark runs our SQL too."""

from itertools import product

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optitree import OptimalTreeRegressor, OptimalTreeRegressorCV

from ..exports.cases import GENERATED, SHARED, case, check
from .test_engines import FAST, SLOW, every_engine, fast_engines, pytestmark

__all__ = ["pytestmark"]  # what the engines say about themselves is passed over here too

NAMES = [name for name in [*GENERATED, *SHARED] if name not in ("without names", "one leaf")]
SOME = ["median", "intervals"]  # for engines that take a second for the smallest table
ROW = "row number"


@pytest.fixture(scope="module")
def path_of(tmp_path_factory):
    """Return a function that writes the rows of a case to a file, once."""
    folder = tmp_path_factory.mktemp("cases")

    def write(name):
        path = folder / f"{name}.parquet"
        if not path.exists():
            pq.write_table(case(name).arrow, path, row_group_size=4000)
        return path

    return write


def collected(table) -> pd.DataFrame:
    return nw.from_native(table).lazy().collect("pyarrow").to_native().to_pandas()


@pytest.mark.parametrize(
    ("engine", "name"),
    [*product(FAST, NAMES), *product(SLOW, SOME)],
    indirect=["engine"],
)
def test_an_engine_predicts_the_same(engine, path_of, name):
    opened = engine(path_of(name))
    table = case(name).model.predict_table(opened)
    assert type(table) is type(opened)
    found = collected(table)
    assert list(found.columns) == [*case(name).arrow.column_names, "prediction"]
    check(found.sort_values(ROW)["prediction"], case(name).predicted)


@every_engine
def test_other_columns_are_as_they_were(engine, path_of):
    opened = engine(path_of("median"))
    before, after = nw.from_native(opened), nw.from_native(case("median").model.predict_table(opened, "guess"))
    assert after.collect_schema() == nw.Schema({**before.collect_schema(), "guess": nw.Float64()})
    kept, given = (collected(table).sort_values(ROW).reset_index(drop=True) for table in (after.to_native(), opened))
    pd.testing.assert_frame_equal(kept.drop(columns="guess"), given)


@every_engine
def test_predict_returns_one_column_that_is_not_computed_yet(engine, path_of):
    table = case("median").model.predict(engine(path_of("median")))
    frame = nw.from_native(table)
    assert isinstance(frame, nw.LazyFrame)
    assert frame.collect_schema() == nw.Schema({"prediction": nw.Float64()})
    np.testing.assert_array_equal(np.sort(collected(table)["prediction"]), np.sort(case("median").predicted))


@fast_engines
@pytest.mark.parametrize("name", ["intervals", "huge and tiny", "rare levels"])
def test_an_expression_is_for_any_query(engine, path_of, name):
    opened = engine(path_of(name))
    frame = nw.from_native(opened)
    found = frame.with_columns(case(name).model.expression(opened).alias("p")).sort(ROW).select("p").collect()
    check(found["p"].to_numpy(), case(name).predicted)


def test_an_expression_is_for_frames_in_memory_too():
    one = case("everything")
    frame = nw.from_native(pl.from_arrow(one.arrow))
    check(frame.select(one.model.expression(frame).alias("p"))["p"].to_numpy(), one.predicted)


@pytest.mark.parametrize("name", NAMES)
def test_spark_runs_our_sql(open_spark, path_of, name):
    table = open_spark(path_of(name))
    table.createOrReplaceTempView("t")
    found = table.sparkSession.sql(f"SELECT {case(name).model.to_sql('spark')} AS p, `{ROW}` FROM t").toPandas()
    check(found.sort_values(ROW)["p"], case(name).predicted)


@every_engine
def test_moments_with_a_time_zone_are_compared_in_utc(engine, tmp_path):
    moments = pd.date_range("2024-03-30 20:00", periods=200, freq="17min", tz="UTC")
    X = pd.DataFrame({"at": moments.tz_convert("Europe/Berlin"), ROW: range(200)})
    model = OptimalTreeRegressor(0.01).fit(X[["at"]], (moments > pd.Timestamp("2024-03-31 01:30", tz="UTC")) * 1.0)
    pq.write_table(pa.Table.from_pandas(X), tmp_path / "moments.parquet")
    found = collected(model.predict_table(engine(tmp_path / "moments.parquet")))
    check(found.sort_values(ROW)["prediction"], model.predict(X))


@every_engine
def test_days_are_compared_as_days(engine, tmp_path):
    days = pd.date_range("2024-01-01", periods=100, freq="D")
    model = OptimalTreeRegressor(0.01).fit(pd.DataFrame({"day": days}), (days > "2024-02-10") * 1.0)
    table = pa.table({"day": pa.array(days.date, pa.date32()), ROW: range(100)})
    pq.write_table(table, tmp_path / "days.parquet")
    found = collected(model.predict_table(engine(tmp_path / "days.parquet")))
    check(found.sort_values(ROW)["prediction"], model.predict(pd.DataFrame({"day": days})))


@fast_engines
def test_a_model_without_names_takes_columns_in_their_order(engine, tmp_path):
    one = case("without names")
    table = pa.table({f"v{k}": one.rows[k].to_numpy() for k in one.rows.columns})
    pq.write_table(table, tmp_path / "t.parquet")
    opened = engine(tmp_path / "t.parquet")
    check(collected(one.model.predict(opened))["prediction"], one.predicted)
    check(collected(case("one leaf").model.predict(opened))["prediction"], case("one leaf").predicted)
    pq.write_table(table.drop_columns(["v3"]), tmp_path / "fewer.parquet")
    with pytest.raises(ValueError, match="the table has 9 columns, and the model was fitted to 10 without names"):
        one.model.predict(engine(tmp_path / "fewer.parquet"))


@fast_engines
def test_tables_that_do_not_fit_are_refused(engine, tmp_path):
    model = OptimalTreeRegressor(0.01).fit(pd.DataFrame({"a": [1.0, 2.0] * 9}), [1.0, 2.0] * 9)
    for columns, words in [
        ({"b": [1.0]}, r"'a' missing \(instead there are 'b'\); add or rename the columns"),
        ({"a": ["x"]}, r"column 'a' has text, but had numbers .*; convert it to numbers"),
        ({"a": [[1.0]]}, r"column 'a' has something else, but had numbers"),
    ]:
        pq.write_table(pa.table(columns), tmp_path / "t.parquet")
        with pytest.raises(ValueError, match=words):
            model.predict(engine(tmp_path / "t.parquet"))
    pq.write_table(pa.table({"a": [1.0], "Prediction": [0]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"the table has a column 'prediction' already; give .* name=\.\.\."):
        model.predict_table(engine(tmp_path / "t.parquet"))


def test_a_column_of_nothing_is_missing():
    X = pd.DataFrame({"a": [1.0, 2.0, None] * 9})
    model = OptimalTreeRegressor(0.01).fit(X, [1.0, 2.0, 5.0] * 9)
    found = model.predict(pl.LazyFrame({"a": [None, None]})).collect()["prediction"].to_numpy()
    check(found, model.predict(pd.DataFrame({"a": [np.nan] * 2})))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_in_memory_gets_a_column_too(library):
    frame = pd.DataFrame({"a": np.arange(20.0), "b": 1}, index=np.arange(20)[::-1])
    model = OptimalTreeRegressorCV(cv=2).fit(frame, frame["a"] // 5)
    table = {"pandas": lambda x: x, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[library](frame)
    found = model.predict_table(table, "guess")
    assert type(found) is type(table)
    check(found["guess"].to_numpy() if library != "pyarrow" else found["guess"], model.predict(frame))
    if library == "pandas":
        assert found.index.equals(frame.index)
    with pytest.raises(TypeError, match=r"predict_table takes a data frame .*, not ndarray; use predict for arrays"):
        model.predict_table(frame.to_numpy())
