"""The two solvers that minimise absolute error, each behind the function of `benchmarks.peers`.

The objective is `loss / root_loss + regularization * leaves` with the mean absolute error as loss and that of the
median as root loss, computed here from the medians of the leaves. osrt with `metric: "L1"` scales its regularization
the same way.
"""

from __future__ import annotations

import importlib
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.cells import Bits, Targets
from benchmarks.peers import OSRT_CLOCK, OSRT_SETTINGS, Answer, Judgement, Solve


def optitree(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """Our own solver through its public estimator, on one thread."""
    package = importlib.import_module("optitree")
    model = package.OptimalTreeRegressor(
        regularization, max_depth=max_depth, loss="absolute_error", time_limit=time_limit, n_jobs=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit reached is read from status_
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start

    def judgement() -> Answer:
        leaves = int(model.n_leaves_)
        value = _objective(y, model.predict(X), regularization, leaves)
        claim = "" if abs(value - model.objective_) <= 1e-6 else f"claims objective {model.objective_:.9f}"
        solved = model.status_ == "optimal"
        return Answer(
            status="error" if claim else "solved" if solved else "time_limit",
            seconds=seconds,
            search_seconds=float(model.solution_.seconds),
            objective=value,
            leaves=leaves,
            depth=int(model.depth_),
            lower_bound=float(model.lower_bound_),
            message=claim,
        )

    return judgement


def osrt(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """The paper's own solver; its own time limit would end in an exception."""
    package = importlib.import_module("osrt")
    pandas = importlib.import_module("pandas")
    frame = pandas.DataFrame(X, columns=[f"f{column}" for column in range(X.shape[1])])
    target = pandas.DataFrame({"y": y})
    depth = 0 if max_depth is None else max_depth + 1
    model = package.OSRT(OSRT_SETTINGS | {"regularization": regularization, "depth_budget": depth, "metric": "L1"})
    start = time.perf_counter()
    model.fit(frame, target)
    seconds = time.perf_counter() - start

    def judgement() -> Answer:
        leaves = int(model.leaves())
        return Answer(
            status="solved",
            seconds=seconds,
            search_seconds=max(float(model.time), OSRT_CLOCK / 2),
            objective=_objective(y, model.predict(frame), regularization, leaves),
            leaves=leaves,
            depth=int(model.max_depth()) - 1,
        )

    return judgement


def _objective(y: Targets, predictions: Any, regularization: float, leaves: int) -> float:
    """Judge a tree by its leaves' medians: osrt rounds what they predict, and is not called wrong for that."""
    _, leaf = np.unique(np.asarray(predictions, dtype=np.float64), return_inverse=True)
    loss = sum(np.abs(y[leaf == k] - np.median(y[leaf == k])).sum() for k in range(leaf.max() + 1))
    root_loss = np.abs(y - np.median(y)).sum()
    return float(loss / root_loss if root_loss > 0 else 0.0) + regularization * leaves


SOLVERS: dict[str, Solve] = {"optitree": optitree, "osrt": osrt}
