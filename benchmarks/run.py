"""Time optitree beside its peers: `python -m benchmarks.run --cells bench|quick|full`.

One timing at a time, every solver in a process of its own, the same repeats for all. Progress goes to stderr, the
report to stdout; the raw answers go line by line to `--output`/CELLS.jsonl, from which a stopped run goes on and
`--report-only` makes the report (CELLS.md) and the picture (CELLS.svg) again. The exit code is 1 if a peer refutes an
answer of ours, if ours failed or if a peer beats a fit of ours that one would notice; 2 if data or optitree is missing
or the record belongs to another run; 0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from benchmarks.data.cells import Cell, DataMissingError, bench, full, load, quick
from benchmarks.harness.beside import REPEAT_BELOW, Assume, NotInstalledError, answers
from benchmarks.harness.judge import Row, judge
from benchmarks.harness.machine import build, machine, versions
from benchmarks.harness.plot import draw
from benchmarks.harness.record import Record, RecordError, complete
from benchmarks.harness.report import broken, report
from benchmarks.solvers.peers import OURS, PEERS
from benchmarks.solvers.worker import Worker


@dataclass(frozen=True)
class Selection:
    """Cells that are run together, and how unless told otherwise."""

    cells: Callable[[], tuple[Cell, ...]]
    peer_limit: float
    repeat: int
    assume: Assume


SELECTIONS: dict[str, Selection] = {
    "quick": Selection(quick, peer_limit=2.0, repeat=3, assume="regularization"),
    "bench": Selection(bench, peer_limit=10.0, repeat=5, assume="regularization"),
    "full": Selection(full, peer_limit=60.0, repeat=3, assume="depth"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    path = options.output / f"{options.cells}.jsonl"
    try:
        record = Record.read(path) if options.report_only else _measure(path, options)
        return _publish(record)
    except (DataMissingError, NotInstalledError, RecordError) as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nStopped. What is done is in {path}; without --fresh the next run goes on.", file=sys.stderr)
        return 130


def _measure(path: Path, options: argparse.Namespace) -> Record:
    """Run what is missing from the record."""
    selection = SELECTIONS[options.cells]
    cells = [cell for cell in selection.cells() if not options.dataset or cell.dataset in options.dataset]
    if not cells:
        raise DataMissingError("No cell is left: --dataset names none of the selection's datasets.")
    for cell in cells:
        load(cell.dataset)
    settings = {
        "peers": options.peers,
        "peer_limit": options.peer_limit or selection.peer_limit,
        "limit": options.limit,
        "repeat": options.repeat or selection.repeat,
        "repeat_below": REPEAT_BELOW,
        "assume": options.assume or selection.assume,
    }
    about = {
        "settings": settings,
        "machine": machine(),
        "versions": versions("optitree", "pystreed", "osrt"),
        "build": build(),
    }
    record = Record.open(path, about, fresh=options.fresh)
    with ExitStack() as stack:
        workers = {name: stack.enter_context(Worker(name)) for name in (OURS, *settings["peers"])}
        complete(record, cells, lambda cell: answers(cell, workers, record, settings))
    return record


def _publish(record: Record) -> int:
    """Print the report of a record, and put it and the picture beside it."""
    rows = [judge(Row.from_dict(entry)) for entry in record.entries]
    if not rows:
        raise RecordError(f"{record.path} has no cell yet.")
    stem = record.path.with_suffix("")
    versions_used = ", ".join(f"{name} {version}" for name, version in record.about["versions"].items())
    where = record.about["machine"]
    head = f"{record.about['date']}, {where['processor']}, {where['cpus']} processors; {versions_used}."
    text = f"{head}\n\n![Performance profile]({stem.name}.svg)\n\n{report(rows, record.about['settings'])}"
    print(text)
    stem.with_suffix(".md").write_text(text + "\n", encoding="utf-8")
    try:
        draw(rows, record.about["settings"]["peer_limit"], stem.with_suffix(".svg"))
    except ImportError:
        print("No picture: matplotlib is not installed (pip install '.[bench]').", file=sys.stderr)
    return 1 if broken(rows) else 0


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
    parser.add_argument("--repeat", type=int, metavar="N", help="calls per short timing")
    parser.add_argument("--assume", choices=get_args(Assume), help="what a peer's time-out implies")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    parser.add_argument("--fresh", action="store_true", help="start again instead of going on with what is there")
    parser.add_argument("--report-only", action="store_true", help="run nothing: report and picture of what is there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
