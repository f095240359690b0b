"""Ablation: what each bound is worth, with the paper's bounds alone and with today's search.

- `clustering`: the k-means bound against the equivalent points alone, depth 6, λ .005, as in the paper.
- `osrt`: the same of OSRT itself, which has a switch for it.
- `switch`: today's search without each bound and shortcut in turn, on what takes it longest.
- `depth`: a depth limit against none.

Iterations are subproblems solved; the size of the graph is that of the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.data.cells import Bits, Cell, Targets
from benchmarks.harness.text import factor, markdown, say, seconds
from benchmarks.solvers.peers import Judgement, Solve, fit_osrt, objective_of_leaves, osrt

from experiments.experiment import Bench, Experiment, Findings, Row, Settings
from experiments.figures import log_seconds, one_legend, panels, quiet
from experiments.searches import NOT_IN_THE_PAPER, SWITCHES, measured, search
from experiments.trace import SAME, run_with_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CLUSTERING = ("airfoil", "airquality", "enb-cool", "enb-heat", "sync", "yacht")
SWITCHED = (
    Cell("airfoil", 0.005, 6), Cell("airfoil", 0.005, None), Cell("insurance", 0.001, 8), Cell("real-estate", 0.005, 8),
    Cell("real-estate", 0.005, None), Cell("enb-heat", 0.001, None), Cell("optical", 0.001, None),
    Cell("seoul-bike", 0.05, None), Cell("seoul-bike", 0.01, 6), Cell("seoul-bike", 0.001, 5),
)  # fmt: skip
DEPTHS = (
    Cell("airquality", 0.001, 7), Cell("sync", 0.001, 7), Cell("servo", 0.001, 7), Cell("yacht", 0.001, 7),
    Cell("airfoil", 0.005, 7), Cell("insurance", 0.001, 7), Cell("real-estate", 0.005, 7),
)  # fmt: skip

PARTS = ("clustering", "osrt", "switch", "depth")
OSRT_TIMES = 4  # the limit of other solvers
OSRT_QUICK = ("sync", "yacht")

# Name, and what is switched off beside the clustering bound or not.
VARIANTS = {"paper": NOT_IN_THE_PAPER, "today": ()}


@dataclass(frozen=True)
class AblationCell:
    """A part, a problem, and the searches that it is run with."""

    part: str
    dataset: str
    regularization: float
    max_depth: int | None

    @property
    def problem(self) -> Cell:
        return Cell(self.dataset, self.regularization, self.max_depth)

    def __str__(self) -> str:
        return f"{self.part}, {self.problem}"


def cells(settings: Settings) -> list[AblationCell]:
    """The cells of all parts."""
    chosen = settings.datasets
    clustering = [Cell(dataset, 0.005, 6) for dataset in chosen or CLUSTERING]
    known = {"clustering": clustering, "switch": SWITCHED, "depth": DEPTHS, "osrt": clustering}
    found = []
    for part, problems in known.items():
        mine = [cell for cell in problems if not chosen or cell.dataset in chosen]
        if settings.quick and not chosen:
            mine = [cell for cell in mine if cell.dataset in (OSRT_QUICK if part == "osrt" else CLUSTERING)]
        found += [AblationCell(part, cell.dataset, cell.regularization, cell.max_depth) for cell in mine]
    return found


def measure(cell: AblationCell, bench: Bench) -> dict[str, Any]:
    """All searches of a cell, by name."""
    limit, problem = bench.settings.limit, cell.problem
    if cell.part == "clustering":
        runs = {}
        for name, off in VARIANTS.items():
            runs[f"{name}, k-means"] = run_with_points(problem, limit, off)
            runs[f"{name}, equivalent points"] = run_with_points(problem, limit, (*off, "kmeans"))
    elif cell.part == "osrt":
        runs = {name: _osrt(problem, bench, name) for name in OSRT_SOLVERS}
    elif cell.part == "switch":
        runs = {"everything": measured(search(problem, limit))}
        runs |= {name: measured(search(problem, limit, (name,))) for name in SWITCHES}
    else:
        free = Cell(problem.dataset, problem.regularization, None)
        runs = {}
        for name, off in VARIANTS.items():
            runs[f"{name}, depth {problem.max_depth}"] = measured(search(problem, limit, off))
            runs[f"{name}, no limit"] = measured(search(free, limit, off))
    say(", ".join(f"{name} {seconds(run['seconds'])}" for name, run in runs.items()))
    return {"runs": runs}


def osrt_without_clustering(X: Bits, y: Targets, regularization: float, depth: int | None, limit: float) -> Judgement:
    """The paper's solver with the equivalent points alone."""
    return fit_osrt(X, y, regularization, depth, objective_of_leaves, k_cluster=False)


