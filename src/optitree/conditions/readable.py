"""Numbers and dates as a person would write them, and thresholds that can be written so.

Dates are microseconds since 1970, in UTC where there is a time zone: whole numbers that floating
point holds exactly for any date between the years 1685 and 2255.
"""

from functools import lru_cache

import numpy as np

_DAY = 86_400_000_000
_UNITS = (_DAY, _DAY // 24, 60_000_000, 1_000_000, 1_000, 1)  # day, hour, minute, second, ms, us


def format_number(value: float) -> str:
    """Write a number as a person would: ``40`` and ``0.15``, not ``40.0``."""
    if value == 0 or 1e-7 <= abs(value) < 1e15:
        return np.format_float_positional(value + 0.0, trim="-")  # -0 is 0
    return repr(float(value))


def format_date(microseconds: float) -> str:
    """Write a date, with as much of the time of day as is not zero."""
    text = str(np.datetime64(int(microseconds), "us")).replace("T", " ")
    day, _, time = text.partition(" ")
    time = time.rstrip("0").rstrip(".") if "." in time else time
    if time in ("", "00:00:00", "00:00:"):
        return day
    return f"{day} {time.removesuffix(':00') if len(time) == 8 else time.ljust(8, '0')}"


@lru_cache(maxsize=1024)  # tables have many columns with the same few values
def separating_threshold(low: float, high: float, near: float | None = None) -> float:
    """Return a number t with ``low <= t < high`` in as few digits as will do.

    It lies in the middle half between the two, or, where ``near`` is given, close to that number.
    """
    if near is None:
        near = low / 2 + high / 2
        least, most = low / 2 + near / 2, high / 2 + near / 2
    else:
        least, most = low, high
    for digits in range(1, 18):
        rounded = float(f"{near:.{digits}g}")
        if least <= rounded <= most and low <= rounded < high:
            return rounded
    return low


def separating_date(low: float, high: float, near: float | None = None) -> float:
    """Return a moment t with ``low <= t < high``: the start of a day, hour, minute ... if it can be."""
    if near is None:
        near = low + (high - low) / 2
    for unit in _UNITS:
        rounded = near // unit * unit
        if low <= rounded < high:
            return rounded
    return low
