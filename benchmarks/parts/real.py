"""What the parts of `benchmarks.real` measure of a cell. Every fit has a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.data.cells import Cell, grid
from benchmarks.data.real import default_groups
from benchmarks.harness.beside import REPEAT_BELOW, answers
from benchmarks.harness.record import Entry, Record
from benchmarks.harness.text import say, seconds
from benchmarks.solvers.alone import FailedError, fit_table, in_fresh_process
from benchmarks.solvers.greedy import cart_objective
from benchmarks.solvers.peers import OURS
from benchmarks.solvers.switched import search
from benchmarks.solvers.worker import Worker

FINISHED = "optimal"
REGULARIZATION = 0.01  # the default
WORTH_TWO_THREADS = 2.0  # seconds with one
STOPPED_AFTER = (2.0, 5.0, 20.0)
SHALLOW = 3
MOST_CONDITIONS_DEPTH = {"generated-wide": 3}  # deeper, its 750 conditions are a matter of hours
PEERS = ("streed", "streed-fast")  # as right as it gets, and as fast as it gets
PEER_REPEAT = 3


@dataclass(frozen=True)
class Run:
    """What a part is run with: limits in seconds, what is measured so far, the processes of the solvers."""

    limit: float
    peer_limit: float
    record: Record
    workers: Mapping[str, Worker]

    def unfinished(self, cell: Cell, name: str) -> int | None:
        """The depth at which the search of that name was not finished on this table, if it is smaller."""
        of_table = [entry for entry in self.record.entries if entry["cell"]["dataset"] == cell.dataset]
        stopped = [
            entry["cell"]["max_depth"] for entry in of_table if entry.get(name, {}).get("status", FINISHED) != FINISHED
        ]
        return min((depth for depth in stopped if depth < cell.max_depth), default=None)


@dataclass(frozen=True)
class Part:
    """Depths, what is measured at each, how long a search may take, and whether generated tables belong to it."""

    depths: tuple[int | None, ...]
    measure: Callable[[Cell, Run], Entry]
    limit: float
    generated: bool = False

    def cells(self, table: str) -> tuple[Cell, ...]:
        most = MOST_CONDITIONS_DEPTH.get(table)
        depths = [depth for depth in self.depths if most is None or depth is None or depth <= most]
        return grid((table,), (REGULARIZATION,), depths)


def measure(part: Part, cell: Cell, run: Run) -> Entry:
    """The entry of a cell; a process that fails ends nothing but itself."""
    try:
        return {"limit": run.limit, **part.measure(cell, run)}
    except FailedError as problem:
        say(f"FAILED: {problem}")
        return {"failed": str(problem)}


def _fit(cell: Cell, limit: float, n_jobs: int = 1) -> dict[str, Any]:
    result = in_fresh_process(fit_table, cell, n_jobs, limit)
    say(f"{result.status} {seconds(result.seconds)}  ")
    return asdict(result)


def _fitted(cell: Cell, run: Run) -> Entry:
    return {"fit": _fit(cell, run.limit)}


def _prices(cell: Cell, run: Run) -> Entry:
    depth = run.unfinished(cell, "on")
    if depth is not None:
        return {"skipped": f"not finished at depth {depth}"}
    on, off = (in_fresh_process(search, cell, run.limit, switched) for switched in ((), ("prices",)))
    say(f"on {on.status} {seconds(on.seconds)}, off {off.status} {seconds(off.seconds)}")
    return {"on": asdict(on), "off": asdict(off)}


def _threads(cell: Cell, run: Run) -> Entry:
    depth = run.unfinished(cell, "one")
    if depth is not None:
        return {"skipped": f"not finished at depth {depth}"}
    one = _fit(cell, run.limit)
    return {"one": one, "two": _fit(cell, run.limit, 2) if one["seconds"] > WORTH_TWO_THREADS else None}


def _stopped(cell: Cell, run: Run) -> Entry:
    limits = [limit for limit in STOPPED_AFTER if limit <= run.limit] or [run.limit]
    fits = {f"{limit:g} s": _fit(cell, limit) for limit in limits}
    sizes = sorted({fit["leaves"] for fit in fits.values()})
    greedy = dict(zip(sizes, in_fresh_process(_greedy, cell, sizes), strict=True))
    return {
        "stopped": fits,
        "cart": {label: greedy[fit["leaves"]] for label, fit in fits.items()},
        "shallow": _fit(Cell(cell.dataset, cell.regularization, SHALLOW), run.limit),
    }


def _greedy(cell: Cell, sizes: list[int]) -> list[float]:
    """The objectives of CART with so many leaves; to be called in a fresh process."""
    groups = default_groups(cell.dataset)
    return [cart_objective(groups, leaves, cell.regularization) for leaves in sizes]


def _peers(cell: Cell, run: Run) -> Entry:
    settings = {
        "peers": [name for name in run.workers if name != OURS],
        "peer_limit": run.peer_limit,
        "limit": run.limit,
        "repeat": PEER_REPEAT,
        "repeat_below": REPEAT_BELOW,
        "assume": "depth",
    }
    return {**answers(cell, run.workers, run.record, settings), "settings": settings}


PARTS: dict[str, Part] = {
    "defaults": Part((None,), _fitted, 20.0, generated=True),
    "depths": Part((2, 3, 4, 5, 6), _fitted, 60.0, generated=True),
    "prices": Part((3, 4, 5, 6), _prices, 60.0),
    "threads": Part((3, 4, 5, 6), _threads, 60.0),
    "stopped": Part((None,), _stopped, 60.0),
    "peers": Part((3, 4, 5), _peers, 60.0),
}
