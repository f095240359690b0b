"""Large tables: `python -m benchmarks.scale [--part household|parquet] [--rows N]`.

- `household`: the paper's experiment on up to two million rows: five columns in four intervals each, depth 5. Our whole
  fit from a pandas frame beside scikit-learn's CART on the same columns, and beside the other exact solvers, which get
  the 0/1 columns ready-made.
- `parquet`: a made table of 100 million rows in a Parquet file, larger than the memory allowed, from the file to the
  proven tree in a process of its own.

Progress goes to stderr, the tables to stdout, and both the tables and the raw numbers to `--output`, where a part that
is run alone takes the place of its last run. The exit code is 1 if an expectation fails, 2 if the data is missing,
0 otherwise.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.harness.parts import run_parts
from benchmarks.parts.household import household
from benchmarks.parts.parquet import measure, parquet


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", choices=("household", "parquet"), help="only this part")
    parser.add_argument("--rows", type=int, default=100_000_000, metavar="N", help="rows of the Parquet file")
    parser.add_argument("--peer-limit", type=float, default=60.0, metavar="S", help="seconds a peer gets for a size")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)  # how the process of `parquet` is started
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return 0
    parts = {"household": partial(household, options.peer_limit), "parquet": partial(parquet, options.rows)}
    wanted = {name: part for name, part in parts.items() if options.part in (None, name)}
    return run_parts("scale", wanted, options.output)


if __name__ == "__main__":
    sys.exit(main())
