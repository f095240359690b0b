"""How fast predictions are made where the data is: rows a second in DuckDB, beside predict in memory.

    python -m benchmarks.predicting [--rows 10000000] [--record]

A table of numbers, text, booleans and dates is written to a Parquet file. It is predicted from the file by DuckDB, by
``model.predict`` of the relation and by the SQL of ``model.to_sql``, by lazy polars, and in memory by ``model.predict``
of a pandas frame, with and without reading the file. Each has to predict as many rows of each value. ``--record`` puts
the figures beside those of other commands, in ``benchmarks/results/predicting.md``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl

from benchmarks.harness.machine import build, machine, versions
from benchmarks.harness.text import markdown
from optitree import OptimalTreeRegressor

_RECORD = Path(__file__).parent / "results" / "predicting.md"
_COLUMNS = """
    hash(i * 7 + 1) % 1000003 / 1000003.0 AS size,
    hash(i * 7 + 2) % 100 AS age,
    CASE WHEN hash(i * 7 + 3) % 20 = 0 THEN NULL ELSE hash(i * 7 + 4) % 9973 / 9973.0 END AS income,
    ['north', 'south', 'east', 'west', 'centre'][1 + (hash(i * 7 + 5) % 5)::INT] AS region,
    hash(i * 7 + 6) % 3 = 0 AS smoker,
    TIMESTAMP '2020-01-01' + INTERVAL (hash(i * 7) % 1000) DAY AS since
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--record", action="store_true", help="keep the figures in benchmarks/results")
    options = parser.parse_args()
    rows = options.rows
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        file = Path(folder) / "table.parquet"
        connection.execute(f"COPY (SELECT {_COLUMNS} FROM range({rows}) AS t(i)) TO '{file}' (FORMAT parquet)")
        model = _fitted(connection.read_parquet(str(file)).limit(20_000).df())
        frame = pd.read_parquet(file)
        by_leaf = [_measured(name, rows, predict) for name, predict in _ways(model, connection, file, frame).items()]
    if len({counts for _, counts in by_leaf}) != 1:
        raise SystemExit("predictions differ")
    text = _report(rows, model, [line for line, _ in by_leaf])
    print(text)
    if options.record:
        _RECORD.write_text(text + "\n", encoding="utf-8")


def _report(rows: int, model: OptimalTreeRegressor, lines: list[list[str]]) -> str:
    about = {**machine(), **versions("optitree", "duckdb", "polars", "pandas"), "build": build()}
    return "\n\n".join(
        [
            "## Predictions where the data is",
            f"{rows:,} rows, a tree of {model.n_leaves_} leaves, columns {', '.join(_asked(model))}; best of two runs.",
            markdown(["predicted", "seconds", "rows a second"], lines),
            "All of them predict the same: as many rows of each value.",
            ", ".join(f"{name} {value}" for name, value in about.items()),
        ]
    )


def _fitted(frame: pd.DataFrame) -> OptimalTreeRegressor:
    target = 3.0 * (frame["size"] > 0.4) + frame["age"] / 50 + 2.0 * frame["region"].isin(["north", "east"])
    target += 1.5 * frame["smoker"] + 2.0 * frame["income"].isna() + (frame["since"] > "2021-06-01") * 1.0
    return OptimalTreeRegressor(0.005, max_depth=5, time_limit=20).fit(frame, target)


def _asked(model: OptimalTreeRegressor) -> list[str]:
    return [str(model.feature_names_in_[k]) for k in model.tree_.columns]


Counts = dict[float, int]


def _ways(
    model: OptimalTreeRegressor, connection: Any, file: Path, frame: pd.DataFrame
) -> dict[str, Callable[[], Counts]]:
    def by_sql() -> Counts:
        query = f"SELECT {model.to_sql()} AS prediction, count(*) FROM '{file}' GROUP BY 1"
        return dict(connection.execute(query).fetchall())

    def by_relation() -> Counts:
        predicted = model.predict(connection.read_parquet(str(file)))
        return dict(predicted.aggregate("prediction, count(*)", "prediction").fetchall())

    def by_polars() -> Counts:
        predicted = model.predict(pl.scan_parquet(file))
        return dict(predicted.group_by("prediction").len().collect().rows())

    def in_memory(given: pd.DataFrame) -> Counts:
        values, counts = np.unique(model.predict(given), return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))

    return {
        "by DuckDB, model.predict(relation), from the file": by_relation,
        "by DuckDB, model.to_sql(), from the file": by_sql,
        "by lazy polars, model.predict(frame), from the file": by_polars,
        "in memory, model.predict(frame)": lambda: in_memory(frame),
        "in memory, with reading the file": lambda: in_memory(pd.read_parquet(file)),
    }


def _measured(name: str, rows: int, predict: Callable[[], Counts]) -> tuple[list[str], frozenset[tuple[float, int]]]:
    """The best of two runs: the first may have to load what it needs."""
    best = np.inf
    for _ in range(2):
        start = time.perf_counter()
        counts = predict()
        best = min(best, time.perf_counter() - start)
    return [name, f"{best:.2f}", f"{rows / best:,.0f}"], frozenset(counts.items())


if __name__ == "__main__":
    main()
