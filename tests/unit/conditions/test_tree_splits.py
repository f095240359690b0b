"""Guesses are where trees split."""

import numpy as np
import pytest

from optitree.conditions.level_classes import Targets
from optitree.conditions.profile import ColumnInMemory
from optitree.conditions.tree_splits import GREEDY_LEAVES, Guesses
from optitree.table.reading import CATEGORY, NUMBER, Column, category


def number(values, weight=None):
    return ColumnInMemory([Column(NUMBER, np.asarray(values, dtype=float))], 0, weight).numbers(None)


def level(values, weight=None):
    column = category(values, np.array([value is None for value in values]))
    assert column.kind == CATEGORY
    return ColumnInMemory([column], 0, weight).levels()


def guess(profiles, target, weight):
    return Guesses(lambda: profiles, Targets(target, weight))


def test_a_greedy_tree_splits_at_the_step():
    x = np.arange(10.0)
    guesses = guess([number(x)], np.where(x < 4, 0.0, 1.0), None)
    assert guesses.greedy.places == [[4]]
    assert guesses.boosted.places == [[4]]


def test_places_count_distinct_values_and_not_rows():
    x = np.repeat([1.0, 5.0, 9.0], 20)
    assert guess([number(x)], np.where(x > 5, 1.0, 0.0), None).greedy.places == [[2]]


def test_the_best_split_comes_first():
    x = np.arange(30.0)
    guesses = guess([number(x)], np.select([x < 10, x < 20], [0.0, 1.0], 9.0), None)
    assert guesses.greedy.places == [[20, 10]]
    assert guesses.boosted.places[0][0] == 20


def test_each_column_has_its_own_splits():
    a, b, c = (axis.ravel() * 1.0 for axis in np.mgrid[:15, :15, :15])
    guesses = guess([number(a), number(b), number(c)], 5.0 * (a >= 7) + (c >= 13), None)
    assert guesses.greedy.places == [[7], [], [13]]


@pytest.mark.parametrize("target", [np.zeros(50), np.full(50, 1e90)])
def test_a_constant_target_gives_no_splits(target):
    guesses = guess([number(np.arange(50.0))], target, None)
    assert guesses.greedy.places == guesses.boosted.places == [[]]


def test_a_greedy_tree_has_no_more_than_its_leaves():
    rng = np.random.default_rng(0)
    columns = [number(rng.normal(size=500)) for _ in range(3)]
    guesses = guess(columns, rng.normal(size=500), None)
    assert GREEDY_LEAVES == 16
    assert sum(map(len, guesses.greedy.places)) == 15
    for places in (*guesses.greedy.places, *guesses.boosted.places):
        assert len(set(places)) == len(places)
        assert all(1 <= place < 500 for place in places)


def test_splits_of_categories_are_made_and_not_listed():
    levels = level([*"abc"] * 20)
    x = np.repeat(np.arange(20.0), 3)
    target = np.tile([0.0, 9.0, 0.0], 20) + (x >= 15)
    guesses = guess([levels, number(x)], target, None)
    assert guesses.greedy.places == [[], [15]]
    assert guesses.boosted.places[0] == []


def test_a_category_of_many_levels_is_no_burden():
    names = level([f"name {k}" for k in range(70_000)])
    x = np.arange(70_000.0) % 10
    assert guess([names, number(x)], np.where(x < 3, 0.0, 1.0), None).greedy.places == [[], [3]]


def test_a_split_between_missing_and_other_values_is_not_listed():
    x = np.array([1.0, 2.0, 3.0] * 10 + [np.nan] * 10)
    target = np.where(np.isnan(x), 5.0, 0.0)
    assert guess([number(x)], target, None).greedy.places == [[]]
    assert guess([number(x)], target + (x > 1), None).greedy.places == [[1]]


def test_a_weight_of_two_is_two_rows():
    rng = np.random.default_rng(0)
    x, target, weight = rng.integers(0, 30, 100) * 1.0, rng.normal(size=100), rng.integers(1, 4, 100) * 1.0
    repeat = weight.astype(int)
    weighted = guess([number(x, weight)], target, weight)
    repeated = guess([number(np.repeat(x, repeat))], np.repeat(target, repeat), None)
    assert weighted.greedy.places == repeated.greedy.places
    assert weighted.boosted.places == repeated.boosted.places


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(0)
    x, target, weight = rng.normal(size=(2, 300)).round(1), rng.integers(0, 4, 300) / 10, rng.random(300)
    order = rng.permutation(300)
    a = guess([number(column, weight) for column in x], target, weight)
    b = guess([number(column[order], weight[order]) for column in x], target[order], weight[order])
    assert a.greedy.places == b.greedy.places
    assert a.boosted.places == b.boosted.places


@pytest.mark.parametrize("values", [65_535, 65_536, 100_000])
def test_of_very_many_values_the_cut_is_next_to_the_step(values):
    x = np.arange(values, dtype=float)
    x[:5] = np.nan
    guesses = guess([number(x)], np.where(x < 30_000, 0.0, 1.0), None)
    ((place,),) = guesses.greedy.places
    assert abs(place - (30_000 - 5)) <= (1 if values > 65_540 else 0)


@pytest.mark.parametrize("offset", [1e6, -1e12])
def test_a_constant_added_to_the_target_does_not_matter(offset):
    rng = np.random.default_rng(0)
    x, target = rng.normal(size=(3, 200)).round(1), rng.integers(0, 1000, 200) * 1.0
    columns = [number(column) for column in x]
    assert guess(columns, target + offset, None).greedy.places == guess(columns, target, None).greedy.places
