"""Execution trace: lower and upper bound over time, and when the optimum was found against when it was proven.

A search reports its bounds about twenty times a second, and most are over before that. So it is also stopped after
shares of its time: what it answers then, a tree and a bound, is what a user would have got. The same cells are run with
the bounds of the paper and no others, which takes long enough for a trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.data.cells import Cell
from benchmarks.harness.text import factor, markdown, say, seconds

from experiments.experiment import Bench, Experiment, Findings, Row, Settings
from experiments.figures import log_seconds, one_legend, panels
from experiments.searches import NOT_IN_THE_PAPER, measured, search

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DATASETS = ("airfoil", "airquality", "optical", "insurance")
CONFIGURATIONS = ((0.05, 4), (0.001, 7))
SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
BRIEF = 2.0  # seconds; a longer search has a trace that is fine enough
MOST_POINTS = 60  # of a trace that is kept
SAME = 1e-9  # of the root loss

Point = tuple[float, float, float]  # seconds, lower bound, upper bound


def cells(settings: Settings) -> list[Cell]:
    """The paper's four datasets, an easy and a hard configuration each."""
    chosen = settings.chosen(DATASETS, DATASETS)
    return [Cell(dataset, *each) for dataset in chosen for each in CONFIGURATIONS]


def measure(cell: Cell, bench: Bench) -> dict[str, Any]:
    """Run a cell to its end and stop it on its way: as it is, and with the paper's bounds."""
    today, paper = (run_with_points(cell, bench.settings.limit, off) for off in ((), NOT_IN_THE_PAPER))
    say(f"{today['status']} {seconds(today['seconds'])}, paper's bounds {paper['status']} {seconds(paper['seconds'])}")
    return {"today": today, "paper": paper}


def run_with_points(cell: Cell, limit: float, off: Sequence[str]) -> dict[str, Any]:
    """What a search came to, and the bounds on its way."""
    whole = search(cell, limit, off)
    points = [(point.seconds, point.lower_bound, point.upper_bound) for point in whole.trace]
    if whole.seconds < BRIEF:
        stopped = [search(cell, share * whole.seconds, off, repeat=1) for share in SHARES]
        points += [(answer.seconds, answer.lower_bound, answer.objective) for answer in stopped]
    end = (whole.seconds, whole.lower_bound, whole.objective)
    return {**measured(whole), "points": _improving([*sorted(p for p in points if p[0] < whole.seconds), end])}


def _improving(points: Sequence[Point]) -> list[Point]:
    """What was known by then: runs stopped later may have been unlucky."""
    known: list[Point] = []
    for at, low, high in points:
        before = known[-1] if known else (0.0, low, high)
        known.append((at, max(low, before[1]), min(high, before[2])))
    return _thin(known)


def _thin(points: Sequence[Point]) -> list[Point]:
    step = -(-len(points) // MOST_POINTS)
    kept = [*points[:-1:step], points[-1]] if points else []
    return [(round(at, 6), round(low, 9), round(high, 9)) for at, low, high in kept]


def found_at(points: Sequence[Sequence[float]]) -> float:
    """When the last tree was found, as far as the points tell."""
    best = points[-1][2]
    return next(at for at, _, high in points if high <= best + SAME)


def table(rows: Sequence[Row]) -> Findings:
    """When the tree was there, when the proof was."""
    head = ["cell", "search", "status", "found by, s", "proven, s", "proof / found", "objective", "gap at the end"]
    lines = []
    for row in rows:
        for name, title in (("today", "as it is"), ("paper", "paper's bounds")):
            run = row[name]
            found = found_at(run["points"])
            optimal = run["status"] == "optimal"
            lines.append([
                str(Cell(**row["cell"])), title, run["status"], seconds(found),
                seconds(run["seconds"]) if optimal else "not proven",
                factor(run["seconds"] / found) if optimal and found > 0 else "-",
                f"{run['objective']:.6f}", f"{max(run['objective'] - run['lower_bound'], 0.0):.2g}",
            ])  # fmt: skip
    faults = [
        f"{Cell(**row['cell'])}: the two searches prove {row['today']['objective']} and {row['paper']['objective']}"
        for row in rows
        if row["today"]["status"] == row["paper"]["status"] == "optimal"
        and abs(row["today"]["objective"] - row["paper"]["objective"]) > SAME
    ]
    early = [found_at(row["today"]["points"]) / row["today"]["seconds"] for row in rows]
    proven = sum(row["today"]["status"] == "optimal" for row in rows)
    closing = (
        f"Proven: {proven} of {len(rows)}. The best tree was there after {100 * min(early):.0f} to "
        f"{100 * max(early):.0f} % of the time that its proof took, by runs stopped on the way."
    )
    return Findings(f"{markdown(head, lines)}\n\n{closing}", faults)


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """Two panels a dataset, as in the paper."""
    figure, axes = panels(len(rows), 2, width=4.6)
    for ax, row in zip(axes, rows, strict=True):
        _draw(ax, row)
    one_legend(figure, 3)
    yield "trace", figure


def _draw(ax: Axes, row: Row) -> None:
    drawn = (("today", "ours", "#000000", "^", "solid"), ("paper", "paper's bounds alone", "#0072B2", "o", (0, (4, 2))))
    for name, title, colour, marker, line in drawn:
        at, low, high = zip(*row[name]["points"], strict=True)
        style: dict[str, Any] = {
            "color": colour,
            "linestyle": line,
            "linewidth": 1.3,
            "marker": marker,
            "markersize": 4,
        }
        ax.plot(at, high, drawstyle="steps-post", label=f"{title}: best tree", **style)
        below = {**style, "markerfacecolor": "none"}
        ax.plot(at, low, drawstyle="steps-post", label=f"{title}: lower bound", **below)
    ax.axvline(
        found_at(row["today"]["points"]),
        color="0.55",
        linewidth=1,
        linestyle=":",
        label="ours: best tree found",
    )
    if row["today"]["status"] == "optimal":
        ax.axvline(row["today"]["seconds"], color="0.55", linewidth=1, linestyle="-.", label="ours: proven")
    log_seconds(ax)
    cell = Cell(**row["cell"])
    ax.set_title(f"{cell.dataset}, d = {cell.max_depth}, λ = {cell.regularization:g}", fontsize=10)
    ax.set_xlabel("seconds", fontsize=9)
    ax.set_ylabel("objective", fontsize=9)


EXPERIMENT = Experiment(
    name="trace",
    title="Execution trace",
    claim="The gap between the bounds is known throughout, also where the time limit comes first (optical, λ = .001).",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
    limit=30.0,
    timed=True,
)
