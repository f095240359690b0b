"""The size of a tree chosen by cross-validation: `python -m benchmarks.choosing [--part rules] [--part defaults]`.

rules     what to choose over: the protocol of docs/decisions/0019, on the first outer fold of every table
defaults  `OptimalTreeRegressorCV()` with nothing but defaults, on the other outer folds, beside CART pruned by
          cross-validation to any size and CART of the best depth

Outer folds are those of `KFold(5, shuffle=True, random_state=0)`, inner ones for all methods the default five, dealt
out by targets. A line of JSON for each fold of a table is kept in `--output`, from which a stopped run goes on
(`--minutes` ends one by itself); the tables are printed and written beside it. The exit code is 2 if data is missing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.data.cells import PROJECT_ROOT, DataMissingError
from benchmarks.harness.machine import machine
from benchmarks.harness.record import Record
from benchmarks.harness.text import say
from benchmarks.parts.choosing import OUTER, PARTS, TABLES


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; may be repeated")
    parser.add_argument("--table", action="append", choices=TABLES, metavar="NAME", help="only this; may be repeated")
    parser.add_argument("--fold", action="append", type=int, metavar="NUMBER", help="only this outer fold, from 1 on")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing new after so many")
    parser.add_argument("--fresh", action="store_true", help="begin again")
    parser.add_argument("--report-only", action="store_true", help="print what there is")
    parser.add_argument("--output", type=Path, default=PROJECT_ROOT / "benchmarks" / "results", metavar="FOLDER")
    options = parser.parse_args(arguments)
    try:
        for part in options.part or PARTS:
            _run(part, options)
    except DataMissingError as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


def _run(part: str, options: argparse.Namespace) -> None:
    measure, text = PARTS[part]
    file = options.output / f"choosing-{part}.jsonl"
    if options.report_only:
        record = Record.read(file)
    else:
        record = Record.open(file, {"machine": machine()}, fresh=options.fresh)
        folds = [fold - 1 for fold in options.fold or ([1] if part == "rules" else range(2, OUTER + 1))]
        done = {(entry["table"], entry["fold"]) for entry in record.entries}
        begin = time.monotonic()
        for fold in folds:
            for name in options.table or TABLES:
                if (name, fold) in done or time.monotonic() - begin > 60 * options.minutes:
                    continue
                say(f"{name}, fold {fold + 1}\n")
                record.append({"table": name, "fold": fold, **measure(name, fold)})
    report = text(record.entries) + "\n"
    file.with_suffix(".md").write_text(report, encoding="utf-8")
    print(report)


if __name__ == "__main__":
    sys.exit(main())
