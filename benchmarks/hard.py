"""Our solver alone, on what is hard: `python -m benchmarks.hard [--part grid|seoul|threads|anytime]`.

- `grid`: 32 rows at depths 4, 5, 6, 8 and none: proven or not, in what time and memory.
- `seoul`: the largest dataset, depths 5 to 9, six regularizations.
- `threads`: one thread against two, on the cells of both that take one thread over two seconds; the trees must agree.
- `anytime`: how soon the tree is good (see `benchmarks.solvers.anytime`).

Every fit has a process of its own. Progress goes to stderr, tables to stdout and to `--output`/hard-PART.md; the raw
figures go line by line to hard-PART.jsonl, from which a stopped run goes on and `--report-only` makes the tables again.
The exit code is 1 if two threads gave another tree than one or a fit failed, 2 if data is missing or a record belongs
to another run, 0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.data.cells import DATASETS, REGULARIZATIONS, Cell, DataMissingError, grid, shared_folder
from benchmarks.harness.hard_report import REPORTS
from benchmarks.harness.machine import build, machine, versions
from benchmarks.harness.record import Entry, Record, RecordError, complete
from benchmarks.harness.text import say, seconds
from benchmarks.solvers import anytime
from benchmarks.solvers.alone import FailedError, fit, in_fresh_process

GRID = grid(DATASETS, REGULARIZATIONS, (4, 5, 6, 8, None))
SEOUL = grid(("seoul-bike",), (0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001), (5, 6, 7, 8, 9))
JOBS = 2
WORTH_TWO_THREADS = 2.0  # seconds with one


@dataclass(frozen=True)
class Part:
    """Cells, what is measured of each, and how long a search may take."""

    cells: tuple[Cell, ...]
    measure: Callable[[float, Cell], Entry]
    limit: float


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    code = 0
    for name in options.part or PARTS:
        path = options.output / f"hard-{name}.jsonl"
        try:
            record = Record.read(path) if options.report_only else _run(name, path, options)
        except (DataMissingError, RecordError) as problem:
            print(problem, file=sys.stderr)
            code = 2
            continue
        except KeyboardInterrupt:
            print(f"\nStopped. What is done is in {path}; without --fresh the next run goes on.", file=sys.stderr)
            return 130
        text, faults = REPORTS[name](record)
        if faults:
            text += "\n\n**EXPECTATIONS THAT FAILED**\n\n" + "\n".join(f"- {fault}" for fault in faults)
            code = code or 1
        print(f"## {name}\n\n{text}\n", flush=True)
        path.with_suffix(".md").write_text(f"## {name}\n\n{text}\n", encoding="utf-8")
    return code


def _run(name: str, path: Path, options: argparse.Namespace) -> Record:
    shared_folder()  # says what is missing before anything is done
    part = PARTS[name]
    limit = options.limit or part.limit
    cells = [cell for cell in part.cells if not options.dataset or cell.dataset in options.dataset]
    about = {
        "settings": {"part": name, "limit": limit, "n_jobs": JOBS},
        "machine": machine(),
        "versions": versions("optitree"),
        "build": build(),
    }
    record = Record.open(path, about, fresh=options.fresh)
    complete(record, cells, lambda cell: _caught(partial(part.measure, limit), cell))
    return record


def _caught(measure: Callable[[Cell], Entry], cell: Cell) -> Entry:
    try:
        return measure(cell)
    except FailedError as problem:
        say(f"FAILED: {problem}")
        return {"failed": str(problem)}


def _fit(cell: Cell, n_jobs: int, limit: float) -> dict[str, Any]:
    result = in_fresh_process(fit, cell, n_jobs, limit)
    say(f"{n_jobs} threads: {result.status} {seconds(result.seconds)}  ")
    return asdict(result)


def _measure_fit(limit: float, cell: Cell) -> Entry:
    return {"fit": _fit(cell, JOBS, limit)}


def _measure_threads(limit: float, cell: Cell) -> Entry:
    one = _fit(cell, 1, limit)
    return {"one": one, "two": _fit(cell, JOBS, limit) if one["seconds"] > WORTH_TWO_THREADS else None}


def _measure_anytime(limit: float, cell: Cell) -> Entry:
    result = in_fresh_process(anytime.measure, cell, limit)
    say(f"{result.status} {seconds(result.seconds)}, primal integral {result.stopped_integral:.4f}")
    return asdict(result)


PARTS: dict[str, Part] = {
    "grid": Part(GRID, _measure_fit, 300.0),
    "seoul": Part(SEOUL, _measure_fit, 300.0),
    "threads": Part(tuple(dict.fromkeys(GRID + SEOUL)), _measure_threads, 300.0),
    "anytime": Part(anytime.CELLS, _measure_anytime, 60.0),
}


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hard", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument("--dataset", action="append", metavar="NAME", help="only this dataset; may be repeated")
    parser.add_argument("--limit", type=float, metavar="S", help="seconds for one search (default: 300; anytime 60)")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    parser.add_argument("--fresh", action="store_true", help="start again instead of going on with what is there")
    parser.add_argument("--report-only", action="store_true", help="run nothing: tables of what is there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