OSRT_SOLVERS: dict[str, Solve] = {"k-means": osrt, "equivalent points": osrt_without_clustering}


def _osrt(problem: Cell, bench: Bench, name: str) -> dict[str, Any]:
    answer = bench.worker(f"osrt, {name}", OSRT_SOLVERS[name]).call(problem, OSRT_TIMES * bench.settings.peer_limit)
    status = "optimal" if answer.status == "solved" else answer.status
    return {"status": status, "seconds": answer.search_seconds or answer.seconds, "objective": answer.objective}


def table(rows: Sequence[Row]) -> Findings:
    """A table for each part."""
    parts = {part: [row for row in rows if row["cell"]["part"] == part] for part in PARTS}
    texts = []
    for part, write in (("clustering", _clustering), ("osrt", _osrt_text), ("switch", _switch), ("depth", _depth)):
        if parts[part]:
            texts.append(write(parts[part]))
    return Findings("\n\n".join(texts), [fault for row in rows for fault in _disagreements(row)])


def _disagreements(row: Row) -> list[str]:
    """Finished searches of one problem must agree, whatever was switched off."""
    cell = AblationCell(**row["cell"])
    groups: dict[bool, list[float]] = {True: [], False: []}
    for name, run in row["runs"].items():
        if run["status"] == "optimal":
            groups["no limit" in name].append(run["objective"])
    return [f"{cell}: answers differ" for some in groups.values() if some and max(some) - min(some) > SAME]


def _clustering(rows: Sequence[Row]) -> str:
    head = ["dataset", "search", "k-means, s", "equivalent points, s", "time", "iterations", "cache"]
    lines, closing = [], []
    for variant in VARIANTS:
        ratios = []
        for row in rows:
            on, off = (row["runs"][f"{variant}, {bound}"] for bound in ("k-means", "equivalent points"))
            sign = "" if off["status"] == "optimal" else ">"
            ratios.append(off["seconds"] / on["seconds"])
            lines.append([
                row["cell"]["dataset"], _TITLES[variant], seconds(on["seconds"]), sign + seconds(off["seconds"]),
                sign + factor(ratios[-1]), *(sign + factor(off[key] / max(on[key], 1)) for key in ("solved", "cached")),
            ])  # fmt: skip
        closing.append(
            f"{_TITLES[variant]}: without k-means the median search takes {factor(median(ratios))} the time "
            f"({factor(min(ratios))} to {factor(max(ratios))})"
        )
    return (
        f"### k-means against equivalent points\n\n{markdown(head, lines)}\n\nDepth 6, λ .005; time, iterations and "
        f"cache without k-means as multiples of those with it. {'; '.join(closing)}."
    )


def _osrt_text(rows: Sequence[Row]) -> str:
    lines = []
    for row in rows:
        on, off = (row["runs"][name] for name in OSRT_SOLVERS)
        both = on["status"] == off["status"] == "optimal"
        ratio = factor(off["seconds"] / on["seconds"]) if both else "-"
        lines.append([row["cell"]["dataset"], *(_taken(run) for run in (on, off)), ratio])
    head = ["dataset", "k-means, s", "equivalent points, s", "time"]
    note = f"OSRT itself, run here, depth 6, λ .005; its own seconds, at most {OSRT_TIMES} times the limit of others."
    return f"### The same of OSRT\n\n{markdown(head, lines)}\n\n{note}"


_TITLES = {"paper": "paper's bounds", "today": "today's search"}


def _switch(rows: Sequence[Row]) -> str:
    head = ["without", *(str(AblationCell(**row["cell"]).problem) for row in rows), "median"]
    lines = [["(everything on), s", *(seconds(row["runs"]["everything"]["seconds"]) for row in rows), ""]]
    for name in SWITCHES:
        line, ratios = [name], []
        for row in rows:
            full, less = row["runs"]["everything"], row["runs"][name]
            sign = "" if less["status"] == "optimal" else ">"
            ratios.append(less["seconds"] / full["seconds"])
            line.append(f"{sign}{factor(ratios[-1])}, {sign}{factor(less['solved'] / max(full['solved'], 1))}")
        lines.append([*line, factor(median(ratios))])
    note = "Seconds, then iterations, as multiples of those with everything on; > where the time limit came first."
    return f"### Each bound and shortcut, today's search\n\n{markdown(head, lines)}\n\n{note}"


