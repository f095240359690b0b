"""The target and the weights of the rows, checked."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

# Sums of weights times squares stay well within the range of floating point, 1e-308 to 1e308.
LARGEST = 1e100
LARGEST_WEIGHT = 1e50
# Weights of rows are added up as multiples of 2^-62 of the largest: so light a row is still counted to ten digits.
SMALLEST_SHARE = 1e-9


def read_target(y: Any, rows: int, estimator: Any) -> NDArray[np.float64]:
    """Read the target as one finite number per row."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    given = np.asarray(y)
    if given.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must be real numbers, for example y.real")
    if given.ndim == 2 and given.shape[1] > 1:
        raise ValueError(f"y has {given.shape[1]} columns; give one column, and fit a model to each")
    column = given if given.ndim == 1 else column_or_1d(given, warn=True)
    _check_length("y", len(column), rows)
    target = _as_numbers(column)
    if target is None:
        raise ValueError(
            f"y has values that are not numbers ({column.dtype}); a regression tree predicts "
            "numbers, so convert the target first"
        )
    low, high = float(target.min()), float(target.max())  # NaN if there is one
    if not (math.isfinite(low) and math.isfinite(high)):
        row = int(np.flatnonzero(~np.isfinite(target))[0])
        raise ValueError(
            f"Input y contains NaN or infinity (row {row}: {target[row]}); drop the rows without a "
            "target before fitting"
        )
    if max(-low, high) > LARGEST:
        raise ValueError(f"y has values beyond {LARGEST:g}; divide the target by a constant first")
    if 0 < high - low < 1 / LARGEST:
        raise ValueError(
            f"the values of y differ by less than {1 / LARGEST:g}; multiply the target by a constant first"
        )
    return target


def read_weight(sample_weight: Any, rows: int) -> NDArray[np.float64] | None:
    """Read the weights of the rows; None when all are alike."""
    if sample_weight is None:
        return None
    given = np.asarray(sample_weight)
    if given.ndim == 0:
        given = np.full(rows, given)
    if given.ndim != 1:
        raise ValueError(f"sample_weight has shape {given.shape}; give one weight per row")
    _check_length("sample_weight", len(given), rows)
    weight = _as_numbers(given)
    if weight is None:
        raise ValueError(f"sample_weight has values that are not numbers ({given.dtype})")
    if not np.isfinite(weight).all():
        row = int(np.flatnonzero(~np.isfinite(weight))[0])
        raise ValueError(
            f"sample_weight contains NaN or infinity (row {row}: {weight[row]}); give that row weight 0 to leave it out"
        )
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(
            f"Negative values in data passed to `sample_weight` (row {row}: {weight[row]}); weights must be 0 or more"
        )
    positive = weight[weight > 0]
    if len(positive) and positive.min() < SMALLEST_SHARE * positive.max():
        raise ValueError(
            f"sample_weight has positive weights below {SMALLEST_SHARE:g} of the largest, too small to count exactly; "
            "set them to 0"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive")
    if not 1 / LARGEST_WEIGHT <= weight.max() <= LARGEST_WEIGHT:
        raise ValueError(
            f"the largest of sample_weight is {weight.max():g}; only the proportions of weights "
            "matter, so scale them to about 1"
        )
    return weight


def _check_length(name: str, length: int, rows: int) -> None:
    if length != rows:
        raise ValueError(f"X has {rows} rows but {name} has {length}; give one value per row")


def _as_numbers(values: NDArray[Any]) -> NDArray[np.float64] | None:
    # Text and dates would convert, to numbers that nobody meant.
    if values.dtype.kind not in "biufO":
        return None
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return None
