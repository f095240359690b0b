"""Tables as they come, no preparation: `python -m benchmarks.tables [--part defaults|cart|paper|subsets]`.

- `defaults`: `OptimalTreeRegressor()` on every raw table, from pandas and from polars, beside scikit-learn's CART
  with as many leaves.
- `cart`: the optimal tree over the default conditions against CART of the same size, for 4, 8 and 12 leaves. The size
  is steered by the regularization.
- `subsets`: trees of 4, 8 and 12 leaves against CART with one-hot levels and with sets of levels, on real tables too.
- `paper`: the binarizer set as the paper did makes the authors' own 0/1 files out of the raw tables.

Progress goes to stderr, the tables to stdout, and both the tables and the raw numbers to `--output`, where a part that
is run alone takes the place of its last run. The exit code is 1 if an expectation fails, 2 if the data is missing,
0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.harness.parts import Part, run_parts
from benchmarks.parts.cart import cart
from benchmarks.parts.defaults import defaults
from benchmarks.parts.paper import paper
from benchmarks.parts.subsets import subsets

NAMES = (
    "airquality", "airquality-with-missing", "servo", "yacht", "real-estate", "sync", "optical", "enb-heat",
    "enb-cool", "insurance", "airfoil", "auction", "seoul-bike", "household",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parts: dict[str, Callable[[Sequence[str]], Part]] = {
        "defaults": defaults, "cart": cart, "paper": paper, "subsets": subsets,
    }  # fmt: skip
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", choices=parts, help="only this part")
    parser.add_argument("--table", action="append", choices=NAMES, metavar="NAME", help="only this; may be repeated")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    options = parser.parse_args(arguments)
    names = options.table or NAMES
    wanted = {name: partial(part, names) for name, part in parts.items() if options.part in (None, name)}
    return run_parts("tables", wanted, options.output)


if __name__ == "__main__":
    sys.exit(main())
