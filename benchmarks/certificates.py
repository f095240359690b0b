"""Certificates, written and checked: `python -m benchmarks.certificates [binarised] [real] [refuted]`.

binarised  eleven binarised sets at three regularizations, without a limit and with depth 4 (seoul-bike at two)
real       twelve real tables with defaults and 20 s of search: the lower bound of what is mostly a stopped search
refuted    trees that peers call optimal, made in this run, against our certificates

A line of JSON for each cell is kept in benchmarks/results, from which a stopped run goes on; the tables are printed
and written beside it. The exit code is 1 if a certificate is rejected, 2 if data is missing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.data.cells import PROJECT_ROOT, Cell, DataMissingError, dataset_names, grid, load
from benchmarks.data.real import REAL, read
from benchmarks.harness.certificate_report import report
from benchmarks.harness.machine import machine
from benchmarks.harness.record import Record, complete
from benchmarks.solvers.refuted import CELLS as REFUTED
from benchmarks.solvers.refuted import refute
from optitree import OptimalTreeRegressor
from optitree.verify import verify

REGULARIZATIONS = (0.05, 0.01, 0.005)
SECONDS_OF_SEARCH = {"binarised": 60.0, "real": 20.0}
SECONDS_TO_WRITE = {"binarised": 600.0, "real": 300.0}


def cells(part: str) -> tuple[Cell, ...]:
    """What a part is about."""
    if part == "real":
        return grid(REAL, (0.01,), (None,))
    if part == "refuted":
        return REFUTED
    every = grid(dataset_names(), REGULARIZATIONS, (None, 4))
    return tuple(cell for cell in every if cell.dataset != "seoul-bike" or cell.regularization > 0.005)


def measure(part: str, cell: Cell) -> dict[str, Any]:
    """Fit, write, check."""
    X, y = read(cell.dataset) if part == "real" else (load(cell.dataset).X.astype(bool), load(cell.dataset).y)
    model = OptimalTreeRegressor(
        cell.regularization, max_depth=cell.max_depth, time_limit=SECONDS_OF_SEARCH[part], n_jobs=1
    )
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        model.fit(X, y)
        certificate = model.certificate(X, y, time_limit=SECONDS_TO_WRITE[part])
        file = Path(folder, "proof.json")
        certificate.save(file)
        start, cpu = time.perf_counter(), time.process_time()
        verdict = verify(file, X, y)
        return {
            "objective": model.objective_,
            "reported": model.lower_bound_,
            "proven": verdict.lower_bound,
            "search": model.solution_.seconds,
            "write": certificate.seconds,
            "bytes": file.stat().st_size,
            "lists": certificate.n_price_lists,
            "branchings": certificate.n_branchings,
            "check": time.perf_counter() - start,
            "check_cpu": time.process_time() - cpu,
            "accepted": verdict.accepted,
            "optimal": verdict.optimal,
            "words": str(verdict),
        }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*", default=["binarised", "real", "refuted"])
    parser.add_argument("--table", action="append", help="only this one; may be repeated")
    parser.add_argument("--fresh", action="store_true", help="begin again")
    parser.add_argument("--output", type=Path, default=PROJECT_ROOT / "benchmarks" / "results")
    options = parser.parse_args(arguments)
    rejected = 0
    for part in options.part:
        record = Record.open(options.output / f"certificates-{part}.jsonl", {"machine": machine()}, fresh=options.fresh)
        try:
            chosen = [cell for cell in cells(part) if cell.dataset in (options.table or [cell.dataset])]
            complete(record, chosen, refute if part == "refuted" else partial(measure, part))
        except DataMissingError as problem:
            print(problem, file=sys.stderr)
            return 2
        text = report(part, record.entries)
        print(text)
        (options.output / f"certificates-{part}.md").write_text(text + "\n", encoding="utf-8")
        rejected += sum(not entry["accepted"] for entry in record.entries)
    return 1 if rejected else 0


if __name__ == "__main__":
    sys.exit(main())
