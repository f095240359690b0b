"""From answers to judgements and ratios. Pure functions: nothing here runs a solver or prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from benchmarks.data.cells import Cell
from benchmarks.solvers.peers import NAMED_PEERS, Answer

TOLERANCE = 1e-6

# Below this a fit is mostly Python around the search, and a millisecond more or less is nobody's concern.
NOTICEABLE = 0.005


@dataclass(frozen=True)
class Row:
    """One cell and every answer to it, peers by name."""

    cell: Cell
    ours: Answer
    peers: Mapping[str, Answer]

    def right_peers(self, names: Collection[str] | None = None) -> dict[str, Answer]:
        return {
            name: answer
            for name, answer in self.peers.items()
            if answer.status == "solved" and (names is None or name in names)
        }

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        peers = {name: Answer(**answer) for name, answer in entry["peers"].items()}
        return cls(Cell(**entry["cell"]), Answer(**entry["ours"]), peers)


def judge(row: Row) -> Row:
    """Mark peers `wrong` whose answer is worse than the best known tree, or too deep to count."""

    def too_deep(answer: Answer) -> bool:
        return row.cell.max_depth is not None and answer.depth > row.cell.max_depth

    trees = [row.ours, *(answer for answer in row.peers.values() if not too_deep(answer))]
    best = min((tree.objective for tree in trees if tree.objective is not None), default=math.inf)

    def judged(answer: Answer) -> Answer:
        if answer.status != "solved" or answer.objective is None:
            return answer
        if too_deep(answer):
            return replace(answer, status="wrong", message=f"a tree of depth {answer.depth}")
        if answer.objective > best + TOLERANCE:
            return replace(answer, status="wrong", message=f"{answer.objective:.6f}, best known {best:.6f}")
        return answer

    return replace(row, peers={name: judged(answer) for name, answer in row.peers.items()})


def faults(row: Row) -> list[str]:
    """What this row proves wrong about *us*: a failure, or a claim that a peer's tree refutes."""
    if row.ours.status in ("error", "absent"):
        return [f"{row.cell}: optitree failed: {row.ours.message}"]
    claim = row.ours.objective if row.ours.status == "solved" else row.ours.lower_bound
    return [
        f"{row.cell}: optitree proved {claim:.9f}, but {name} has a tree of {answer.objective:.9f}"
        for name, answer in row.peers.items()
        if answer.status in ("solved", "time_limit")  # a better tree refutes us, proven or not
        and claim is not None
        and answer.objective is not None
        and claim > answer.objective + TOLERANCE
    ]


def slower(row: Row, least: float = 0.0) -> bool:
    """Whether a peer was right sooner than we were, on a fit of ours that took more than `least` seconds."""
    right = row.right_peers()
    if not right or row.ours.seconds <= least:
        return False
    return row.ours.status != "solved" or min(peer.seconds for peer in right.values()) < row.ours.seconds


# ---- ratios

Clock = Callable[[Answer], float | None]


def fit_clock(answer: Answer) -> float | None:
    return answer.seconds


def search_clock(answer: Answer) -> float | None:
    return answer.search_seconds


@dataclass(frozen=True)
class Mean:
    """A geometric mean of so many ratios; None where there are none."""

    value: float | None
    count: int


@dataclass(frozen=True)
class Ratios:
    """How many times our time the best right peer took, over the cells that we solved."""

    finished: Mean  # over the cells where a peer was right within its limit
    all: Mean  # a LOWER BOUND where it counts more cells: there, the limit stands for the peer's time


def ratios(rows: Sequence[Row], names: Collection[str] | None, clock: Clock, limit: float) -> Ratios:
    """Compare with the best of the named peers that is right (None: of all).

    A cell that we did not solve has no ratio; it is named in the report, and among the slower ones if a peer
    solved it. Nor has a cell on which no peer ran out of time and none was right.
    """
    finished, bounds = [], []
    for row in rows:
        ours = clock(row.ours)
        if row.ours.status != "solved" or not ours:
            continue
        times = [time for peer in row.right_peers(names).values() if (time := clock(peer))]
        if times:
            finished.append(min(times) / ours)
        elif any(_out_of_time(row, name) for name in row.peers if names is None or name in names):
            bounds.append(limit / ours)
    return Ratios(_mean(finished), _mean(finished + bounds))


def _out_of_time(row: Row, name: str) -> bool:
    return row.peers[name].status in ("time_limit", "implied")


def _mean(values: Sequence[float]) -> Mean:
    return Mean(geometric_mean(values), len(values))


def geometric_mean(values: Iterable[float]) -> float | None:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else None


@dataclass(frozen=True)
class Summary:
    """All ratios of one depth, or of all depths together."""

    depth: str
    cells: int
    unsolved: int  # by us
    named: Ratios  # fit calls, over the best right one of NAMED_PEERS
    every: Ratios  # fit calls, over the best right peer of all settings
    named_search: Ratios  # the same two of the searches alone
    every_search: Ratios
    per_peer: Mapping[str, Mean]  # its fit over ours, on the cells it solved rightly


def summarise(rows: Sequence[Row], limit: float) -> list[Summary]:
    """One summary per depth, shallowest first, and one of everything if there are several."""
    depths = sorted({row.cell.max_depth for row in rows}, key=lambda depth: (depth is None, depth))
    summaries = []
    for depth in depths:
        of_depth = [row for row in rows if row.cell.max_depth == depth]
        summaries.append(_summary(of_depth[0].cell.depth_label, of_depth, limit))
    return [*summaries, _summary("all", rows, limit)] if len(depths) > 1 else summaries


def _summary(label: str, rows: Sequence[Row], limit: float) -> Summary:
    return Summary(
        depth=label,
        cells=len(rows),
        unsolved=sum(row.ours.status != "solved" for row in rows),
        named=ratios(rows, NAMED_PEERS, fit_clock, limit),
        every=ratios(rows, None, fit_clock, limit),
        named_search=ratios(rows, NAMED_PEERS, search_clock, limit),
        every_search=ratios(rows, None, search_clock, limit),
        per_peer={name: ratios(rows, (name,), fit_clock, limit).finished for name in rows[0].peers},
    )
