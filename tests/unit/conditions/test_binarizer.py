"""Conditions are where they should be, and answer rows as the tree routes them."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeRegressor

from optitree import Binarizer, OptimalTreeRegressor
from optitree.conditions.binarizer import rules_of
from optitree.groups.groups import group_rows
from optitree.table.reading import read_table
from optitree.table.rows import Rows

RULES = ["auto", "quantile", "uniform", "all", "reference"]


def thresholds(values, weight=None, target=None, **parameters):
    table = np.asarray(values).reshape(-1, 1)
    conditions = Binarizer(**parameters).fit(table, target, weight).conditions_
    return [condition.threshold for condition in conditions]


def texts(columns, weight=None, **parameters):
    """Return the conditions of a table as text."""
    return list(Binarizer(**parameters).fit(pd.DataFrame(columns), None, weight).get_feature_names_out())


def mixed_table(rows=120, missing=0.1, seed=0):
    """Return a table with a column of every kind."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, rows).round(),
            "smoker": pd.array(rng.random(rows) < 0.4, dtype="boolean"),
            "region": rng.choice([*"abcdefg"], rows, p=np.arange(1, 8) / 28),
            "visit": pd.Timestamp("2020-03-01") + pd.to_timedelta(rng.integers(0, 5000, rows), "min"),
        }
    )
    return frame.mask(rng.random(frame.shape) < missing)


def test_all_puts_a_threshold_between_every_two_neighbours():
    values = np.array([3.0, 1.0, 2.0, 2.0, 10.0])
    assert thresholds(values, thresholds="all") == [1.5, 2.5, 6]


def test_auto_takes_all_where_there_are_few_values():
    values = np.repeat(np.arange(5.0), [1, 1, 1, 1, 96])
    assert thresholds(values, max_thresholds=4) == [0.5, 1.5, 2.5, 3.5]
    assert thresholds(values, max_thresholds=4, thresholds="quantile") == [3.5]


def test_auto_takes_quantiles_where_there_are_many_values_and_no_target():
    values = np.random.default_rng(0).exponential(size=500)
    assert thresholds(values) == thresholds(values, thresholds="quantile")
    assert len(thresholds(values)) == 6


