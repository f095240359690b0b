"""A mixed-integer program under HiGHS: one thread, tight tolerances, a limit on time, and an answer as a value.

The version is pinned. Presolve of HiGHS 1.15.1 calls some of these programs infeasible that are not, and ends others at
an "optimum" far above the true one (`tests/experiments/test_mip.py` has such tables); 1.11.0, 1.12.0 and 1.13.1 are
right on all that were tried.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

# HiGHS may break a constraint by its feasibility tolerance. Its default, 1e-6, multiplied by a big-M is an error that
# shows in the sixth digit of an objective; at 1e-9 it does not. The gaps are far below what counts as equal here.
OPTIONS = {
    "output_flag": False,
    "threads": 1,
    "mip_feasibility_tolerance": 1e-9,
    "primal_feasibility_tolerance": 1e-9,
    "dual_feasibility_tolerance": 1e-9,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 1e-8,
}


@dataclass(frozen=True)
class Answer:
    """What HiGHS came to: values are None where it found no solution at all."""

    optimal: bool
    values: NDArray[np.float64] | None
    lower_bound: float
    seconds: float


def new_program() -> highspy.Highs:
    """Return an empty program."""
    program = highspy.Highs()
    for name, value in OPTIONS.items():
        program.setOptionValue(name, value)
    return program


def run(program: highspy.Highs, limit: float) -> Answer:
    """Solve it for so many seconds at most."""
    program.setOptionValue("time_limit", limit)  # of this solve: earlier ones of the program do not count
    start = time.perf_counter()
    program.run()
    seconds = time.perf_counter() - start
    status, info = program.getModelStatus(), program.getInfo()
    if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit):
        # Every program of this folder has a solution: one leaf for all rows, or splits by a constant feature.
        said = program.modelStatusToString(status)
        raise RuntimeError(f"HiGHS says {said} of a program that has a solution; use the version in pyproject.toml.")
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.asarray(program.getSolution().col_value) if found else None
    return Answer(status == highspy.HighsModelStatus.kOptimal, values, info.mip_dual_bound, seconds)


def begin_with(program: highspy.Highs, variables: Iterable[Any], values: NDArray[np.float64]) -> None:
    """Let the next solve begin with an earlier solution of which these variables are kept; HiGHS finds the others."""
    index = np.array([variable.index for variable in variables], dtype=np.int32)
    program.setSolution(len(index), index, np.round(values[index]))
