"""One solver in one child process, reused from call to call and killed when it overruns.

The peers ignore their time limits and Ctrl-C, so a clock inside the process is no use: only killing
it is. Start-up, imports and a first warming call happen before any clock starts.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Self, TypeVar

import numpy as np

from benchmarks.data.cells import BinaryTable, Cell, load
from benchmarks.harness.machine import memory_megabytes
from benchmarks.solvers.peers import SOLVERS, Answer, Solve

T = TypeVar("T")

# Seconds beyond the limit for what surrounds the timed call, and for judging the tree: some peers predict row by
# row in Python.
GRACE = 0.5
JUDGEMENT = 120.0

# Of the computer's memory: a peer that takes more fails alone instead of taking the run with it.
MEMORY_SHARE = 0.75


class Worker:
    """A solver's process. Use it as a context manager; `call` one cell at a time.

    `read` gets the table of a dataset, in the process; it and `solve` are functions of modules.
    """

    def __init__(self, solver: str, solve: Solve | None = None, read: Callable[[str], BinaryTable] = load) -> None:
        self._solve = solve or SOLVERS[solver]
        self._read = read
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._absent = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop()

    def call(self, cell: Cell, limit: float) -> Answer:
        """Solve the cell, or give up after `limit` seconds of it."""
        pipe = self._start()
        if pipe is None:
            return Answer("absent", message=self._absent)
        try:
            pipe.send((cell, limit))
            pipe.recv()  # the data is loaded: the clock starts
            if not pipe.poll(limit + GRACE):
                self._stop()
                return Answer("time_limit", seconds=limit, message="killed")
            pipe.recv()  # fitted
            if not pipe.poll(JUDGEMENT):
                self._stop()
                return Answer("error", message="its tree could not be read")
            answer: Answer = pipe.recv()
        except (EOFError, OSError):
            code = self._stop()
            return Answer("error", message=f"the process died (exit code {code})")
        if answer.status == "time_limit" or answer.seconds > limit:
            return replace(answer, status="time_limit", seconds=limit)
        return answer

    def _start(self) -> Connection | None:
        if self._pipe is None and not self._absent:
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(self._solve, self._read, theirs), daemon=True)
            self._process.start()
            theirs.close()
            try:
                self._absent = str(self._pipe.recv())
            except EOFError:
                self._absent = "its process died while starting"
            if self._absent:
                self._stop()
        return self._pipe

    def _stop(self) -> int | None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is None:
            return None
        self._process.kill()
        self._process.join()
        code = self._process.exitcode
        self._process = None
        return code


def _serve(solve: Solve, read: Callable[[str], BinaryTable], pipe: Connection) -> None:
    """The child's loop: warm up, say so, then one answer per cell until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then kills this process
    # The peers print as they go, from C++ too: only the descriptor itself silences them.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    most = int(MEMORY_SHARE * memory_megabytes() * 1e6)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8).repeat(5, axis=0)
        solve(bits, bits.sum(axis=1).astype(np.float64), 0.01, 2, 10.0)()
    except ImportError as problem:
        pipe.send(f"not installed ({problem})")
        return
    pipe.send("")
    while True:
        try:
            cell, limit = pipe.recv()
        except EOFError:
            return
        table = read(cell.dataset)
        pipe.send("started")
        judgement = _caught(partial(solve, table.X, table.y, cell.regularization, cell.max_depth, limit))
        pipe.send("fitted")
        pipe.send(judgement if isinstance(judgement, Answer) else _caught(judgement))


def _caught(step: Callable[[], T]) -> T | Answer:
    try:
        return step()
    except Exception as problem:
        return Answer("error", message=f"{type(problem).__name__}: {problem}")
