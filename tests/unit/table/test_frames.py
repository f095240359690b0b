"""Frames of any library: their columns are found by name, whatever the names are."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from optitree import Binarizer, OptimalTreeRegressor, compress, export_text, load
from optitree.table.frames import name_of

# The target is told by the first column alone.
COLUMNS = {"age": [20, 30, 50, 60] * 3, "visits": list(range(12)), "region": ["north", "south"] * 6}
TARGET = [1.0, 1.0, 2.0, 4.0] * 3
MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def fit(X):
    return OptimalTreeRegressor(max_depth=2).fit(X, TARGET)


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_predict_needs_only_the_columns_that_the_tree_asks_about(maker):
    model = fit(maker(COLUMNS))
    assert model.tree_.columns == (0,)
    for table in ({"age": COLUMNS["age"]}, {"region": [[1]] * 12, "age": COLUMNS["age"]}):
        assert model.predict(maker(table)).tolist() == TARGET
    with pytest.raises(ValueError, match=r"'age' missing \(instead there are 'visits'\)"):
        model.predict(maker({"visits": COLUMNS["visits"]}))


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_a_binarizer_needs_only_the_columns_that_have_conditions(maker):
    binarizer = Binarizer().fit(maker({**COLUMNS, "constant": [1] * 12}))
    assert binarizer.transform(maker(COLUMNS)).shape == (12, len(binarizer.conditions_))
    groups = compress(maker({**COLUMNS, "y": TARGET}), target="y", binarizer=binarizer)
    assert OptimalTreeRegressor(max_depth=2).fit_groups(groups).predict(maker(COLUMNS)).tolist() == TARGET


def test_a_table_in_an_engine_needs_only_the_columns_that_have_conditions():
    binarizer = Binarizer().fit(pl.DataFrame({**COLUMNS, "constant": [1] * 12}))
    groups = compress(pl.LazyFrame({**COLUMNS, "y": TARGET}), target="y", binarizer=binarizer)
    assert groups.n_rows == 12


@pytest.mark.parametrize(
    ("name", "text"),
    [(7, "7"), ("age", "age"), (("size", "mean"), "size.mean"), (("age", ""), "age"), ((2020, 1), "2020.1")],
)
def test_names_of_any_kind_are_text(name, text):
    assert name_of(name) == text


NAMES = {
    "numbers": ([7, 3, 5], ["7", "3", "5"]),
    "several levels": (pd.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "")]), ["a.x", "a.y", "b"]),
    "mixed": (["age", 0, 1], ["age", "0", "1"]),
}


@pytest.mark.parametrize(("names", "texts"), NAMES.values(), ids=NAMES)
def test_names_that_are_no_text_are_kept(names, texts, tmp_path):
    frame = pd.DataFrame(COLUMNS).set_axis(names, axis=1)
    model = fit(frame)
    assert list(model.feature_names_in_) == texts
    assert export_text(model).startswith(f"├─ {texts[0]} <= 40: predict 1.00  (6 rows)\n")
    model.save(tmp_path / "tree.json")
    for known in (model, load(tmp_path / "tree.json")):
        assert known.predict(frame.iloc[:, ::-1]).tolist() == TARGET
        assert known.predict(frame.iloc[:, :1]).tolist() == TARGET
        assert known.predict(pl.DataFrame({texts[0]: COLUMNS["age"]})).tolist() == TARGET


def test_the_target_of_groups_may_have_such_a_name():
    frame = pd.DataFrame(COLUMNS).assign(y=TARGET)
    for names, target in (
        ([7, 3, 5, 9], 9),
        (pd.MultiIndex.from_tuples([*zip("abcd", "wxyz", strict=True)]), ("d", "z")),
    ):
        named = frame.set_axis(names, axis=1)
        model = OptimalTreeRegressor(max_depth=2).fit_groups(compress(named, target=target))
        assert model.predict(named).tolist() == TARGET


def test_columns_that_pandas_numbers_have_no_names_and_are_found_by_their_numbers():
    frame = pd.DataFrame(COLUMNS).set_axis(range(3), axis=1)
    model = fit(frame)
    assert not hasattr(model, "feature_names_in_")
    assert "├─ x0 <= 40" in export_text(model)
    for order in ([0, 1, 2], [2, 1, 0], [1, 0], [0]):
        assert model.predict(frame[order]).tolist() == TARGET
    with pytest.raises(ValueError, match="'0' missing"):
        model.predict(frame[[1, 2]])


def test_sparse_columns_are_read_as_what_they_hold():
    dense = pd.DataFrame({"a": [0, 0, 3, 0] * 3, "b": [0.5, np.nan] * 6})
    sparse = dense.astype({"a": pd.SparseDtype(int, 0), "b": pd.SparseDtype(float, np.nan)})
    assert fit(sparse).tree_ == fit(dense).tree_
    np.testing.assert_array_equal(fit(dense).predict(sparse), fit(dense).predict(dense))


def test_batches_and_their_readers_are_tables():
    table = pa.table({**COLUMNS, "y": TARGET})
    expected = fit(table.drop_columns("y")).tree_

    def reader(given):
        return pa.RecordBatchReader.from_batches(given.schema, given.to_batches(max_chunksize=5))

    for make in (reader, lambda given: given.combine_chunks().to_batches()[0]):
        model = fit(make(table.drop_columns("y")))
        assert model.tree_ == expected
        assert model.predict(make(table)).tolist() == TARGET
        assert compress(make(table), target="y").n_rows == 12


def test_what_duckdb_gives_as_arrow_is_a_table():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().from_arrow(pa.table({**COLUMNS, "y": TARGET}))
    groups = compress(relation.arrow(), target="y")
    model = OptimalTreeRegressor(max_depth=2).fit_groups(groups)
    assert model.predict(relation.arrow()).tolist() == TARGET


PROGRAM = """
import importlib.util
import sys


class NoPandas:
    # Whoever imports it fails; scikit-learn and pyarrow try to, and go on.
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "pandas" else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        raise ImportError("pandas")


sys.meta_path.insert(0, NoPandas())
from optitree import OptimalTreeRegressor, OptimalTreeRegressorCV, compress, export_text, near_optimal_trees
from optitree import regularization_path
import {library}

columns, y = {columns}, {target}
X = {make}
model = OptimalTreeRegressor(max_depth=2).fit(X, y)
model.predict(X), export_text(model)
regularization_path(X, y, max_depth=2), near_optimal_trees(X, y, max_depth=2)
OptimalTreeRegressorCV(max_depth=2, cv=2).fit(X, y)
print("done")
"""


@pytest.mark.parametrize(
    ("library", "make"),
    [
        ("numpy", "numpy.array([columns['age'], columns['visits']]).T"),
        ("polars", "polars.DataFrame(columns)"),
        ("pyarrow", "pyarrow.table(columns)"),
    ],
)
def test_nothing_imports_pandas_where_none_is_given(library, make):
    program = PROGRAM.format(library=library, make=make, columns=COLUMNS, target=TARGET)
    done = subprocess.run(
        [sys.executable, "-c", program], env=dict(os.environ), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "done", done.stderr
