"""One cell beside the peers: every solver in its own process, the same repeats for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from benchmarks.data.cells import Cell
from benchmarks.harness.judge import Row, judge
from benchmarks.harness.record import Entry, Record
from benchmarks.harness.text import say, seconds
from benchmarks.solvers.peers import OURS, UNLIMITED_IS_HARDER, Answer
from benchmarks.solvers.worker import Worker

# Calls that take longer than this are not repeated: noise is small beside them.
REPEAT_BELOW = 1.0

# Calls of a millisecond are repeated up to so many times as often, until they add up to something.
ENOUGH_SECONDS, ENOUGH_CALLS = 0.1, 5

# What a peer's time-out lets us conclude without running it: nothing; that it would time out at a greater depth; or
# that it would time out at no smaller depth and no greater regularization. The last is a rule with exceptions of a few
# percent of a peer's time (fewer trees are ruled out where leaves are cheaper), and saves most of the time.
Assume = Literal["nothing", "depth", "regularization"]


class NotInstalledError(Exception):
    """There is no optitree to measure."""


def answers(cell: Cell, workers: Mapping[str, Worker], record: Record, settings: Mapping[str, Any]) -> Entry:
    """Every solver's answer to one cell."""
    ours = timed(workers[OURS], cell, settings["limit"], settings["repeat"])
    if ours.status == "absent":
        raise NotInstalledError(f"optitree is {ours.message}. Build it first: pip install .")
    say(f"{OURS} {_brief(ours)}")
    earlier = [Row.from_dict(entry) for entry in record.entries if entry["cell"]["dataset"] == cell.dataset]
    peers: dict[str, Answer] = {}
    for name in settings["peers"]:
        if implied(cell, name, earlier, settings["assume"]):
            peers[name] = Answer("implied", seconds=settings["peer_limit"])
        else:
            peers[name] = timed(workers[name], cell, settings["peer_limit"], settings["repeat"])
        say(f", {name} {_brief(peers[name])}")
    row = Row(cell, ours, peers)
    wrong = [name for name, answer in judge(row).peers.items() if answer.status == "wrong"]
    if wrong:
        say(f" -- wrong: {', '.join(wrong)}")
    return row.as_dict()


def implied(cell: Cell, peer: str, rows: Sequence[Row], assume: Assume) -> bool:
    """Whether an earlier time-out of the peer on this dataset stands for one on this cell."""

    def stands(other: Cell) -> bool:
        as_small = other.regularization == cell.regularization or (
            assume == "regularization" and other.regularization > cell.regularization
        )
        if other.max_depth is None or cell.max_depth is None:
            depth = cell.max_depth is None and (other.max_depth is None or UNLIMITED_IS_HARDER[peer])
        else:
            depth = other.max_depth <= cell.max_depth
        return other.dataset == cell.dataset and as_small and depth

    return assume != "nothing" and any(
        stands(row.cell) for row in rows if row.peers[peer].status in ("time_limit", "implied")
    )


def timed(worker: Worker, cell: Cell, limit: float, repeat: int) -> Answer:
    """The fastest of `repeat` calls and more if they are short; one call if it is long, or ends without an answer."""
    best = worker.call(cell, limit)
    calls, spent = 1, best.seconds
    while calls < repeat or (spent < ENOUGH_SECONDS and calls < ENOUGH_CALLS * repeat):
        if best.status != "solved" or best.seconds > REPEAT_BELOW:
            break
        again = worker.call(cell, limit)
        if again.status != "solved":
            return again
        calls, spent = calls + 1, spent + again.seconds
        best = min(best, again, key=lambda answer: answer.seconds)
    return best


def _brief(answer: Answer) -> str:
    return seconds(answer.seconds) if answer.status == "solved" else f"{answer.status} {answer.message}".strip()
