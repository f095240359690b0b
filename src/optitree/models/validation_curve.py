"""The test losses of all folds as one step function of the regularization, and the choice along it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SELECTIONS = ("min", "one_standard_error")


class Fold(NamedTuple):
    """The test loss of a fold, a step function: ``losses[k]`` just above ``breakpoints[k]``, which fall, to ``low``."""

    breakpoints: NDArray[np.float64]
    losses: NDArray[np.float64]
    leaves: NDArray[np.intp]
    low: float
    weight: float  # of the test rows
    status: str = "optimal"

    def in_words(self) -> str:
        """Say which trees were compared."""
        stopped = "" if self.status == "optimal" else f" ({self.status})"
        return f"{len(self.losses)} trees down to regularization {self.low:.3g}{stopped}"


@dataclass(frozen=True)
class Curve:
    """The intervals on which the test loss of no fold changes, from high regularization to low.

    ``intervals`` has their ends, low and high; ``losses`` and ``leaves`` a row for each and a column for each fold. In
    the mean each fold counts by the weight of its test rows: it is the loss of predicting every row by a tree that has
    not seen it.
    """

    intervals: NDArray[np.float64]
    losses: NDArray[np.float64]
    leaves: NDArray[np.intp]
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]


def add_up_folds(folds: Sequence[Fold]) -> Curve:
    """Return the sum of the step functions of all folds, exact on the union of their breakpoints."""
    low = max(fold.low for fold in folds)
    ends = np.unique(np.concatenate([[low, np.inf], *(fold.breakpoints for fold in folds)]))
    ends = ends[ends >= low][::-1]
    # Just below the high end of an interval a fold has passed all breakpoints from there up.
    trees = [np.searchsorted(-fold.breakpoints, -ends[:-1], side="right") for fold in folds]
    losses = np.column_stack([fold.losses[tree] for fold, tree in zip(folds, trees, strict=True)])
    leaves = np.column_stack([fold.leaves[tree] for fold, tree in zip(folds, trees, strict=True)])
    mean, error = mean_and_error(losses, np.array([fold.weight for fold in folds]))
    return Curve(np.column_stack([ends[1:], ends[:-1]]), losses, leaves, mean, error)


def mean_and_error(
    losses: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean of each row and its standard error; a single fold has none."""
    share = weight / weight.sum()
    mean = losses @ share
    variance = np.square(losses - mean[:, None]) @ share
    return mean, np.sqrt(variance / max(losses.shape[1] - 1, 1))


def select(
    mean: NDArray[np.float64],
    standard_error: NDArray[np.float64],
    selection: str,
    leaves: NDArray[np.float64] | None = None,
) -> int:
    """Return the one with the fewest ``leaves`` that is good enough, the first of several; without these the first.

    Good enough is the smallest mean (``"min"``; sums may differ in their last digits), or any that is at most one
    standard error above it (``"one_standard_error"``).
    """
    least = int(np.argmin(mean))
    allowed = standard_error[least] if selection == "one_standard_error" else 0.0
    good = mean <= mean[least] * (1 + 1e-12) + allowed
    size = np.zeros(len(mean)) if leaves is None else leaves
    return int(np.argmin(np.where(good, size, np.inf)))


def first_good(losses: NDArray[np.float64], weight: NDArray[np.float64]) -> int:
    """Return the first of several that none is clearly better than: by more than the standard error of the difference.

    ``losses`` has a row for each and a column for each fold. What is better on a single fold, the others being equal,
    is better by just the standard error, whatever rounding makes of it: not clearly.
    """
    best = losses[np.argmin(losses @ weight)]
    worse, error = mean_and_error(losses - best, weight)
    return int(np.argmax(worse <= error * (1 + 1e-9)))
