"""From groups to a solution: the core is given a task, and its answer is read."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from .. import core
from ..groups.groups import Groups
from .answers import read_known, read_solution, read_step
from .near_trees import NearSolutions, read_near
from .problem import Limits, Problem
from .solution import PathStep, Solution
from .task import Monitor, make_task


def solve(
    groups: Groups,
    problem: Problem,
    limits: Limits | None = None,
    monitor: Monitor | None = None,
    *,
    threads: int = 1,
    options: core.Options | None = None,
) -> Solution:
    """Find the best tree.

    ``monitor`` is called about twenty times a second with the state of the search and ends it by
    returning False. Ctrl-C ends it too. Either way, as at a limit, the solution has the best tree
    found and a valid lower bound. The number of ``threads`` changes the time, not the tree.
    ``options`` switches bounds off, for tests.
    """
    task = make_task(groups, problem, limits, monitor, threads, options)
    return read_solution(core.solve(task), groups, problem)


def solve_near(
    groups: Groups,
    problem: Problem,
    limits: Limits | None = None,
    monitor: Monitor | None = None,
    *,
    within: float,
    max_trees: int,
    threads: int = 1,
    options: core.Options | None = None,
) -> NearSolutions:
    """Find the trees whose objective exceeds the optimum by no more than the share ``within`` of it."""
    task = make_task(groups, problem, limits, monitor, threads, options)
    near = core.solve_near_optimal(task, within, max_trees)
    best = read_solution(near.best, groups, problem)
    return NearSolutions(best, read_near(near.trees, best, groups, problem), near.status, near.lower_bound, near.more)


class ProvenPath(NamedTuple):
    """The steps that are proven, what ended the search, and solutions known when Ctrl-C did, about which nothing is."""

    steps: tuple[PathStep, ...]
    status: str
    known: tuple[Solution, ...]


def solve_path(
    groups: Groups,
    problem: Problem,
    min_regularization: float,
    limits: Limits | None = None,
    monitor: Monitor | None = None,
    *,
    threads: int = 1,
) -> tuple[PathStep, ...]:
    """Find every optimal tree from one leaf down to a regularization; the problem's own plays no part.

    With ``max_leaves`` the path ends where a tree of more leaves takes over. The limits hold for the whole path: at a
    limit, and when the monitor or Ctrl-C ends the search, the steps proven by then are returned, and the status of
    those that may reach further says why.
    """
    return prove_path(groups, problem, min_regularization, limits, monitor, threads=threads).steps


def prove_path(
    groups: Groups,
    problem: Problem,
    min_regularization: float,
    limits: Limits | None = None,
    monitor: Monitor | None = None,
    *,
    threads: int = 1,
) -> ProvenPath:
    """Find what ``solve_path`` finds, and tell how the search ended."""
    problem = replace(problem, regularization=min_regularization)
    path = core.solve_path(make_task(groups, problem, limits, monitor, threads, None))
    most = math.inf if problem.max_leaves is None else problem.max_leaves
    # A step that does not meet its neighbours, because a limit came first, may reach further.
    meet = [few.low == many.high for few, many in pairwise(path.steps)]
    whole = [above and below for above, below in zip([True, *meet], [*meet, False], strict=True)]
    statuses = ["optimal" if known and not path.error else path.status for known in whole]
    steps = [
        PathStep(read_step(step, path, groups, problem), step.low, step.high, status, path.error)
        for step, status in zip(path.steps, statuses, strict=True)
    ]
    known = tuple(read_known(tree, path, groups, problem) for tree in path.known)
    return ProvenPath(tuple(step for step in steps if step.leaves <= most), path.status, known)
