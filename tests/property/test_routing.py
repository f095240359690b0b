"""A row goes at predict time where it went at fit time."""

import datetime as dt
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optitree import Binarizer, OptimalTreeRegressor, compress, load
from optitree.conditions.binarizer import conditions_of
from optitree.conditions.condition import AtMost, Between, Equals, IsMissing, IsOther
from optitree.groups.groups import pack
from optitree.table.reading import read_table

from .tables import KINDS, MAKERS, binarizers, kinds_of, tables, tables_of, targets

pytestmark = pytest.mark.filterwarnings("ignore:column .* looks like an id")

NUMBERS = ("float", "float with missing", "float32", "int", "int with missing", "uint")
DATES = ("date", "moment", "close moment")
LEVELS = ("text", "text with missing", "category")


def examples(count):
    return settings(max_examples=count, deadline=None, derandomize=True)


@st.composite
def problems(draw, kinds=tuple(KINDS), rows=30):
    """Return a frame of some library, a target, and an unfitted binarizer."""
    table = draw(tables(kinds, rows))
    make = draw(st.sampled_from([*MAKERS.values()]))
    return make(table), draw(targets(len(table))), draw(binarizers())


def fit_tree(frame, y, binarizer, weight=None):
    return OptimalTreeRegressor(1e-3, max_depth=3, binarizer=binarizer).fit(frame, y, weight)


@examples(65)
@given(problems())
def test_the_answers_of_the_codes_are_the_answers_of_the_conditions(problem):
    frame, y, binarizer = problem
    answers = binarizer.fit(frame, y).transform(frame)
    table = read_table(frame)
    coding = conditions_of(binarizer).coding
    for fresh in (True, False):
        group_of, codes, bits = coding.group_table(table, fresh=fresh)
        np.testing.assert_array_equal(coding.binary(codes.T, len(codes))[group_of], answers)
        if fresh:
            np.testing.assert_array_equal(bits, pack(coding.binary(codes.T, len(codes))))
        # Codes differ only where answers do.
        for column, own in zip(coding.used, codes[group_of].T, strict=True):
            mine = [k for k, condition in enumerate(binarizer.conditions_) if condition.column == column]
            assert len(set(own)) == len({row.tobytes() for row in answers[:, mine]})


@examples(40)
@given(kinds_of(), st.data())
def test_the_answers_are_the_same_for_a_table_that_the_conditions_were_not_chosen_for(kinds, data):
    first, later = data.draw(tables_of(kinds)), data.draw(tables_of(kinds))
    binarizer = data.draw(binarizers()).fit(first, data.draw(targets(len(first))))
    answers = binarizer.transform(later)
    groups = compress(with_column(later, "y", np.arange(len(later))), target="y", binarizer=binarizer)
    of_groups = groups.coding.binary(list(groups.codes.T), len(groups))
    assert sorted(map(bytes, of_groups)) == sorted({*map(bytes, answers)})


def with_column(frame, name, values):
    """Return a frame of any library with one more column."""
    if isinstance(frame, pa.Table):
        return frame.append_column(name, pa.array(values))
    return (
        frame.with_columns(pl.Series(name, values))
        if isinstance(frame, pl.DataFrame)
        else frame.assign(**{name: values})
    )


@examples(55)
@given(problems(), st.data())
def test_leaves_have_the_rows_and_the_means_that_the_tree_says(problem, data):
    frame, y, binarizer = problem
    weight = data.draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=len(y), max_size=len(y)))
    if weight is not None and not any(weight):
        weight = None
    model = fit_tree(frame, y, binarizer, weight)
    counted = np.ones(len(y)) if weight is None else np.array(weight)
    leaves, predictions = model.apply(frame), model.predict(frame)
    assert {at for at, node in enumerate(model.tree_.nodes) if node.is_leaf} == set(leaves[counted > 0])
    for leaf in set(leaves):
        here = leaves == leaf
        assert model.tree_.nodes[leaf].rows == np.count_nonzero(here & (counted > 0))
        mean = np.average(y[here], weights=counted[here])
        np.testing.assert_allclose(predictions[here], mean, rtol=1e-12, atol=1e-12 * np.abs(y).max())


@examples(25)
@given(tables(("float32",)), st.data())
def test_single_precision_goes_where_its_double_goes(table, data):
    y, binarizer = data.draw(targets(len(table))), data.draw(binarizers())
    single = table.to_pandas().astype(np.float32)
    double = single.astype(np.float64)
    a, b = fit_tree(single, y, binarizer), fit_tree(double, y, binarizer)
    assert a.binarizer_.conditions_ == b.binarizer_.conditions_
    assert a.tree_ == b.tree_
    for model in (a, b):
        np.testing.assert_array_equal(model.apply(single), model.apply(double))


