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

from benchmarks.data.cells import PROJECT_ROOT
from benchmarks.data.raw import read_pandas
from benchmarks.data.real import REAL
from benchmarks.data.real import read as read_real
from benchmarks.harness.machine import machine
from benchmarks.harness.parts import Part
from benchmarks.harness.record import Record
from benchmarks.harness.text import markdown, say
from benchmarks.solvers.quietly import quietly
from benchmarks.solvers.subset_cart import subset_cart_losses
from optitree import OptimalTreeRegressor

SIZES = (4, 8, 12)
SECONDS = 10.0
TOLERANCE = 1e-9
MANY_LEVELS, EVERY = 2_000, 20
# What a greedy tree with sets of levels reaches; that of diamonds and house-prices by three questions.
CLAIMS: tuple[tuple[str, list[str] | None, dict[str, Any], float], ...] = (
    ("kc-house", ["zipcode"], {"max_leaves": 8}, 0.399),
    ("diamonds", None, {"max_leaves": 8, "max_depth": 3}, 0.889),
    ("house-prices", None, {"max_leaves": 8, "max_depth": 3}, 0.7452),
)


def subsets(names: Sequence[str]) -> Part:
    """Our trees beside CART with a column for each level, and with sets of levels, on raw and on real tables.

    The rows of `subsets.jsonl` in the folder of results are kept: move it away to begin again.
    """
    record = Record.open(PROJECT_ROOT / "benchmarks" / "results" / "subsets.jsonl", {"machine": machine()}, fresh=False)
    done = {entry["table"] for entry in record.entries}
    for name in [*names, *REAL]:
        if name not in done:  # a stopped run goes on
            record.append({"table": name, "rows": list(_rows(name))})
    rows = [row for entry in record.entries if entry["table"] in {*names, *REAL} for row in entry["rows"]]
    claims = [_claim(*case) for case in CLAIMS]
    head = ["table", "leaves", "loss / root loss", "status", "one-hot", "sets", "at most both"]
    lines = [
        [
            row["table"], str(row["leaves"]), f"{row['loss']:.6f}", row["status"], f"{row['one_hot']:.6f}",
            f"{row['sets']:.6f}", "yes" if row["holds"] else "NO",
        ]
        for row in rows
    ]  # fmt: skip
    worse = [f"{row['table']} at {row['leaves']} leaves" for row in rows if not row["holds"]]
    closing = f"{len(rows)} comparisons, {SECONDS:g} s a search; every {EVERY}th row of household. " + (
        f"Worse than one of the two: {', '.join(worse)}." if worse else "None is worse than either."
    )
    figures = [[claim["what"], f"{claim['r2']:.4f}", f"{claim['least']:g}", claim["status"]] for claim in claims]
    known = markdown(["what", "R²", "at least", "status"], figures)
    faults = [f"{claim['what']}: R² {claim['r2']:.4f}" for claim in claims if claim["r2"] < claim["least"]]
    return Part("\n\n".join([markdown(head, lines), closing, known]), [*rows, *claims], faults)


def _claim(name: str, columns: list[str] | None, parameters: dict[str, Any], least: float) -> dict[str, Any]:
    say(f"{name}, {parameters}\n")
    X, y = read_real(name)
    if columns is not None:
        X = X[columns].astype(str)
    model = quietly(OptimalTreeRegressor(0, time_limit=6 * SECONDS, **parameters).fit, X, y)
    asked = ", ".join(f"{what}={value}" for what, value in parameters.items())
    what = f"{name}{'' if columns is None else ' by ' + ', '.join(columns) + ' as text'}, {asked}"
    return {"what": what, "r2": 1 - model.loss_ / model.root_loss_, "least": least, "status": model.status_}


def _rows(name: str) -> Iterator[dict[str, Any]]:
    say(f"{name} ")
    X, y = read_real(name) if name in REAL else read_pandas(name)
    if name == "household":  # two million rows and a column for each of 2,882 levels
        X, y = X.iloc[::EVERY], y.iloc[::EVERY]
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
    texts = make_column_selector(dtype_exclude=["number", "bool"])
    sparse = sum(X[column].nunique() for column in texts(X)) > MANY_LEVELS
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=sparse), texts), remainder="passthrough", sparse_threshold=float(sparse)
    )
    tree = DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0)
    return float(1 - r2_score(y, make_pipeline(encoder, tree).fit(X, y).predict(X)))
