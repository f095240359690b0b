"""The target and the weights of the rows, checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, column_or_1d

_LARGEST = 1e150  # squares of larger numbers leave the range of floating point


def read_target(y: Any, X: Any, estimator: Any) -> NDArray[np.float64]:
    """Read the target as one finite number per row of X."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    given = np.asarray(y)
    if np.iscomplexobj(given):
        raise ValueError("Complex data not supported: y must be real numbers")
    column = column_or_1d(given, warn=True)
    try:
        target: NDArray[np.float64] = column.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"y has values that are not numbers ({column.dtype}); a regression tree predicts "
            "numbers, so convert the target first"
        ) from None
    check_consistent_length(X, target)
    if not np.isfinite(target).all():
        row = int(np.flatnonzero(~np.isfinite(target))[0])
        raise ValueError(
            f"Input y contains NaN or infinity (row {row}: {target[row]}); drop the rows without a "
            "target before fitting"
        )
    if np.abs(target).max() > _LARGEST:
        raise ValueError(f"y has values beyond {_LARGEST:g}; divide the target by a constant first")
    return target


def read_weight(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Read the weights of the rows; None when all are alike."""
    if sample_weight is None:
        return None
    weight: NDArray[np.float64] = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        row = int(np.flatnonzero(weight < 0)[0])
        raise ValueError(
            f"Negative values in data passed to `sample_weight` (row {row}: {weight[row]}); weights must be 0 or more"
        )
    if not weight.any():
        raise ValueError("sample_weight is 0 for every row; at least one must be positive")
    return weight
