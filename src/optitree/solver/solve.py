"""From groups to a solution: hands the problem to the core and reads the answer."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from .. import core
from ..groups.groups import Groups
from .losses import SQUARED_ERROR, Loss, loss_of
from .solution import PathStep, Solution, TracePoint, geometric_mean
from .tree import Node, Tree

Monitor = Callable[[TracePoint], bool]
TIE = 1e-12  # objectives no further apart are equal


@dataclass(frozen=True, slots=True)
class Problem:
    """What is optimised, over which trees."""

    regularization: float
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_leaves: int | None = None
    loss: str = SQUARED_ERROR.name
    quantile: float = 0.5  # of loss="quantile"

    @property
    def minimised(self) -> Loss:
        """The loss that is minimised."""
        return loss_of(self.loss, self.quantile)


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop without a proof: seconds, and megabytes of the whole process."""

    seconds: float | None = None
    megabytes: float | None = None


def solve(
    groups: Groups,
    problem: Problem,
    limits: Limits | None = None,
    monitor: Monitor | None = None,
    *,
    threads: int = 1,
    trace: bool = False,
    options: core.Options | None = None,
) -> Solution:
    """Find the best tree.

    ``monitor`` is called about twenty times a second with the state of the search and ends it by
    returning False. Ctrl-C ends it too. Either way, as at a limit, the solution has the best tree
    found and a valid lower bound. The number of ``threads`` changes the time, not the tree.
    ``options`` switches bounds off, for tests.
    """
    task = _task(groups, problem, limits, monitor, threads, options)
    task.record_trace(trace)
    return _read_solution(core.solve(task), groups, problem)


@dataclass(frozen=True, slots=True)
class NearSolutions:
    """Solutions nearly as good as the best, in order; none if the best is not proven.

    ``status`` is "optimal", or says what ended the search before all were found; ``more`` that there are more than were
    asked for. No tree that is missing has an objective below ``lower_bound``.
    """

    best: Solution
    solutions: tuple[Solution, ...]
    status: str
    lower_bound: float
    more: bool


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
    task = _task(groups, problem, limits, monitor, threads, options)
    near = core.solve_near_optimal(task, within, max_trees)
    best = _read_solution(near.best, groups, problem)
    solutions = tuple(_read_near(item, best, groups, problem) for item in near.trees)
    return NearSolutions(best, solutions, near.status, near.lower_bound, near.more)


def _read_near(item: core.CoreNearTree, best: Solution, groups: Groups, problem: Problem) -> Solution:
    tied = item.objective <= best.objective + TIE
    tree = _read_tree(item.tree, groups, problem)
    return replace(
        best,
        status="optimal" if tied else "near_optimal",
        tree=tree,
        objective=item.objective,
        lower_bound=item.objective if tied else best.objective,
        loss=_losses(tree, groups)[0],
    )


def _read_solution(answer: core.CoreSolution, groups: Groups, problem: Problem) -> Solution:
    tree = _read_tree(answer.tree, groups, problem)
    loss, root_loss = _losses(tree, groups)
    return Solution(
        status=answer.status,
        tree=tree,
        objective=answer.objective,
        lower_bound=answer.lower_bound,
        loss=loss,
        root_loss=root_loss,
        seconds=answer.effort.seconds,
        solved=answer.effort.solved,
        cached=answer.effort.cached,
        megabytes=answer.effort.bytes / 1e6,
        trace=tuple(_trace_point(progress) for progress in answer.trace),
    )


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
    problem = replace(problem, regularization=min_regularization)
    path = core.solve_path(_task(groups, problem, limits, monitor, threads, None))
    most = math.inf if problem.max_leaves is None else problem.max_leaves
    # A step that does not meet its neighbours, because a limit came first, may reach further.
    meet = [few.low == many.high for few, many in pairwise(path.steps)]
    whole = [above and below for above, below in zip([True, *meet], [*meet, False], strict=True)]
    steps = [
        PathStep(_read_step(step, path, groups, problem), step.low, step.high, "optimal" if known else path.status)
        for step, known in zip(path.steps, whole, strict=True)
    ]
    return tuple(step for step in steps if step.leaves <= most)


