"""The task of a search: what the core is given."""

import warnings
from collections.abc import Callable

from .. import core
from ..errors import LimitWarning
from ..groups.groups import Groups
from ..process_memory import resident_bytes
from .answers import read_progress
from .problem import Limits, Problem
from .solution import TracePoint

Monitor = Callable[[TracePoint], bool]
_LEAST_BYTES = 1_000_000


def make_task(
    groups: Groups,
    problem: Problem,
    limits: Limits | None,
    monitor: Monitor | None,
    threads: int,
    options: core.Options | None = None,
) -> core.Task:
    """Return what the core is given, or say what these groups lack."""
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
    task.set_limits(core.Limits(limits.seconds_left, _bytes_left(limits.megabytes)))
    task.set_threads(threads)
    if options is not None:
        task.set_options(options)
    if monitor is not None:
        task.monitor = lambda progress: bool(monitor(read_progress(progress)))
    return task


def _bytes_left(megabytes: float | None) -> int:
    """Return what the search may take so that the process stays within its limit."""
    if megabytes is None:
        return 2**63
    held = resident_bytes()
    left = int(min(megabytes * 1e6, 2**63)) - held
    if left < _LEAST_BYTES:
        warnings.warn(
            f"memory_limit={megabytes:g} is not above what the process holds before the search, {held / 1e6:.0f} "
            "megabytes with the table and its groups: the search has one megabyte. Raise memory_limit well above that",
            LimitWarning,
            stacklevel=6,
        )
    return max(left, _LEAST_BYTES)
