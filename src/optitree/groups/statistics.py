"""What the statistics of groups can be: those of rows that pass the checks of ``table/target.py``, and no others.

The core counts on it. Groups come from files too, and from parts of a table that were checked one by one.
"""

import numpy as np
from numpy.typing import NDArray

from ..table.target import LARGEST, LARGEST_WEIGHT, SMALLEST_SHARE

_MOST_ROWS = 2.0**53  # which floating point counts
_SLACK = 1e-6  # for rounding, of engines above all
# Targets differ by 1 / LARGEST or not at all. A row that does so alone, of the smallest share and among as many rows as
# can be, has this part of it in the standard deviation.
_LEAST_DEVIATION = 1e-13 / LARGEST

Numbers = NDArray[np.float64]


def check_statistics(weight: Numbers, mean: Numbers, scatter: Numbers, rows: Numbers, origin: float) -> None:
    """Raise ValueError where no table that can be fitted has groups with these statistics."""
    if not (weight > 0).all() or not (rows >= 1).all() or not (scatter >= 0).all():
        raise ValueError("a group is empty")
    if (rows != np.floor(rows)).any() or rows.sum() > _MOST_ROWS:
        raise ValueError("rows are not counted in whole numbers")
    check_weights(weight, rows)
    check_targets(np.append(mean + origin, origin))
    if (scatter > weight * (LARGEST * LARGEST * (1 + _SLACK))).any():
        raise ValueError(f"the scatter of a group is that of targets beyond {LARGEST:g}")
    deviation = max(np.ptp(mean), (np.sqrt(scatter) / np.sqrt(weight)).max())
    if deviation < _LEAST_DEVIATION and (deviation > 0 or scatter.any()):
        raise ValueError(f"targets differ by less than {1 / LARGEST:g}; multiply the target by a constant first")


def check_weights(weight: Numbers, rows: Numbers, lightest: float = np.inf) -> None:
    """Raise ValueError where weights are too large or too far apart. ``lightest``: what some rows weigh."""
    # The heaviest row weighs no less than the mean row of any group, and its group no less than itself.
    each = weight / rows
    if not (weight.max() >= (1 - _SLACK) / LARGEST_WEIGHT and each.max() <= LARGEST_WEIGHT * (1 + _SLACK)):
        raise ValueError("weights are too small or too large; only their proportions matter, so scale them to about 1")
    if min(each.min(), lightest) < SMALLEST_SHARE * (1 - _SLACK) * each.max():
        raise ValueError(
            f"there are weights of rows below {SMALLEST_SHARE:g} of the largest, too small to count exactly; bring "
            "them closer to each other, or leave out these rows"
        )


def check_targets(values: Numbers) -> None:
    """Raise ValueError where values of the target, or their means, are too large."""
    if not (np.abs(values) <= LARGEST * (1 + _SLACK)).all():
        raise ValueError(f"there are targets beyond {LARGEST:g}; divide the target by a constant first")


def check_points(group: NDArray[np.uint32], value: Numbers, weight: Numbers, weight_of_groups: Numbers) -> None:
    """Raise ValueError where points are out of order or do not make up their groups."""
    check_targets(value)
    if (group[1:] < group[:-1]).any() or ((group[1:] == group[:-1]) & (value[1:] <= value[:-1])).any():
        raise ValueError("the points are out of order")
    sums = np.bincount(group, weight, minlength=len(weight_of_groups))
    if not np.allclose(sums, weight_of_groups, rtol=_SLACK, atol=0):
        raise ValueError("the points do not weigh what their groups weigh")
