"""Conditions answer for the values of their column, and say in words what they ask."""

import math

import numpy as np
import pytest

from optitree.conditions.condition import AtMost, Between, Equals, IsMissing, IsOther, IsTrue
from optitree.table.reading import BOOLEAN, DATE, NUMBER, Column, category

NUMBERS = Column(NUMBER, np.array([39.0, 40.0, math.nextafter(40, 41), math.nan]))
FLAGS = Column(BOOLEAN, np.array([1.0, 0.0, math.nan]))
REGIONS = category(["north", "south", None, "west"], np.array([False, False, True, False]))
DAY = 18_322 * 86_400e6  # 2020-03-01


@pytest.mark.parametrize(
    ("condition", "values", "expected"),
    [
        (AtMost(0, "age", 40.0), NUMBERS, [True, True, False, False]),
        (Between(0, "age", 39.0, 40.0), NUMBERS, [False, True, False, False]),
        (Between(0, "age", None, 39.0), NUMBERS, [True, False, False, False]),
        (Between(0, "age", 40.0, None), NUMBERS, [False, False, True, False]),
        (IsMissing(0, "age"), NUMBERS, [False, False, False, True]),
        (IsTrue(0, "smoker"), FLAGS, [True, False, False]),
        (IsMissing(0, "smoker"), FLAGS, [False, False, True]),
        (Equals(0, "region", "north"), REGIONS, [True, False, False, False]),
        (Equals(0, "region", "unseen"), REGIONS, [False, False, False, False]),
        (IsOther(0, "region", ("south", "west", "unseen")), REGIONS, [False, True, False, True]),
        (IsMissing(0, "region"), REGIONS, [False, False, True, False]),
        (AtMost(0, "visit", DAY, date=True), Column(DATE, np.array([DAY, DAY + 1])), [True, False]),
    ],
    ids=str,
)
def test_a_condition_holds_where_its_words_are_true(condition, values, expected):
    assert condition.holds(values).tolist() == expected


@pytest.mark.parametrize(
    ("condition", "text", "opposite"),
    [
        (AtMost(0, "age", 40.0), "age <= 40", "age > 40"),
        (AtMost(0, "age", 40.0, has_missing=True), "age <= 40", "age > 40 or missing"),
        (AtMost(0, "visit", DAY, date=True), "visit <= 2020-03-01", "visit > 2020-03-01"),
        (Between(0, "age", 20.0, 40.0), "20 < age <= 40", "age <= 20 or age > 40"),
        (Between(0, "age", None, 40.0, has_missing=True), "age <= 40", "age > 40 or missing"),
        (Between(0, "age", 20.0, None), "age > 20", "age <= 20"),
        (
            Between(0, "visit", DAY, DAY + 3600e6, True, True),
            "2020-03-01 < visit <= 2020-03-01 01:00",
            "visit <= 2020-03-01 or visit > 2020-03-01 01:00 or missing",
        ),
        (IsTrue(0, "smoker"), "smoker is true", "smoker is false"),
        (IsTrue(0, "smoker", has_missing=True), "smoker is true", "smoker is false or missing"),
        (Equals(0, "region", "north"), "region = north", "region is not north"),
        (Equals(0, "region", " north"), 'region = " north"', 'region is not " north"'),
        (Equals(0, "region", ""), 'region = ""', 'region is not ""'),
        (IsOther(0, "region", ("a", "b")), "region = other (2 levels)", "region is not other (2 levels)"),
        (IsMissing(0, "age"), "age is missing", "age is not missing"),
    ],
)
def test_a_condition_and_its_opposite_in_words(condition, text, opposite):
    assert str(condition) == text
    assert condition.opposite() == opposite


def test_conditions_are_equal_when_they_ask_the_same():
    assert AtMost(0, "age", 40.0) == AtMost(0, "age", 40.0)
    assert AtMost(0, "age", 40.0) != AtMost(0, "age", 41.0)
    assert IsMissing(0, "age") != IsTrue(0, "age")
    assert len({Equals(0, "region", "north"), Equals(0, "region", "north")}) == 1


def test_plain_values_say_the_kind_of_condition():
    assert IsMissing(2, "age").to_dict() == {"kind": "is missing", "column": 2, "name": "age"}
    assert Equals(2, "region", "north").to_dict()["level"] == "north"
