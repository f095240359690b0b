"""What a whole path costs beside one fit: `python -m benchmarks.paths`.

For each of six datasets: one fit at the smallest regularization, without a depth limit, and the path of every optimal
tree down to it, each the best of `--repeat` whole calls. The exit code is 1 if a path takes longer than three such fits
and ten milliseconds a tree, 2 if data is missing.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import optitree
from benchmarks.data.cells import PROJECT_ROOT, BinaryTable, DataMissingError, load
from benchmarks.harness.text import factor, markdown, say, seconds

DATASETS = ("airfoil", "real-estate", "insurance", "servo", "airquality", "sync")
SMALLEST = 0.001
FITS, SECONDS_PER_TREE = 3, 0.01


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", action="append", choices=DATASETS)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--output", type=Path, default=PROJECT_ROOT / "benchmarks" / "results" / "paths.md")
    options = parser.parse_args(arguments)
    lines, slow = [], []
    for dataset in options.dataset or DATASETS:
        say(f"{dataset} ")
        try:
            table = load(dataset)
        except DataMissingError as problem:
            print(problem, file=sys.stderr)
            return 2
        trees, one, whole = _measure(table, options.repeat)
        allowed = FITS * one + SECONDS_PER_TREE * trees
        slow += [dataset] if whole > allowed else []
        times = [seconds(one), seconds(whole), factor(whole / one), seconds(allowed)]
        lines.append([dataset, str(trees), *times, "no" if whole > allowed else "yes"])
    say("\n")
    head = ["dataset", "trees", "one fit, s", "whole path, s", "ratio", "allowed, s", "within"]
    text = markdown(head, lines)
    text += f"\n\nRegularization down to {SMALLEST}, no depth limit, one thread, best of {options.repeat} whole calls."
    print(text)
    if not options.dataset:
        options.output.write_text(f"## The path of optimal trees\n\n{text}\n", encoding="utf-8")
    return 1 if slow else 0


def _measure(table: BinaryTable, repeat: int) -> tuple[int, float, float]:
    """Return the number of trees, and the least time of one fit and of the path."""
    model = optitree.OptimalTreeRegressor(SMALLEST, time_limit=None)
    trees, one, whole = 0, float("inf"), float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        model.fit(table.X, table.y)
        one = min(one, time.perf_counter() - start)
        start = time.perf_counter()
        path = optitree.regularization_path(table.X, table.y, min_regularization=SMALLEST, time_limit=None)
        whole = min(whole, time.perf_counter() - start)
        trees = len(path)
    return trees, one, whole


if __name__ == "__main__":
    sys.exit(main())
