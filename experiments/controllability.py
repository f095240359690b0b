"""Controllability: what ten seeds do to a method's trees when nothing else changes.

Ours has no seed: for each one the rows and the columns come in another order. CART is pruned at the same price per
leaf: as it comes, where a seed breaks ties, and choosing each split among some columns drawn at random, as randomised
searches do. IAI, evtree and OSRT are as published.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.data.cells import BinaryTable, load
from benchmarks.harness.text import markdown, say
from benchmarks.solvers.quietly import quietly
from sklearn.tree import DecisionTreeRegressor

from experiments import published
from experiments.experiment import AtDepth, Bench, Experiment, Findings, Row, Settings
from experiments.figures import LOOKS, OURS, Look, one_legend, panels, whole_numbers, with_range
from optitree import OptimalTreeRegressor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATASETS = ("real-estate", "servo")
DEPTHS = (4, 5, 6, 7, 8, 9)
REGULARIZATIONS = (0.05, 0.01, 0.005, 0.001, 0.0005)
SEEDS = range(1, 11)
SAME = 1e-9  # of the root loss
METHODS = (OURS, "cart", "random", "osrt published", "iai published", "evtree published")
LOOKS_HERE = {**LOOKS, "random": Look("CART, random columns (run here)", "#7F7F7F", "*", hollow=True)}

Tree = tuple[int, float]  # leaves, loss as a share of the root loss


def cells(settings: Settings) -> list[AtDepth]:
    """Two datasets, depth limits 4 to 9."""
    depths = DEPTHS[:3] if settings.quick else DEPTHS
    return [AtDepth(dataset, depth) for dataset in settings.chosen(DATASETS, DATASETS) for depth in depths]


def measure(cell: AtDepth, bench: Bench) -> dict[str, Any]:
    """The trees of ten seeds at each regularization."""
    table = load(cell.dataset)
    trees: dict[str, dict[str, list[Tree]]] = {OURS: {}, "cart": {}, "random": {}}
    for regularization in REGULARIZATIONS:
        price = f"{regularization:g}"
        trees[OURS][price] = [
            _ours(table, seed, cell.max_depth, regularization, bench.settings.limit) for seed in SEEDS
        ]
        for name, columns in (("cart", None), ("random", "sqrt")):
            trees[name][price] = [_cart(table, seed, cell.max_depth, regularization, columns) for seed in SEEDS]
    say(f"ours: at most {max(len(set(some)) for some in trees[OURS].values())} tree a regularization")
    return {"root_loss": float(table.y.var()), "trees": trees}


def _ours(table: BinaryTable, seed: int, depth: int, regularization: float, limit: float) -> Tree:
    random = np.random.default_rng(seed)
    rows, columns = random.permutation(len(table.y)), random.permutation(table.X.shape[1])
    model = OptimalTreeRegressor(regularization, max_depth=depth, time_limit=limit)
    quietly(model.fit, table.X[np.ix_(rows, columns)], table.y[rows])
    return model.n_leaves_, round(model.loss_ / model.root_loss_, 9)


def _cart(table: BinaryTable, seed: int, depth: int, regularization: float, columns: str | None) -> Tree:
    pruned = regularization * table.y.var()
    tree = DecisionTreeRegressor(max_depth=depth, ccp_alpha=pruned, max_features=columns, random_state=seed)
    predicted = tree.fit(table.X, table.y).predict(table.X)
    return int(tree.get_n_leaves()), round(float(np.mean((table.y - predicted) ** 2) / table.y.var()), 9)


def by_method(row: Row) -> dict[str, list[list[Tree]]]:
    """For each method the trees of its seeds, a list for each regularization."""
    cell = AtDepth(**row["cell"])
    found = {
        name: [[(int(a), float(b)) for a, b in some] for some in each.values()] for name, each in row["trees"].items()
    }
    for method in ("osrt", "iai", "evtree"):
        runs = published.seeds(cell.dataset, method, cell.max_depth).values()
        found[f"{method} published"] = [[(r.leaves, r.loss / row["root_loss"]) for r in some] for some in runs if some]
    return found


def table(rows: Sequence[Row]) -> Findings:
    """How many configurations a seed changes, and by how much."""
    groups: dict[tuple[str, str], list[list[Tree]]] = defaultdict(list)
    for row in rows:
        for method, lists in by_method(row).items():
            groups[row["cell"]["dataset"], method] += lists
    lines, faults = [], []
    for (dataset, method), lists in groups.items():
        leaves = [max(a for a, _ in some) - min(a for a, _ in some) for some in lists]
        losses = [max(b for _, b in some) - min(b for _, b in some) for some in lists]
        moved = sum(a > 0 or b > SAME for a, b in zip(leaves, losses, strict=True))
        line = [f"{moved} of {len(lists)}", str(max(leaves, default=0)), f"{100 * max(losses, default=0.0):.2f} %"]
        lines.append([dataset, LOOKS_HERE[method].label, *line])
        if method == OURS and moved:
            faults.append(f"{dataset}: another order of rows and columns gave us another tree {moved} times")
    head = ["dataset", "method", "configurations that a seed changes", "most leaves apart", "most loss apart"]
    note = (
        "A configuration is a depth limit and a regularization, with ten seeds each; loss as a share of the root loss. "
        "Ours has no seed: rows and columns come in ten orders."
    )
    closing = "Ours moves." if faults else "Ours does not move."
    return Findings(f"{markdown(head, lines)}\n\n{note} {closing}", faults)


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """One figure a dataset, one panel a depth: medians, and ranges of leaves and losses as lines, as in the paper."""
    for dataset in dict.fromkeys(row["cell"]["dataset"] for row in rows):
        mine = [row for row in rows if row["cell"]["dataset"] == dataset]
        figure, axes = panels(len(mine), 2, width=4.4)
        for ax, row in zip(axes, mine, strict=True):
            trees = by_method(row)
            for method in reversed(METHODS):
                with_range(ax, LOOKS_HERE[method], [_spread(some) for some in trees[method]])
            ax.set_title(f"{dataset}, depth limit {row['cell']['max_depth']}", fontsize=10)
            ax.set_xlabel("leaves", fontsize=9)
            ax.set_ylabel("training loss, % of root loss", fontsize=9)
            whole_numbers(ax)
        one_legend(figure, 3)
        yield f"controllability-{dataset}", figure


def _spread(trees: Sequence[Tree]) -> tuple[float, ...]:
    leaves, losses = [a for a, _ in trees], [100 * b for _, b in trees]
    return median(leaves), median(losses), min(leaves), max(leaves), min(losses), max(losses)


EXPERIMENT = Experiment(
    name="controllability",
    title="Controllability",
    claim="Trees of IAI and evtree depend on the seed, in size and loss; OSRT's do not.",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
)
