"""One fit of ours in a process of its own: its memory is nobody else's, and a crash ends nothing but itself."""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from benchmarks.data.cells import Cell, load
from benchmarks.data.generated import Order, generate
from benchmarks.data.real import read
from benchmarks.harness.machine import memory_megabytes
from optitree import OptimalTreeRegressor

T = TypeVar("T")

MEMORY_SHARE = 0.75  # of the computer's, so that a search out of hand stops before the computer does


class FailedError(Exception):
    """The process ended without a result."""


@dataclass(frozen=True)
class Fit:
    """What a fit came to. Seconds are wall-clock, megabytes those of the process."""

    status: str
    seconds: float
    search_seconds: float
    objective: float
    lower_bound: float
    proven_depth: int | None  # no tree of so little depth is better; None: no tree at all
    conditions: int
    leaves: int
    depth: int
    solved: int
    cached: int
    core_megabytes: float  # what the core says it holds at the end
    start_megabytes: float  # resident before the fit
    peak_megabytes: float  # resident at most, during the fit
    tree: str  # a fingerprint of every node: equal trees and no others have equal ones


def in_fresh_process(function: Callable[..., T], *arguments: Any) -> T:
    """Call a function of a module in a new process, a copy of one that has the libraries and nothing else."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, function, arguments), daemon=True)
    process.start()
    theirs.close()
    try:
        result, problem = ours.recv()
    except EOFError:
        process.join()
        raise FailedError(f"the process died (exit code {process.exitcode})") from None
    finally:
        process.kill()
        process.join()
    if problem:
        raise FailedError(problem)
    answer: T = result
    return answer


def fit(cell: Cell, n_jobs: int, limit: float) -> Fit:
    """Fit a cell; to be called in a fresh process."""
    table = load(cell.dataset)
    warm_up(n_jobs)
    return _measured(cell, n_jobs, limit, table.X, table.y)


def fit_table(cell: Cell, n_jobs: int, limit: float) -> Fit:
    """Fit a real or generated table as it comes; to be called in a fresh process."""
    X, y = read(cell.dataset)
    warm_up(n_jobs)
    OptimalTreeRegressor().fit(*generate(Order(20, 1, categories=1)))  # the first frame loads more of them
    return _measured(cell, n_jobs, limit, X, y)


def _measured(cell: Cell, n_jobs: int, limit: float, X: Any, y: Any) -> Fit:
    model = OptimalTreeRegressor(
        cell.regularization,
        max_depth=cell.max_depth,
        time_limit=limit,
        memory_limit=MEMORY_SHARE * memory_megabytes(),
        n_jobs=n_jobs,
    )
    start_megabytes = _reset_peak()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit reached is read from status_
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
    peak_megabytes = _resident("VmHWM")
    solution = model.solution_
    return Fit(
        status=model.status_,
        seconds=seconds,
        search_seconds=solution.seconds,
        objective=model.objective_,
        lower_bound=model.lower_bound_,
        proven_depth=model.proven_depth_,
        conditions=len(model.binarizer_.conditions_),
        leaves=model.n_leaves_,
        depth=model.depth_,
        solved=solution.solved,
        cached=solution.cached,
        core_megabytes=solution.megabytes,
        start_megabytes=start_megabytes,
        peak_megabytes=peak_megabytes,
        tree=hashlib.sha256(repr(model.tree_.nodes).encode()).hexdigest()[:16],
    )


def warm_up(n_jobs: int = 1) -> None:
    """The first fit of a process loads libraries."""
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8).repeat(5, axis=0)
    OptimalTreeRegressor(n_jobs=n_jobs).fit(bits, bits.sum(axis=1).astype(np.float64))


def _answer(pipe: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then kills this process
    try:
        pipe.send((function(*arguments), ""))
    except Exception as problem:
        pipe.send((None, f"{type(problem).__name__}: {problem}"))


def _reset_peak() -> float:
    """Forget the peak so far, and return what is resident now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _resident("VmRSS")


def _resident(field: str) -> float:
    """Megabytes by the kernel's count. Unlike getrusage's it does not start at the peak of the parent process."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise OSError(f"/proc/self/status has no {field}")
