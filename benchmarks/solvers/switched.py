"""One search of ours with some bounds switched off, in a process of its own (see `benchmarks.solvers.alone`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.data.cells import DATASETS, Cell
from benchmarks.data.grouped import groups
from benchmarks.data.real import default_groups
from benchmarks.solvers.alone import warm_up
from optitree import core
from optitree.solver.problem import Limits, Problem
from optitree.solver.solution import Solution
from optitree.solver.solve import solve

REPEAT, REPEAT_BELOW = 3, 1.0  # searches of fewer seconds are repeated, and the fastest counts


@dataclass(frozen=True)
class Search:
    """What a search came to; seconds are those of the search alone, on the clock and of the processor."""

    status: str
    seconds: float
    cpu_seconds: float
    objective: float
    lower_bound: float
    proven_depth: int | None
    conditions: int
    solved: int


def search(cell: Cell, limit: float, off: Sequence[str] = ()) -> Search:
    """Search a table, the paper's, real or generated, without some bounds; to be called in a fresh process."""
    table = groups(cell.dataset) if cell.dataset in DATASETS else default_groups(cell.dataset)
    problem = Problem(cell.regularization, cell.max_depth)
    options = core.Options()
    for bound in off:
        setattr(options, bound, False)
    warm_up()
    solutions: list[tuple[float, Solution]] = []
    while len(solutions) < (REPEAT if not solutions or solutions[0][1].seconds < REPEAT_BELOW else 1):
        start = time.process_time()
        solution = solve(table, problem, Limits(limit), options=options)
        solutions.append((time.process_time() - start, solution))
    cpu_seconds, best = min(solutions, key=lambda timed: timed[0])
    return Search(
        status=best.status,
        seconds=best.seconds,
        cpu_seconds=cpu_seconds,
        objective=best.objective,
        lower_bound=best.lower_bound,
        proven_depth=best.proven_depth,
        conditions=len(table.conditions),
        solved=best.solved,
    )
