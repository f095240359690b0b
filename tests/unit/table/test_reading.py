"""The same table gives the same tree, whatever library holds it."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from optitree import Binarizer, OptimalTreeRegressor, export_text
from optitree.table.reading import BOOLEAN, CATEGORY, DATE, NUMBER, read_table

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


def read(table):
    return read_table(table).columns


def values(column):
    """Return what a column holds as one plays it back: None for missing, the levels of a category."""
    if column.kind == CATEGORY:
        return [None if code < 0 else column.levels[code] for code in column.values]
    return [None if np.isnan(value) else value for value in column.values]


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, object])
def test_arrays_of_any_numbers_are_read(dtype):
    columns = read(np.array([[1, 2], [3, 4]], dtype=dtype))
    assert [column.kind for column in columns] == [NUMBER, NUMBER]
    assert [column.values.tolist() for column in columns] == [[1, 3], [2, 4]]
    assert all(column.values.dtype == np.float64 for column in columns)


def test_boolean_arrays_are_columns_of_booleans():
    columns = read(np.array([[True, False]]))
    assert [column.kind for column in columns] == [BOOLEAN, BOOLEAN]
    assert [column.values.tolist() for column in columns] == [[1], [0]]


PLAIN = {
    "u1": np.array([0, 255, 1], np.uint8),
    "u8": np.array([2**64 - 1, 2**53 + 1, 0], np.uint64),
    "i8": np.array([-(2**63), 2**53 + 1, 7], np.int64),
    "f2": np.array([0.5, np.nan, -0.0], np.float16),
    "f4": np.array([0.1, np.nan, 3e38], np.float32),
    "f8": np.array([0.1, np.nan, 1e308]),
    "b": np.array([True, False, True]),
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("few_rows", [0, 10_000], ids=["column by column", "at once"])
def test_plain_numbers_of_a_frame_are_their_doubles(make, few_rows, monkeypatch):
    monkeypatch.setattr("optitree.table.reading._FEW_ROWS", few_rows)
    for names in (list(PLAIN), ["f8"], ["b"], ["i8", "b"]):
        columns = read(make({name: PLAIN[name] for name in names}))
        assert [column.kind for column in columns] == [BOOLEAN if name == "b" else NUMBER for name in names]
        for column, name in zip(columns, names, strict=True):
            np.testing.assert_array_equal(column.values, PLAIN[name].astype(float))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("arrange", [np.ascontiguousarray, np.asfortranarray, lambda x: x.repeat(2, axis=1)[::-1, ::2]])
def test_arrays_of_many_rows_are_read_in_any_layout(dtype, arrange):
    given = arrange(np.random.default_rng(0).integers(0, 2, (2500, 3)).astype(dtype))
    for k, column in enumerate(read(given)):
        np.testing.assert_array_equal(column.values, given[:, k].astype(float))
        assert column.values.flags.c_contiguous


@pytest.mark.parametrize("dtype", [np.int16, np.int64, np.float16, np.float32, np.float64, ">f8", ">i4"])
@pytest.mark.parametrize("last", [255, 256, -1])
def test_small_whole_numbers_are_read_as_all_others(dtype, last):
    given = np.array([[0, 1, 2], [1, 0, 255], [0, 1, last]]).astype(dtype)
    columns = read(given)
    assert [column.values.tolist() for column in columns] == given.T.tolist()
    assert all(column.values.dtype == np.float64 for column in columns)


def test_an_array_is_not_changed():
    given = np.asfortranarray(np.random.default_rng(0).integers(0, 3, (50, 3)).astype(float))
    before = given.copy()
    given.flags.writeable = False
    OptimalTreeRegressor(max_depth=2).fit(given, np.arange(50)).predict(given)
    np.testing.assert_array_equal(given, before)


def test_decimals_and_objects_that_hold_numbers_are_numbers():
    halves = [decimal.Decimal("0.5"), decimal.Decimal("1.5")]
    assert values(*read(pl.DataFrame({"a": halves}))) == [0.5, 1.5]
    assert values(*read(pd.DataFrame({"a": pd.Series([1, 2.5], dtype=object)}))) == [1, 2.5]


def in_array(items):
    """Return one column as an array of objects."""
    table = np.empty((len(items), 1), dtype=object)
    table[:, 0] = items
    return table


def in_frame(**options):
    return lambda items: pd.DataFrame({"a": pd.Series(items, **options)})


TEXTS = ["b", None, "a", "b", " a", ""]
TEXT_MAKERS = {
    "pandas": in_frame(),
    "pandas objects": in_frame(dtype=object),
    "pandas strings": in_frame(dtype="string"),
    "pandas on pyarrow": in_frame(dtype=pd.ArrowDtype(pa.string())),
    "pandas category": in_frame(dtype="category"),
    "polars": lambda items: pl.DataFrame({"a": items}),
    "polars category": lambda items: pl.DataFrame({"a": pl.Series(items, dtype=pl.Categorical)}),
    "polars enum": lambda items: pl.DataFrame({"a": pl.Series(items, dtype=pl.Enum(["", "b", "a", " a", "c"]))}),
    "pyarrow": lambda items: pa.table({"a": items}),
    "pyarrow dictionary": lambda items: pa.table({"a": pa.array(items).dictionary_encode()}),
    "array": in_array,
    "lists": lambda items: [[item] for item in items],
}


@pytest.mark.parametrize("maker", TEXT_MAKERS.values(), ids=TEXT_MAKERS)
def test_text_and_categories_become_levels_in_alphabetical_order(maker):
    (column,) = read(maker(TEXTS))
    assert column.kind == CATEGORY
    ordered = isinstance(maker(["a"]), pl.DataFrame) and maker(["a"])["a"].dtype == pl.Enum
    assert column.levels == (("", "b", "a", " a", "c") if ordered else ("", " a", "a", "b"))
    assert column.ordered == ordered
    assert values(column) == TEXTS


def test_an_array_of_strings_has_a_category_in_each_column():
    columns = read(np.array([["b", "x"], ["a", "x"]]))
    assert [column.kind for column in columns] == [CATEGORY, CATEGORY]
    assert [values(column) for column in columns] == [["b", "a"], ["x", "x"]]


@pytest.mark.parametrize("absent", [[], [None]], ids=["whole", "with one missing"])
def test_categories_that_are_numbers_are_levels_with_or_without_missing_values(absent):
    (column,) = read(pd.DataFrame({"a": pd.Categorical([10, 9, 10, *absent])}))
    assert column.levels == ("10", "9")
    assert values(column) == ["10", "9", "10", *absent]


@pytest.mark.parametrize("items", [["x", "y"], [1.0, 2.0], [True, False], [dt.date(2020, 1, 1)]])
@pytest.mark.parametrize("absent", [None, np.nan, pd.NA, pd.NaT], ids=["None", "NaN", "NA", "NaT"])
def test_any_kind_of_nothing_in_an_array_of_objects_is_missing(items, absent):
    (column,) = read(in_array([*items, absent]))
    assert column.missing.tolist() == [False] * len(items) + [True]


DAYS = [dt.date(2020, 3, 1), None, dt.date(1960, 2, 29)]
MOMENTS = [dt.datetime(2020, 3, 1, 14, 30), None, dt.datetime(1960, 2, 29, 23, 59, 59, 999_999)]
DATE_MAKERS = {
    "pandas": in_frame(dtype="datetime64[ns]"),
    "pandas microseconds": in_frame(dtype="datetime64[us]"),
    "pandas objects": in_frame(dtype=object),
    "pandas on pyarrow": lambda items: pa.table({"a": items}).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda items: pl.DataFrame({"a": items}),
    "pyarrow": lambda items: pa.table({"a": items}),
    "array of objects": in_array,
    "array": lambda items: np.array(items, "M8[us]").reshape(-1, 1),
    "array of nanoseconds": lambda items: np.array(items, "M8[ns]").reshape(-1, 1),
}


@pytest.mark.parametrize("items", [DAYS, MOMENTS], ids=["days", "moments"])
@pytest.mark.parametrize("maker", DATE_MAKERS.values(), ids=DATE_MAKERS)
def test_dates_become_microseconds_since_1970(maker, items):
    (column,) = read(maker(items))
    expected = np.array(items, "M8[us]").astype(np.int64)
    assert column.kind == DATE
    assert values(column) == [expected[0], None, expected[2]]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "America/Argentina/Ushuaia", "Etc/GMT+5"])
def test_moments_with_a_time_zone_are_read_in_utc(zone):
    moment = pd.Timestamp("2020-03-01 00:00", tz="UTC").tz_convert(zone)
    for frame in (pd.DataFrame({"a": [moment]}), pl.DataFrame({"a": [moment]})):
        (column,) = read(frame)
        assert values(column) == [np.datetime64("2020-03-01T00:00", "us").astype(np.int64)]


BOOLEAN_MAKERS = {
    "pandas objects": in_frame(dtype=object),
    "pandas nullable": in_frame(dtype="boolean"),
    "pandas on pyarrow": in_frame(dtype=pd.ArrowDtype(pa.bool_())),
    "polars": lambda items: pl.DataFrame({"a": items}),
    "pyarrow": lambda items: pa.table({"a": items}),
    "array": in_array,
}


@pytest.mark.parametrize("maker", BOOLEAN_MAKERS.values(), ids=BOOLEAN_MAKERS)
def test_booleans_may_be_missing(maker):
    (column,) = read(maker([True, None, False]))
    assert column.kind == BOOLEAN
    assert values(column) == [1, None, 0]


NUMBER_MAKERS = {
    "pandas": in_frame(),
    "pandas objects": in_frame(dtype=object),
    "pandas nullable": in_frame(dtype="Int64"),
    "polars": lambda items: pl.DataFrame({"a": items}),
    "polars NaN": lambda items: pl.DataFrame({"a": [np.nan if item is None else item for item in items]}),
    "pyarrow": lambda items: pa.table({"a": items}),
    "array of objects": in_array,
    "array": lambda items: np.array(items, float).reshape(-1, 1),
}


@pytest.mark.parametrize("maker", NUMBER_MAKERS.values(), ids=NUMBER_MAKERS)
def test_numbers_may_be_missing(maker):
    (column,) = read(maker([3.0, None, 1.0]))
    assert column.kind == NUMBER
    assert values(column) == [3, None, 1]


EMPTY_MAKERS = {
    "pandas": in_frame(dtype=float),
    "pandas objects": in_frame(dtype=object),
    "pandas strings": in_frame(dtype="string"),
    "pandas category": in_frame(dtype="category"),
    "pandas dates": in_frame(dtype="datetime64[ns]"),
    "pandas booleans": in_frame(dtype="boolean"),
    "polars": lambda items: pl.DataFrame({"a": items}),
    "polars text": lambda items: pl.DataFrame({"a": items}, schema={"a": pl.String}),
    "polars dates": lambda items: pl.DataFrame({"a": items}, schema={"a": pl.Date}),
    "pyarrow": lambda items: pa.table({"a": items}),
    "array of objects": in_array,
    "array of NaN": lambda items: np.full((len(items), 1), np.nan),
}


@pytest.mark.parametrize("maker", EMPTY_MAKERS.values(), ids=EMPTY_MAKERS)
def test_a_column_of_missing_values_alone_is_read_and_has_no_condition(maker):
    table = maker([None] * 4)
    (column,) = read(table)
    assert values(column) == [None] * 4
    model = OptimalTreeRegressor().fit(table, [1.0, 2.0, 3.0, 6.0])
    assert model.binarizer_.conditions_ == ()
    assert model.predict(table).tolist() == [3.0] * 4


def mixed(maker, rows=80):
    """Return a table with a column of every kind, and missing values in all."""
    rng = np.random.default_rng(0)
    missing = rng.random((4, rows)) < 0.1
    start = dt.datetime(2020, 1, 1)
    columns = {
        "age": rng.integers(20, 60, rows).astype(float),
        "smoker": (rng.random(rows) < 0.4).tolist(),
        "region": rng.choice(["north", "south", "west"], rows).tolist(),
        "visit": [start + dt.timedelta(hours=int(hours)) for hours in rng.integers(0, 5000, rows)],
    }
    pairs = zip(columns.items(), missing, strict=True)
    return maker({name: [None if g else v for v, g in zip(col, absent, strict=True)] for (name, col), absent in pairs})


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_every_kind_with_missing_values_gives_the_tree_of_polars(maker):
    frame, expected_frame = mixed(maker), mixed(pl.DataFrame)
    rng = np.random.default_rng(1)
    target = rng.normal(size=80) + 3 * np.array([region == "west" for region in expected_frame["region"]])
    model = OptimalTreeRegressor(0.02, max_depth=3).fit(frame, target)
    expected = OptimalTreeRegressor(0.02, max_depth=3).fit(expected_frame, target)
    assert model.binarizer_.kinds_ == (NUMBER, BOOLEAN, CATEGORY, DATE)
    assert model.tree_ == expected.tree_
    np.testing.assert_array_equal(model.predict(frame), expected.predict(expected_frame))


@pytest.mark.parametrize("maker", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_are_found_by_name_in_any_order_and_among_others(columns, target, maker):
    model = OptimalTreeRegressor(max_depth=3).fit(maker(columns), target)
    expected = model.predict(maker(columns))
    backwards = dict(reversed(columns.items()))
    others = {"id": ["?"] * 80, **backwards, "list": [[1]] * 80}
    for other in (backwards, others):
        np.testing.assert_array_equal(model.predict(maker(other)), expected)
        np.testing.assert_array_equal(model.apply(maker(other)), model.apply(maker(columns)))
        binary = model.binarizer_.transform(maker(other))
        np.testing.assert_array_equal(binary, model.binarizer_.transform(maker(columns)))


def test_a_model_fitted_on_one_library_predicts_for_another(columns, target):
    model = OptimalTreeRegressor(max_depth=3).fit(pd.DataFrame(columns), target)
    expected = model.predict(pd.DataFrame(columns))
    for maker in MAKERS.values():
        np.testing.assert_array_equal(model.predict(maker(columns)), expected)


def test_booleans_and_numbers_may_stand_for_each_other(columns, target):
    frame = pd.DataFrame(columns)
    model = OptimalTreeRegressor(max_depth=3).fit(frame, target)
    as_numbers = frame.assign(smoker=frame["smoker"].astype(int))
    np.testing.assert_array_equal(model.predict(as_numbers), model.predict(frame))


def test_a_column_may_be_all_missing_at_predict_whatever_it_was_at_fit():
    frame = mixed(pd.DataFrame)
    model = OptimalTreeRegressor(max_depth=2).fit(frame, np.arange(80.0))
    for name in frame:
        gone = frame.assign(**{name: None})
        assert np.isfinite(model.predict(gone)).all()


def test_levels_unseen_at_fit_fail_every_condition():
    frame = pd.DataFrame({"region": ["north", "south", "west"] * 5})
    binarizer = Binarizer().fit(frame)
    assert not binarizer.transform(pd.DataFrame({"region": ["east", "North"]})).any()


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
