"""The solvers, each behind the same function: arrays in, a judged-by-us answer out.

Objective, everywhere: `loss / root_loss + regularization * leaves`, with the mean squared error as
loss and the variance of y as root loss. It is computed here from the tree's predictions and its
number of leaves; what a solver says about itself is only its status and its search time.

How the peers' settings map onto that objective:

- pystreed's `cost_complexity` is a share of the root's squared error per *split*: the same trees,
  an objective smaller by one `regularization`. Its depth counts splits. Columns of 0 and 1 pass its
  own binarisation unchanged. It refuses depths above 20, so 20 stands in for "no limit". No setting
  of it is right everywhere: on insurance .0005, depth 4, all stop at 0.201902; osrt finds 0.201899.
- osrt's `regularization` is a share of the root's squared error per *leaf*: the same objective. Its
  depth counts nodes (a single leaf has depth 1, and 0 is no limit). By default it silently keeps at
  least 7 rows in a leaf and raises the regularization to 1/rows; both are switched off here, or it
  would solve another problem. Its settings are process-wide and survive a fit: every one that
  matters is set on every call.
"""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from benchmarks.data.cells import Bits, Targets

# `implied`: not run, because the same row already timed out at a smaller depth.
# `absent`: the package is not installed. `wrong`: given by the judge, never by a solver.
Status = Literal["solved", "time_limit", "error", "wrong", "implied", "absent"]


@dataclass(frozen=True)
class Answer:
    """What one solver made of one cell. Times are wall-clock seconds."""

    status: Status
    seconds: float = 0.0  # the whole fit call, from arrays (or frame) to fitted model
    search_seconds: float | None = None  # the search alone
    objective: float | None = None
    leaves: int = 0
    depth: int = 0
    lower_bound: float | None = None
    message: str = ""


# Fits, and leaves the judgement of the tree for afterwards: it is nobody's time, and some predict row by row.
Judgement = Callable[[], Answer]
Solve = Callable[[Bits, Targets, float, int | None, float], Judgement]
# From targets, predictions, regularization and leaves to the objective of a tree.
Objective = Callable[[Targets, Any, float, int], float]

STREED_MAX_DEPTH = 20

# osrt reports its search in whole milliseconds; zero means less than one, and stands for half of it.
OSRT_CLOCK = 0.001


OSRT_SETTINGS: dict[str, Any] = {
    "allow_small_reg": True,
    "minimum_captured_points": 1,
    # Its own limit ends in an exception without a tree; the caller's clock is enough.
    "time_limit": 0,
    "weights": [],
    "k_cluster": True,
    "look_ahead": True,
    "worker_limit": 1,
    "model_limit": 1,
    "verbose": False,
    "diagnostics": False,
}


