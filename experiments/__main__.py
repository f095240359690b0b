"""The experiments by name: `python -m experiments NAME [--datasets NAME ...] [--quick]`; `all` runs every one.

Progress goes to stderr, the table to stdout. NAME.jsonl (a line a cell, with machine and versions), NAME.md and the
figures as PNG and SVG go to `--output`: `experiments/results`, or `build/experiments` for the quick form. A stopped run
goes on where it was; `--report-only` makes tables and figures again. The exit code is 1 if an expectation failed, 2 if
data is missing or a record belongs to another run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.data.cells import PROJECT_ROOT, DataMissingError
from benchmarks.harness.record import Record, RecordError
from benchmarks.harness.text import duration, say

from experiments import (
    ablation,
    baselines,
    beyond,
    controllability,
    datasets,
    loss,
    scalability,
    timing,
    trace,
    trees,
    validation,
)
from experiments.experiment import Experiment, Settings
from experiments.runner import record_file, report, run

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        loss,
        controllability,
        timing,
        validation,
        scalability,
        ablation,
        trace,
        trees,
        datasets,
        baselines,
        beyond,
    )
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for, one after the other."""
    options = _parse(arguments)
    code = 0
    for name in EXPERIMENTS if options.name == "all" else (options.name,):
        start = time.perf_counter()
        try:
            code = max(code, _one(EXPERIMENTS[name], options))
        except (DataMissingError, RecordError) as problem:
            print(problem, file=sys.stderr)
            code = 2
        except KeyboardInterrupt:
            say("\nstopped; the same command goes on\n")
            return 130
        say(f"{name}: {duration(time.perf_counter() - start)} in all\n")
    return code


def _one(experiment: Experiment, options: argparse.Namespace) -> int:
    settings = Settings(
        quick=options.quick,
        datasets=tuple(options.datasets),
        limit=options.limit or (experiment.limit / 5 if options.quick else experiment.limit),
        peer_limit=options.peer_limit or (experiment.peer_limit / 5 if options.quick else experiment.peer_limit),
    )
    output = options.output or PROJECT_ROOT / ("build/experiments" if options.quick else "experiments/results")
    output.mkdir(parents=True, exist_ok=True)
    file = record_file(experiment, output)
    if experiment.timed and not options.report_only:
        say(f"{experiment.name} is about seconds: nothing else should run beside it\n")
    record = Record.read(file) if options.report_only else run(experiment, settings, output, fresh=options.fresh)
    findings = report(experiment, record, output)
    print(findings.text, flush=True)
    return 1 if findings.faults else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    listed = "\n".join(f"  {name:16}{each.title}" for name, each in EXPERIMENTS.items())
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description=f"{__doc__}\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=(*EXPERIMENTS, "all"), metavar="NAME", help="one of the above, or all")
    parser.add_argument("--datasets", nargs="+", default=[], metavar="NAME", help="only these")
    parser.add_argument("--quick", action="store_true", help="a small part of it, with short limits")
    parser.add_argument("--limit", type=float, metavar="S", help="seconds for one search of ours")
    parser.add_argument("--peer-limit", type=float, metavar="S", help="seconds for one search of another solver")
    parser.add_argument("--output", type=Path, metavar="FOLDER")
    parser.add_argument("--fresh", action="store_true", help="start again instead of going on with what is there")
    parser.add_argument("--report-only", action="store_true", help="run nothing: table and figures of what is there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
