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
            print(
                f"{point.seconds:7.1f} s   lower bound {point.lower_bound:.6f}   "
                f"upper bound {point.upper_bound:.6f}   {point.solved:,} subproblems",
                file=sys.stderr,
            )
        return True

    return show