@pytest.mark.parametrize("weighted", [False, True])
def test_auto_can_part_the_rows_as_every_split_of_a_greedy_tree_does(weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(2)
    y = X[:, 0] * X[:, 1] + (X[:, 2] > 0.7) + 0.1 * rng.normal(size=300)
    weight = rng.exponential(size=300) if weighted else None
    greedy = DecisionTreeRegressor(max_leaf_nodes=16, random_state=0).fit(X, y, weight)
    answers = Binarizer(max_thresholds=1).fit(X, y, weight).transform(X)
    paths = greedy.decision_path(X).toarray().astype(bool)
    splits = np.flatnonzero(greedy.tree_.feature >= 0)
    assert len(splits) == 15
    for node in splits:
        left = paths[paths[:, node], greedy.tree_.children_left[node]]
        agreement = (left == answers[paths[:, node]].T).mean(axis=1)
        assert set(agreement) & {0, 1}  # with yes to the left or to the right


@pytest.mark.parametrize("most", [1, 5, 20])
def test_auto_is_filled_up_with_boosted_splits_and_then_with_quantiles(most):
    rng = np.random.default_rng(0)
    values, target = rng.normal(size=300), np.repeat([0.0, 1.0], 150)
    values.sort()
    step = values[149], values[150]
    found = thresholds(values, target=target, max_thresholds=most)
    assert any(step[0] <= t < step[1] for t in found)
    assert len(found) in (most, most - 1)  # where a quantile is at a split


def test_auto_with_a_constant_target_takes_quantiles():
    values = np.random.default_rng(0).exponential(size=500)
    assert thresholds(values, target=np.ones(500)) == thresholds(values, thresholds="quantile")


def test_the_optimal_tree_is_never_worse_than_a_greedy_tree_of_its_size():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    greedy = DecisionTreeRegressor(max_leaf_nodes=4, random_state=0).fit(X, y)
    model = OptimalTreeRegressor(0.001, max_depth=3, binarizer=Binarizer(max_thresholds=1)).fit(X, y)
    assert model.objective_ <= 1 - greedy.score(X, y) + 0.001 * 4


def test_reference_puts_thresholds_where_trees_split_and_nowhere_else():
    values = np.arange(100.0)
    target = np.select([values < 20, values < 70], [1.0, 5.0], 2.0)
    assert thresholds(values, target=target, thresholds="reference") == [19.5, 69.5]
    assert thresholds(values, target=target, thresholds="reference", max_thresholds=1) == [69.5]
    assert thresholds(values, target=0 * target, thresholds="reference") == []


def test_uniform_puts_thresholds_between_intervals_of_equal_width():
    values = np.random.default_rng(0).exponential(size=5000)
    found = thresholds(values, thresholds="uniform", max_thresholds=4)
    np.testing.assert_allclose(np.diff([values.min(), *found, values.max()]), np.ptp(values) / 5, rtol=0.1)


def test_uniform_has_no_two_thresholds_with_nothing_between():
    (threshold,) = thresholds([0.0, 1.0, 100.0], thresholds="uniform", max_thresholds=9)
    assert 1 <= threshold < 100


def test_uniform_separates_rows_even_where_there_is_no_room():
    assert thresholds([1.0, np.nextafter(1, 2)], thresholds="uniform") == [1]


@pytest.mark.parametrize("most", [1, 3, 8])
def test_quantiles_leave_about_equally_many_rows_between_thresholds(most):
    values = np.random.default_rng(0).exponential(size=900)
    found = thresholds(values, max_thresholds=most)
    assert len(found) == most
    between = np.diff(np.searchsorted(np.sort(values), [-np.inf, *found, np.inf]))
    assert np.ptp(between) <= 2


@pytest.mark.parametrize("rule", RULES)
def test_thresholds_ascend_and_each_separates_rows(rule):
    rng = np.random.default_rng(1)
    values = rng.choice([0, 1, 1, 1, 2, 5, 5, 7.5, 100], size=200) + rng.integers(0, 9, 200)
    found = thresholds(values, target=rng.normal(size=200), thresholds=rule, max_thresholds=4)
    assert found
    assert found == sorted(set(found))
    assert all(values.min() <= t < values.max() for t in found)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("most", [2, 3, 7])
def test_weights_count_as_repeated_rows(rule, most):
    rng = np.random.default_rng(most)
    values, target = rng.normal(size=60).round(1), rng.normal(size=60)
    weight = rng.integers(0, 5, 60)
    parameters = {"thresholds": rule, "max_thresholds": most}
    repeated = thresholds(np.repeat(values, weight), None, np.repeat(target, weight), **parameters)
    assert thresholds(values, weight, target, **parameters) == repeated


@pytest.mark.parametrize("most", [3, 10])
def test_levels_of_rows_of_weight_zero_are_as_good_as_absent(most):
    levels = [*"abcdaab"]
    weight = [1, 1, 0, 0, 1, 1, 1]
    assert texts({"a": levels}, weight, max_categories=most) == texts({"a": [*"abaab"]}, max_categories=most)


@pytest.mark.parametrize("rule", RULES)
def test_the_order_of_the_rows_does_not_matter(rule):
    rng = np.random.default_rng(0)
    frame, target = mixed_table(), rng.normal(size=120)
    order = rng.permutation(120)
    binarizer = Binarizer(rule, 3, max_categories=4)
    expected = binarizer.fit(frame, target).conditions_
    assert binarizer.fit(frame.iloc[order], target[order]).conditions_ == expected


def test_the_scale_of_weights_does_not_matter():
    values = np.random.default_rng(0).normal(size=200)
    assert thresholds(values, np.full(200, 1e-3)) == thresholds(values)


def test_constant_columns_have_no_condition():
    constant = {"number": [2.0] * 5, "flag": [True] * 5, "text": ["x"] * 5, "day": [dt.date(2020, 1, 1)] * 5}
    table = pd.DataFrame({**constant, "other": range(5)})
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


def test_a_column_of_text_has_a_condition_for_each_level():
    table = pd.DataFrame({"region": ["west", "north", "south", "north"]})
    binarizer = Binarizer().fit(table)
    assert list(binarizer.get_feature_names_out()) == ["region = north", "region = south", "region = west"]
    assert binarizer.transform(table).argmax(axis=1).tolist() == [2, 0, 1, 0]


def test_two_levels_have_one_condition_for_the_rarer():
    assert texts({"sex": ["m", "f", "f"]}) == ["sex = m"]
    assert texts({"sex": ["m", "f", "m"]}) == ["sex = f"]
    assert texts({"sex": ["m", "f", "m"]}, [1, 3, 1]) == ["sex = m"]
    assert texts({"sex": ["m", "f", None]}) == ["sex = f", "sex = m", "sex is missing"]


def test_rare_levels_are_one():
    levels = [*"aaabbbbcdde"]
    assert texts({"a": levels}, max_categories=5) == [f"a = {level}" for level in "abcde"]
    assert texts({"a": levels}, max_categories=4) == ["a = a", "a = b", "a = d", "a = other (2 levels)"]
    assert texts({"a": levels}, max_categories=3) == ["a = a", "a = b", "a = other (3 levels)"]
    weight = np.ones(11)
    weight[-1] = 9
    assert texts({"a": levels}, weight, max_categories=3) == ["a = b", "a = e", "a = other (3 levels)"]


def test_ten_levels_are_told_apart_unless_said_otherwise():
    assert len(texts({"a": [*"abcdefghij"]})) == 10
    assert texts({"a": [*"abcdefghijk"]})[-1] == "a = other (2 levels)"


def test_dates_have_thresholds_that_read_as_dates():
    days = pd.to_datetime(["2020-01-01", "2020-01-03", "2020-02-01"])
    assert texts({"visit": days}) == ["visit <= 2020-01-02", "visit <= 2020-01-17"]
    assert texts({"visit": days}, thresholds="uniform", max_thresholds=1) == ["visit <= 2020-01-16"]


def test_missing_values_are_a_condition_that_comes_last():
    columns = {"age": [1, 2, None], "flag": [True, None, False], "region": ["x", None, "y"]}
    assert texts(columns) == [
        "age <= 1.5",
        "age is missing",
        "flag is true",
        "flag is missing",
        "region = x",
        "region = y",
        "region is missing",
    ]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("encoding", ["threshold", "interval"])
def test_missing_values_fail_all_conditions_but_their_own(rule, encoding):
    frame = mixed_table()
    binarizer = Binarizer(rule, 3, encoding=encoding, max_categories=4).fit(frame, np.arange(120.0))
    answers = binarizer.transform(frame)
    for number, condition in enumerate(binarizer.conditions_):
        missing = frame[condition.name].isna().to_numpy()
        own = str(condition).endswith("is missing")
        assert (answers[missing, number] == own).all()
        assert not own or not answers[~missing, number].any()


@pytest.mark.parametrize("rule", RULES)
def test_intervals_share_the_rows_among_them(rule):
    frame = mixed_table(missing=0)[["age", "visit"]]
    binarizer = Binarizer(rule, 4, encoding="interval").fit(frame, np.sin(np.arange(120)))
    columns = np.array([condition.column for condition in binarizer.conditions_])
    for column in (0, 1):
        assert (binarizer.transform(frame)[:, columns == column].sum(axis=1) == 1).all()


def test_intervals_lie_between_the_thresholds():
    ages = np.repeat([10, 20, 30, 40], 5)
    names = ["age <= 15", "15 < age <= 25", "25 < age <= 35", "age > 35"]
    assert texts({"age": ages}, encoding="interval") == names
    assert texts({"age": ages}, encoding="interval", drop="first") == names[1:]
    assert texts({"age": ages[:10]}, encoding="interval") == ["age <= 15"]
    assert texts({"age": [*ages[:10], None]}, encoding="interval") == ["age <= 15", "age > 15", "age is missing"]


def test_the_first_level_can_be_left_out():
    assert texts({"a": [*"abc"]}, drop="first") == ["a = b", "a = c"]
    assert texts({"a": [*"ab"]}, drop="first") == ["a = b"]
    assert texts({"a": [*"aabbcd"]}, drop="first", max_categories=3) == ["a = b", "a = other (2 levels)"]
    assert texts({"age": [1, 2, 3]}, drop="first") == ["age <= 1.5", "age <= 2.5"]


@pytest.mark.parametrize("encoding", ["threshold", "interval"])
@pytest.mark.parametrize("drop", [None, "first"])
def test_groups_answer_as_their_rows_do(encoding, drop):
    frame = mixed_table(rows=300)
    binarizer = Binarizer(max_thresholds=2, encoding=encoding, max_categories=3, drop=drop)
    groups = group_rows(Rows(read_table(frame), np.arange(300.0)), rules_of(binarizer))
    assert groups.conditions == binarizer.fit(frame, np.arange(300.0)).conditions_
    rows, counts = np.unique(binarizer.transform(frame), axis=0, return_counts=True)
    packed = groups.bits.astype("<u8").view(np.uint8).reshape(len(groups), -1)
    answers = np.unpackbits(packed, axis=1, bitorder="little")[:, : rows.shape[1]].astype(bool)
    order = np.lexsort(answers.T[::-1])
    np.testing.assert_array_equal(answers[order], rows)
    np.testing.assert_array_equal(groups.rows[order], counts)
    assert groups.n_rows == 300


def test_a_condition_knows_its_column():
    binarizer = Binarizer().fit(mixed_table())
    for number, condition in enumerate(binarizer.conditions_):
        assert binarizer.inverse(number) == condition.name
        assert binarizer.inverse(condition) == condition.name
        assert binarizer.inverse(str(condition)) == condition.name
    with pytest.raises(ValueError, match="no condition 'colour = red'; conditions_ lists them all"):
        binarizer.inverse("colour = red")


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
