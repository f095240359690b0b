"""Points: the target values of the groups, for losses that a mean and a scatter do not tell."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .. import core

_TYPES = [np.uint32, np.float64, np.float64]


class Points(NamedTuple):
    """The distinct pairs of a group and a target, in order, with the weight of the rows that have both.

    Values are those of the target itself: their differences are as exact as floating point allows, and a leaf predicts
    one of them.
    """

    group: NDArray[np.uint32]
    value: NDArray[np.float64]
    weight: NDArray[np.float64]

    def check(self, groups: int) -> None:
        """Raise ValueError when the points cannot be those of so many groups."""
        arrays: tuple[NDArray[Any], ...] = tuple(self)
        if any(array.shape != (len(self.group),) for array in arrays) or [array.dtype for array in arrays] != _TYPES:
            raise ValueError("the points are not a group, a value and a weight each")
        if not np.array_equal(np.unique(self.group), np.arange(groups)):
            raise ValueError("a group has no points, or a point no group")
        if not np.isfinite(self.value).all() or not np.isfinite(self.weight).all() or not (self.weight > 0).all():
            raise ValueError("a point has no finite value or no weight")

    def regroup(self, group_of: NDArray[np.uint32]) -> Self:
        """Return the points after group g has become part of the group ``group_of[g]``."""
        return type(self).of(group_of[self.group], self.value, self.weight)

    @classmethod
    def of(
        cls, group: NDArray[np.uint32], value: NDArray[np.float64], weight: NDArray[np.float64] | None = None
    ) -> Self:
        """Count rows, or points, that have both their group and their value in common once.

        The result does not depend on their order, to the last bit.
        """
        order = core.order_in_groups(group, int(group.max(initial=0)) + 1, value)
        group, value = group[order], value[order] + 0.0  # -0 + 0 = 0
        first = np.ones(len(group), bool)
        first[1:] = (group[1:] != group[:-1]) | (value[1:] != value[:-1])
        point_of = (np.cumsum(first) - 1).astype(np.uint32)
        parts = None if weight is None else weight[order]
        weight = core.add_up(point_of, int(first.sum()), np.zeros(len(group)), parts)[0]
        return cls(np.ascontiguousarray(group[first]), np.ascontiguousarray(value[first]), weight)
