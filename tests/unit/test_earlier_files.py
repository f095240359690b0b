"""Files that an earlier optitree wrote are read, and mean what they meant."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from optitree import Groups, OptimalTreeRegressor, compress, export_text, load

FOLDER = Path(__file__).with_name("earlier_files")


@pytest.fixture(scope="module")
def expected():
    return json.loads((FOLDER / "expected.json").read_text())


@pytest.fixture(scope="module")
def table():
    return pd.read_csv(FOLDER / "table.csv", parse_dates=["day"])


@pytest.fixture(scope="module")
def groups():
    return Groups.load(FOLDER / "groups.npz")


@pytest.mark.parametrize(("file", "kind"), [("model.json", "model"), ("model_quantile.json", "quantile")])
def test_a_model_predicts_the_same(table, expected, file, kind):
    assert load(FOLDER / file).predict(table).tolist() == expected[kind]


def test_a_model_reads_the_same(expected):
    assert export_text(load(FOLDER / "model.json")).splitlines()[:-1] == expected["text"]


def test_a_model_is_saved_as_it_was(tmp_path):
    load(FOLDER / "model.json").save(tmp_path / "again.json")
    today = (FOLDER / "model.json").read_text().replace('"version": 2,', '"version": 3,', 1)
    assert (tmp_path / "again.json").read_text() == today


def test_groups_answer_the_same(groups, expected):
    assert [f"{word:x}" for word in groups.bits[:, 0].tolist()] == expected["answers"]


def test_groups_have_the_tree_that_they_had(groups, table, expected):
    mean = OptimalTreeRegressor(0.02, max_depth=3).fit_groups(groups)
    quantile = OptimalTreeRegressor(0.01, max_depth=2, loss="quantile", quantile=0.3).fit_groups(groups)
    assert mean.predict(table).tolist() == expected["of groups"]
    assert quantile.predict(table).tolist() == expected["of groups, quantile"]


def test_groups_of_today_have_the_codes_of_the_file_and_add_up_with_them(groups, table):
    binarizer = groups.binarizer
    assert (binarizer.max_thresholds, binarizer.max_categories) == (3, 4)
    today = compress(table, target="y", weight="w", binarizer=binarizer, values=True)
    np.testing.assert_array_equal(today.codes, groups.codes)
    np.testing.assert_array_equal((today + groups).weight, 2 * groups.weight)
    fresh = compress(table, target="y", weight="w", binarizer=type(binarizer)(max_thresholds=3, max_categories=4))
    np.testing.assert_array_equal(fresh.codes, groups.codes)
    assert fresh.conditions == groups.conditions
