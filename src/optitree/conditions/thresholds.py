"""Where the thresholds of a column of numbers go: between which neighbouring values, by one rule or another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .profile import Source

# A threshold at place k is between the values (runs of values, levels) k - 1 and k.
Places = list[int]


def all_places(values: int) -> Places:
    """Return the places between every two neighbours of so many values."""
    return list(range(1, values))


def quantile_places(weights: NDArray[Any], most: int) -> Places:
    """Return places between values of these weights such that about equally many rows lie between two thresholds."""
    if most < 1 or len(weights) < 2:
        return []
    below = np.cumsum(weights)[:-1]  # weight on the left of each place
    wanted = weights.sum() * np.arange(1, most + 1) / (most + 1)
    right = np.clip(np.searchsorted(below, wanted), 0, len(below) - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(wanted - below[left] <= below[right] - wanted, left, right)
    return [int(place) for place in np.unique(nearest) + 1]


def few_places(weights: NDArray[Any], most: int) -> Places:
    """Return the places between all values if they are few, else those at quantiles."""
    return all_places(len(weights)) if len(weights) - 1 <= most else quantile_places(weights, most)


def uniform_neighbours(source: Source, most: int) -> list[tuple[float, float, float]]:
    """Part the range into intervals of equal width: for each end between two, the values on both sides, and the end."""
    (low,), (high,) = source.ranges(())
    if not low < high:
        return []
    points = _evenly(low, high, most)
    lows, highs = source.ranges(points.tolist())
    below = np.maximum.accumulate(highs)[:-1]
    above = np.minimum.accumulate(lows[::-1])[::-1][1:]
    found: dict[tuple[float, float], tuple[float, float, float]] = {}
    for a, b, point in zip(below.tolist(), above.tolist(), points.tolist(), strict=True):
        if a < b < np.inf:  # an end may have been rounded to the highest value
            found.setdefault((a, b), (a, b, point))  # two ends with no value between them are one
    return list(found.values())


def _evenly(low: float, high: float, most: int) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        points = np.linspace(low, high, most + 2)[1:-1]
    if not np.isfinite(points).all():  # the whole width is beyond the range of floating point
        points = 2 * np.linspace(low / 2, high / 2, most + 2)[1:-1]
    return points
