"""The parts of `choosing.py`: which rule of choosing, and the defaults beside CART, a fold of a table at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

from benchmarks.data.raw import read_pandas
from benchmarks.data.real import REAL
from benchmarks.data.real import read as read_real
from benchmarks.harness.text import markdown, seconds
from benchmarks.solvers.quietly import quietly
from benchmarks.solvers.tuned_cart import of_depth, pruned
from optitree import OptimalTreeRegressor, OptimalTreeRegressorCV
from optitree.solver.solution import geometric_mean

RAW = (
    "airquality", "airquality-with-missing", "servo", "yacht", "real-estate", "sync", "optical", "enb-cool", "enb-heat",
    "insurance", "airfoil", "auction", "seoul-bike",
)  # fmt: skip
TABLES = (*RAW, *(name for name in REAL if name != "diamonds"))  # of fewer than 25,000 rows
OUTER = 5
SECONDS_OF_A_RULE = 10.0
LEAF_ROWS, LEAST = (1, 5), 0.001
OURS, PRUNED, DEEP = "optimal", "CART, pruned", "CART, by depth"

Entry = dict[str, Any]


class Sample(NamedTuple):
    """A table without an outer fold, and that fold."""

    X: pd.DataFrame
    y: np.ndarray[Any, np.dtype[np.float64]]
    X_test: pd.DataFrame
    y_test: np.ndarray[Any, np.dtype[np.float64]]


def sample(name: str, fold: int) -> Sample:
    """Return an outer fold of a table; folds are numbered from 0."""
    X, y = read_real(name) if name in REAL else read_pandas(name)
    target = y.to_numpy(np.float64)
    train, test = list(KFold(OUTER, shuffle=True, random_state=0).split(X))[fold]
    return Sample(X.iloc[train], target[train], X.iloc[test], target[test])


# ---- which rule: docs/decisions/0019


def rules(name: str, fold: int) -> Entry:
    """R² and leaves of every rule on a fold."""
    rows = sample(name, fold)
    found: Entry = {}
    for low, end in (("low", min(LEAST, 1 / len(rows.y))), ("high", LEAST)):
        tried = [_by_rule(rows, end, least) for least in LEAF_ROWS]
        for depth in ("depth", "alone"):
            for least, both in zip(LEAF_ROWS, tried, strict=True):
                found[f"{low} {depth} {least}"] = both[depth]
            found[f"{low} {depth} best"] = min((both[depth] for both in tried), key=lambda each: each["loss"])
    return found


def _by_rule(rows: Sample, end: float, least: int) -> dict[str, dict[str, float]]:
    model = OptimalTreeRegressorCV(min_regularization=end, min_samples_leaf=least, time_limit=SECONDS_OF_A_RULE)
    quietly(model.fit, rows.X, rows.y)
    with_depth = _figures(rows, model, -model.best_score_)
    if model.cv_results_["max_depth"][model.best_index_] is None:
        return {"depth": with_depth, "alone": with_depth}
    any_depth = np.array([depth is None for depth in model.cv_results_["max_depth"]])
    mean = np.where(any_depth, model.cv_results_["mean_test_loss"], np.inf)
    at = int(np.argmin(mean))
    chosen = geometric_mean(*model.regularizations_[at])
    alone = OptimalTreeRegressor(chosen, min_samples_leaf=least, time_limit=SECONDS_OF_A_RULE / 5)
    return {"depth": with_depth, "alone": _figures(rows, quietly(alone.fit, rows.X, rows.y), float(mean[at]))}


def _figures(rows: Sample, model: Any, loss: float) -> dict[str, float]:
    r2 = float(r2_score(rows.y_test, model.predict(rows.X_test)))
    return {"r2": r2, "leaves": int(model.n_leaves_), "loss": loss}


def rules_text(entries: Sequence[Entry]) -> str:
    """The means of all rules."""
    names = [name for name in entries[0] if " " in name]
    lines = []
    for name in names:
        r2 = [max(entry[name]["r2"], 0) for entry in entries]
        leaves = [entry[name]["leaves"] for entry in entries]
        low, depth, least = name.split()
        lines.append([
            "min(.001, 1 / rows)" if low == "low" else ".001", "with depth" if depth == "depth" else "alone", least,
            f"{np.mean(r2):.4f}", f"{np.median(r2):.4f}", f"{np.mean(leaves):.1f}",
        ])  # fmt: skip
    head = ["lowest regularization", "chosen", "least rows of a leaf", "mean R²", "median R²", "mean leaves"]
    by_table = [
        [entry["table"], *(f"{entry[name]['r2']:.3f} ({entry[name]['leaves']})" for name in names)] for entry in entries
    ]
    note = f"{len(entries)} tables, the first outer fold of {OUTER}, {SECONDS_OF_A_RULE:g} s a fit."
    return "\n\n".join([note, markdown(head, lines), markdown(["table", *names], by_table)])


# ---- the defaults beside CART


def defaults(name: str, fold: int) -> Entry:
    """R², leaves and seconds of three methods on a fold."""
    rows = sample(name, fold)
    start = time.perf_counter()
    model = quietly(OptimalTreeRegressorCV().fit, rows.X, rows.y)
    found: Entry = {
        OURS: {
            "r2": float(r2_score(rows.y_test, model.predict(rows.X_test))),
            "leaves": int(model.n_leaves_),
            "seconds": time.perf_counter() - start,
            "status": model.status_,
            "choice": model.choice_status_,
            "regularization": model.regularization_,
            "greedy": model.greedy_,
            "least leaf": model.min_samples_leaf_,
            "conditions": len(model.binarizer_.conditions_),
        }
    }
    for method, tune in ((PRUNED, pruned), (DEEP, of_depth)):
        start = time.perf_counter()
        tuned = tune(rows.X, rows.y, rows.X_test)
        r2 = float(r2_score(rows.y_test, tuned.predicted))
        found[method] = {"r2": r2, "leaves": tuned.leaves, "seconds": time.perf_counter() - start}
    return found


def defaults_text(entries: Sequence[Entry]) -> str:
    """Every figure by table, and the means."""
    lines, methods = [], (OURS, PRUNED, DEEP)
    names = [name for name in TABLES if any(entry["table"] == name for entry in entries)]
    means: dict[str, list[tuple[float, float]]] = {method: [] for method in methods}
    for name in names:
        of_table = [entry for entry in entries if entry["table"] == name]
        cells = []
        for method in methods:
            r2, leaves, spent = (float(np.mean([e[method][what] for e in of_table])) for what in _FIGURES)
            means[method].append((r2, leaves))
            cells.append(f"{r2:.3f}, {leaves:.1f} leaves, {seconds(spent)} s")
        folds = " ".join(str(entry["fold"] + 1) for entry in of_table)
        proven = sum(entry[OURS]["choice"] == entry[OURS]["status"] == "optimal" for entry in of_table)
        lines.append([name, folds, *cells, f"{proven} of {len(of_table)}"])
    overall = {method: np.mean(values, axis=0) for method, values in means.items()}
    closing = "; ".join(f"{method} R² {r2:.4f} with {leaves:.1f} leaves" for method, (r2, leaves) in overall.items())
    head = ["table", "outer folds", *methods, "all proven"]
    return "\n\n".join([markdown(head, lines), f"Means over {len(names)} tables: {closing}."])


_FIGURES = ("r2", "leaves", "seconds")
PARTS = {"rules": (rules, rules_text), "defaults": (defaults, defaults_text)}
