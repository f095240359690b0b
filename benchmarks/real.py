"""Tables as people have them, beside what is on record: `python -m benchmarks.real [--part NAME] [--table NAME]`.

Twelve real tables, the conditions and the regularization of `OptimalTreeRegressor()`:

- `defaults`: no depth limit, 20 s, one thread: what is proven by then.
- `depths`: depths 2 to 6, subproblems and seconds.
- `prices`: depths 3 to 6 with prices and without: they must not cost more than a quarter of the time.
- `threads`: one thread against two, on the cells that take one thread over two seconds; the trees must agree.
- `stopped`: after 2, 5 and 20 s, the tree against the best that is known, CART of as many leaves and the best tree of
  depth 3.
- `peers`: depths 3 to 5 beside pystreed in its right and its fastest setting.

`--generated` adds generated tables (`benchmarks.data.generated`) to `defaults` and `depths`. Every fit has a process of
its own. Progress goes to stderr, tables to stdout; the raw figures go line by line to real-PART.jsonl in `--output`,
from which `--go-on` continues a stopped run and `--report-only` makes the tables again.

real.json in `--output` is the record. Subproblems of finished searches, and proven depths and gaps of stopped ones, are
compared with it, and what got worse is printed. `--record` puts the entries that were measured there, in the place of
those of the same part, table and depth, and writes the tables of all that is on record to real.md.

The exit code is 1 if something got worse (not with `--record`) or an expectation fails, 2 if data is missing or a run
cannot be gone on with, 0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.data.cells import DataMissingError
from benchmarks.data.generated import GENERATED
from benchmarks.data.real import REAL, default_bits, real_folder
from benchmarks.harness.beside import NotInstalledError
from benchmarks.harness.machine import build, machine, versions
from benchmarks.harness.on_record import OnRecord, best_of, compare
from benchmarks.harness.real_report import REPORTS
from benchmarks.harness.record import Record, RecordError, complete
from benchmarks.parts.real import PARTS, PEERS, Run, measure
from benchmarks.solvers.peers import OURS
from benchmarks.solvers.worker import Worker

PEER_LIMIT = 30.0


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    code = 0
    try:
        known = OnRecord.read(options.output / "real.json")
        for name in options.part or PARTS:
            path = options.output / f"real-{name}.jsonl"
            run = Record.read(path) if options.report_only else _run(name, path, options)
            code |= _judge(name, run, known, options)
    except (DataMissingError, NotInstalledError, RecordError) as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nStopped. What is done is in {options.output}; --go-on continues it.", file=sys.stderr)
        return 130
    return code


def _run(name: str, path: Path, options: argparse.Namespace) -> Record:
    """Measure the cells of a part."""
    part = PARTS[name]
    tables = [table for table in _tables(options) if part.generated or table not in GENERATED]
    if any(table in REAL for table in tables):
        real_folder()  # says what is missing before anything is done
    limit = options.limit or part.limit
    about = {
        "settings": {"part": name, "limit": limit, "peer_limit": options.peer_limit},
        "machine": machine(),
        "versions": versions("optitree", "scikit-learn", "pandas", "pystreed"),
        "build": build(),
    }
    record = Record.open(path, about, fresh=not options.go_on)
    with ExitStack() as stack:
        workers = {solver: stack.enter_context(Worker(solver, read=default_bits)) for solver in (OURS, *PEERS)}
        run = Run(limit, options.peer_limit, record, workers)
        complete(
            record, [cell for table in tables for cell in part.cells(table)], lambda cell: measure(part, cell, run)
        )
    return record


def _judge(name: str, run: Record, known: OnRecord, options: argparse.Namespace) -> int:
    """Print the tables of a part and what is to be said of them, and put it on record if that is asked for."""
    best = best_of(known.best, run.entries)
    text, faults = REPORTS[name](run.entries, best)
    worse, better, unknown = compare(known.parts.get(name, []), run.entries)
    text += _listed("EXPECTATIONS THAT FAILED", faults) + _listed("WORSE THAN ON RECORD", worse)
    text += _listed("Better than on record", better)
    if unknown:
        text += f"\n\nNot on record: {unknown} of {len(run.entries)} cells."
    if (unknown or better) and not options.record:
        text += " --record puts them there."
    print(f"## {name}\n\n{text}\n", flush=True)
    if options.record:
        known.accept(name, [entry for entry in run.entries if "failed" not in entry], _measured(run.about))
        known.write(options.output / "real.json")
        (options.output / "real.md").write_text(_page(known), encoding="utf-8")
    return int(bool(faults or (worse and not options.record)))


def _page(known: OnRecord) -> str:
    """The tables of all that is on record, parts in their order."""
    pages = []
    for name in PARTS:
        if name in known.parts:
            text, faults = REPORTS[name](known.parts[name], known.best)
            pages.append(f"## {name}\n\n{text}{_listed('EXPECTATIONS THAT FAILED', faults)}\n")
    return "\n".join(pages)


def _listed(title: str, lines: Sequence[str]) -> str:
    return f"\n\n**{title}**\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def _measured(about: Mapping[str, Any]) -> dict[str, Any]:
    """When, where and with what: beside every entry, since those of a part need not be of one run."""
    return {
        "date": about["date"],
        "processor": about["machine"]["processor"],
        "versions": about["versions"],
        "build": about["build"],
    }


def _tables(options: argparse.Namespace) -> tuple[str, ...]:
    names = tuple(options.table or REAL)
    return (*names, *(table for table in GENERATED if table not in names)) if options.generated else names


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; may be repeated")
    parser.add_argument(
        "--table", action="append", choices=(*REAL, *GENERATED), metavar="NAME", help="only this; may be repeated"
    )
    parser.add_argument("--generated", action="store_true", help="generated tables too")
    parser.add_argument("--limit", type=float, metavar="S", help="seconds for one search (default: 60; defaults 20)")
    parser.add_argument("--peer-limit", type=float, default=PEER_LIMIT, metavar="S", help="seconds a peer gets")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    parser.add_argument("--go-on", action="store_true", help="go on with a stopped run instead of starting again")
    parser.add_argument("--report-only", action="store_true", help="run nothing: tables of what is there")
    parser.add_argument("--record", action="store_true", help="put what is measured on record")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
