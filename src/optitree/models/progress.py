"""The progress of a search, as lines on standard error."""

import sys
import time

from ..solver.solution import TracePoint
from ..solver.task import Monitor


def monitor_of(verbose: bool) -> Monitor | None:
    """Return a monitor that prints a line a second, or None if nobody wants to see it."""
    if not verbose:
        return None
    last = 0.0

    def show(point: TracePoint) -> bool:
        nonlocal last
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            print(line_of(point), file=sys.stderr)
        return True

    return show


def line_of(point: TracePoint) -> str:
    """Say how far a search is: its best tree, what no tree is below, the depth for which it has a proof."""
    depth = "" if not point.proven_depth else f"   proven to depth {point.proven_depth}"
    gap = point.upper_bound - point.lower_bound
    return (
        f"{point.seconds:7.1f} s   objective {point.upper_bound:.6f}   lower bound {point.lower_bound:.6f}   "
        f"gap {gap:.4f}{depth}   {point.solved:,} subproblems"
    )
