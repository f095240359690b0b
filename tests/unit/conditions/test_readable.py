"""Thresholds separate what they should, and read like a person wrote them."""

import math
import sys

import numpy as np
import pytest

from optitree.conditions.readable import format_date, format_number, separating_date, separating_threshold

TINY = 5e-324
MAX = sys.float_info.max


def moment(text):
    """Return a date as microseconds since 1970."""
    return float(np.datetime64(text, "us").astype(np.int64))


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
    assert low <= separating_threshold(low, high) < high
    assert low <= separating_threshold(low, high, near=low) < high
    assert low <= separating_threshold(low, high, near=high) < high


def test_threshold_separates_random_neighbours():
    rng = np.random.default_rng(0)
    lows = rng.normal(size=500) * 10.0 ** rng.integers(-300, 300, 500)
    steps = rng.integers(1, 1000, 500)
    for low, step in zip(lows, steps, strict=True):
        high = low + step * math.ulp(low)
        assert low <= separating_threshold(low, high) < high


def test_threshold_is_in_the_middle_half_of_its_gap():
    rng = np.random.default_rng(0)
    for low, width in zip(rng.normal(size=500), rng.exponential(size=500), strict=True):
        threshold = separating_threshold(low, low + width)
        assert low + width / 4 <= threshold <= low + width * 3 / 4


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1, 2, "1.5"),
        (3, 10, "6"),
        (39, 41, "40"),
        (0.1, 0.2, "0.15"),
        (-1, 1, "0"),
        (1 / 3, 2 / 3, "0.5"),
        (998, 1003, "1000"),
    ],
)
def test_threshold_has_as_few_digits_as_will_do(low, high, text):
    assert format_number(separating_threshold(low, high)) == text


@pytest.mark.parametrize(("near", "text"), [(3.14159, "3"), (9.7, "9.7"), (9.97, "9.97"), (3, "3")])
def test_threshold_near_a_number_stays_near_it(near, text):
    assert format_number(separating_threshold(3, 9.99, near)) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(40.0, "40"), (-0.0, "0"), (0.15, "0.15"), (1e-9, "1e-09"), (1e300, "1e+300"), (1e14, "100000000000000")],
)
def test_numbers_read_as_a_person_writes_them(number, text):
    assert format_number(number) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("2020-03-01", "2020-03-01"),
        ("2020-03-01T14:30", "2020-03-01 14:30"),
        ("2020-03-01T14:00", "2020-03-01 14:00"),
        ("2020-03-01T14:30:05", "2020-03-01 14:30:05"),
        ("2020-03-01T14:30:10", "2020-03-01 14:30:10"),
        ("2020-03-01T00:00:00.5", "2020-03-01 00:00:00.5"),
        ("2020-03-01T14:30:05.000001", "2020-03-01 14:30:05.000001"),
        ("2020-03-01T14:30:00.250", "2020-03-01 14:30:00.25"),
        ("1969-12-31T23:59", "1969-12-31 23:59"),
        ("1685-01-01", "1685-01-01"),
    ],
)
def test_dates_show_as_much_of_the_time_as_there_is(given, text):
    assert format_date(moment(given)) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("2020-03-01", "2020-03-02", "2020-03-01"),
        ("2020-03-01", "2020-03-10", "2020-03-05"),
        ("2020-03-01T09:10", "2020-03-01T17:30", "2020-03-01 13:00"),
        ("2020-03-01T09:10", "2020-03-01T09:20", "2020-03-01 09:15"),
        ("2020-03-01T09:10:01", "2020-03-01T09:10:02", "2020-03-01 09:10:01"),
        ("2020-03-01T09:10:01.000001", "2020-03-01T09:10:01.000002", "2020-03-01 09:10:01.000001"),
        ("1960-01-01T23:00", "1960-01-03T01:00", "1960-01-02"),
    ],
)
def test_a_date_threshold_is_the_start_of_a_day_or_hour_or_minute(low, high, text):
    threshold = separating_date(moment(low), moment(high))
    assert moment(low) <= threshold < moment(high)
    assert format_date(threshold) == text


def test_a_date_threshold_near_a_moment_stays_near_it():
    low, high = moment("2020-01-01"), moment("2021-01-01")
    assert format_date(separating_date(low, high, moment("2020-05-17T08:00"))) == "2020-05-17"
    assert format_date(separating_date(low, high, low)) == "2020-01-01"
    assert separating_date(low, high, high) < high
