"""Mixed-integer baselines: ORT and DTIP under HiGHS beside ours, on the smallest tables and on parts of them.

The paper names both as systems that guarantee an optimum and that nobody can run. They are written here from their
formulations (`experiments.mip.ort`, `experiments.mip.dtip`). Every cell is also solved by trying every tree
(`experiments.mip.exhaustive`), so that a disagreement is settled where it shows.

Seconds are those in HiGHS, without the time to build its program, and those of a whole `fit` of ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.data.cells import Bits, Targets, load
from benchmarks.harness.text import factor, markdown, say, seconds
from benchmarks.solvers.alone import warm_up

from experiments.baselines_figure import draw
from experiments.experiment import Bench, Experiment, Findings, Row, Settings
from experiments.mip.dtip import solve_dtip
from experiments.mip.exhaustive import least_objective
from experiments.mip.found import EQUAL, Found
from experiments.mip.ort import solve_ort
from experiments.mip.sample import Loss, sample
from optitree import OptimalTreeRegressor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENOUGH = 8  # instances of a formulation on which HiGHS and ours are to agree, of at least twice as many
REPEAT = 3  # fits of ours, of which the fastest counts: they take milliseconds

# The name of a formulation, its loss and its regularization. DTIP has no penalty for leaves.
FORMULATIONS: dict[str, tuple[Loss, float]] = {
    "ORT": ("squared_error", 0.01),
    "ORT, absolute error": ("absolute_error", 0.01),
    "DTIP": ("absolute_error", 0.0),
}

# Tables and how many rows and columns of them, spread evenly; None: all.
Part = tuple[str, int | None, int | None]
PARTS: tuple[Part, ...] = (("airquality", 30, 8), ("servo", 30, 8), ("sync", 40, 6), ("yacht", 40, 8))
WHOLE: tuple[Part, ...] = tuple((name, None, None) for name in ("airquality", "sync", "servo", "real-estate", "yacht"))
DEPTHS = (1, 2, 3)


@dataclass(frozen=True)
class Instance:
    """One program: a formulation, a table or a part of it, a depth."""

    formulation: str
    dataset: str
    rows: int | None
    columns: int | None
    max_depth: int

    @property
    def table(self) -> str:
        return self.dataset if self.rows is None else f"{self.dataset} {self.rows} x {self.columns}"

    def __str__(self) -> str:
        return f"{self.formulation} {self.table} depth {self.max_depth}"


def cells(settings: Settings) -> list[Instance]:
    """Parts of tables first, shallow trees first. ORT with absolute error, which its paper does not run, on parts."""
    quick = [Instance(name, *part, depth) for depth, part, name in product((1, 2), PARTS, ("ORT", "DTIP"))]
    parts = [Instance(name, *part, depth) for depth, part, name in product(DEPTHS, PARTS, FORMULATIONS)]
    whole = [Instance(name, *part, depth) for depth, part, name in product(DEPTHS, WHOLE, ("ORT", "DTIP"))]
    chosen = settings.chosen([name for name, *_ in WHOLE], [name for name, *_ in PARTS])
    return [cell for cell in (quick if settings.quick else [*parts, *whole]) if cell.dataset in chosen]


def rows_and_target(cell: Instance) -> tuple[Bits, Targets]:
    """The table of a cell: every so manieth row and column of its dataset, so that all its intervals occur."""
    data = load(cell.dataset)
    down, across = (
        slice(None) if wanted is None else np.unique(np.arange(wanted) * there // wanted)
        for there, wanted in zip(data.X.shape, (cell.rows, cell.columns), strict=True)
    )
    return data.X[down][:, across], data.y[down]


def measure(cell: Instance, bench: Bench) -> dict[str, Any]:
    """Solve it with ours, with HiGHS, and by trying every tree."""
    loss, regularization = FORMULATIONS[cell.formulation]
    X, y = rows_and_target(cell)
    ours = _ours(cell, X, y, bench.settings.limit)
    data = sample(X, y, loss)
    if cell.formulation == "DTIP":
        found = solve_dtip(data, cell.max_depth, bench.settings.peer_limit)
    else:
        found = solve_ort(data, cell.max_depth, regularization, bench.settings.peer_limit)
    say(f"ours {seconds(ours['seconds'])} s, HiGHS {found.status} {seconds(found.seconds)} s")
    return {
        "groups": len(data.features),
        "conditions": data.features.shape[1],
        "ours": ours,
        "highs": _kept(found),
        "every_tree": least_objective(data, cell.max_depth, regularization),
    }


def _ours(cell: Instance, X: Bits, y: Targets, limit: float) -> dict[str, Any]:
    loss, regularization = FORMULATIONS[cell.formulation]
    warm_up()
    model = OptimalTreeRegressor(regularization, max_depth=cell.max_depth, loss=loss, time_limit=limit)
    spent = []
    for _ in range(REPEAT):
        start = time.perf_counter()
        model.fit(X.astype(bool), y)
        spent.append(time.perf_counter() - start)
    return {
        "status": model.status_,
        "seconds": round(min(spent), 6),
        "objective": model.objective_,
        "leaves": model.n_leaves_,
    }


def _kept(found: Found) -> dict[str, Any]:
    kept = {**asdict(found), "gap": found.gap, "seconds": round(found.seconds, 6)}
    return {**kept, "splits": None if found.splits is None else {str(t): int(j) for t, j in found.splits.items()}}


def agreed(row: Row) -> bool:
    """Both have an optimum, and it is the same."""
    both = row["highs"]["status"] == row["ours"]["status"] == "optimal"
    return both and bool(abs(row["highs"]["objective"] - row["ours"]["objective"]) <= EQUAL)


def verdict(row: Row) -> str:
    """How HiGHS's answer stands to ours."""
    ours, highs = row["ours"], row["highs"]
    if agreed(row):
        return "same optimum"
    if highs["objective"] is None:
        return "no tree in its time"
    more = highs["objective"] - ours["objective"]
    if highs["status"] == "optimal" or more < -EQUAL:
        right = min((ours, highs), key=lambda each: abs(each["objective"] - row["every_tree"]))
        return f"DISAGREE; every tree tried: {'ours' if right is ours else 'HiGHS'} is right"
    return "same tree or as good, not proven" if more <= EQUAL else f"tree worse by {more:.4f}"


