"""The two solvers that minimise absolute error, each behind the function of `benchmarks.solvers.peers`.

The objective is `loss / root_loss + regularization * leaves` with the mean absolute error as loss and that of the
median as root loss, computed here from the medians of the leaves. osrt with `metric: "L1"` scales its regularization
the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.data.cells import Bits, Targets
from benchmarks.solvers.peers import Judgement, Solve, fit_optitree, fit_osrt


def optitree(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """Our own solver through its public estimator, on one thread."""
    return fit_optitree(X, y, regularization, max_depth, time_limit, _objective, loss="absolute_error")


def osrt(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """The paper's own solver; its own time limit would end in an exception."""
    return fit_osrt(X, y, regularization, max_depth, _objective, metric="L1")


def _objective(y: Targets, predictions: Any, regularization: float, leaves: int) -> float:
    """Judge a tree by its leaves' medians: osrt rounds what they predict, and is not called wrong for that."""
    _, leaf = np.unique(np.asarray(predictions, dtype=np.float64), return_inverse=True)
    loss = sum(np.abs(y[leaf == k] - np.median(y[leaf == k])).sum() for k in range(leaf.max() + 1))
    root_loss = np.abs(y - np.median(y)).sum()
    return float(loss / root_loss if root_loss > 0 else 0.0) + regularization * leaves


SOLVERS: dict[str, Solve] = {"optitree": optitree, "osrt": osrt}
