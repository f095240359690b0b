"""What a condition means in Python and in the core is the same, on any table."""

from itertools import pairwise

import numpy as np
import pytest

from optitree import core
from optitree.conditions.bins import LevelBins, bins_of
from optitree.conditions.coding import Coding
from optitree.conditions.condition import AtMost, Between, Condition, Equals, IsMissing, IsOther, IsTrue
from optitree.conditions.values import INFINITY, Intervals, Levels, Missing, holds
from optitree.groups.groups import pack
from optitree.table.columns import BOOLEAN, CATEGORY, NUMBER, Column
from optitree.table.reading import Table

NAMES = tuple("abcdefgh")
KINDS = (NUMBER, BOOLEAN, CATEGORY)


class AnyOf(Condition):
    """Any set of values, such as those of conditions to come: several intervals, several levels."""

    __slots__ = ("any_values",)

    def __init__(self, column, values):
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "any_values", values)

    @property
    def values(self):
        return self.any_values

    def __str__(self):
        return str(self.values)

    def opposite(self):
        return f"not {self}"


def random_column(rng, kind, rows):
    missing = rng.random(rows) < rng.choice([0, 0.2])
    if kind == CATEGORY:
        levels = NAMES[: rng.integers(1, len(NAMES) + 1)]
        return Column(kind, np.where(missing, -1, rng.integers(0, len(levels), rows)).astype(np.int32), levels)
    values = rng.integers(0, 2 if kind == BOOLEAN else 7, rows).astype(float)
    return Column(kind, np.where(missing, np.nan, values))


def random_intervals(rng):
    ends = sorted({-INFINITY, INFINITY, *rng.choice(np.arange(-1, 8), 5).tolist()})
    return Intervals(tuple(pair for pair in pairwise(ends) if rng.random() < 0.5))


def random_condition(rng, column, kind):
    low, high = sorted(rng.choice(9, 2, replace=False).tolist())
    some = tuple(rng.permutation(NAMES)[: rng.integers(1, 5)].tolist())
    choices = {
        NUMBER: [AtMost(column, "x", low), Between(column, "x", low, high), Between(column, "x", low, None)],
        BOOLEAN: [IsTrue(column, "x")],
        CATEGORY: [Equals(column, "x", some[0]), IsOther(column, "x", some), AnyOf(column, Levels(some))],
    }[kind]
    if kind != CATEGORY:
        choices.append(AnyOf(column, random_intervals(rng)))
    return [*choices, IsMissing(column, "x")][rng.integers(len(choices) + 1)]


@pytest.mark.parametrize("seed", range(300))
def test_the_core_and_python_agree_on_every_row(seed):
    rng = np.random.default_rng(seed)
    rows, kinds = int(rng.integers(1, 60)), tuple(rng.choice(KINDS, rng.integers(1, 5)).tolist())
    columns = [random_column(rng, kind, rows) for kind in kinds]
    at = rng.integers(0, len(kinds), rng.integers(1, 90)).tolist()
    conditions = tuple(random_condition(rng, column, kinds[column]) for column in at)
    answers = np.column_stack([condition.holds(columns[condition.column]) for condition in conditions])
    coding = Coding(conditions, kinds)
    group_of, codes, bits = coding.group_table(Table(columns, rows), fresh=True)
    np.testing.assert_array_equal(bits[group_of], pack(answers))
    np.testing.assert_array_equal(coding.binary(list(codes.T), len(codes))[group_of], answers)
    # Rows share a group, once codes with the same answers are merged, if and only if they share all answers.
    merged = coding.group_table(Table(columns, rows), fresh=False)
    assert len(merged.codes) == len(np.unique(answers, axis=0))


def test_levels_that_no_condition_tells_apart_share_a_bin():
    conditions = (AnyOf(0, Levels(("a", "b", "c"))), AnyOf(0, Levels(("c", "d"))), Equals(0, "x", "a"))
    (bins,) = bins_of(conditions, (CATEGORY,))
    assert isinstance(bins, LevelBins)
    assert bins.classes == (("a",), ("b",), ("c",), ("d",))
    (bins,) = bins_of(conditions[:2], (CATEGORY,))
    assert bins.classes == (("a", "b"), ("c",), ("d",))
    assert bins.intervals(Levels(("a", "b", "d"))) == [(-1, 0), (1, 2)]
    assert bins.intervals(Levels(("a", "b", "c"))) == [(-1, 1)]


def test_a_missing_value_is_in_no_set_but_one():
    numbers, levels = Column(NUMBER, np.array([1.0, np.nan])), Column(CATEGORY, np.array([0, -1], np.int32), ("a",))
    everything = Intervals(((-INFINITY, 0.5), (0.5, INFINITY)))
    assert holds(everything, numbers).tolist() == [True, False]
    assert holds(Levels(("a",)), levels).tolist() == [True, False]
    assert holds(Missing(), numbers).tolist() == holds(Missing(), levels).tolist() == [False, True]
    assert holds(Intervals(()), numbers).tolist() == [False, False]


def test_an_interval_of_no_condition_is_refused():
    with pytest.raises(ValueError, match="an interval must belong to a condition"):
        core.group_table([np.zeros(3)], [(1, 0, 0.0, 1.0)], 1, 3)
