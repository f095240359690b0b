"""From groups to a solution: hands the problem to the core and reads the answer."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from . import native
from .chords import walk_down
from .conditions import Condition
from .groups import Groups
from .solution import PathStep, Solution, TracePoint
from .tree import Node, Tree

Monitor = Callable[[TracePoint], bool]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is optimised, over which trees."""

    regularization: float
    max_depth: int | None = None
    min_samples_leaf: int = 1


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
    options: native.Options | None = None,
) -> Solution:
    """Find the best tree.

    ``monitor`` is called about twenty times a second with the state of the search and ends it by
    returning False. Ctrl-C ends it too. Either way, as at a limit, the solution has the best tree
    found and a valid lower bound. The number of ``threads`` changes the time, not the tree.
    ``options`` switches bounds off, for tests.
    """
    limits = limits or Limits()
    answer = native.solve(
        groups.bits,
        groups.weight,
        groups.mean,
        groups.scatter,
        groups.rows,
        len(groups.conditions),
        regularization=problem.regularization,
        max_depth=None if problem.max_depth is None else min(problem.max_depth, 65535),
        min_samples_leaf=min(problem.min_samples_leaf, 2**53),
        seconds=math.inf if limits.seconds is None else limits.seconds,
        bytes=_bytes_left(limits.megabytes),
        threads=threads,
        options=options or native.Options(),
        monitor=None if monitor is None else lambda progress: bool(monitor(_trace_point(progress))),
        trace=trace,
    )
    tree = _read_tree(answer, groups.conditions, groups.origin)
    weight = groups.total_weight
    leaf_loss = math.fsum(node.loss for node in tree.nodes if node.condition is None)
    return Solution(
        status=answer.status,
        tree=tree,
        objective=answer.objective,
        lower_bound=answer.lower_bound,
        loss=leaf_loss / weight,
        root_loss=tree.nodes[0].loss / weight,
        seconds=answer.seconds,
        solved=answer.solved,
        cached=answer.cached,
        megabytes=answer.bytes / 1e6,
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
    max_leaves: int | None = None,
) -> tuple[PathStep, ...]:
    """Find every optimal tree from one leaf down to a regularization, or to the last of at most ``max_leaves`` leaves.

    The problem's own regularization plays no part. The limits hold for the whole path: at a limit, and when the monitor
    or Ctrl-C ends the search, the steps proven by then are returned, and the status of the last says why.
    """
    limits = limits or Limits()
    end = math.inf if limits.seconds is None else time.monotonic() + limits.seconds

    def solve_at(regularization: float) -> Solution:
        left = None if end == math.inf else max(end - time.monotonic(), 0.0)
        there = replace(problem, regularization=regularization)
        return solve(groups, there, replace(limits, seconds=left), monitor, threads=threads)

    return walk_down(solve_at, min_regularization, max_leaves)


def _read_tree(answer: native.CoreSolution, conditions: tuple[Condition, ...], origin: float) -> Tree:
    nodes = zip(
        answer.feature,
        answer.yes,
        answer.no,
        answer.mean,
        answer.rows,
        answer.weight,
        answer.loss,
        strict=True,
    )
    return Tree(
        tuple(
            Node(
                conditions[feature] if feature >= 0 else None,
                yes,
                no,
                origin + mean,
                int(rows),
                weight,
                loss,
            )
            for feature, yes, no, mean, rows, weight, loss in nodes
        )
    )


def _trace_point(progress: native.Progress) -> TracePoint:
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
