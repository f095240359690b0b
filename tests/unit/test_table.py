"""The same table gives the same tree, whatever library holds it."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from optitree import OptimalTreeRegressor, export_text
from optitree.table import read_table

NAMES = ["age", "dose", "visits", "smoker"]
MAKERS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "pandas on pyarrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
}


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    return {
        "age": rng.normal(40, 10, 80).round(1),
        "dose": rng.random(80).astype(np.float32),
        "visits": rng.integers(0, 5, 80),
        "smoker": rng.random(80) < 0.3,
    }


@pytest.fixture
def target(columns):
    noise = np.random.default_rng(1).normal(size=80)
    return columns["age"] / 10 + 3 * columns["smoker"] + columns["visits"] + noise


def lines(model):
    """Return the tree as text, without the line that states the time."""
    return export_text(model).splitlines()[:-1]


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_frames_give_the_tree_and_predictions_of_pandas(columns, target, maker):
    expected = OptimalTreeRegressor(max_depth=3).fit(pd.DataFrame(columns), target)
    frame = maker(columns)
    model = OptimalTreeRegressor(max_depth=3).fit(frame, target)
    assert model.tree_ == expected.tree_
    assert list(model.feature_names_in_) == NAMES
    np.testing.assert_array_equal(model.predict(frame), expected.predict(pd.DataFrame(columns)))


def test_arrays_give_the_tree_of_a_frame_up_to_its_names(columns, target):
    frame = pd.DataFrame(columns)[["age", "dose", "visits"]]
    by_name = OptimalTreeRegressor(max_depth=3).fit(frame, target)
    by_number = OptimalTreeRegressor(max_depth=3).fit(frame.to_numpy(dtype=float), target)
    assert not hasattr(by_number, "feature_names_in_")
    assert by_number.objective_ == by_name.objective_
    text = "\n".join(lines(by_number))
    for number, name in enumerate(["age", "dose", "visits"]):
        text = text.replace(f"x{number}", name)
    assert text.splitlines() == lines(by_name)


def test_lists_are_read_as_arrays(sample):
    expected = OptimalTreeRegressor(max_depth=2).fit(*sample)
    model = OptimalTreeRegressor(max_depth=2).fit(sample.X.tolist(), sample.y.tolist())
    assert model.tree_ == expected.tree_


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, object])
def test_arrays_of_any_numbers_are_read(dtype):
    values = np.array([[1, 2], [3, 4]], dtype=dtype)
    table = read_table(values, None)
    assert table.values.tolist() == [[1, 2], [3, 4]]
    assert table.values.dtype == np.float64
    assert table.boolean == (False, False)


def test_boolean_arrays_are_columns_of_booleans():
    table = read_table(np.array([[True, False]]), None)
    assert table.boolean == (True, True)
    assert table.values.tolist() == [[1, 0]]


def test_decimals_and_objects_that_hold_numbers_are_numbers():
    halves = [decimal.Decimal("0.5"), decimal.Decimal("1.5")]
    assert read_table(pl.DataFrame({"a": halves}), None).values[:, 0].tolist() == [0.5, 1.5]
    objects = pd.DataFrame({"a": pd.Series([1, 2.5], dtype=object)})
    assert read_table(objects, None).values[:, 0].tolist() == [1, 2.5]


def test_frames_whose_columns_are_numbered_are_read_in_order(sample):
    expected = OptimalTreeRegressor(max_depth=2).fit(*sample)
    model = OptimalTreeRegressor(max_depth=2).fit(pd.DataFrame(sample.X), sample.y)
    assert model.tree_ == expected.tree_


def test_the_index_of_a_frame_plays_no_part(sample):
    expected = OptimalTreeRegressor(max_depth=2).fit(*sample)
    backwards = pd.RangeIndex(len(sample.y), 0, -1)
    frame = pd.DataFrame(sample.X, index=backwards)
    assert OptimalTreeRegressor(max_depth=2).fit(frame, sample.y).tree_ == expected.tree_


@pytest.mark.parametrize("maker", [pd.Series, pl.Series, pa.array, list])
def test_target_and_weights_may_come_from_any_library(sample, maker):
    weight = np.arange(1.0, 61.0)
    expected = OptimalTreeRegressor(max_depth=2).fit(*sample, weight)
    model = OptimalTreeRegressor(max_depth=2).fit(sample.X, maker(sample.y), maker(weight))
    assert model.tree_ == expected.tree_


def test_reading_leaves_the_table_as_it_was(sample):
    before = sample.X.copy()
    OptimalTreeRegressor(max_depth=2).fit(*sample).predict(sample.X)
    np.testing.assert_array_equal(sample.X, before)