def _read_step(step: core.CoreStep, path: core.CorePath, groups: Groups, problem: Problem) -> Solution:
    """Return the solution of a step in the middle of its interval, with the statistics of the whole path."""
    tree = _read_tree(step.tree, groups, problem)
    loss, root_loss = _losses(tree, groups)
    share = loss / root_loss if root_loss > 0 else 0.0
    objective = share + geometric_mean(step.low, step.high) * tree.n_leaves
    return Solution(
        status="optimal",
        tree=tree,
        objective=objective,
        lower_bound=objective,
        loss=loss,
        root_loss=root_loss,
        seconds=path.effort.seconds,
        solved=path.effort.solved,
        cached=path.effort.cached,
        megabytes=path.effort.bytes / 1e6,
    )


def _task(
    groups: Groups,
    problem: Problem,
    limits: Limits | None,
    monitor: Monitor | None,
    threads: int,
    options: core.Options | None,
) -> core.Task:
    limits, loss = limits or Limits(), problem.minimised
    if loss.needs_values and groups.points is None:
        raise ValueError(
            f"loss={loss.name!r} needs the values of the target, and these groups have only their means; make them "
            "with compress(..., values=True)"
        )
    statistics = groups.weight, groups.mean, groups.scatter, groups.rows
    points = groups.points if loss.needs_values else None
    task = core.Task(
        core.GroupArrays(groups.bits, statistics, len(groups.conditions), points),
        core.Restrictions(
            problem.regularization,
            None if problem.max_depth is None else min(problem.max_depth, 65535),
            min(problem.min_samples_leaf, 2**53),
            None if problem.max_leaves is None else min(problem.max_leaves, 2**32 - 1),
        ),
        loss.in_core,
        loss.parameters,
    )
    seconds = math.inf if limits.seconds is None else limits.seconds
    task.set_limits(core.Limits(seconds, _bytes_left(limits.megabytes)))
    task.set_threads(threads)
    if options is not None:
        task.set_options(options)
    if monitor is not None:
        task.monitor = lambda progress: bool(monitor(_trace_point(progress)))
    return task


def _losses(tree: Tree, groups: Groups) -> tuple[float, float]:
    """Return the mean loss of a tree and that of its root as a leaf."""
    weight = groups.total_weight
    return math.fsum(node.loss for node in tree.nodes if node.condition is None) / weight, tree.nodes[0].loss / weight


def _read_tree(tree: core.CoreTree, groups: Groups, problem: Problem) -> Tree:
    conditions = groups.conditions
    origin = (
        0.0 if problem.minimised.needs_values else groups.origin
    )  # points have the values of the target as they are
    nodes = zip(tree.feature, tree.yes, tree.no, tree.value, tree.rows, tree.weight, tree.loss, strict=True)
    return Tree(
        tuple(
            Node(
                conditions[feature] if feature >= 0 else None,
                yes,
                no,
                origin + value,
                int(rows),
                weight,
                loss,
            )
            for feature, yes, no, value, rows, weight, loss in nodes
        )
    )


def _trace_point(progress: core.Progress) -> TracePoint:
    return TracePoint(
        progress.seconds,
        progress.lower_bound,
        progress.upper_bound,
        progress.solved,
        progress.cached,
    )


def _bytes_left(megabytes: float | None) -> int:
    """Return what the search may take so that the process stays within its limit."""
    if megabytes is None:
        return 2**63
    return max(int(min(megabytes * 1e6, 2**63)) - _resident_bytes(), 1_000_000)


def _resident_bytes() -> int:
    """Return the memory the process holds now; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[1])
    except OSError:
        return 0
    import resource  # noqa: PLC0415  (exists where /proc does)

    return pages * resource.getpagesize()
