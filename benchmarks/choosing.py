"""The size of a tree chosen by cross-validation: `python -m benchmarks.choosing [--table NAME] [--selection RULE]`.

Five outer folds, repeated twice. On the training rows of each, every method chooses the size of its tree by the same
five inner folds and the same rule, is fitted again, and predicts the outer test rows:

- `OptimalTreeRegressorCV`;
- CART pruned with a regularization (`ccp_alpha`, in the same units and down to the same least one): the test loss
  of a fold as a function of it is as much a step function for it, and the same code adds up and selects;
- CART of the best `max_depth`, up to the same depth;
- for reference, pruned CART without a least regularization or a depth limit: what trees of any size reach.

The table goes to stdout and to `choosing.md` in `--output`. The exit code is 1 if pruned CART of the same
regularizations, or CART of limited depth, has fewer leaves or a better mean R² over all tables, 2 if the data is
missing, 0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor

from benchmarks.data.raw import read_pandas
from benchmarks.harness.parts import Part, run_parts
from benchmarks.harness.text import markdown, say, seconds
from benchmarks.solvers.greedy import cart_columns
from optitree import LimitWarning, OptimalTreeRegressorCV
from optitree.models.validation_curve import SELECTIONS, Fold, add_up_folds, mean_and_error, select
from optitree.solver.solution import geometric_mean

NAMES = ("airquality", "servo", "yacht", "real-estate", "sync", "enb-heat", "insurance", "airfoil")
REPEATS, OUTER, INNER = 2, 5, 5
LEAST_REGULARIZATION, DEPTH, LEAF_ROWS = 0.001, 6, 5
PATH_SECONDS = 20.0
CHEAP = 40  # regularizations below the least that the reference tries

Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]
Numbers = NDArray[np.float64]
# From training rows, test rows and inner folds to predictions of the test rows, leaves, and whether all was proven.
Method = Callable[[pd.DataFrame, Numbers, pd.DataFrame, Splits, str], tuple[Numbers, int, bool]]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choosing", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--table", action="append", choices=NAMES, metavar="NAME", help="only this; may be repeated")
    parser.add_argument("--selection", choices=SELECTIONS, help="only this rule")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    options = parser.parse_args(arguments)
    wanted = [rule for rule in SELECTIONS if options.selection in (None, rule)]
    parts = {rule: partial(choosing, options.table or NAMES, rule) for rule in wanted}
    return run_parts("choosing", parts, options.output)


def choosing(names: Sequence[str], selection: str) -> Part:
    """All tables by one rule of selection."""
    rows = [row for name in names for row in _table(name, selection)]
    text = "\n\n".join([_table_text(rows), _note(selection), _closing(rows)])
    return Part(text, rows, _faults(rows))


def _table(name: str, selection: str) -> list[dict[str, Any]]:
    X, y = read_pandas(name)
    target = y.to_numpy(np.float64)
    predicted = {method: np.empty((REPEATS, len(y))) for method in METHODS}
    leaves: dict[str, list[int]] = {method: [] for method in METHODS}
    spent: dict[str, list[float]] = {method: [] for method in METHODS}
    proven = dict.fromkeys(METHODS, 0)
    for repeat in range(REPEATS):
        for train, test in KFold(OUTER, shuffle=True, random_state=repeat).split(X):
            inner = list(KFold(INNER, shuffle=True, random_state=repeat).split(train))
            for method, fit in METHODS.items():
                start = time.perf_counter()
                values, size, certain = fit(X.iloc[train], target[train], X.iloc[test], inner, selection)
                spent[method].append(time.perf_counter() - start)
                predicted[method][repeat, test] = values
                leaves[method].append(size)
                proven[method] += certain
        say(f"{name} {selection}: {repeat + 1} of {REPEATS}\n")
    return [
        {
            "table": name,
            "rows": len(y),
            "method": method,
            "r2": float(np.mean([r2_score(target, values) for values in predicted[method]])),
            "leaves": float(np.mean(leaves[method])),
            "seconds": float(np.mean(spent[method])),
            "proven": proven[method] / (REPEATS * OUTER),
        }
        for method in METHODS
    ]


# ---- the methods


def _ours(
    X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame, inner: Splits, selection: str
) -> tuple[Numbers, int, bool]:
    model = OptimalTreeRegressorCV(
        min_regularization=LEAST_REGULARIZATION,
        max_depth=DEPTH,
        min_samples_leaf=LEAF_ROWS,
        cv=inner,
        selection=selection,
        time_limit=PATH_SECONDS,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model.fit(X, y)
    return model.predict(X_test), model.n_leaves_, model.regularizations_[-1, 0] == LEAST_REGULARIZATION


def _pruned(
    X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame, inner: Splits, selection: str, least: float
) -> tuple[Numbers, int, bool]:
    """CART pruned at the regularization that the folds choose, a share of the variance as ours."""
    folds = [_pruned_fold(*_encoded(X, y, train, test), least) for train, test in inner]
    curve = add_up_folds(folds)
    regularization = geometric_mean(*curve.intervals[select(curve.mean, curve.standard_error, selection)])
    columns = cart_columns().fit(X)
    tree = _cart(ccp_alpha=regularization * np.var(y)).fit(columns.transform(X), y)
    return tree.predict(columns.transform(X_test)), int(tree.get_n_leaves()), True


def _pruned_fold(Z: Numbers, y: Numbers, Z_test: Numbers, y_test: Numbers, least: float) -> Fold:
    variance = np.var(y)
    alphas = np.unique(_cart().cost_complexity_pruning_path(Z, y).ccp_alphas.clip(0) / variance)[::-1]
    alphas = alphas[alphas > least]
    cheap = alphas[alphas < LEAST_REGULARIZATION]
    if len(cheap) > CHEAP:  # one more or less does not matter down there, and time does
        alphas = np.concatenate([alphas[alphas >= LEAST_REGULARIZATION], cheap[:: -(-len(cheap) // CHEAP)]])
    ends = [np.inf, *alphas, least]
    trees = [_cart(ccp_alpha=geometric_mean(low, high) * variance).fit(Z, y) for high, low in pairwise(ends)]
    losses = np.array([np.mean((y_test - tree.predict(Z_test)) ** 2) for tree in trees])
    return Fold(alphas, losses, np.array([tree.get_n_leaves() for tree in trees]), least, len(y_test))


def _of_depth(
    X: pd.DataFrame, y: Numbers, X_test: pd.DataFrame, inner: Splits, selection: str
) -> tuple[Numbers, int, bool]:
    """CART of the depth that the folds choose."""
    depths = range(1, DEPTH + 1)
    parts = [_encoded(X, y, train, test) for train, test in inner]
    losses = np.array(
        [
            [np.mean((b - _cart(max_depth=depth).fit(Z, a).predict(Z_test)) ** 2) for Z, a, Z_test, b in parts]
            for depth in depths
        ]
    )
    weight = np.array([len(test) for _, test in inner], dtype=np.float64)
    depth = depths[select(*mean_and_error(losses, weight), selection)]
    columns = cart_columns().fit(X)
    tree = _cart(max_depth=depth).fit(columns.transform(X), y)
    return tree.predict(columns.transform(X_test)), int(tree.get_n_leaves()), True


def _encoded(
    X: pd.DataFrame, y: Numbers, train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    columns = cart_columns().fit(X.iloc[train])
    return columns.transform(X.iloc[train]), y[train], columns.transform(X.iloc[test]), y[test]


def _cart(**parameters: Any) -> DecisionTreeRegressor:
    return DecisionTreeRegressor(min_samples_leaf=LEAF_ROWS, random_state=0, **parameters)


OURS, PRUNED, DEEP, FREE = "optimal", "CART, pruned", "CART, by depth", "CART, pruned, any size"
METHODS: dict[str, Method] = {
    OURS: _ours,
    PRUNED: partial(_pruned, least=LEAST_REGULARIZATION),
    DEEP: _of_depth,
    FREE: partial(_pruned, least=0.0),
}


# ---- the report


def _table_text(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(row["table"] for row in rows))
    of = {(row["table"], row["method"]): row for row in rows}
    lines = [[name, f"{of[name, OURS]['rows']:,}", *(_cell(of[name, method]) for method in METHODS)] for name in names]
    return markdown(["table", "rows", *METHODS], lines)


def _cell(row: dict[str, Any]) -> str:
    mark = "" if row["proven"] == 1 else "*"
    return f"{row['r2']:.3f}, {row['leaves']:.1f} leaves{mark}, {seconds(row['seconds'])} s"


def _note(selection: str) -> str:
    rule = "the smallest mean loss" if selection == "min" else "the smallest trees within one standard error"
    return (
        f"R², leaves and time of {OUTER} outer folds repeated {REPEATS} times: R² of all outer test rows of a repeat "
        f"together, the mean of the repeats; leaves and seconds are means over the {OUTER * REPEATS} fits, tuning "
        f"included, one thread. The size is chosen by {INNER} inner folds, the same for all: {rule}. All but the last "
        f"have a regularization of at least {LEAST_REGULARIZATION:g} of the variance or a depth of at most {DEPTH}; "
        f"ours has both, and {PATH_SECONDS:g} s for a path (* where that ended some of them early). No leaf has fewer "
        f"than {LEAF_ROWS} rows. CART sees all thresholds, and text one-hot; ours the default conditions."
    )


def _means(rows: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    return {
        method: (
            float(np.mean([row["r2"] for row in rows if row["method"] == method])),
            float(np.mean([row["leaves"] for row in rows if row["method"] == method])),
        )
        for method in METHODS
    }


def _closing(rows: list[dict[str, Any]]) -> str:
    means = _means(rows)
    return (
        "Overall: " + "; ".join(f"{m} R² {r2:.3f} with {leaves:.1f} leaves" for m, (r2, leaves) in means.items()) + "."
    )


def _faults(rows: list[dict[str, Any]]) -> list[str]:
    """What is not as it should be, once all tables are there: one table alone proves nothing."""
    if {row["table"] for row in rows} != set(NAMES):
        return []
    means = _means(rows)
    ours = means[OURS]
    faults = [f"{m} has fewer leaves" for m in (PRUNED, DEEP) if means[m][1] <= ours[1]]
    return faults + [f"{m} has a better mean R²" for m in (PRUNED, DEEP) if means[m][0] > ours[0]]


if __name__ == "__main__":
    sys.exit(main())