def _depth(rows: Sequence[Row]) -> str:
    head = ["problem", "search", "with the limit, s", "none, s", "none / limit", "leaves", "objective"]
    lines = []
    for row in rows:
        cell = AblationCell(**row["cell"])
        for variant in VARIANTS:
            limited, free = (row["runs"][f"{variant}, {n}"] for n in (f"depth {cell.max_depth}", "no limit"))
            ratio = factor(free["seconds"] / limited["seconds"])
            lines.append([
                str(cell.problem), _TITLES[variant], *(_taken(run) for run in (limited, free)), ratio,
                f"{limited['leaves']}, {free['leaves']}", f"{limited['objective']:.6f}, {free['objective']:.6f}",
            ])  # fmt: skip
    return f"### A depth limit against none\n\n{markdown(head, lines)}"


def _taken(run: Row) -> str:
    if run["status"] in ("optimal", "time_limit"):
        return seconds(run["seconds"]) if run["status"] == "optimal" else f">{seconds(run['seconds'])}"
    return str(run["status"])


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """Bounds over time with and without k-means, and what each switch is worth."""
    clustering = [row for row in rows if row["cell"]["part"] == "clustering"]
    if clustering:
        figure, axes = panels(len(clustering), 2, width=4.6)
        for ax, row in zip(axes, clustering, strict=True):
            _draw_bounds(ax, row)
        one_legend(figure, 2)
        yield "ablation-kmeans", figure
    switched = [row for row in rows if row["cell"]["part"] == "switch"]
    if switched:
        figure, (ax,) = panels(1, 1, width=8.0, height=4.2)
        _draw_switches(ax, switched)
        yield "ablation-switches", figure


def _draw_bounds(ax: Axes, row: Row) -> None:
    looks = (
        ("paper, k-means", "#0072B2", "o", "solid"), ("paper, equivalent points", "#E69F00", "s", (0, (4, 2))),
        ("today, k-means", "#000000", "^", "solid"), ("today, equivalent points", "#7F7F7F", "x", (0, (1, 1))),
    )  # fmt: skip
    for name, colour, marker, line in looks:
        variant, _, bound = name.partition(", ")
        at, low, high = zip(*row["runs"][name]["points"], strict=True)
        style: dict[str, Any] = {
            "color": colour,
            "linestyle": line,
            "marker": marker,
            "markersize": 4,
            "linewidth": 1.2,
        }
        ax.plot(at, low, drawstyle="steps-post", label=f"{_TITLES[variant]}, {bound}", **style)
        ax.plot(at, high, drawstyle="steps-post", **{**style, "markerfacecolor": "none"})
    log_seconds(ax)
    ax.set_title(f"{row['cell']['dataset']}, d = 6, λ = 0.005", fontsize=10)
    ax.set_xlabel("seconds (filled: lower bound, hollow: best tree)", fontsize=9)
    ax.set_ylabel("objective", fontsize=9)


def _draw_switches(ax: Axes, rows: Sequence[Row]) -> None:
    """A dot for each problem, a bar to the median."""
    for place, name in enumerate(SWITCHES):
        ratios = [row["runs"][name]["seconds"] / row["runs"]["everything"]["seconds"] for row in rows]
        ax.plot([1, median(ratios)], [place, place], color="0.6", linewidth=6, solid_capstyle="butt", zorder=1)
        ax.plot(ratios, [place] * len(ratios), "o", color="#0072B2", markerfacecolor="none", markersize=5)
    ax.set_xscale("log")
    ax.axvline(1, color="black", linewidth=0.8)
    ax.set_yticks(range(len(SWITCHES)), [f"without {name}" for name in SWITCHES], fontsize=9)
    ax.invert_yaxis()
    quiet(ax)
    ax.set_xlabel("times the seconds with everything on (dots: problems, bars: medians)", fontsize=9)


EXPERIMENT = Experiment(
    name="ablation",
    title="Ablation",
    claim="k-means takes half the time of equivalent points or less, with fewer iterations and a smaller graph.",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
    limit=10.0,
    timed=True,
)
