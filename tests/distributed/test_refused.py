"""Tables that cannot be used are refused in clear words by every engine, before the work."""

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optitree import Binarizer, OptimalTreeRegressor, compress

from .test_engines import BINARIZERS, SLOW, every_engine, fast_engines, in_memory, pytestmark

__all__ = ["pytestmark"]  # what the engines say about themselves is passed over here too


@pytest.fixture
def spoiled(tmp_path):
    """Return a function that writes a small table with one column replaced, and the path to it."""

    def write(**columns):
        good = {"a": np.arange(20.0), "b": ["u", "v"] * 10, "y": np.arange(20) % 7.0, "w": np.ones(20)}
        pq.write_table(pa.table(good | columns), tmp_path / "spoiled.parquet", row_group_size=10)
        return tmp_path / "spoiled.parquet"

    return write


def with_one(value, rest=1.0):
    return pa.array([value] + [rest] * 19)


NO_LIST = r"column 'a' has (type List.*; turn it into one of these, or drop it|something else.*; convert it)"


@every_engine
@pytest.mark.parametrize("nothing", [None, math.nan])
def test_a_missing_target_is_refused(engine, spoiled, nothing):
    with pytest.raises(
        ValueError, match=r"target 'y' is missing in 1 of 20 rows; leave them out.*where \"y\" is not null"
    ):
        compress(engine(spoiled(y=with_one(nothing))), target="y")


@fast_engines
@pytest.mark.parametrize("value", [math.inf, -math.inf, 1e101])
def test_an_infinite_target_is_refused(engine, spoiled, value):
    with pytest.raises(ValueError, match=r"target 'y' has values that are infinite or beyond 1e100; leave out"):
        compress(engine(spoiled(y=with_one(value))), target="y")


@fast_engines
@pytest.mark.parametrize("target", [["x"] * 20, ["1.5"] * 20, [dt.date(2020, 1, 1)] * 20, [[1.0]] * 20])
def test_a_target_that_is_no_number_is_refused(engine, spoiled, target):
    with pytest.raises(ValueError, match=r"target 'y'.* not numbers"):
        compress(engine(spoiled(y=target)), target="y")


@every_engine
def test_negative_weights_are_refused(engine, spoiled):
    with pytest.raises(ValueError, match=r"weight 'w' is negative in some rows; weights must be 0 or more"):
        compress(engine(spoiled(w=with_one(-1.0))), target="y", weight="w")


@fast_engines
@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_missing_and_infinite_weights_are_refused(engine, spoiled, value):
    with pytest.raises(ValueError, match=r"weight 'w' is missing or infinite in some rows; give these rows weight 0"):
        compress(engine(spoiled(w=with_one(value))), target="y", weight="w")


@fast_engines
def test_weights_that_are_all_zero_are_refused(engine, spoiled):
    with pytest.raises(ValueError, match=r"largest weight 'w' is 0; at least one must be positive"):
        compress(engine(spoiled(w=np.zeros(20))), target="y", weight="w")


@fast_engines
def test_weights_too_small_to_count_are_refused_as_in_memory(engine, spoiled):
    path = spoiled(w=with_one(1e-20))
    for frame in (in_memory(path), engine(path)):
        with pytest.raises(ValueError, match="too small to count"):
            compress(frame, target="y", weight="w")


@fast_engines
def test_weights_that_are_no_numbers_are_refused(engine, spoiled):
    with pytest.raises(ValueError, match=r"weight 'w'.* not numbers"):
        compress(engine(spoiled(w=["x"] * 20)), target="y", weight="w")


@every_engine
def test_an_unknown_target_is_named_beside_the_columns(engine, spoiled):
    with pytest.raises(ValueError, match=r"no column 'z' to be the target; the table has a, b, y, w"):
        compress(engine(spoiled()), target="z")
    with pytest.raises(ValueError, match=r"no column 'z' to be the weight; the table has a, b, y, w"):
        compress(engine(spoiled()), target="y", weight="z")


@fast_engines
@pytest.mark.parametrize("value", [math.inf, -math.inf])
@pytest.mark.parametrize("rule", [*BINARIZERS, "fitted"])
def test_infinite_values_are_refused(engine, spoiled, value, rule):
    known = Binarizer("quantile").fit(in_memory(spoiled()).drop(columns=["y", "w"]))
    with pytest.raises(ValueError, match=r"infinity.*; replace infinite values first"):
        compress(
            engine(spoiled(a=with_one(value))), target="y", weight="w", binarizer=(BINARIZERS | {"fitted": known})[rule]
        )


@fast_engines
@pytest.mark.parametrize("rule", [*BINARIZERS, "fitted"])
def test_columns_of_lists_are_refused(engine, spoiled, rule):
    known = Binarizer("quantile").fit(in_memory(spoiled()).drop(columns=["y", "w"]))
    with pytest.raises(ValueError, match=NO_LIST):
        compress(
            engine(spoiled(a=[[1.0]] * 20)), target="y", weight="w", binarizer=(BINARIZERS | {"fitted": known})[rule]
        )


@pytest.mark.parametrize("engine", SLOW, indirect=True)
def test_columns_of_lists_are_refused_by_clusters(engine, spoiled):
    with pytest.raises(ValueError, match=r"column 'a' has type .*; turn it into one of these, or drop it"):
        compress(engine(spoiled(a=[[1.0]] * 20)), target="y", weight="w")


@fast_engines
@pytest.mark.parametrize("rule", ["auto", "quantile"])
def test_a_column_of_nothing_but_missing_values_says_nothing(engine, spoiled, rule):
    path = spoiled(a=pa.nulls(20))
    check = compress(engine(path), target="y", weight="w", binarizer=BINARIZERS[rule])
    assert check.conditions == compress(in_memory(path), target="y", weight="w", binarizer=BINARIZERS[rule]).conditions


@fast_engines
def test_a_fitted_binarizer_refuses_a_table_without_its_columns(engine, files, spoiled, fitted):
    with pytest.raises(ValueError, match=r"'Solar.R', 'wind'.* missing \(instead there are 'a', 'b'\)"):
        compress(engine(spoiled()), target="y", weight="w", binarizer=fitted)


@fast_engines
def test_a_fitted_binarizer_refuses_a_column_of_another_kind(engine, spoiled):
    known = Binarizer("quantile").fit(in_memory(spoiled()).drop(columns=["y", "w"]))
    with pytest.raises(ValueError, match=r"column 'a' has text, but had numbers .*; convert it to numbers"):
        compress(engine(spoiled(a=["x"] * 20)), target="y", weight="w", binarizer=known)


@fast_engines
def test_a_table_without_rows_is_refused(engine, tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.float64()), "y": pa.array([], pa.float64())}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="no rows; at least one is needed"):
        compress(engine(tmp_path / "t.parquet"), target="y")


@every_engine
def test_fit_sends_a_frame_that_is_not_in_memory_to_compress(engine, files):
    with pytest.raises(TypeError, match=r"lazy frame .*optitree\.compress\(frame, target=\.\.\.\).*fit_groups"):
        OptimalTreeRegressor().fit(engine(files["table"]), np.zeros(2500))
    with pytest.raises(TypeError, match=r"optitree\.compress"):
        Binarizer().fit(engine(files["table"]))
