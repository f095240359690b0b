"""One search of ours with some bounds switched off, in a process of its own (see `benchmarks.solvers.alone`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.data.cells import Cell
from benchmarks.data.real import default_groups
from benchmarks.solvers.alone import warm_up
from optitree import core
from optitree.solver.problem import Limits, Problem
from optitree.solver.solve import solve

REPEAT, REPEAT_BELOW = 3, 1.0  # searches of fewer seconds are repeated, and the fastest counts


@dataclass(frozen=True)
class Search:
    """What a search came to; seconds are those of the search alone."""

    status: str
    seconds: float
    objective: float
    lower_bound: float
    proven_depth: int | None
    conditions: int
    solved: int


def search(cell: Cell, limit: float, off: Sequence[str] = ()) -> Search:
    """Search a real or generated table without some bounds; to be called in a fresh process."""
    groups, problem = default_groups(cell.dataset), Problem(cell.regularization, cell.max_depth)
    options = core.Options()
    for bound in off:
        setattr(options, bound, False)
    warm_up()
    solutions = [solve(groups, problem, Limits(limit), options=options)]
    while len(solutions) < REPEAT and solutions[0].seconds < REPEAT_BELOW:
        solutions.append(solve(groups, problem, Limits(limit), options=options))
    best = min(solutions, key=lambda solution: solution.seconds)
    return Search(
        status=best.status,
        seconds=best.seconds,
        objective=best.objective,
        lower_bound=best.lower_bound,
        proven_depth=best.proven_depth,
        conditions=len(groups.conditions),
        solved=best.solved,
    )