@examples(25)
@given(problems(LEVELS))
def test_a_level_that_was_not_there_fails_every_equality(problem):
    frame, y, binarizer = problem
    binarizer.fit(frame, y)
    rows = [dict.fromkeys((f"c{k}" for k in range(binarizer.n_features_in_)), level) for level in ("?!", "unheard of")]
    for unseen in (pd.DataFrame(rows), pd.DataFrame(rows, dtype="category"), pl.DataFrame(rows)):
        assert not binarizer.transform(unseen).any()


@examples(40)
@given(problems())
def test_a_missing_value_fails_all_but_that_it_is_missing(problem):
    frame, y, binarizer = problem
    binarizer.fit(frame, y)
    asks = [isinstance(condition, IsMissing) for condition in binarizer.conditions_]
    names = [f"c{k}" for k in range(binarizer.n_features_in_)]
    for nothing in (pd.DataFrame([dict.fromkeys(names)]), pl.DataFrame([dict.fromkeys(names)])):
        np.testing.assert_array_equal(binarizer.transform(nothing), [asks])


@examples(25)
@given(problems(), st.randoms())
def test_the_order_of_columns_and_other_columns_do_not_matter(problem, random):
    frame, y, binarizer = problem
    model = fit_tree(frame, y, binarizer)
    wider = with_column(with_column(frame, "more", np.arange(len(y))), "c", ["x"] * len(y))
    names = [*wider.column_names] if isinstance(wider, pa.Table) else [*wider.columns]
    random.shuffle(names)
    turned = wider.select(names) if isinstance(wider, pa.Table | pl.DataFrame) else wider[names]
    np.testing.assert_array_equal(model.apply(turned), model.apply(frame))


@examples(25)
@given(problems())
def test_a_loaded_model_routes_as_the_saved_one(problem):
    frame, y, binarizer = problem
    model = fit_tree(frame, y, binarizer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.json"
        model.save(path)
        copy = load(path)
    np.testing.assert_array_equal(copy.apply(frame), model.apply(frame))
    np.testing.assert_array_equal(copy.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(copy.binarizer_.transform(frame), model.binarizer_.transform(frame))


@examples(25)
@given(problems())
def test_one_row_at_a_time_goes_where_all_go_together(problem):
    frame, y, binarizer = problem
    model = fit_tree(frame, y, binarizer)
    row = (lambda k: frame.iloc[k : k + 1]) if isinstance(frame, pd.DataFrame) else (lambda k: frame[k : k + 1])
    apart = [model.apply(row(k))[0] for k in range(min(len(y), 10))]
    assert apart == model.apply(frame)[:10].tolist()


def number_in(text, date):
    """Return the number that a person reads in a condition."""
    return float(text) if not date else float(np.datetime64(text.replace(" ", "T"), "us").astype(np.int64))


@examples(65)
@given(problems((*NUMBERS, *DATES)))
def test_the_numbers_in_the_text_of_a_condition_part_the_rows_as_it_does(problem):
    frame, y, binarizer = problem
    binarizer.fit(frame, y)
    table = read_table(frame)
    for condition in binarizer.conditions_:
        column = table.columns[condition.column]
        if isinstance(condition, AtMost):
            name, _, text = str(condition).partition(" <= ")
            assert name == condition.name
            read = column.values <= number_in(text, condition.date)
        elif isinstance(condition, Between):
            read = ~column.missing
            low, _, rest = str(condition).rpartition(" < ")
            for end, operation in (
                (low, np.greater),
                (rest.partition(" <= ")[2], np.less_equal),
                (rest.partition(" > ")[2], np.greater),
            ):
                if end:
                    read &= operation(column.values, number_in(end, condition.date))
        else:
            continue
        np.testing.assert_array_equal(read, condition.holds(column))


@examples(25)
@given(problems(LEVELS))
def test_every_level_answers_to_one_condition_at_most(problem):
    frame, _, binarizer = problem
    answers = binarizer.set_params(thresholds="quantile").fit(frame).transform(frame)  # without sets of levels
    for name in {condition.name for condition in binarizer.conditions_}:
        mine = [k for k, c in enumerate(binarizer.conditions_) if c.name == name]
        assert all(isinstance(binarizer.conditions_[k], Equals | IsOther | IsMissing) for k in mine)
        assert (answers[:, mine].sum(axis=1) <= 1).all()


def test_a_date_is_the_same_moment_whatever_its_type():
    days = [dt.date(1999, 12, 31), dt.date(2000, 2, 29), dt.date(2000, 3, 1), dt.date(2024, 2, 29)]
    y = np.arange(4.0)
    model = fit_tree(pl.DataFrame({"day": days}), y, Binarizer("all"))
    for unit in ("s", "ms", "us", "ns"):
        frame = pd.DataFrame({"day": pd.Series(days, dtype="datetime64[s]").astype(f"datetime64[{unit}]")})
        np.testing.assert_array_equal(model.predict(frame), y)
