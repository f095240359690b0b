"""Tables as they come, no preparation: `python -m benchmarks.tables [--part defaults|cart|paper]`.

- `defaults`: `OptimalTreeRegressor()` on every raw table, from pandas and from polars, beside scikit-learn's CART
  with as many leaves.
- `cart`: the optimal tree over the default conditions against CART of the same size, for 4, 8 and 12 leaves. The size
  is steered by the regularization.
- `paper`: the binarizer set as the paper did makes the authors' own 0/1 files out of the raw tables.

Progress goes to stderr, the tables to stdout, and both the tables and the raw numbers to `--output`, where a part that
is run alone takes the place of its last run. The exit code is 1 if an expectation fails, 2 if the data is missing,
0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from benchmarks.data.raw import read_pandas, read_polars
from benchmarks.harness.parts import Part, run_parts
from benchmarks.harness.text import markdown, say, seconds
from benchmarks.tables_paper import paper
from optitree import LimitWarning, OptimalTreeRegressor, compress, export_text

NAMES = (
    "airquality", "airquality-with-missing", "servo", "yacht", "real-estate", "sync", "optical", "enb-heat",
    "enb-cool", "insurance", "airfoil", "auction", "seoul-bike", "household",
)  # fmt: skip
TOLERANCE = 1e-9


def main(arguments: Sequence[str] | None = None) -> int:
    parts: dict[str, Callable[[Sequence[str]], Part]] = {"defaults": defaults, "cart": cart, "paper": paper}
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", choices=parts, help="only this part")
    parser.add_argument("--table", action="append", choices=NAMES, metavar="NAME", help="only this; may be repeated")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    options = parser.parse_args(arguments)
    names = options.table or NAMES
    wanted = {name: partial(part, names) for name, part in parts.items() if options.part in (None, name)}
    return run_parts("tables", wanted, options.output)


# ---- defaults

MANY_ROWS = 100_000  # a larger table is cross-validated on a sample of so many rows
FOLD_SECONDS = 10
SHOWN = ("airquality-with-missing", "insurance")


def defaults(names: Sequence[str]) -> Part:
    """Nothing but defaults, on every table."""
    rows, faults, shown = [], [], []
    _quietly(OptimalTreeRegressor().fit, *read_pandas("airquality"))  # the first call loads libraries
    for name in names:
        say(f"{name}: ")
        X, y = read_pandas(name)
        start = time.perf_counter()
        model = _quietly(OptimalTreeRegressor().fit, X, y)
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
        fit_cart = partial(_fit_cart, leaves=model.n_leaves_)
        row["cart_train_r2"] = r2_score(y, fit_cart(X, y).predict(X))
        row["cart_cv_r2"] = _cross_validated(fit_cart, X.iloc[few_rows], y.iloc[few_rows])
        rows.append(row)
        if name in SHOWN:
            shown.append(_show(name, model))
    return Part("\n\n".join([_defaults_text(rows), *shown]), rows, faults)


def _fit_ours(X: pd.DataFrame, y: pd.Series) -> OptimalTreeRegressor:
    return _quietly(OptimalTreeRegressor(time_limit=FOLD_SECONDS).fit, X, y)


def _fit_cart(X: pd.DataFrame, y: pd.Series, leaves: int) -> Pipeline:
    """CART on the raw columns."""
    tree = (
        DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
        if leaves > 1
        else DecisionTreeRegressor(max_depth=1, min_impurity_decrease=np.inf)
    )
    return make_pipeline(cart_columns(), tree).fit(X, y)


def cart_columns() -> ColumnTransformer:
    """Columns for CART: numbers as they are, missing or not, text one-hot with the rest beyond ten levels."""
    one_hot = OneHotEncoder(max_categories=10, handle_unknown="infrequent_if_exist", sparse_output=False)
    return make_column_transformer(
        (one_hot, make_column_selector(dtype_exclude=["number", "bool"])), remainder="passthrough"
    )


def _cross_validated(fit: Callable[..., Any], X: pd.DataFrame, y: pd.Series) -> float:
    scores = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        model = fit(X.iloc[train], y.iloc[train])
        scores.append(r2_score(y.iloc[test], model.predict(X.iloc[test])))
    return float(np.mean(scores))


def _same_from_polars(name: str, model: OptimalTreeRegressor) -> bool | None:
    """Whether polars gives the same tree; None where a limit makes trees a matter of time."""
    again = _quietly(OptimalTreeRegressor().fit, *read_polars(name))
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
        "numbers as they are, missing or not, text one-hot with ten levels at most. In the last column, the fit from "
        "a polars frame; where the time limit ended the search only the conditions are compared."
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
    return f"{name}, conditions on levels and on missing values: {'; '.join(shown)}.\n\n```\n{tree}\n```"


def _without_seconds(text: str) -> str:
    lines = text.splitlines()
    return "\n".join([*lines[:-1], lines[-1].partition(", proven in")[0]])


# ---- cart

SIZES = (4, 8, 12)
SOLVE_SECONDS = 20.0
SOLVES = 10  # the most regularizations tried for one size
UNPROVEN_SOLVES = 4  # and below the first that was too hard
FIRST_REGULARIZATION, LEAST_REGULARIZATION = 0.04, 1e-6


@dataclass(frozen=True)
class Point:
    """The tree at one regularization: its leaves and the share of the root loss that it leaves."""

    regularization: float
    leaves: int
    loss: float
    proven: bool


@dataclass
class Front:
    """Trees of one table at the regularizations tried so far.

    The optimal trees of all regularizations are the corners of the convex hull of (leaves, loss). Between two corners
    another can only be at the regularization that makes both cost the same; if it costs no less there, none gives a
    size between.
    """

    solve: Callable[[float], Point]
    points: list[Point] = field(default_factory=lambda: [Point(1.0, 1, 1.0, True)])

    def largest(self, leaves: int) -> tuple[list[Point], str]:
        """The largest optimal tree of at most so many leaves, a larger unproven one too, and a remark."""
        for _ in range(SOLVES):
            regularization = self._next_regularization(leaves)
            if regularization is None:
                break
            self.points.append(self.solve(regularization))
        best, barrier = self._largest_proven(leaves), self._barrier(leaves)
        if best.leaves == leaves:
            return [best], ""
        if barrier is None:
            return [best], f"no regularization above {LEAST_REGULARIZATION:g} gives more"
        if barrier.proven:
            return [best], "no regularization gives more"
        for _ in range(UNPROVEN_SOLVES):
            if any(point.leaves >= leaves for point in self.points):
                break
            self.points.append(self.solve(min(point.regularization for point in self.points) / 2))
        larger = [point for point in self.points if best.leaves < point.leaves <= leaves]  # all of them unproven
        return [best, *sorted(larger, key=lambda point: (-point.leaves, point.loss))[:1]], "time limit"

    def _next_regularization(self, leaves: int) -> float | None:
        few, barrier = self._largest_proven(leaves), self._barrier(leaves)
        tried = [point.regularization for point in self.points]
        if few.leaves == leaves:
            return None
        if barrier is None:
            regularization = min(FIRST_REGULARIZATION, min(tried) / 3)
            return regularization if regularization >= LEAST_REGULARIZATION else None
        if barrier.proven:
            regularization = (few.loss - barrier.loss) / (barrier.leaves - few.leaves)
            return (
                None if any(abs(regularization - known) <= 1e-6 * regularization for known in tried) else regularization
            )
        lowest = min(point.regularization for point in self.points if point.leaves <= leaves and point.proven)
        return (barrier.regularization * lowest) ** 0.5 if lowest > 1.1 * barrier.regularization else None

    def _largest_proven(self, leaves: int) -> Point:
        return max((p for p in self.points if p.leaves <= leaves and p.proven), key=lambda p: p.leaves)

    def _barrier(self, leaves: int) -> Point | None:
        """The highest regularization known to give larger trees, or to be too hard; None if there is none yet."""
        return max(
            (p for p in self.points if p.leaves > leaves or not p.proven), key=lambda p: p.regularization, default=None
        )


def cart(names: Sequence[str]) -> Part:
    """Optimal trees against greedy ones of the same size."""
    rows = [row for name in names for row in _cart_rows(name)]
    head = ["table", "asked", "leaves", "λ", "loss / root loss", "CART's", "status", "ours <= CART's", "remark"]
    lines = [
        [
            row["table"], str(row["asked"]), str(row["leaves"]), f"{row['regularization']:.3g}", f"{row['loss']:.6f}",
            f"{row['cart_loss']:.6f}", "optimal" if row["proven"] else "time_limit",
            "yes" if row["holds"] else "NO", row["remark"],
        ]
        for row in rows
    ]  # fmt: skip
    note = (
        f"Conditions of the default binarizer, {SOLVE_SECONDS:g} s a solve. Where no regularization (λ) gives the "
        "number asked for, the largest proven tree below it is compared, and a larger one that the time limit left "
        "unproven. CART (`max_leaf_nodes`) has as many leaves as ours and all thresholds there are."
    )
    text = "\n\n".join([markdown(head, lines), note, _cart_closing(rows)])
    faults = [
        f"{row['table']}: the optimal tree of {row['leaves']} leaves is worse than CART's ({row['loss']:.6f} > "
        f"{row['cart_loss']:.6f})"
        for row in rows
        if row["proven"] and not row["holds"]
    ]
    return Part(text, rows, faults)


def _cart_rows(name: str) -> Iterator[dict[str, Any]]:
    say(f"{name}: ")
    X, y = read_pandas(name)
    groups = compress(X.assign(**{str(y.name): y}), target=str(y.name))

    def solve(regularization: float) -> Point:
        model = _quietly(OptimalTreeRegressor(regularization, time_limit=SOLVE_SECONDS).fit_groups, groups)
        say(f"{regularization:.4g} -> {model.n_leaves_}{'' if model.status_ == 'optimal' else '?'}, ")
        return Point(regularization, model.n_leaves_, model.loss_ / model.root_loss_, model.status_ == "optimal")

    front = Front(solve)
    seen: dict[int, float] = {}
    for asked in SIZES:
        points, remark = front.largest(asked)
        for point in points:
            if point.leaves not in seen:
                seen[point.leaves] = 1 - r2_score(y, _fit_cart(X, y, point.leaves).predict(X))
            cart_loss = seen[point.leaves]
            holds = point.loss <= cart_loss + TOLERANCE
            yield {
                "table": name,
                "asked": asked,
                **asdict(point),
                "cart_loss": cart_loss,
                "holds": holds,
                "remark": remark,
            }
    say("\n")


def _cart_closing(rows: Sequence[dict[str, Any]]) -> str:
    distinct = {(row["table"], row["leaves"], row["proven"]): row for row in rows}.values()
    proven = [row for row in distinct if row["proven"]]
    others = [row for row in distinct if not row["proven"]]
    worse = [f"{row['table']} at {row['leaves']} leaves" for row in distinct if not row["holds"]]
    better = sum(row["loss"] < row["cart_loss"] - TOLERANCE for row in proven)
    text = f"{len(proven)} comparisons of different proven trees, {better} of them strictly better than CART; "
    text += f"{len(others)} of trees that the time limit left unproven. "
    return text + (f"Worse than CART: {', '.join(worse)}." if worse else "None is worse than CART.")


def _quietly(fit: Callable[..., OptimalTreeRegressor], *data: Any) -> OptimalTreeRegressor:
    """Fit; a limit reached is read from status_."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        return fit(*data)


if __name__ == "__main__":
    sys.exit(main())
