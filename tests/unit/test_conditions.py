"""Thresholds separate what they should, and read like a person wrote them."""

import math
import sys

import numpy as np
import pytest

from optitree import Condition
from optitree.conditions import format_number, separating_threshold

TINY = 5e-324
MAX = sys.float_info.max


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0.0, 1.0),
        (-1.0, 1.0),
        (-MAX, MAX),
        (math.nextafter(MAX, 0), MAX),
        (-MAX, math.nextafter(-MAX, 0)),
        (0.0, TINY),
        (-TINY, 0.0),
        (TINY, 2 * TINY),
        (1.0, math.nextafter(1.0, 2)),
        (math.nextafter(1.0, 0), 1.0),
        (1e16, 1e16 + 2),
        (123456789.0, 123456790.0),
        (0.1, 0.1 + 1e-12),
        (1e-300, 1e300),
    ],
)
def test_threshold_separates(low, high):
    threshold = separating_threshold(low, high)
    assert low <= threshold < high


def test_threshold_separates_random_neighbours():
    rng = np.random.default_rng(0)
    lows = rng.normal(size=500) * 10.0 ** rng.integers(-300, 300, 500)
    steps = rng.integers(1, 1000, 500)
    for low, step in zip(lows, steps, strict=True):
        high = low + step * math.ulp(low)
        assert low <= separating_threshold(low, high) < high


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(1, 2, "1.5"), (39, 41, "40"), (0.1, 0.2, "0.15"), (-1, 1, "0"), (1 / 3, 2 / 3, "0.5")],
)
def test_threshold_is_a_short_midpoint(low, high, text):
    assert format_number(separating_threshold(low, high)) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(40.0, "40"), (-0.0, "0"), (0.15, "0.15"), (1e-9, "1e-09"), (1e300, "1e+300")],
)
def test_numbers_read_as_a_person_writes_them(number, text):
    assert format_number(number) == text


def test_condition_and_its_opposite_in_words():
    assert str(Condition(0, "age", 40.0)) == "age <= 40"
    assert Condition(0, "age", 40.0).opposite() == "age > 40"
    assert str(Condition(0, "smoker")) == "smoker is true"
    assert Condition(0, "smoker").opposite() == "smoker is false"


def test_threshold_itself_belongs_to_the_yes_side():
    holds = Condition(0, "age", 40.0).holds(np.array([39.0, 40.0, math.nextafter(40, 41)]))
    assert holds.tolist() == [True, True, False]
