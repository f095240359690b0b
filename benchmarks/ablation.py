"""What each bound is worth: `python -m benchmarks.ablation`.

Solves a few cells with everything on and without each bound in turn, and prints subproblems and search seconds as
multiples of those with everything on. The answers must agree; the exit code is 1 if they do not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.data.cells import Cell, DataMissingError
from benchmarks.data.grouped import groups
from optitree import core
from optitree.solver.problem import Limits, Problem
from optitree.solver.solution import Solution
from optitree.solver.solve import solve

CELLS = tuple(
    Cell(dataset, regularization, depth)
    for dataset, regularization, depths in (
        ("airfoil", 0.005, (5, 6, 8, None)),
        ("insurance", 0.001, (6, 8, None)),
        ("real-estate", 0.005, (8, None)),
        ("enb-heat", 0.001, (6, None)),
        ("optical", 0.001, (6, None)),
        ("seoul-bike", 0.05, (5, None)),
        ("seoul-bike", 0.01, (6, None)),
        ("seoul-bike", 0.001, (6,)),
    )
    for depth in depths
)
SWITCHES = tuple(name for name in dir(core.Options) if not name.startswith("_") and name != "eager")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=float, default=30.0, metavar="S", help="seconds a solve may take")
    parser.add_argument("--switch", choices=SWITCHES, action="append", help="only without this; may be repeated")
    options = parser.parse_args(arguments)
    limit = options.limit
    agree = True
    try:
        for cell in CELLS:
            full = _solve(cell, limit)
            print(f"\n{cell}: {full.solved:,} subproblems, {full.seconds:.4f} s")
            for switch in options.switch or SWITCHES:
                less = _solve(cell, limit, switch)
                finished = less.status == "optimal"
                agree &= not finished or abs(less.objective - full.objective) < 1e-9
                sign = " " if finished else ">"
                print(
                    f"  without {switch:22}{sign}{less.solved / full.solved:7.2f} x subproblems "
                    f"{sign}{less.seconds / full.seconds:7.2f} x seconds",
                    flush=True,
                )
    except DataMissingError as problem:
        print(problem, file=sys.stderr)
        return 2
    print("\nAll finished runs agree." if agree else "\nTHE ANSWERS DIFFER")
    return 0 if agree else 1


def _solve(cell: Cell, limit: float, without: str | None = None) -> Solution:
    options = core.Options()
    if without is not None:
        setattr(options, without, False)
    return solve(groups(cell.dataset), Problem(cell.regularization, cell.max_depth), Limits(limit), options=options)


if __name__ == "__main__":
    sys.exit(main())
