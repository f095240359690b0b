"""Conditions on sets of levels: which are proposed, what they say, and where rows go."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from optitree import Binarizer, OptimalTreeRegressor, export_text, load
from optitree.conditions.condition import Equals, IsIn, UpTo
from optitree.conditions.level_classes import LevelClasses, OrderedClasses, Targets, is_like_an_id
from optitree.conditions.profile import ColumnInMemory
from optitree.table.columns import category
from optitree.table.reading import read_table

QUALITIES = ["poor", "fair", "good", "fine", "best"]


def sets_of(binarizer):
    return [set(c.levels) for c in binarizer.conditions_ if isinstance(c, IsIn)]


def profile_of(values):
    return ColumnInMemory([category(values, np.array([value is None for value in values]))], 0, None).levels()


def classes_of(values, target, median=False, most=99):
    profile = profile_of(values)
    classes = LevelClasses.of(profile, 1000)
    ordered = OrderedClasses(classes, classes.class_of[profile.codes], Targets(np.asarray(target, float), None))
    return [{profile.levels[k] for k in levels} for levels in ordered.cuts(most, median=median)]


def test_a_set_that_is_the_only_signal_is_found_among_many_levels():
    rng = np.random.default_rng(0)
    levels = np.array([f"level {k:02}" for k in range(50)])
    signal = set(rng.choice(levels, 12, replace=False).tolist())
    z = rng.choice(levels, 4000)
    y = 2.0 * np.isin(z, [*signal]) + rng.normal(size=len(z))
    model = OptimalTreeRegressor(0.01).fit(pd.DataFrame({"z": z, "noise": rng.normal(size=len(z))}), y)
    assert model.n_leaves_ == 2
    assert set(model.tree_.nodes[0].condition.levels) == signal


def test_few_levels_have_one_condition_each_and_the_cuts_of_their_order():
    values = np.repeat([*"abcde"], 20)
    y = np.repeat([3.0, 0.0, 4.0, 1.0, 2.0], 20)
    binarizer = Binarizer().fit(pd.DataFrame({"a": values}), y)
    assert [str(c) for c in binarizer.conditions_[:5]] == [f"a = {level}" for level in "abcde"]
    assert sets_of(binarizer)[:2] == [{"b", "d"}, {"a", "c"}]  # b d | e a c and b d e | a c


def test_levels_are_cut_where_their_means_differ_most():
    values = np.repeat([*"abcdef"], 10)
    y = np.repeat([0.0, 0.1, 5.0, 5.1, 9.0, 9.1], 10)
    assert classes_of(values, y, most=2) == [{"a", "b"}, {"e", "f"}]
    assert classes_of(values, y, most=1) == [{"a", "b"}]


def test_medians_order_levels_where_the_loss_asks_for_them():
    values = np.repeat([*"abc"], 5)
    y = [0, 0, 0, 0, 100, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    assert classes_of(values, y) == [{"b"}, {"a"}]  # means: b c a
    assert classes_of(values, y, median=True) == [{"a"}, {"c"}]
    frame, y = pd.DataFrame({"z": np.repeat([*"abcdefghijkl"], 5)}), np.tile(y[:5], 12) + np.repeat(np.arange(12), 5)
    fits = [OptimalTreeRegressor(loss=loss).fit(frame, y) for loss in ("squared_error", "absolute_error")]
    assert all(isinstance(c, IsIn | Equals) for fit in fits for c in fit.binarizer_.conditions_)


def test_a_level_of_a_few_rows_does_not_lead():
    rng = np.random.default_rng(1)
    values = ["a"] * 200 + ["b"] * 200 + ["rare"] * 2
    y = np.concatenate([rng.normal(0, 3, 200), rng.normal(1, 3, 200), [3, 3.5]])
    assert classes_of(values, y, most=1) == [{"a"}]
    assert classes_of(values, y)[1] != {"rare"}  # a, rare, b: drawn towards the middle


def test_levels_of_a_single_row_are_one():
    values = [*"aabbccxyz"]
    classes = LevelClasses.of(profile_of(values), 100)
    assert classes.members == ((0,), (1,), (2,), (3, 4, 5))
    assert classes.set_of([0, 3]) == [(0, 3, 4, 5)]
    assert classes.set_of([4]) == []  # what is missing


def test_an_id_is_pointed_out_and_not_asked_about():
    frame = pd.DataFrame({"name": [f"n{k}" for k in range(60)], "x": np.arange(60.0)})
    with pytest.warns(UserWarning, match="column 'name' looks like an id.*leave it out"):
        binarizer = Binarizer().fit(frame, np.arange(60.0))
    assert {c.name for c in binarizer.conditions_} == {"x"}
    assert not is_like_an_id(profile_of([*"aabbc"]))


def test_thousands_of_levels_cost_no_more_than_numbers():
    rng = np.random.default_rng(0)
    z = rng.integers(0, 5000, 40_000)
    y = (z % 7 < 3) + 0.1 * rng.normal(size=len(z))
    binarizer = Binarizer().fit(pd.DataFrame({"z": np.char.add("n", z.astype(str))}), y)
    assert 9 <= len(binarizer.conditions_) <= 30
    assert max(map(len, sets_of(binarizer))) > 1000


def test_text_is_short_and_full_text_is_there():
    many = IsIn(0, "zip", tuple("abcdefg"))
    assert str(many) == "zip in {a, b, ... 7 levels}"
    assert many.opposite() == "zip not in {a, b, ... 7 levels}"
    assert many.in_full() == "zip in {a, b, c, d, e, f, g}"
    assert str(IsIn(0, "zip", ("a", " b"))) == 'zip in {a, " b"}'


@pytest.mark.parametrize("make", [lambda f: f, lambda f: pl.from_pandas(f).cast({"q": pl.Enum(QUALITIES)})])
def test_levels_with_an_order_have_thresholds(make):
    rng = np.random.default_rng(0)
    number = rng.integers(0, 5, 300)
    number[number == 1] = 0  # nobody is fair
    q = pd.Categorical.from_codes(np.where(rng.random(300) < 0.1, -1, number), QUALITIES, ordered=True)
    frame, y = pd.DataFrame({"q": q}), number >= 3
    binarizer = Binarizer().fit(make(frame), y)
    assert [str(c) for c in binarizer.conditions_] == ["q <= poor", "q <= good", "q <= fine", "q is missing"]
    assert binarizer.conditions_[1] == UpTo(0, "q", ("poor", "fair", "good"), has_missing=True)
    assert binarizer.conditions_[1].opposite() == "q > good or missing"
    model = OptimalTreeRegressor(0.01).fit(make(frame), y)
    late = pd.DataFrame({"q": pd.Categorical(["fair", "fine"], QUALITIES, ordered=True)})
    assert model.predict(make(late)).tolist() == [0.0, 1.0]  # fair was not there, but has its place
    intervals = Binarizer(encoding="interval").fit(make(frame), y)
    assert [str(c) for c in intervals.conditions_[:3]] == ["q = poor", "q in {fair, good}", "q = fine"]


def test_missing_values_and_levels_never_seen_are_in_no_set_and_are_counted():
    z = np.array([*"abcdefghijkl"] * 20 + [None] * 9, object)
    y = np.isin(z, [*"abcd"]) * 1.0
    model = OptimalTreeRegressor(0.01).fit(pd.DataFrame({"z": z}), y)
    assert export_text(model).splitlines()[:2] == [
        "├─ z in {a, b, c, d}: predict 1.00  (80 rows)",
        "└─ z not in {a, b, c, d}, or missing: predict 0.00  (169 rows, 9 of them missing)",
    ]
    assert model.predict(pd.DataFrame({"z": ["a", "new", None]})).tolist() == [1.0, 0.0, 0.0]


def test_missing_values_are_counted_at_inner_nodes(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400))
    y = np.where(a > 0, 3.0, 0) + np.where((b > 0) & (a > 0), 2, 0)
    a[rng.random(400) < 0.1] = np.nan
    model = OptimalTreeRegressor(0.005, max_depth=3).fit(pd.DataFrame({"a": a, "b": b}), y)
    for node, rows in zip(model.tree_.nodes, reaching(model.tree_, pd.DataFrame({"a": a, "b": b})), strict=True):
        if node.condition is not None:
            assert node.missing == int(np.isnan((a, b)[node.condition.column][rows]).sum())
    assert any(node.missing for node in model.tree_.nodes)
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").tree_ == model.tree_


def reaching(tree, frame):
    """Yield the rows that reach each node, by its ancestors."""
    leaves = tree.apply(read_table(frame))
    for at in range(len(tree)):
        yield [row for row, leaf in enumerate(leaves) if at in tree.ancestors[leaf]]


def test_levels_with_an_order_keep_it_in_every_frame():
    ordered = pd.Categorical(["low", None, "high"], categories=["low", "middle", "high"], ordered=True)
    frame = pd.DataFrame({"a": ordered})
    for table in (frame, pl.from_pandas(frame).cast(pl.Enum([*ordered.categories])), pa.Table.from_pandas(frame)):
        (column,) = read_table(table).columns
        assert (column.levels, column.ordered) == (("low", "middle", "high"), True)
        assert column.values.tolist() == [0, -1, 2]
    numbers = pd.DataFrame({"a": pd.Categorical([10, 9], categories=[9, 10], ordered=True)})
    assert read_table(numbers).columns[0].levels == ("9", "10")
