"""A table collapses into groups of rows that no condition tells apart."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from optitree import Binarizer, Groups, OptimalTreeRegressor, compress

COLUMNS = {
    "age": [20.0, 30.0, 30.0, 20.0, 30.0, None],
    "sex": ["f", "m", "m", "f", "f", None],
    "cost": [1.0, 5.0, 7.0, 2.0, 8.0, 4.0],
    "weight": [1.0, 1.0, 3.0, 2.0, 0.0, 1.0],
}
MAKERS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "lazy polars": pl.LazyFrame,
}


def table(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=rows).round(1), "b": rng.choice([*"uvw"], rows)})
    return frame.assign(y=(frame["a"] > 0) + 2 * (frame["b"] == "v") + 0.1 * rng.normal(size=rows))


def structure(model):
    return [(node.condition, node.yes, node.no, node.rows) for node in model.tree_.nodes]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_rows_alike_are_one_group_with_their_weight_mean_and_scatter(make):
    groups = compress(make(COLUMNS), target="cost", weight="weight")
    assert [str(condition) for condition in groups.conditions] == [
        "age <= 25",
        "age is missing",
        "sex = f",
        "sex = m",
        "sex is missing",
    ]
    assert len(groups) == 3
    assert groups.rows.tolist() == [2, 2, 1]  # the row of weight 0 is left out
    assert groups.weight.tolist() == [3, 4, 1]
    np.testing.assert_allclose(groups.mean + groups.origin, [5 / 3, 6.5, 4])
    np.testing.assert_allclose(groups.scatter, [2 / 3, 3, 0], atol=1e-14)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_without_weights_every_row_counts_the_same(make):
    groups = compress(make({name: COLUMNS[name] for name in ("age", "cost")}), target="cost")
    assert groups.weight.tolist() == groups.rows.tolist() == [2, 3, 1]
    assert groups.n_rows == groups.total_weight == 6


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_groups_come_in_the_order_of_their_codes(make):
    groups = compress(make(table().to_dict("list")), target="y")
    assert groups.codes.tolist() == sorted(groups.codes.tolist())
    assert len({*map(tuple, groups.codes.tolist())}) == len(groups)


def test_conditions_are_those_of_the_binarizer():
    frame = table()
    expected = Binarizer(max_thresholds=4).fit(frame[["a", "b"]], frame["y"])
    groups = compress(frame, target="y", binarizer=Binarizer(max_thresholds=4))
    assert groups.conditions == expected.conditions_
    assert list(groups.binarizer.feature_names_in_) == ["a", "b"]


def test_a_binarizer_that_is_not_fitted_stays_so():
    binarizer = Binarizer()
    groups = compress(table(), target="y", binarizer=binarizer)
    assert not hasattr(binarizer, "conditions_")
    assert groups.binarizer is not binarizer


def test_a_fitted_binarizer_is_used_as_it_is():
    first = compress(table(seed=0), target="y")
    second = compress(table(seed=1), target="y", binarizer=first.binarizer)
    assert second.conditions == first.conditions
    assert (first + second).n_rows == 400


def test_columns_are_found_by_name_where_the_binarizer_is_fitted():
    first = compress(table(), target="y")
    turned = table().assign(extra=1)[["y", "extra", "b", "a"]]
    again = compress(turned, target="y", binarizer=first.binarizer)
    np.testing.assert_array_equal(again.codes, first.codes)


def test_a_target_may_be_whole_numbers_or_booleans():
    frame = table().assign(y=lambda frame: frame["a"] > 0)
    assert compress(frame, target="y").n_rows == 200
    assert compress(frame.astype({"y": int}), target="y").conditions == compress(frame, target="y").conditions


@pytest.mark.parametrize("parameters", [{}, {"thresholds": "quantile"}, {"encoding": "interval", "drop": "first"}])
def test_fit_groups_finds_the_tree_of_fit(parameters):
    frame, binarizer = table(), Binarizer(**parameters)
    model = OptimalTreeRegressor(max_depth=3, binarizer=binarizer).fit(frame[["a", "b"]], frame["y"])
    other = OptimalTreeRegressor(max_depth=3).fit_groups(compress(frame, target="y", binarizer=binarizer))
    assert structure(other) == structure(model)
    np.testing.assert_allclose(other.tree_.values, model.tree_.values, rtol=1e-13)
    np.testing.assert_array_equal(other.predict(frame), other.predict(frame[["b", "a"]]))
    assert list(other.feature_names_in_) == ["a", "b"]
    assert other.n_features_in_ == 2


def test_fit_groups_forgets_the_table_fitted_before():
    frame = table()
    model = OptimalTreeRegressor(max_depth=2).fit(np.arange(30.0).reshape(-1, 3), np.arange(10.0))
    model.fit_groups(compress(frame, target="y"))
    assert list(model.feature_names_in_) == ["a", "b"]
    model.fit(np.arange(30.0).reshape(-1, 3), np.arange(10.0))
    assert not hasattr(model, "feature_names_in_")


def test_a_table_without_conditions_is_one_group_and_one_leaf():
    groups = compress(pd.DataFrame({"a": [1, 1, 1], "y": [1.0, 2.0, 6.0]}), target="y")
    assert repr(groups) == "<Groups: 1 groups of 3 rows, 0 conditions>"
    model = OptimalTreeRegressor().fit_groups(groups)
    assert model.tree_.values.tolist() == [3.0]


def test_a_lazy_table_without_conditions_is_one_group_too():
    groups = compress(pl.LazyFrame({"a": [1, 1, 1], "y": [1.0, 2.0, 6.0]}), target="y", binarizer=Binarizer("quantile"))
    assert (len(groups), groups.n_rows) == (1, 3)
    assert OptimalTreeRegressor().fit_groups(groups).tree_.values.tolist() == [3.0]


@pytest.mark.parametrize("X", [np.zeros((3, 2)), [[1, 2]], {"a": [1], "y": [1]}, None, "table.csv", pd.Series([1, 2])])
def test_only_frames_can_be_compressed(X):
    with pytest.raises(TypeError, match=r"compress takes a data frame .*DuckDB.*, not \w+; for an array use fit"):
        compress(X, target="y")


@pytest.mark.parametrize("binarizer", ["auto", Binarizer, 3])
def test_a_binarizer_is_nothing_else(binarizer):
    with pytest.raises(TypeError, match=r"binarizer must be a Binarizer or None, not \w+"):
        compress(table(), target="y", binarizer=binarizer)


def test_parameters_of_the_binarizer_are_checked():
    with pytest.raises(ValueError, match="thresholds='best' is unknown"):
        compress(table(), target="y", binarizer=Binarizer("best"))


@pytest.mark.parametrize("role", ["target", "weight"])
def test_an_unknown_column_is_named_beside_those_there_are(role):
    with pytest.raises(ValueError, match=f"no column 'z' to be the {role}; the table has a, b, y"):
        compress(table(), **{"target": "y", role: "z"})


def test_target_and_weight_are_two_columns():
    with pytest.raises(ValueError, match="'y' cannot be both the target and the weight"):
        compress(table(), target="y", weight="y")


def test_something_must_be_left_to_ask_about():
    with pytest.raises(ValueError, match="no column beside the target 'y'; at least one is needed"):
        compress(table()[["y"]], target="y")


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match=r"at least one is needed|minimum of 1 is required"):
        compress(table().iloc[:0], target="y")


def test_names_must_differ():
    frame = table().set_axis(["a", "a", "y"], axis=1)
    with pytest.raises(ValueError, match="column names must differ; rename one of 'a'"):
        compress(frame, target="y")


def test_a_gap_in_the_target_is_refused():
    frame = table()
    frame.loc[3, "y"] = None
    with pytest.raises(ValueError, match=r"NaN or infinity \(row 3"):
        compress(frame, target="y")


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match=r"Negative values.*row 0.*weights must be 0 or more"):
        compress(table().assign(w=-1.0), target="y", weight="w")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_too_many_groups_are_refused_with_a_remedy(make):
    groups = len(compress(table(), target="y"))
    assert len(compress(make(table().to_dict("list")), target="y", max_groups=groups)) == groups
    with pytest.raises(
        ValueError, match=rf"200 rows .*about {groups} groups, more than max_groups={groups - 1}"
    ) as caught:
        compress(make(table().to_dict("list")), target="y", max_groups=groups - 1)
    assert "Binarizer(max_thresholds=3), leave out columns of many bins such as 'a'" in str(caught.value)


@pytest.mark.parametrize("groups", [None, table(), np.zeros((3, 2))])
def test_fit_groups_takes_groups_only(groups):
    with pytest.raises(
        TypeError, match=r"fit_groups takes Groups, made by optitree\.compress\(frame, target=\.\.\.\), not"
    ):
        OptimalTreeRegressor().fit_groups(groups)


def test_rows_of_weight_zero_do_not_matter_where_a_column_has_no_conditions():
    frame = table().assign(constant=1, w=1.0)
    known = compress(frame, target="y", weight="w")
    assert isinstance(known, Groups)
    frame.loc[:99, "w"] = 0
    again = compress(frame, target="y", weight="w", binarizer=known.binarizer)
    assert again.n_rows == 100


def test_a_binarizer_fitted_again_does_not_change_groups_made_before():
    binarizer = compress(table(), target="y").binarizer
    groups = compress(table(), target="y", binarizer=binarizer)
    model = OptimalTreeRegressor(max_depth=2).fit_groups(groups)
    before = model.predict(table())
    binarizer.fit(np.arange(6.0).reshape(3, 2), [1, 2, 3])
    np.testing.assert_array_equal(model.predict(table()), before)


def test_parts_add_up_with_sum():
    first = compress(table(seed=0), target="y")
    second = compress(table(seed=1), target="y", binarizer=first.binarizer)
    assert sum([first, second]).n_rows == 400


@pytest.mark.parametrize("most", [None, 0, 1.5, True])
def test_a_limit_of_groups_that_is_no_number_is_refused(most):
    with pytest.raises(ValueError, match=r"max_groups=.* must be a whole number of at least 1"):
        compress(table(), target="y", max_groups=most)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_groups_with_missing_values_can_be_saved(make, tmp_path):
    frame = make({name: COLUMNS[name] for name in ("age", "sex", "cost")})
    groups = compress(frame, target="cost", binarizer=Binarizer("quantile"))
    groups.save(tmp_path / "groups.npz")
    assert Groups.load(tmp_path / "groups.npz").conditions == groups.conditions
