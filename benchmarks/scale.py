"""A large table: `python -m benchmarks.scale [--rows N]`.

A made table of 100 million rows in a Parquet file, larger than the memory allowed, from the file to the proven tree in
a process of its own. (`python -m experiments scalability` has the paper's two million rows.)

Progress goes to stderr, the table to stdout, and both the table and the raw numbers to `--output`. The exit code is 1
if an expectation fails, 2 if the data is missing, 0 otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.harness.parts import run_parts
from benchmarks.parts.parquet import measure, parquet


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000_000, metavar="N", help="rows of the Parquet file")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)  # how the process of `parquet` is started
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return 0
    return run_parts("scale", {"parquet": partial(parquet, options.rows)}, options.output)


if __name__ == "__main__":
    sys.exit(main())