def faults_of(row: Row) -> list[str]:
    """What cannot be: an optimum, or a bound, that some tree refutes."""
    cell, least = Instance(**row["cell"]), row["every_tree"]
    ours, highs = row["ours"], row["highs"]
    wrong = []
    if ours["status"] != "optimal" or abs(ours["objective"] - least) > EQUAL:
        wrong.append(f"ours is {ours['status']} at {ours['objective']}")
    if highs["status"] == "optimal" and abs(highs["objective"] - least) > EQUAL:
        wrong.append(f"HiGHS is optimal at {highs['objective']}")
    if highs["lower_bound"] > least + EQUAL:
        wrong.append(f"HiGHS has the lower bound {highs['lower_bound']}")
    return [f"{cell}: {what}, the best of all trees has {least}" for what in wrong]


def table(rows: Sequence[Row]) -> Findings:
    """A line for each instance, and on how many the two agree."""
    head = ["formulation", "table", "groups x conditions", "depth", "ours", "HiGHS", "HiGHS's gap", "every tree"]
    rows = sorted(rows, key=_place)
    lines = [_line(row) for row in rows]
    faults = [fault for row in rows for fault in faults_of(row)]
    closing = []
    for name in dict.fromkeys(row["cell"]["formulation"] for row in rows):
        mine = [row for row in rows if row["cell"]["formulation"] == name]
        same = [row for row in mine if agreed(row)]
        ratios = sorted(row["highs"]["seconds"] / row["ours"]["seconds"] for row in same) or [float("nan")]
        open_ = sum(verdict(row).startswith("DISAGREE") for row in mine)
        closing.append(
            f"- {name}: the same optimum on {len(same)} of {len(mine)} instances, {open_} disagreements; on those "
            f"HiGHS takes {factor(ratios[0])} to {factor(ratios[-1])} our time, {factor(ratios[len(ratios) // 2])} "
            "in the middle."
        )
        if len(mine) >= 2 * ENOUGH and len(same) < ENOUGH:
            faults.append(f"{name}: HiGHS and ours agree on {len(same)} instances, not on {ENOUGH}")
    text = markdown([*head, "ours, s", "HiGHS, s", "rounds", "how it stands"], lines)
    return Findings(f"{text}\n\n" + "\n".join(closing), faults)


def _place(row: Row) -> tuple[int, bool, int, str]:
    """By formulation; parts before whole tables, shallow before deep."""
    cell = Instance(**row["cell"])
    return list(FORMULATIONS).index(cell.formulation), cell.rows is None, cell.max_depth, cell.dataset


def _line(row: Row) -> list[str]:
    cell, ours, highs = Instance(**row["cell"]), row["ours"], row["highs"]
    return [
        cell.formulation, cell.table, f"{row['groups']} x {row['conditions']}", str(cell.max_depth),
        f"{ours['objective']:.6f}",
        "-" if highs["objective"] is None else f"{highs['objective']:.6f}",
        "-" if highs["gap"] is None else "0" if highs["status"] == "optimal" else f"{highs['gap']:.4f}",
        f"{row['every_tree']:.6f}", seconds(ours["seconds"]), seconds(highs["seconds"]), str(highs["rounds"]),
        verdict(row),
    ]  # fmt: skip


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """Seconds and gaps against depth."""
    yield "baselines", draw(rows)


EXPERIMENT = Experiment(
    name="baselines",
    title="Mixed-integer baselines",
    claim="ORT and DTIP guarantee optimality, need a depth limit and are slow; no implementation is available.",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
    limit=30.0,
    peer_limit=20.0,
    timed=True,
)
