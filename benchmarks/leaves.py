"""The trees drawn in the paper, asked for by their number of leaves alone: `python -m benchmarks.leaves`.

With regularization 0 and a limit on leaves the best tree is the one with the least loss. The exit code is 1 if a loss
is not the published one or a proof is missing, 2 if data is missing.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence

import optitree
from benchmarks.data.cells import DataMissingError, load
from benchmarks.harness.text import markdown, seconds

# Dataset, leaves, depth limit, mean squared error to so many digits.
TREES = (
    ("airquality", 6, 4, "247.50"),
    ("airquality", 13, 5, "127.46"),
    ("servo", 10, 6, "0.42838"),
    ("servo", 10, 8, "0.2837"),
    ("servo", 10, None, "0.2837"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leaves", description=(__doc__ or "").split("\n")[0])
    parser.parse_args(arguments)
    lines, wrong = [], False
    for dataset, leaves, depth, published in TREES:
        try:
            table = load(dataset)
        except DataMissingError as problem:
            print(problem, file=sys.stderr)
            return 2
        model = optitree.OptimalTreeRegressor(0, max_leaves=leaves, max_depth=depth)
        start = time.perf_counter()
        model.fit(table.X, table.y)
        taken = time.perf_counter() - start
        digit = 10.0 ** -len(published.partition(".")[2])
        right = math.isclose(model.loss_, float(published), abs_tol=digit) and model.status_ == "optimal"
        wrong |= not right
        limit = "none" if depth is None else str(depth)
        found = [f"{model.loss_:.5f}", str(model.depth_), model.status_, seconds(taken), "yes" if right else "NO"]
        lines.append([dataset, str(leaves), limit, published, *found])
    head = ["dataset", "at most leaves", "depth limit", "expected", "ours", "depth", "status", "seconds", "agrees"]
    print(markdown(head, lines))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
