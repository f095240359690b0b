"""What an experiment is: cells, a measurement of each, and a table and figures made of the measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from benchmarks.data.cells import BinaryTable, Cell, load
from benchmarks.solvers.peers import SOLVERS, Answer, Solve
from benchmarks.solvers.worker import Worker

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]  # what is known of one cell: `cell`, its fields, and what was measured


@dataclass(frozen=True)
class Settings:
    """How much is run. Limits are seconds of one search."""

    quick: bool = False
    datasets: tuple[str, ...] = ()  # empty: those of the experiment
    limit: float = 10.0  # of ours
    peer_limit: float = 5.0

    def chosen(self, datasets: Sequence[str], quick: Sequence[str]) -> tuple[str, ...]:
        """The datasets to run: those asked for, else those of the experiment, or its few quick ones."""
        return self.datasets or tuple(quick if self.quick else datasets)


@dataclass(frozen=True)
class AtDepth:
    """A cell of many experiments: a dataset at a depth limit, with all that is tried there."""

    dataset: str
    max_depth: int

    def __str__(self) -> str:
        return f"{self.dataset} depth {self.max_depth}"


@dataclass(frozen=True)
class Findings:
    """What the rows say: text for people, and expectations that failed."""

    text: str
    faults: list[str] = field(default_factory=list)


class Bench:
    """What a measurement may use: the settings, and a process for each solver, started when it is first asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._open = ExitStack()
        self._workers: dict[str, Worker] = {}
        self._late: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    def worker(self, solver: str, solve: Solve | None = None, read: Callable[[str], BinaryTable] = load) -> Worker:
        """The process of a solver; `solve` is for one that `benchmarks.solvers.peers` does not know."""
        if solver not in self._workers:
            self._workers[solver] = self._open.enter_context(Worker(solver, solve or SOLVERS[solver], read))
        return self._workers[solver]

    def until_late(self, solver: str, cell: Cell, read: Callable[[str], BinaryTable] = load) -> Answer:
        """Its answer; once it has run out of time, not asked again: for cells that only get harder."""
        if solver in self._late:
            return Answer("implied", seconds=self.settings.peer_limit)
        answer = self.worker(solver, read=read).call(cell, self.settings.peer_limit)
        if answer.status != "solved":
            self._late.add(solver)
        return answer


@dataclass(frozen=True)
class Experiment:
    """One experiment. Cells are frozen dataclasses, told apart by their fields: by them a stopped run goes on."""

    name: str
    title: str
    claim: str  # what the paper says, above the table
    cells: Callable[[Settings], Sequence[Any]]
    measure: Callable[[Any, Bench], dict[str, Any]]
    table: Callable[[Sequence[Row]], Findings]
    figures: Callable[[Sequence[Row]], Iterable[tuple[str, Figure]]]  # file names without suffix, and what is drawn
    limit: float = 10.0  # seconds of one search of ours unless another is asked for
    peer_limit: float = 5.0
    timed: bool = False  # seconds are what it is about: nothing else should run beside it
