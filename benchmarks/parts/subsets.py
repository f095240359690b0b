"""Trees of 4, 8 and 12 leaves against greedy ones, with one-hot levels and with sets of levels: the part `subsets`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.metrics import r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from benchmarks.data.raw import read_pandas
from benchmarks.data.real import REAL
from benchmarks.data.real import read as read_real
from benchmarks.harness.parts import Part
from benchmarks.harness.text import markdown, say
from benchmarks.solvers.quietly import quietly
from benchmarks.solvers.subset_cart import subset_cart_losses
from optitree import OptimalTreeRegressor

SIZES = (4, 8, 12)
SECONDS = 10.0
TOLERANCE = 1e-9


def subsets(names: Sequence[str]) -> Part:
    """Our trees beside CART with a column for each level, and with sets of levels, on raw and on real tables."""
    rows = [row for name in [*names, *REAL] for row in _rows(name)]
    head = ["table", "leaves", "loss / root loss", "status", "one-hot", "sets", "at most both"]
    lines = [
        [
            row["table"], str(row["leaves"]), f"{row['loss']:.6f}", row["status"], f"{row['one_hot']:.6f}",
            f"{row['sets']:.6f}", "yes" if row["holds"] else "NO",
        ]
        for row in rows
    ]  # fmt: skip
    worse = [f"{row['table']} at {row['leaves']} leaves" for row in rows if not row["holds"]]
    closing = f"{len(rows)} comparisons, {SECONDS:g} s a search. " + (
        f"Worse than one of the two: {', '.join(worse)}." if worse else "None is worse than either."
    )
    return Part("\n\n".join([markdown(head, lines), closing]), rows, [])


def _rows(name: str) -> Iterator[dict[str, Any]]:
    say(f"{name} ")
    X, y = read_real(name) if name in REAL else read_pandas(name)
    sets = subset_cart_losses(X, y, max(SIZES))
    for leaves in SIZES:
        model = quietly(OptimalTreeRegressor(0, max_leaves=leaves, time_limit=SECONDS).fit, X, y)
        loss, one_hot, by_sets = (
            model.loss_ / model.root_loss_,
            _one_hot(X, y, leaves),
            sets[min(leaves, len(sets)) - 1],
        )
        yield {
            "table": name,
            "leaves": leaves,
            "loss": loss,
            "status": model.status_,
            "one_hot": one_hot,
            "sets": by_sets,
            "holds": loss <= min(one_hot, by_sets) + TOLERANCE,
        }
    say("\n")


def _one_hot(X: pd.DataFrame, y: pd.Series, leaves: int) -> float:
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=False), make_column_selector(dtype_exclude=["number", "bool"])),
        remainder="passthrough",
    )
    tree = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
    return float(1 - r2_score(y, make_pipeline(encoder, tree).fit(X, y).predict(X)))
