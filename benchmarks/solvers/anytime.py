"""How soon the tree is good, long before it is proven: the part `anytime` of `benchmarks.hard`.

The primal integral of a run is the mean over its time of the incumbent's gap, (incumbent - best) / best: 0 if the best
tree is there from the start. It is taken twice:

- from the trace of the search, about twenty points a second; until the first point the incumbent is the single leaf.
  That is too coarse for a run of a few tenths of a second, and does not see what a stopped search still makes of what
  it knows.
- from runs stopped after SHARES of the time of the whole: the trees that a user would have got. Between two of them
  the incumbent is that of the first, and before the first it is that one too: every search can fall back on a greedy
  tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.data.cells import Cell
from benchmarks.data.grouped import groups
from benchmarks.solvers.alone import warm_up
from optitree.solver.problem import Limits, Problem
from optitree.solver.solve import solve

Point = tuple[float, float]  # seconds, objective of the incumbent from then on

# Cells of a few tenths of a second to a minute, from every dataset that has such.
CELLS = (
    Cell("airfoil", 0.005, None),
    Cell("airfoil", 0.001, 8),
    Cell("airfoil", 0.001, None),
    Cell("real-estate", 0.005, None),
    Cell("real-estate", 0.001, None),
    Cell("optical", 0.001, None),
    Cell("enb-heat", 0.001, None),
    Cell("insurance", 0.001, 8),
    Cell("insurance", 0.001, None),
    Cell("seoul-bike", 0.05, None),
    Cell("seoul-bike", 0.01, 6),
    Cell("seoul-bike", 0.01, 8),
    Cell("seoul-bike", 0.005, 6),
    Cell("seoul-bike", 0.005, None),
    Cell("seoul-bike", 0.001, 6),
    Cell("seoul-bike", 0.001, 8),
)
FEWEST_SECONDS = 0.1
FEWEST_POINTS = 20  # a trace of fewer says little about its first percents
SHARES = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
SHOWN = (0.01, 0.1)


@dataclass(frozen=True)
class Anytime:
    """One run. Gaps are relative to the best tree known at the end."""

    status: str
    seconds: float
    objective: float
    points: int
    trace_integral: float
    trace_gaps: list[float]  # at SHARES of the run, by the trace
    stopped_integral: float
    stopped_gaps: list[float]  # of the trees of runs stopped at SHARES
    overtime: float  # seconds that a stopped run went on at most, reading off its tree


def measure(cell: Cell, limit: float) -> Anytime:
    """Run a cell once to the end and once for each of SHARES; to be called in a fresh process."""
    data, problem = groups(cell.dataset), Problem(cell.regularization, cell.max_depth)
    warm_up()
    whole = solve(data, problem, Limits(limit))
    limits = [share * whole.seconds for share in SHARES]
    stopped = [solve(data, problem, Limits(seconds)) for seconds in limits]
    best = min(solution.objective for solution in (whole, *stopped))
    trace = [(point.seconds, point.upper_bound) for point in whole.trace]
    trees = [(seconds, solution.objective) for seconds, solution in zip(limits, stopped, strict=True)]
    leaf = 1.0 + cell.regularization
    return Anytime(
        status=whole.status,
        seconds=whole.seconds,
        objective=whole.objective,
        points=len(trace),
        trace_integral=primal_integral(trace, whole.seconds, leaf, best),
        trace_gaps=[gap(incumbent(trace, seconds, leaf), best) for seconds in limits],
        stopped_integral=primal_integral(trees, whole.seconds, trees[0][1], best),
        stopped_gaps=[gap(solution.objective, best) for solution in stopped],
        overtime=max(solution.seconds - seconds for seconds, solution in zip(limits, stopped, strict=True)),
    )


def gap(value: float, best: float) -> float:
    """By what share of the best a tree is worse than it."""
    return max(value - best, 0.0) / best if best > 0 else 0.0


def incumbent(points: Sequence[Point], seconds: float, first: float) -> float:
    """The best known at a moment: `first` until the first point."""
    return min([first, *(value for at, value in points if at <= seconds)])


def primal_integral(points: Sequence[Point], seconds: float, first: float, best: float) -> float:
    """The mean gap over a run of so many seconds; between two points the incumbent is that of the first."""
    if seconds <= 0:
        return 0.0
    total, since, value = 0.0, 0.0, first
    for at, found in points:
        now = min(at, seconds)
        total += (now - since) * gap(value, best)
        since, value = now, found
    return (total + (seconds - since) * gap(value, best)) / seconds
