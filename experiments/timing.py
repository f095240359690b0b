"""Time against sparsity: whole fits of every live method in one run, and the published times of another machine.

A method goes down the regularizations until one takes too long; smaller ones would take longer.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.data.cells import Cell, load
from benchmarks.harness.beside import timed
from benchmarks.harness.text import factor, markdown, say, seconds
from sklearn.tree import DecisionTreeRegressor

from experiments import published
from experiments.experiment import AtDepth, Bench, Experiment, Findings, Row, Settings
from experiments.figures import LOOKS, OURS, one_legend, panels, whole_numbers, with_range

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATASETS = ("airfoil", "real-estate", "servo", "sync", "yacht", "insurance")
QUICK_DATASETS = ("servo", "sync")
QUICK_DEPTHS = (2, 5)
# The list on which enb and insurance were published: half as many as the paper's twenty, and as far down.
REGULARIZATIONS = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)
MOST_LEAVES = 30
REPEAT = 2
EXACT = {OURS: "optitree", "osrt": "osrt", "streed": "streed"}
PUBLISHED = ("osrt", "iai", "evtree", "guide", "cart")


def cells(settings: Settings) -> list[AtDepth]:
    """The paper's six datasets, at every depth limit."""
    depths = QUICK_DEPTHS if settings.quick else published.DEPTHS
    chosen = settings.chosen(DATASETS, QUICK_DATASETS)
    return [AtDepth(dataset, depth) for dataset in chosen for depth in depths]


def measure(cell: AtDepth, bench: Bench) -> dict[str, Any]:
    """Regularization, leaves, seconds and status of every run."""
    found: dict[str, Any] = {method: _exact(cell, bench, method) for method in EXACT}
    found["cart"] = _cart(cell)
    say(", ".join(f"{method} {sum(run[-1] == 'solved' for run in runs)}" for method, runs in found.items()))
    return found


def _exact(cell: AtDepth, bench: Bench, method: str) -> list[list[Any]]:
    limit = bench.settings.limit if method == OURS else bench.settings.peer_limit
    runs = []
    for regularization in REGULARIZATIONS:
        problem = Cell(cell.dataset, regularization, cell.max_depth)
        answer = timed(bench.worker(EXACT[method]), problem, limit, REPEAT)
        runs.append([regularization, answer.leaves, round(answer.seconds, 6), answer.status])
        if answer.status != "solved":
            break
    return runs


def _cart(cell: AtDepth) -> list[list[Any]]:
    table = load(cell.dataset)
    runs = []
    for size in (2, 4, 8, 16, MOST_LEAVES):
        if size <= 2**cell.max_depth:
            tree = DecisionTreeRegressor(max_depth=cell.max_depth, max_leaf_nodes=size, random_state=0)
            taken = math.inf
            for _ in range(REPEAT):
                start = time.perf_counter()
                tree.fit(table.X, table.y)
                taken = min(taken, time.perf_counter() - start)
            runs.append([None, int(tree.get_n_leaves()), round(taken, 6), "solved"])
    return runs


def solved(row: Row, method: str) -> dict[float, float]:
    """Seconds by regularization."""
    return {run[0]: run[2] for run in row[method] if run[3] == "solved"}


def table(rows: Sequence[Row]) -> Findings:
    """How many runs each exact solver finishes, and how many times our time it takes where both do."""
    head = ["dataset", "runs", "ours solves", "slowest, s"]
    for method in ("osrt", "streed"):
        name = LOOKS[method].label.removesuffix(" (run here)")
        head += [f"{name} solves", f"{name} / ours, median", "least", "most"]
    lines = []
    names = list(dict.fromkeys(row["cell"]["dataset"] for row in rows))
    for label, mine in [*((n, [r for r in rows if r["cell"]["dataset"] == n]) for n in names), ("all", list(rows))]:
        ours = [value for row in mine for value in solved(row, OURS).values()]
        line = [label, str(len(mine) * len(REGULARIZATIONS)), str(len(ours)), seconds(max(ours, default=0.0))]
        for method in ("osrt", "streed"):
            ratios = [
                value / solved(row, OURS)[price]
                for row in mine
                for price, value in solved(row, method).items()
                if price in solved(row, OURS)
            ]
            line += [str(sum(len(solved(row, method)) for row in mine))]
            line += [factor(value) for value in (median(ratios), min(ratios), max(ratios))] if ratios else ["-"] * 3
        lines.append(line)
    note = (
        f"Whole fits, one thread, the best of {REPEAT}; {len(REGULARIZATIONS)} regularizations a depth limit. Ratios "
        "are of runs that both solved. A solver that ran out of time is not asked for smaller regularizations at that "
        "depth."
    )
    return Findings(f"{markdown(head, lines)}\n\n{note}\n\n{_published(rows)}")


def _published(rows: Sequence[Row]) -> str:
    """The published medians, which say how the methods stood on one machine."""
    head = ["published, another machine", "runs", "median, s", "slowest, s"]
    lines = []
    for method in PUBLISHED:
        runs = [t for row in rows for _, t in published.times(row["cell"]["dataset"], method, row["cell"]["max_depth"])]
        if runs:
            label = LOOKS[f"{method} published"].label
            lines.append([label, str(len(runs)), seconds(median(runs)), seconds(max(runs))])
    return markdown(head, lines)


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """One figure a dataset, one panel a depth limit: the median time of the trees of each size, and the range."""
    for dataset in dict.fromkeys(row["cell"]["dataset"] for row in rows):
        mine = [row for row in rows if row["cell"]["dataset"] == dataset]
        figure, axes = panels(len(mine), 2, width=4.4, height=2.5)
        for ax, row in zip(axes, mine, strict=True):
            depth = row["cell"]["max_depth"]
            runs = {f"{m} published": published.times(dataset, m, depth) for m in reversed(PUBLISHED) if m != "cart"}
            runs |= {m: [(run[1], run[2]) for run in row[m] if run[3] == "solved"] for m in ("cart", *EXACT)}
            for method, points in runs.items():
                with_range(ax, LOOKS[method], _by_size(points))
            ax.set_yscale("log")
            ax.set_title(f"{dataset}, depth limit {depth}", fontsize=10)
            ax.set_xlabel("leaves", fontsize=9)
            ax.set_ylabel("seconds", fontsize=9)
            whole_numbers(ax)
        one_legend(figure, 4)
        yield f"time-{dataset}", figure


def _by_size(runs: Sequence[tuple[int, float]]) -> list[tuple[float, ...]]:
    sizes = defaultdict(list)
    for leaves, taken in runs:
        if 1 < leaves <= MOST_LEAVES:
            sizes[leaves].append(taken)
    return [(size, median(some), size, size, min(some), max(some)) for size, some in sizes.items()]


EXPERIMENT = Experiment(
    name="time",
    title="Time against sparsity",
    claim="OSRT is much faster than evtree and only slightly slower than IAI, which proves nothing.",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
    limit=10.0,
    peer_limit=3.0,
    timed=True,
)
