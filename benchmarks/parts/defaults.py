"""Nothing but defaults, on every raw table: the part `defaults` of `benchmarks.tables`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold

from benchmarks.data.raw import read_pandas, read_polars
from benchmarks.harness.parts import Part
from benchmarks.harness.text import markdown, say, seconds
from benchmarks.solvers.greedy import fit_cart
from benchmarks.solvers.quietly import quietly
from optitree import OptimalTreeRegressor, export_text

MANY_ROWS = 100_000  # a larger table is cross-validated on a sample of so many rows
FOLD_SECONDS = 10
SHOWN = ("airquality-with-missing", "insurance")


def defaults(names: Sequence[str]) -> Part:
    """Nothing but defaults, on every table."""
    rows, faults, shown = [], [], []
    quietly(OptimalTreeRegressor().fit, *read_pandas("airquality"))  # the first call loads libraries
    for name in names:
        say(f"{name}: ")
        X, y = read_pandas(name)
        start = time.perf_counter()
        model = quietly(OptimalTreeRegressor().fit, X, y)
        elapsed = time.perf_counter() - start
        say(f"{seconds(elapsed)} s, {model.status_}; ")
        same = _same_from_polars(name, model)
        if same is False:
            faults.append(f"{name}: another tree from polars than from pandas")
        row = {
            "table": name,
            "rows": len(X),
            "columns": X.shape[1],
            "conditions": len(model.binarizer_.conditions_),
            "seconds": elapsed,
            "status": model.status_,
            "gap": model.gap_,
            "leaves": model.n_leaves_,
            "train_r2": model.score(X, y),
            "same_from_polars": same,
        }
        say("folds; ")
        few_rows = _sample(len(X))
        row["cv_rows"] = len(few_rows)
        row["cv_r2"] = _cross_validated(_fit_ours, X.iloc[few_rows], y.iloc[few_rows])
        say("CART\n")
        fit_greedy = partial(fit_cart, leaves=model.n_leaves_)
        row["cart_train_r2"] = r2_score(y, fit_greedy(X, y).predict(X))
        row["cart_cv_r2"] = _cross_validated(fit_greedy, X.iloc[few_rows], y.iloc[few_rows])
        rows.append(row)
        if name in SHOWN:
            shown.append(_show(name, model))
    return Part("\n\n".join([_defaults_text(rows), *shown]), rows, faults)


def _fit_ours(X: pd.DataFrame, y: pd.Series) -> OptimalTreeRegressor:
    return quietly(OptimalTreeRegressor(time_limit=FOLD_SECONDS).fit, X, y)


def _cross_validated(fit: Callable[..., Any], X: pd.DataFrame, y: pd.Series) -> float:
    scores = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        model = fit(X.iloc[train], y.iloc[train])
        scores.append(r2_score(y.iloc[test], model.predict(X.iloc[test])))
    return float(np.mean(scores))


def _same_from_polars(name: str, model: OptimalTreeRegressor) -> bool | None:
    """Whether polars gives the same tree; None where a limit makes trees a matter of time."""
    again = quietly(OptimalTreeRegressor().fit, *read_polars(name))
    if again.binarizer_.conditions_ != model.binarizer_.conditions_:
        return False
    if {again.status_, model.status_} != {"optimal"}:
        return None
    return bool(again.tree_ == model.tree_)


def _sample(rows: int) -> NDArray[np.intp]:
    if rows <= MANY_ROWS:
        return np.arange(rows)
    return np.sort(np.random.default_rng(0).choice(rows, MANY_ROWS, replace=False))


def _defaults_text(rows: list[dict[str, Any]]) -> str:
    head = [
        "table", "rows", "columns", "conditions", "seconds", "status", "gap", "leaves", "R²", "5-fold R²",
        "CART: R²", "5-fold R²", "polars",
    ]  # fmt: skip
    lines = [
        [
            row["table"], f"{row['rows']:,}", str(row["columns"]), str(row["conditions"]), seconds(row["seconds"]),
            row["status"], f"{row['gap']:.3g}", str(row["leaves"]), f"{row['train_r2']:.3f}", f"{row['cv_r2']:.3f}",
            f"{row['cart_train_r2']:.3f}", f"{row['cart_cv_r2']:.3f}",
            {True: "same tree", False: "OTHER TREE", None: "same conditions"}[row["same_from_polars"]],
        ]
        for row in rows
    ]  # fmt: skip
    note = (
        "`OptimalTreeRegressor()` with nothing but defaults; seconds of the whole fit from a pandas frame. 5-fold R²: "
        f"the mean over the folds of a shuffled split, at {FOLD_SECONDS} s a fold. CART has as many leaves, the "
        "numbers and their gaps as they are, text one-hot with ten levels at most. In the last column, the fit from a "
        "polars frame; where the time limit ended the search only the conditions are compared."
    )
    sampled = [row["table"] for row in rows if row["cv_rows"] < row["rows"]]
    if sampled:
        note += f" The folds of {', '.join(sampled)} are of {MANY_ROWS:,} rows drawn at random."
    quick = sum(row["status"] == "optimal" and row["seconds"] < 10 for row in rows)
    closing = f"Proven optimal in under 10 s: {quick} of {len(rows)}."
    slow = [row["table"] for row in rows if row["status"] != "optimal" or row["seconds"] >= 10]
    if slow:
        closing += f" Not: {', '.join(slow)}."
    return "\n\n".join([markdown(head, lines), note, closing])


def _show(name: str, model: OptimalTreeRegressor) -> str:
    conditions = [str(condition) for condition in model.binarizer_.conditions_]
    shown = [text for text in conditions if "missing" in text or " = " in text]
    tree = _without_seconds(export_text(model))
    return f"{name}, conditions on levels and gaps: {'; '.join(shown)}.\n\n```\n{tree}\n```"


def _without_seconds(text: str) -> str:
    lines = text.splitlines()
    return "\n".join([*lines[:-1], lines[-1].partition(", proven in")[0]])