def optitree(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """Our own solver through its public estimator, on one thread as the peers."""
    return fit_optitree(X, y, regularization, max_depth, time_limit, _objective)


def fit_optitree(
    X: Bits,
    y: Targets,
    regularization: float,
    max_depth: int | None,
    time_limit: float,
    objective: Objective,
    **params: Any,
) -> Judgement:
    """The same for any parameters, judged by an objective that belongs to them."""
    package = importlib.import_module("optitree")
    model = package.OptimalTreeRegressor(
        regularization=regularization, max_depth=max_depth, time_limit=time_limit, n_jobs=1, **params
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit reached is read from status_
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start

    def judgement() -> Answer:
        leaves = int(model.n_leaves_)
        value = objective(y, model.predict(X), regularization, leaves)
        if abs(value - model.objective_) > 1e-6:
            claim = f"claims objective {model.objective_:.9f}, its predictions give {value:.9f}"
            return Answer("error", seconds, objective=value, leaves=leaves, message=claim)
        return Answer(
            status="solved" if model.status_ == "optimal" else "time_limit",
            seconds=seconds,
            search_seconds=float(model.solution_.seconds),
            objective=value,
            leaves=leaves,
            depth=int(model.depth_),
            lower_bound=float(model.lower_bound_),
            message="" if model.status_ == "optimal" else str(model.status_),
        )

    return judgement


def streed(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """Pystreed with the bound that loses optimal trees switched off, otherwise as it comes."""
    return _streed(X, y, regularization, max_depth, time_limit, use_task_lower_bound=False)


def streed_dataset(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """The same, caching by support instead of by branch: as right, and faster the deeper the tree."""
    return _streed(
        X, y, regularization, max_depth, time_limit,
        use_task_lower_bound=False, use_branch_caching=False, use_dataset_caching=True,
    )  # fmt: skip


def streed_fast(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """Fastest on shallow cells, with the equivalent-points bound on: not always right."""
    return _streed(
        X, y, regularization, max_depth, time_limit,
        use_task_lower_bound=True, use_branch_caching=False, use_dataset_caching=True,
    )  # fmt: skip


def osrt(X: Bits, y: Targets, regularization: float, max_depth: int | None, time_limit: float) -> Judgement:
    """The paper's own solver."""
    return fit_osrt(X, y, regularization, max_depth, objective_of_leaves)


def fit_osrt(
    X: Bits, y: Targets, regularization: float, max_depth: int | None, objective: Objective, **settings: Any
) -> Judgement:
    """The same with other settings: a metric, judged by the objective that belongs to it, or without a bound."""
    package = importlib.import_module("osrt")
    pandas = importlib.import_module("pandas")
    frame = pandas.DataFrame(X, columns=[f"f{column}" for column in range(X.shape[1])])
    target = pandas.DataFrame({"y": y})
    depth = 0 if max_depth is None else max_depth + 1
    asked = {"regularization": regularization, "depth_budget": depth, "metric": "L2"}
    model = package.OSRT(OSRT_SETTINGS | asked | settings)
    start = time.perf_counter()
    model.fit(frame, target)
    seconds = time.perf_counter() - start

    def judgement() -> Answer:
        leaves = int(model.leaves())
        return Answer(
            status="solved",
            seconds=seconds,
            search_seconds=max(float(model.time), OSRT_CLOCK / 2),
            objective=objective(y, model.predict(frame), regularization, leaves),
            leaves=leaves,
            depth=int(model.max_depth()) - 1,
        )

    return judgement


SOLVERS: dict[str, Solve] = {
    "optitree": optitree,
    "streed": streed,
    "streed-dataset": streed_dataset,
    "streed-fast": streed_fast,
    "osrt": osrt,
}
OURS = "optitree"
PEERS: tuple[str, ...] = tuple(name for name in SOLVERS if name != OURS)

# The two settings of pystreed that its users know, and the paper's solver. PEERS has more: settings that only a
# search over pystreed's switches turns up.
NAMED_PEERS: tuple[str, ...] = ("streed", "streed-fast", "osrt")

# osrt without a depth limit shares bounds between depths, and can be faster than with one.
UNLIMITED_IS_HARDER: dict[str, bool] = {name: name != "osrt" for name in PEERS}


def _streed(
    X: Bits,
    y: Targets,
    regularization: float,
    max_depth: int | None,
    time_limit: float,
    **settings: bool,
) -> Judgement:
    package = importlib.import_module("pystreed")
    depth = STREED_MAX_DEPTH if max_depth is None else min(max_depth, STREED_MAX_DEPTH)
    model = package.STreeDRegressor(
        max_depth=depth,
        cost_complexity=regularization,
        regression_lower_bound="equivalent",
        time_limit=time_limit,
        **settings,
    )
    # The hook runs between its Python-side preparation and its search: the search's own start time.
    search_start = [0.0]
    model._post_initialize_solver = lambda: search_start.__setitem__(0, time.perf_counter())
    data = X.astype(np.intc)
    start = time.perf_counter()
    model.fit(data, y)
    end = time.perf_counter()

    def judgement() -> Answer:
        leaves = int(model.get_n_leaves())
        return Answer(
            status="solved" if model.fit_result.is_optimal() else "time_limit",
            seconds=end - start,
            search_seconds=end - search_start[0],
            objective=_objective(y, model.predict(data), regularization, leaves),
            leaves=leaves,
            depth=int(model.get_depth()),
        )

    return judgement


def _objective(y: Targets, predictions: ArrayLike, regularization: float, leaves: int) -> float:
    root_loss = float(np.mean((y - y.mean()) ** 2))
    loss = float(np.mean((y - np.asarray(predictions, dtype=np.float64)) ** 2))
    return (loss / root_loss if root_loss > 0 else 0.0) + regularization * leaves


def objective_of_leaves(y: Targets, predictions: Any, regularization: float, leaves: int) -> float:
    """Judge a tree by the means of its leaves: osrt rounds what they predict, and is not called wrong for that."""
    _, leaf = np.unique(np.asarray(predictions, dtype=np.float64), return_inverse=True)
    means = np.bincount(leaf, weights=y) / np.bincount(leaf)
    return _objective(y, means[leaf], regularization, leaves)
