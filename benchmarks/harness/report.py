"""From judged rows to the text of `benchmarks.run`. Pure functions: nothing here runs a solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.harness.judge import NOTICEABLE, Mean, Ratios, Row, Summary, faults, slower, summarise
from benchmarks.harness.text import factor, markdown, seconds
from benchmarks.solvers.peers import NAMED_PEERS, Answer


def report(rows: Sequence[Row], settings: Mapping[str, Any]) -> str:
    """Everything there is to say about a run."""
    limit = settings["peer_limit"]
    summaries = summarise(rows, limit)
    parts = [
        "### Geometric means: best right peer over ours",
        ratio_table(summaries),
        _ratio_note(rows, limit),
        peer_table(summaries),
        "Each peer's fit call over ours, on the cells where it is right.",
        *_unlimited_line(summaries),
        slower_lines(rows),
        "### Every cell",
        cell_table(rows),
        _cell_note(settings),
    ]
    problems = [problem for row in rows for problem in faults(row)]
    if problems:
        parts.append("**FAULTS IN OPTITREE**\n\n" + "\n".join(f"- {problem}" for problem in problems))
    return "\n\n".join(parts)


def broken(rows: Sequence[Row]) -> bool:
    """Whether something must not be as it is: an answer of ours, or a fit that one would notice and a peer beats."""
    return any(faults(row) or slower(row, NOTICEABLE) for row in rows)


def ratio_table(summaries: Sequence[Summary]) -> str:
    """(a) over the peers in their known settings, (b) over every setting, of fit calls and of searches."""
    head = [
        "depth", "cells", "(a) fit: finished", "all cells", "(b) fit: finished", "all cells",
        "(a) search: finished", "all cells", "(b) search: finished", "all cells", "not solved by us",
    ]  # fmt: skip
    lines = [
        [
            summary.depth, str(summary.cells),
            *(text for ratios in _all_ratios(summary) for text in (_mean(ratios.finished), _bound(ratios))),
            str(summary.unsolved),
        ]
        for summary in summaries
    ]  # fmt: skip
    return markdown(head, lines)


def peer_table(summaries: Sequence[Summary]) -> str:
    names = list(summaries[0].per_peer)
    lines = [[summary.depth, *(_mean(summary.per_peer[name]) for name in names)] for summary in summaries]
    return markdown(["depth", *names], lines)


def _unlimited_line(summaries: Sequence[Summary]) -> list[str]:
    """The one peer made for trees without a depth limit: what it solves is the comparison there."""
    return [
        f"Without a depth limit osrt takes {factor(mean.value)} our time, on the {mean.count} of {summary.cells} cells "
        "that it solves."
        for summary in summaries
        if summary.depth == "none" and (mean := summary.per_peer.get("osrt", Mean(None, 0))).value is not None
    ]


def slower_lines(rows: Sequence[Row]) -> str:
    """The two lists that should be empty, the first of them always."""
    noticeable = [_race(row) for row in rows if slower(row, NOTICEABLE)]
    at_all = [_race(row) for row in rows if slower(row)]
    return (
        f"Ours takes over {NOTICEABLE * 1000:g} ms and a right peer takes less: {_listed(noticeable)}\n\n"
        f"Ours is slower than a right peer at all: {_listed(at_all)}"
    )


def cell_table(rows: Sequence[Row]) -> str:
    """Every cell: our times, each peer's time and how many times ours it is."""
    names = list(rows[0].peers)
    head = ["dataset", "λ", "depth", "objective", "leaves", "ours: fit", "search", *names]
    return markdown(head, [_cell_line(row, names) for row in rows])


def _ratio_note(rows: Sequence[Row], limit: float) -> str:
    known = ", ".join(name for name in NAMED_PEERS if name in rows[0].peers)
    note = (
        f"(a) over the best right one of {known or 'none'}; (b) over the best right peer of all settings run. "
        "`finished`: the cells where such a peer is right within its limit, their number in brackets. `all cells`: "
        f"where none is, the limit of {limit:g} s stands for its time, so that the mean is a lower bound (≥), and a "
        "poor one where ours took longer than that."
    )
    unsolved = [str(row.cell) for row in rows if row.ours.status != "solved"]
    if unsolved:
        note += f" Not solved by optitree, and in no mean: {', '.join(unsolved)}."
    return note


def _cell_note(settings: Mapping[str, Any]) -> str:
    rules = {
        "nothing": "",
        "depth": " `(implied)`: not run, having timed out at a smaller depth.",
        "regularization": " `(implied)`: not run, having timed out at no greater depth and no smaller λ.",
    }
    return (
        f"Times are wall-clock seconds of the whole fit call on one thread, the fastest of {settings['repeat']} calls "
        f"or more (one call where it takes over {settings['repeat_below']:g} s); in brackets, how many times ours. "
        f"Peers had {settings['peer_limit']:g} s a cell, ours {settings['limit']:g} s. `wrong`: the answer exceeds the "
        f"best known objective by more than 1e-6; it counts nowhere.{rules[settings['assume']]}"
    )


def _all_ratios(summary: Summary) -> tuple[Ratios, ...]:
    return summary.named, summary.every, summary.named_search, summary.every_search


def _race(row: Row) -> str:
    right = row.right_peers()
    name = min(right, key=lambda peer: right[peer].seconds)
    ours = seconds(row.ours.seconds) if row.ours.status == "solved" else f"unsolved after {seconds(row.ours.seconds)}"
    return f"{row.cell} (ours {ours}, {name} {seconds(right[name].seconds)})"


def _listed(entries: Sequence[str]) -> str:
    return f"{len(entries)} cells: {'; '.join(entries)}." if entries else "none."


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
            ratio = f" ({factor(answer.seconds / ours.seconds)})" if ours.seconds > 0 else ""
            return seconds(answer.seconds) + ratio
        case "wrong":
            return f"{seconds(answer.seconds)} wrong"
        case "time_limit":
            return f">{answer.seconds:g}"
        case "implied":
            return f">{answer.seconds:g} (implied)"
        case other:
            return other


def _mean(mean: Mean) -> str:
    return "-" if mean.value is None else f"{factor(mean.value)} ({mean.count})"


def _bound(ratios: Ratios) -> str:
    """The mean over all cells, marked as the lower bound that it is unless every peer finished."""
    return ("≥ " if ratios.all.count > ratios.finished.count else "") + _mean(ratios.all)
