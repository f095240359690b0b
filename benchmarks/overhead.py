"""What a fit costs beside its search: `python -m benchmarks.overhead [--repeat N] [--no-large]`.

On small tables the search often takes less than a millisecond, so that reading the table, choosing conditions, grouping
rows and building the result decide. Measured is the whole of `OptimalTreeRegressor(...).fit(X, y)` minus the seconds
that the search reports, and `predict` on the same table. The best of many runs: whatever else the machine does only
adds. The exit code is 1 if a goal is missed, 2 if the data is missing, 0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from benchmarks.data.cells import Bits, DataMissingError, Targets, load
from optitree import OptimalTreeRegressor

DATASET = "airfoil"  # 1503 rows, 17 columns of 0 and 1
REGULARIZATION, DEPTH = 0.05, 3
LARGE = {"2,000,000 x 10": (2_000_000, 10), "20,000 x 200": (20_000, 200)}


@dataclass(frozen=True)
class Form:
    """A way to hand a table over, and the most milliseconds that a small one may take beside the search."""

    name: str
    make: Callable[[Bits, Targets], tuple[Any, Any]]
    goal: float


FORMS = (
    Form("numpy uint8", lambda X, y: (X, y), 0.3),
    Form("numpy bool", lambda X, y: (X.astype(bool), y), 0.3),
    Form("numpy float64", lambda X, y: (X.astype(np.float64), y), 0.3),
    Form("pandas", lambda X, y: (pd.DataFrame(X, columns=_names(X)), pd.Series(y)), 1.0),
    Form("pandas mixed", lambda X, y: (_mixed(X), pd.Series(y)), 1.0),
    Form("polars", lambda X, y: (pl.DataFrame(X, schema=_names(X)), pl.Series(y)), 1.0),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repeat", type=int, default=300, metavar="N", help="runs of which the best counts")
    parser.add_argument("--no-large", action="store_true", help="leave out the large tables")
    options = parser.parse_args(arguments)
    try:
        table = load(DATASET)
    except DataMissingError as problem:
        print(problem, file=sys.stderr)
        return 2
    rows, columns = table.X.shape
    print(f"{'table':16} {'form':14} {'fit ms':>9} {'search ms':>9} {'beside ms':>9} {'goal':>5} {'predict ms':>10}")
    small = _measure(f"{rows:,} x {columns}", table.X, table.y, options.repeat, goals=True)
    for name, X, y in () if options.no_large else _large_tables():
        _measure(name, X, y, 5, goals=False)
    return int(any(beside > form.goal for form, beside in zip(FORMS, small, strict=True)))


def _measure(name: str, X: Bits, y: Targets, repeat: int, goals: bool) -> list[float]:
    """Print a line for each form, and return the milliseconds beside the search.

    The forms take turns, so that no form has all of its runs while the machine is busy.
    """
    tables = [form.make(X, y) for form in FORMS]
    runs = np.array([[_run(*table) for table in tables] for _ in range(repeat)]) * 1000
    best = runs.min(axis=0)
    for form, (fit, search, beside, predict) in zip(FORMS, best, strict=True):
        goal = f"{form.goal:g}" if goals else ""
        print(f"{name:16} {form.name:14} {fit:9.3f} {search:9.3f} {beside:9.3f} {goal:>5} {predict:10.3f}", flush=True)
    return [float(beside) for _, _, beside, _ in best]


def _run(data: Any, target: Any) -> tuple[float, float, float, float]:
    """Seconds of a fit, of its search, of the rest of it, and of a prediction."""
    start = time.perf_counter()
    model = OptimalTreeRegressor(regularization=REGULARIZATION, max_depth=DEPTH).fit(data, target)
    fit = time.perf_counter() - start
    start = time.perf_counter()
    model.predict(data)
    return fit, model.solution_.seconds, fit - model.solution_.seconds, time.perf_counter() - start


def _large_tables() -> Iterator[tuple[str, Bits, Targets]]:
    """Columns of 0 and 1, most of them alike, so that there are few groups and the search is short."""
    for name, (rows, columns) in LARGE.items():
        random = np.random.default_rng(0)
        kinds = random.integers(0, 2, (100, columns), dtype=np.uint8)
        X = kinds[random.integers(0, len(kinds), rows)]
        yield name, X, 2.0 * X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=rows)


def _mixed(X: Bits) -> pd.DataFrame:
    types = ("int64", "float64", "bool")
    return pd.DataFrame({name: X[:, k].astype(types[k % 3]) for k, name in enumerate(_names(X))})


def _names(X: Bits) -> list[str]:
    return [f"column {k}" for k in range(X.shape[1])]


if __name__ == "__main__":
    sys.exit(main())
