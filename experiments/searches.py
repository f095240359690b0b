"""Searches of ours with some bounds switched off: as it is, and with those that the paper has and no others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.data.cells import Cell
from benchmarks.data.grouped import groups
from benchmarks.solvers.alone import warm_up

from optitree import core
from optitree.solver.problem import Limits, Problem
from optitree.solver.solution import Solution
from optitree.solver.solve import solve

SWITCHES = tuple(name for name in dir(core.Options) if not name.startswith("_") and name != "eager")

# What is not in the paper: second and third splits by statistics of pairs, dual prices, thresholds of one column as a
# chain. What is left: sums of children's bounds, one-step lookahead, k-means with equivalent points, subsets, a cache.
NOT_IN_THE_PAPER = ("leaf_count", "pairs", "prices", "subtraction", "triples", "chains")

# Searches of fewer seconds are repeated, and the fastest counts: those of milliseconds until they add up to something.
REPEAT, REPEAT_BELOW = 3, 1.0
ENOUGH_SECONDS, MOST_REPEATS = 0.5, 30


def search(cell: Cell, limit: float, off: Iterable[str] = (), repeat: int = REPEAT) -> Solution:
    """The fastest of some searches of a cell without some bounds."""
    data, problem = groups(cell.dataset), Problem(cell.regularization, cell.max_depth)
    options = core.Options()
    for name in off:
        setattr(options, name, False)
    warm_up()
    solutions = [solve(data, problem, Limits(limit), options=options)]
    spent = solutions[0].seconds
    while repeat > 1 and spent < REPEAT_BELOW and (len(solutions) < repeat or spent < ENOUGH_SECONDS):
        if len(solutions) == MOST_REPEATS:
            break
        solutions.append(solve(data, problem, Limits(limit), options=options))
        spent += solutions[-1].seconds
    return min(solutions, key=lambda solution: solution.seconds)


def measured(solution: Solution) -> dict[str, Any]:
    """What is kept of a search: iterations are subproblems solved, the size of the graph is that of the cache."""
    return {
        "status": solution.status,
        "seconds": round(solution.seconds, 6),
        "solved": solution.solved,
        "cached": solution.cached,
        "megabytes": round(solution.megabytes, 3),
        "objective": solution.objective,
        "lower_bound": solution.lower_bound,
        "leaves": solution.tree.n_leaves,
    }
