"""From groups to a solution: hands the problem to the core and reads the answer."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from . import native
from .conditions import Condition
from .groups import Groups
from .solution import Solution, TracePoint
from .tree import Node, Tree

Monitor = Callable[[TracePoint], bool]

LOSSES = ("squared_error", "absolute_error", "quantile")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is optimised, over which trees."""

    regularization: float
    max_depth: int | None = None
    min_samples_leaf: int = 1
    loss: str = "squared_error"
    quantile: float = 0.5  # of loss="quantile"

    @property
    def needs_values(self) -> bool:
        """Whether the search needs the target values of the groups, not only their means."""
        return self.loss != "squared_error"

    @property
    def rates(self) -> tuple[float, float]:
        """What a unit of a prediction above and of one below the target costs; zeros if it is not proportional."""
        rates = {"absolute_error": (1.0, 1.0), "quantile": (1 - self.quantile, self.quantile)}
        return rates.get(self.loss, (0.0, 0.0))


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
    if problem.needs_values and groups.points is None:
        raise ValueError(
            f"loss={problem.loss!r} needs the values of the target, and these groups have only their means; make them "
            "with compress(..., values=True)"
        )
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
        rates=problem.rates,
        points=groups.points if problem.needs_values else None,
        seconds=math.inf if limits.seconds is None else limits.seconds,
        bytes=_bytes_left(limits.megabytes),
        threads=threads,
        options=options or native.Options(),
        monitor=None if monitor is None else lambda progress: bool(monitor(_trace_point(progress))),
        trace=trace,
    )
    tree = _read_tree(answer, groups.conditions, 0.0 if problem.needs_values else groups.origin)
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


def _read_tree(answer: native.CoreSolution, conditions: tuple[Condition, ...], origin: float) -> Tree:
    nodes = zip(
        answer.feature,
        answer.yes,
        answer.no,
        answer.value,
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
                origin + value,
                int(rows),
                weight,
                loss,
            )
            for feature, yes, no, value, rows, weight, loss in nodes
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
