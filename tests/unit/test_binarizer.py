"""Conditions are where they should be, and answer rows as the tree routes them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from optitree import Binarizer, OptimalTreeRegressor


def thresholds(values, weight=None, **parameters):
    table = np.asarray(values).reshape(-1, 1)
    conditions = Binarizer(**parameters).fit(table, sample_weight=weight).conditions_
    return [condition.threshold for condition in conditions]


def test_all_puts_a_threshold_between_every_two_neighbours():
    values = np.array([3.0, 1.0, 2.0, 2.0, 10.0])
    assert thresholds(values, thresholds="all") == [1.5, 2.5, 6.5]


def test_auto_takes_all_where_there_are_few_values():
    values = np.repeat(np.arange(5.0), [1, 1, 1, 1, 96])
    assert thresholds(values, max_thresholds=4) == [0.5, 1.5, 2.5, 3.5]
    assert thresholds(values, max_thresholds=4, thresholds="quantile") == [3.5]


def test_auto_takes_quantiles_where_there_are_many_values():
    values = np.random.default_rng(0).exponential(size=500)
    assert thresholds(values) == thresholds(values, thresholds="quantile")


@pytest.mark.parametrize("most", [1, 3, 8])
def test_quantiles_leave_about_equally_many_rows_between_thresholds(most):
    values = np.random.default_rng(0).exponential(size=900)
    cuts = thresholds(values, max_thresholds=most)
    assert len(cuts) == most
    between = np.diff(np.searchsorted(np.sort(values), [-np.inf, *cuts, np.inf]))
    assert np.ptp(between) <= 2


@pytest.mark.parametrize("rule", ["auto", "quantile", "all"])
def test_thresholds_ascend_and_each_separates_rows(rule):
    rng = np.random.default_rng(1)
    values = rng.choice([0, 1, 1, 1, 2, 5, 5, 7.5, 100], size=200) + rng.integers(0, 9, 200)
    cuts = thresholds(values, thresholds=rule, max_thresholds=4)
    assert cuts == sorted(set(cuts))
    assert all(values.min() <= cut < values.max() for cut in cuts)


@pytest.mark.parametrize("rule", ["auto", "quantile", "all"])
@pytest.mark.parametrize("most", [2, 3, 7])
def test_weights_count_as_repeated_rows(rule, most):
    rng = np.random.default_rng(most)
    values = rng.normal(size=60).round(1)
    weight = rng.integers(0, 5, 60)
    parameters = {"thresholds": rule, "max_thresholds": most}
    assert thresholds(values, weight, **parameters) == thresholds(np.repeat(values, weight), **parameters)


def test_the_scale_of_weights_does_not_matter():
    values = np.random.default_rng(0).normal(size=200)
    assert thresholds(values, np.full(200, 1e-3)) == thresholds(values)


def test_constant_columns_have_no_condition():
    table = pd.DataFrame({"number": [2.0] * 5, "flag": [True] * 5, "other": range(5)})
    conditions = Binarizer().fit(table).conditions_
    assert {condition.name for condition in conditions} == {"other"}


def test_table_without_conditions_transforms_to_no_columns():
    binary = Binarizer().fit_transform(np.ones((4, 2)))
    assert binary.shape == (4, 0)
    assert binary.dtype == bool


def test_a_column_of_booleans_has_one_condition_that_it_is_true():
    table = pd.DataFrame({"flag": [True, False, True], "age": [1, 2, 3]})
    binarizer = Binarizer().fit(table)
    assert list(binarizer.get_feature_names_out()) == ["flag is true", "age <= 1.5", "age <= 2.5"]
    assert binarizer.transform(table)[:, 0].tolist() == [True, False, True]


def test_float32_columns_are_separated_as_they_are():
    one = np.float32(1)
    values = np.array([one, np.nextafter(one, np.float32(2)), np.float32(0.1)], dtype=np.float32)
    table = values.reshape(-1, 1)
    binary = Binarizer(thresholds="all").fit_transform(table)
    assert binary.tolist() == [[False, True], [False, False], [True, True]]


@pytest.mark.parametrize(
    "values",
    [
        [-1.7e308, 0.0, 1.7e308],
        [0.0, 5e-324, 1e-323],
        [1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)],
        [2.0**53, 2.0**53 + 2, 2.0**53 + 4],
        [1e-300, 1.0, 1e300],
    ],
)
def test_extreme_and_close_values_are_told_apart(values):
    binary = Binarizer(thresholds="all").fit_transform(np.array(values).reshape(-1, 1))
    assert binary.tolist() == [[True, True], [False, True], [False, False]]


def test_names_of_conditions_use_the_names_of_columns():
    frame = pl.DataFrame({"age": [1, 2], "dose": [0.1, 0.2]})
    names = Binarizer().fit(frame).get_feature_names_out()
    assert list(names) == ["age <= 1.5", "dose <= 0.15"]
    unnamed = Binarizer().fit(frame.to_numpy()).get_feature_names_out()
    assert list(unnamed) == ["x0 <= 1.5", "x1 <= 0.15"]


def test_set_output_gives_a_frame_of_named_conditions():
    frame = pd.DataFrame({"age": [1, 2, 3]})
    answers = Binarizer().set_output(transform="pandas").fit_transform(frame)
    assert list(answers.columns) == ["age <= 1.5", "age <= 2.5"]
    assert answers["age <= 1.5"].tolist() == [True, False, False]


def test_names_are_of_no_use_when_they_are_not_those_of_the_table():
    binarizer = Binarizer().fit(pd.DataFrame({"age": [1, 2]}))
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        binarizer.get_feature_names_out(["weight"])


def test_answers_agree_with_the_route_through_the_tree(sample):
    model = OptimalTreeRegressor(max_depth=3).fit(*sample)
    table = sample.X + np.random.default_rng(5).normal(size=sample.X.shape)
    answers = dict(zip(model.binarizer_.conditions_, model.binarizer_.transform(table).T, strict=True))
    for row, leaf in enumerate(model.apply(table)):
        at = 0
        while (node := model.tree_.nodes[at]).condition is not None:
            at = node.yes if answers[node.condition][row] else node.no
        assert at == leaf
