"""Beyond the paper, on raw tables and five folds.

- `conditions`: test R² against leaves with the paper's four intervals, with the default conditions and with many.
- `choice`: the tree of the least validation loss, and the smallest within one standard error of it.
- `absolute`: absolute against squared error where targets are skewed.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from benchmarks.data.household import four_intervals
from benchmarks.data.raw import read_pandas
from benchmarks.harness.text import markdown, say
from benchmarks.solvers.quietly import quietly
from scipy.stats import skew
from sklearn.model_selection import KFold

from experiments.experiment import Bench, Experiment, Findings, Row, Settings
from experiments.figures import one_legend, panels, whole_numbers
from optitree import Binarizer, LimitWarning, OptimalTreeRegressor, OptimalTreeRegressorCV, regularization_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONDITIONS = ("airfoil", "airquality", "real-estate", "yacht", "enb-heat", "insurance")
SKEWED = ("insurance", "yacht", "airquality", "real-estate", "auction")
QUICK = ("airquality", "yacht")
FOLDS, SEED = 5, 0
DEPTH, LEAST, MOST_LEAVES = 4, 0.002, 12
RULES = {"min": "least loss", "one_standard_error": "one standard error"}
PRICES = (0.05, 0.02, 0.01, 0.005)

# Name, how it is drawn, and what makes it.
BINARIZERS: dict[str, Any] = {
    "four intervals": four_intervals,
    "default": Binarizer,
    "many": lambda: Binarizer("quantile", 20),
}
LOOKS: dict[str, dict[str, Any]] = {
    "four intervals": {"color": "#D55E00", "marker": "x", "linestyle": (0, (2, 1))},
    "default": {"color": "#000000", "marker": "^", "linestyle": "solid"},
    "many": {"color": "#0072B2", "marker": "o", "linestyle": (0, (6, 2)), "markerfacecolor": "none"},
}


@dataclass(frozen=True)
class BeyondCell:
    """A question, and a table to ask it of."""

    part: str
    dataset: str

    def __str__(self) -> str:
        return f"{self.part}, {self.dataset}"


def cells(settings: Settings) -> list[BeyondCell]:
    """All three questions."""
    parts = {"conditions": CONDITIONS, "choice": CONDITIONS, "absolute": SKEWED}
    return [BeyondCell(part, dataset) for part, mine in parts.items() for dataset in settings.chosen(mine, QUICK)]


def measure(cell: BeyondCell, bench: Bench) -> dict[str, Any]:
    """The answer of one part on one table: lists over folds."""
    X, y = read_pandas(cell.dataset)
    splits = list(KFold(FOLDS, shuffle=True, random_state=SEED).split(X))
    parts = {"conditions": _conditions, "choice": _choice, "absolute": _absolute}
    found = parts[cell.part](X, y.to_numpy(np.float64), splits, bench.settings.limit)
    say("done")
    return found


def _conditions(X: pd.DataFrame, y: Any, splits: Any, limit: float) -> dict[str, Any]:
    """For each kind of conditions and fold: leaves and test R² of every tree of the path."""
    found: dict[str, Any] = {}
    for name, make in BINARIZERS.items():
        folds = []
        for train, test in splits:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LimitWarning)
                path = regularization_path(
                    X.iloc[train], y[train], min_regularization=LEAST, max_depth=DEPTH, max_leaves=MOST_LEAVES,
                    binarizer=make(), time_limit=limit,
                )  # fmt: skip
            folds.append([(model.n_leaves_, round(model.score(X.iloc[test], y[test]), 5)) for model in path])
        found[name] = folds
    return found


def _choice(X: pd.DataFrame, y: Any, splits: Any, limit: float) -> dict[str, Any]:
    """Leaves and test R² of the tree that each rule chooses, fold by fold."""
    found: dict[str, Any] = {rule: [] for rule in RULES}
    for train, test in splits:
        for rule, runs in found.items():
            model = OptimalTreeRegressorCV(
                min_regularization=LEAST, max_depth=DEPTH, selection=rule, cv=FOLDS, time_limit=limit
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LimitWarning)
                model.fit(X.iloc[train], y[train])
            runs.append((model.n_leaves_, round(model.score(X.iloc[test], y[test]), 5)))
    return found


def _absolute(X: pd.DataFrame, y: Any, splits: Any, limit: float) -> dict[str, Any]:
    """Leaves, test mean absolute error and root mean squared error under each loss, a list for each price of a leaf."""
    spread = float(np.mean(np.abs(y - np.median(y)))), float(np.std(y))
    found: dict[str, Any] = {"skewness": float(skew(y))}
    for loss in ("squared_error", "absolute_error"):
        found[loss] = []
        for price in PRICES:
            runs = []
            for train, test in splits:
                model = OptimalTreeRegressor(price, max_depth=DEPTH, loss=loss, time_limit=limit)
                quietly(model.fit, X.iloc[train], y[train])
                missed = model.predict(X.iloc[test]) - y[test]
                errors = float(np.mean(np.abs(missed))) / spread[0], float(np.sqrt(np.mean(missed**2))) / spread[1]
                runs.append((model.n_leaves_, *(round(error, 5) for error in errors)))
            found[loss].append(runs)
    return found


def curve(folds: Sequence[Sequence[Sequence[float]]]) -> list[tuple[int, float]]:
    """The mean over folds of the test R² of the largest tree with at most so many leaves."""
    most = max(int(tree[0]) for fold in folds for tree in fold)
    return [
        (size, mean(max(tuple(tree) for tree in fold if tree[0] <= size)[1] for fold in folds))
        for size in range(2, most + 1)
    ]


def table(rows: Sequence[Row]) -> Findings:
    """A table for each part."""
    writers = {"conditions": _conditions_text, "choice": _choice_text, "absolute": _absolute_text}
    parts = {part: [row for row in rows if row["cell"]["part"] == part] for part in writers}
    return Findings("\n\n".join(write(parts[part]) for part, write in writers.items() if parts[part]))


def _conditions_text(rows: Sequence[Row]) -> str:
    sizes = (3, 5, 8, MOST_LEAVES)
    head = ["table", "conditions", *(f"{size} leaves" for size in sizes)]
    lines = []
    for row in rows:
        for name in BINARIZERS:
            known = dict(curve(row[name]))
            last = max(known)
            lines.append([row["cell"]["dataset"], name, *(f"{known[min(size, last)]:.3f}" for size in sizes)])
    note = f"Test R², the mean of {FOLDS} folds, of trees with at most so many leaves; depth at most {DEPTH}."
    return f"### Conditions\n\n{markdown(head, lines)}\n\n{note}"


def _choice_text(rows: Sequence[Row]) -> str:
    head = ["table", "least loss: leaves", "R²", "one standard error: leaves", "R²"]
    lines = []
    for row in rows:
        values = [(mean(run[0] for run in row[rule]), mean(run[1] for run in row[rule])) for rule in RULES]
        cells = [text for leaves, r2 in values for text in (f"{leaves:.1f}", f"{r2:.3f}")]
        lines.append([row["cell"]["dataset"], *cells])
    note = f"Default conditions, {FOLDS} inner folds choose, R² on the rows of {FOLDS} outer folds that no tree saw."
    return f"### The path and the choice\n\n{markdown(head, lines)}\n\n{note}"


def _absolute_text(rows: Sequence[Row]) -> str:
    head = ["table", "skewness", "λ", "squared: leaves", "absolute error", "rms error", "absolute: leaves"]
    head += ["absolute error", "rms error"]
    lines = []
    for row in rows:
        for number, price in enumerate(PRICES):
            line = [row["cell"]["dataset"], f"{row['skewness']:.1f}", f"{price:g}"]
            for loss in ("squared_error", "absolute_error"):
                runs = row[loss][number]
                line += [f"{mean(run[0] for run in runs):.1f}", *(f"{mean(r[k] for r in runs):.3f}" for k in (1, 2))]
            lines.append(line)
    note = "Test errors as shares of those of a constant: the median, the mean."
    return f"### Absolute error\n\n{markdown(head, lines)}\n\n{note}"


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """Test R² against leaves; what the two rules choose; the errors under the two losses."""
    parts = {part: [row for row in rows if row["cell"]["part"] == part] for part in ("conditions", "absolute")}
    choices = {row["cell"]["dataset"]: row for row in rows if row["cell"]["part"] == "choice"}
    if parts["conditions"]:
        figure, axes = panels(len(parts["conditions"]), 2, width=4.4)
        for ax, row in zip(axes, parts["conditions"], strict=True):
            _draw_conditions(ax, row, choices.get(row["cell"]["dataset"]))
        one_legend(figure, 3)
        yield "beyond-conditions", figure
    if parts["absolute"]:
        figure, axes = panels(len(parts["absolute"]), 2, width=4.4)
        for ax, row in zip(axes, parts["absolute"], strict=True):
            _draw_absolute(ax, row)
        one_legend(figure, 2)
        yield "beyond-absolute", figure


def _draw_conditions(ax: Axes, row: Row, choice: Row | None) -> None:
    for name, look in LOOKS.items():
        label = name if name == "four intervals" else f"{name} conditions"
        ax.plot(*zip(*curve(row[name]), strict=True), label=label, markersize=4, linewidth=1.3, **look)
    for (rule, label), marker in zip(RULES.items(), ("D", "*"), strict=True):
        if choice:
            at = mean(run[0] for run in choice[rule]), mean(run[1] for run in choice[rule])
            style: dict[str, Any] = {"color": "#CC79A7", "markeredgecolor": "black", "linestyle": "none"}
            ax.plot(*at, marker=marker, markersize=9, label=f"chosen: {label}", **style)
    ax.set_title(row["cell"]["dataset"], fontsize=10)
    ax.set_xlabel("leaves", fontsize=9)
    ax.set_ylabel("test R²", fontsize=9)
    whole_numbers(ax)


def _draw_absolute(ax: Axes, row: Row) -> None:
    looks = (("squared_error", "#D55E00", "s"), ("absolute_error", "#000000", "^"))
    for loss, colour, marker in looks:
        for place, name, line in ((1, "mean absolute error", "solid"), (2, "root mean squared error", (0, (3, 2)))):
            points = sorted((mean(r[0] for r in runs), mean(r[place] for r in runs)) for runs in row[loss])
            ax.plot(
                *zip(*points, strict=True), color=colour, marker=marker, linestyle=line, markersize=4,
                markerfacecolor=colour if place == 1 else "none", label=f"fitted for {loss.replace('_', ' ')}: {name}",
            )  # fmt: skip
    ax.set_title(f"{row['cell']['dataset']} (skewness {row['skewness']:.1f})", fontsize=10)
    ax.set_xlabel("leaves", fontsize=9)
    ax.set_ylabel("test error, share of a constant's", fontsize=9)


EXPERIMENT = Experiment(
    name="beyond",
    title="Beyond the paper",
    claim="Not in the paper: how conditions, the choice of the size and the loss matter on rows that were not seen.",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
    limit=10.0,
)
