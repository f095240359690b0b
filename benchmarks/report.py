"""From answers to judgements, ratios and tables. Pure functions: nothing here runs a solver."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.cells import Cell
from benchmarks.peers import Answer

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Row:
    """One cell and every answer to it, peers by name."""

    cell: Cell
    ours: Answer
    peers: Mapping[str, Answer]

    def right_peers(self) -> dict[str, Answer]:
        return {name: answer for name, answer in self.peers.items() if answer.status == "solved"}


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


def geometric_mean(values: Iterable[float]) -> float | None:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else None


@dataclass(frozen=True)
class Summary:
    """Ratios (peer's seconds over ours) for one depth; None where there is nothing to average."""

    depth: str
    cells: int
    unsolved_by_us: int
    compared: int  # cells that at least one peer solved rightly
    fit: float | None  # best right peer's fit call over our fit call
    search: float | None  # best right peer's search over our search
    per_peer: Mapping[str, tuple[float | None, int]]  # its fit over our fit, on the cells it solved rightly
    timed_out: int  # cells where every peer ran into the limit or was wrong
    at_least: float | None  # a LOWER BOUND: the limit over our fit call, on those cells


def summarise(rows: Sequence[Row], peer_limit: float) -> list[Summary]:
    """One summary per depth, in the order in which the depths appear."""
    depths = sorted({row.cell.max_depth for row in rows}, key=lambda depth: (depth is None, depth))
    return [_summary([row for row in rows if row.cell.max_depth == depth], peer_limit) for depth in depths]


def _summary(rows: Sequence[Row], peer_limit: float) -> Summary:
    usable = [row for row in rows if row.ours.seconds > 0]  # a failure of ours is reported, not averaged
    compared = [row for row in usable if row.right_peers()]
    hopeless = [
        row for row in usable
        if not row.right_peers() and any(peer.status in ("time_limit", "implied") for peer in row.peers.values())
    ]  # fmt: skip

    def best(row: Row, seconds: Callable[[Answer], float | None]) -> float:
        return min(time for peer in row.right_peers().values() if (time := seconds(peer)) is not None)

    def fit_ratios(name: str) -> list[float]:
        return [row.right_peers()[name].seconds / row.ours.seconds for row in compared if name in row.right_peers()]

    names = rows[0].peers
    return Summary(
        depth=rows[0].cell.depth_label,
        cells=len(rows),
        unsolved_by_us=sum(row.ours.status != "solved" for row in rows),
        compared=len(compared),
        fit=geometric_mean(best(row, lambda peer: peer.seconds) / row.ours.seconds for row in compared),
        search=geometric_mean(
            best(row, lambda peer: peer.search_seconds) / row.ours.search_seconds
            for row in compared
            if row.ours.search_seconds
        ),
        per_peer={name: (geometric_mean(ratios), len(ratios)) for name in names if (ratios := fit_ratios(name))},
        timed_out=len(hopeless),
        at_least=geometric_mean(peer_limit / row.ours.seconds for row in hopeless),
    )


def cell_table(rows: Sequence[Row]) -> str:
    """Every cell: our times, each peer's time and how many times ours it is."""
    names = list(rows[0].peers)
    head = ["dataset", "λ", "depth", "objective", "leaves", "ours: fit", "search", *names]
    return _table(head, [_cell_line(row, names) for row in rows])


def summary_table(summaries: Sequence[Summary], peer_limit: float) -> str:
    """Geometric means per depth."""
    names = list(dict.fromkeys(name for summary in summaries for name in summary.per_peer))
    head = ["depth", "cells", "best right peer: fit / fit", "search / search", *names]
    head.append(f"no right peer within {peer_limit:g} s: at least")
    lines = []
    for summary in summaries:
        peers = [_mean(*summary.per_peer.get(name, (None, 0))) for name in names]
        bound = _mean(summary.at_least, summary.timed_out, "≥ ")
        means = [_mean(summary.fit, summary.compared), _mean(summary.search, summary.compared)]
        lines.append([summary.depth, str(summary.cells), *means, *peers, bound])
    return _table(head, lines)


def _cell_line(row: Row, names: Sequence[str]) -> list[str]:
    ours = row.ours
    return [
        row.cell.dataset,
        f"{row.cell.regularization:g}",
        row.cell.depth_label,
        "-" if ours.objective is None else f"{ours.objective:.6f}",
        str(ours.leaves),
        seconds(ours.seconds) if ours.status == "solved" else f"{seconds(ours.seconds)} {ours.message}",
        "-" if ours.search_seconds is None else seconds(ours.search_seconds),
        *(_peer_entry(row.peers[name], ours) for name in names),
    ]


def _peer_entry(answer: Answer, ours: Answer) -> str:
    match answer.status:
        case "solved":
            ratio = f" ({_factor(answer.seconds / ours.seconds)})" if ours.seconds > 0 else ""
            return seconds(answer.seconds) + ratio
        case "wrong":
            return f"{seconds(answer.seconds)} wrong"
        case "time_limit":
            return f">{answer.seconds:g}"
        case "implied":
            return f">{answer.seconds:g} (implied)"
        case other:
            return other


def seconds(value: float) -> str:
    """Three significant digits, never in exponent form."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _factor(value: float) -> str:
    return f"{value:.1f}x" if value < 10 else f"{value:.0f}x"


def _mean(value: float | None, count: int, sign: str = "") -> str:
    return "-" if value is None else f"{sign}{_factor(value)} ({count})"


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A markdown table whose columns also line up as plain text."""
    widths = [max(len(line[column]) for line in (head, *lines)) for column in range(len(head))]
    rule = ["-" * width for width in widths]
    return "\n".join(
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in (head, rule, *lines)
    )
