"""Groups: rows that no condition can tell apart, counted once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import native
from .conditions import Condition


@dataclass(frozen=True, slots=True)
class Groups:
    """All that the search needs to know of a table.

    ``bits`` holds the answers of each group to the conditions, 64 to a word, first condition in the
    lowest bit. ``mean`` is the mean target of a group measured from ``origin``, ``scatter`` the
    weighted sum of squared deviations from it: numbers that stay exact when the target is huge.
    """

    conditions: tuple[Condition, ...]
    bits: NDArray[np.uint64]
    weight: NDArray[np.float64]
    mean: NDArray[np.float64]
    scatter: NDArray[np.float64]
    rows: NDArray[np.float64]
    origin: float

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def total_weight(self) -> float:
        """Weight of all rows together."""
        return float(self.weight.sum())


def group(
    binary: NDArray[np.bool_],
    conditions: tuple[Condition, ...],
    target: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
) -> Groups:
    """Collapse equal rows. The result does not depend on the order of the rows."""
    if weight is not None:
        counted = weight > 0
        if not counted.all():
            binary, target, weight = binary[counted], target[counted], weight[counted]
    # Measured from the middle of its range a target keeps its precision however large it is.
    origin = float(target.min() / 2 + target.max() / 2)
    bits, weights, mean, scatter, rows = native.group_rows(pack(binary), target - origin, weight)
    return Groups(conditions, bits, weights, mean, scatter, rows, origin)


def pack(binary: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack each row into 64-bit words."""
    rows, features = binary.shape
    words = (features + 63) // 64
    packed = np.zeros((rows, words * 8), dtype=np.uint8)
    packed[:, : (features + 7) // 8] = np.packbits(binary, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)
