"""Time optitree beside its peers: `python -m benchmarks.run --cells quick|table|extra`.

One timing at a time, every solver in a process of its own, the same repeats for all. Progress goes to
stderr, the table to stdout, and both the table and the raw answers to `--output`. The exit code is 1
if a peer refutes an answer of ours or if ours failed, 2 if data or optitree is missing, 0 otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from benchmarks.cells import SELECTIONS, Cell, DataMissingError, load
from benchmarks.peers import OURS, PEERS, UNLIMITED_IS_HARDER, Answer
from benchmarks.report import Row, cell_table, faults, judge, seconds, summarise, summary_table
from benchmarks.worker import Worker

# Calls that take longer than this are not repeated: noise is small beside them.
REPEAT_BELOW = 1.0


class NotInstalledError(Exception):
    """There is no optitree to measure."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    selection = SELECTIONS[options.cells]
    limit = options.peer_limit or selection.peer_limit
    cells = [cell for cell in selection.cells if not options.dataset or cell.dataset in options.dataset]
    if not cells:
        print("No cell is left: --dataset names none of the selection's datasets.", file=sys.stderr)
        return 2
    try:
        for cell in cells:
            load(cell.dataset)
    except DataMissingError as problem:
        print(problem, file=sys.stderr)
        return 2
    try:
        rows = _run(cells, options.peers, limit, options.limit, options.repeat)
    except NotInstalledError as problem:
        print(problem, file=sys.stderr)
        return 2
    return _publish(rows, options, limit)


def _run(cells: Sequence[Cell], peers: Sequence[str], limit: float, our_limit: float, repeat: int) -> list[Row]:
    rows: list[Row] = []
    with ExitStack() as stack:
        workers = {name: stack.enter_context(Worker(name)) for name in (OURS, *peers)}
        for number, cell in enumerate(cells, start=1):
            _say(f"[{number}/{len(cells)}] {cell}: ")
            ours = _timed(workers[OURS], cell, our_limit, repeat)
            if ours.status == "absent":
                raise NotInstalledError(f"optitree is {ours.message}. Build it first: pip install .")
            _say(f"{OURS} {_brief(ours)}")
            answers: dict[str, Answer] = {}
            for name in peers:
                if _implied(cell, name, rows):
                    answers[name] = Answer("implied", seconds=limit)
                else:
                    answers[name] = _timed(workers[name], cell, limit, repeat)
                _say(f", {name} {_brief(answers[name])}")
            rows.append(judge(Row(cell, ours, answers)))
            wrong = [name for name, answer in rows[-1].peers.items() if answer.status == "wrong"]
            _say(f" -- wrong: {', '.join(wrong)}\n" if wrong else "\n")
    return rows


def _timed(worker: Worker, cell: Cell, limit: float, repeat: int) -> Answer:
    """The fastest of `repeat` calls; one call if it is long, or ends without an answer."""
    best = worker.call(cell, limit)
    for _ in range(repeat - 1):
        if best.status != "solved" or best.seconds > REPEAT_BELOW:
            break
        again = worker.call(cell, limit)
        if again.status != "solved":
            return again
        best = min(best, again, key=lambda answer: answer.seconds)
    return best


def _implied(cell: Cell, peer: str, rows: Sequence[Row]) -> bool:
    """Whether the peer already timed out on this dataset and regularization at a smaller depth."""
    if cell.max_depth is None and not UNLIMITED_IS_HARDER[peer]:
        return False
    return any(
        row.peers[peer].status in ("time_limit", "implied")
        for row in rows
        if (row.cell.dataset, row.cell.regularization) == (cell.dataset, cell.regularization)
        and row.cell.max_depth is not None
        and (cell.max_depth is None or row.cell.max_depth < cell.max_depth)
    )


def _publish(rows: Sequence[Row], options: argparse.Namespace, limit: float) -> int:
    summaries = summarise(rows, limit)
    problems = [problem for row in rows for problem in faults(row)]
    timing_note = (
        f"Times are wall-clock seconds of the whole fit call, the fastest of {options.repeat} calls (one call where "
        f"it takes over {REPEAT_BELOW:g} s); in brackets, how many times ours. Peers had {limit:g} s a cell. "
        f"`wrong`: the answer exceeds the best known objective by more than 1e-6; it counts nowhere. "
        f"`(implied)`: not run, having timed out at a smaller depth."
    )
    mean_note = (
        "Geometric means of peer time over ours, with the number of cells in brackets. The last column is a "
        "lower bound: no peer gave a right answer there, and the time limit stands for its time."
    )
    text = "\n\n".join([cell_table(rows), timing_note, summary_table(summaries, limit), mean_note])
    unsolved = [str(row.cell) for row in rows if row.ours.status != "solved"]
    if unsolved:
        text += f"\n\nNot solved by optitree within {options.limit:g} s: {', '.join(unsolved)}."
    if problems:
        text += "\n\n**FAULTS IN OPTITREE**\n\n" + "\n".join(f"- {problem}" for problem in problems)
    print(text)
    record = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": {
            "platform": platform.platform(),
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
        },
        "versions": {name: _version(name) for name in ("optitree", "pystreed", "osrt")},
        "settings": {"peer_limit": limit, "limit": options.limit, "repeat": options.repeat},
        "rows": [asdict(row) for row in rows],
        "summary": [asdict(summary) for summary in summaries],
        "faults": problems,
    }
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / f"{options.cells}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (options.output / f"{options.cells}.md").write_text(text + "\n", encoding="utf-8")
    return 1 if problems else 0


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _brief(answer: Answer) -> str:
    return seconds(answer.seconds) if answer.status == "solved" else f"{answer.status} {answer.message}".strip()


def _say(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cells", choices=SELECTIONS, default="quick", help="what to run (default: quick)")
    parser.add_argument("--dataset", action="append", metavar="NAME", help="only this dataset; may be repeated")
    parser.add_argument(
        "--peers", nargs="*", choices=PEERS, default=list(PEERS), metavar="NAME",
        help=f"which of {', '.join(PEERS)} (default: all)",
    )  # fmt: skip
    parser.add_argument("--peer-limit", type=float, metavar="S", help="seconds a peer gets for a cell")
    parser.add_argument("--limit", type=float, default=60.0, metavar="S", help="seconds we get for a cell")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="calls per short timing (default: 5)")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
