"""Engines that are really started, and the tables that they read from files on disk."""

import datetime as dt
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optitree import Binarizer

Open = Callable[[Path], Any]
TEXT = 'type "of" day'  # a name with blanks and quotes


@pytest.fixture(scope="session")
def open_duckdb() -> Iterator[Open]:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    with duckdb.connect() as connection:
        yield lambda path: connection.read_parquet(str(path))


@pytest.fixture(scope="session")
def open_dask() -> Iterator[Open]:
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed")
    dd = pytest.importorskip("dask.dataframe", reason="Dask's data frames are not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="ERROR"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(set(client.run(os.getpid).values()) - {os.getpid()}) == 2  # processes of their own
        yield lambda path: dd.read_parquet(path, split_row_groups=True)


@pytest.fixture(scope="session")
def open_spark() -> Iterator[Open]:
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which is not installed")
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.adaptive.enabled", "false")  # for tables this small planning is all the work
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield lambda path: session.read.parquet(str(path))
    session.stop()


_IN_PROCESS: dict[str, Open] = {
    "pandas": lambda path: pq.read_table(path).to_pandas(),
    "polars": pl.read_parquet,
    "pyarrow": pq.read_table,
    "lazy polars": pl.scan_parquet,
}


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Open:
    """Return what opens a Parquet file in the engine that the test names."""
    return _IN_PROCESS.get(request.param) or request.getfixturevalue(f"open_{request.param.lower()}")


class Weather:
    """Days with a column of every kind. ``few`` has columns of few values."""

    def __init__(self, rows: int, seed: int, few: bool = False, levels: str = "abcdef") -> None:
        rng = np.random.default_rng(seed)
        missing = rng.random((4, rows)) < 0.06
        solar = rng.exponential(100, rows).round(0 if few else 9)
        solar = solar % 7 if few else solar
        wind = (rng.normal(10, 4, rows)).astype(np.float32).round(0)
        temp = rng.integers(-3, 4, rows) if few else rng.integers(-30, 60, rows)
        kind = rng.choice([*levels, "", "it's", " "], rows)
        frost = rng.random(rows) < 0.3
        days = [dt.date(1960, 2, 27) + dt.timedelta(int(day)) for day in rng.integers(0, 5 if few else 9000, rows)]
        target = (
            solar / np.ptp(solar) * np.where(temp > 10, 5, 1)
            + 2 * frost
            + 3 * (kind == "a")
            - (kind == "")
            + np.array([day.year > 1971 for day in days])
            + 0.3 * rng.normal(size=rows)
        )
        solar[missing[0] & (rng.random(rows) < 0.5)] = np.nan  # a missing value is null or NaN
        self.columns = {
            "Solar.R": pa.array(solar, mask=missing[0] & ~np.isnan(solar)),
            "wind": wind,
            "temp": temp,
            TEXT: pa.array(kind, mask=missing[1]),
            "frost": pa.array(frost, mask=missing[2]),
            "day": pa.array(days, mask=missing[3]),
            "ozone": target,
            "weight": rng.integers(0, 5, rows) / 4,
        }

    def save(self, path: Path, rows_of: slice = slice(None), without: tuple[str, ...] = ()) -> Path:
        """Write some rows to a Parquet file of several row groups."""
        table = pa.table(self.columns).drop_columns(without)
        start, stop, _ = rows_of.indices(len(table))
        pq.write_table(table.slice(start, stop - start), path, row_group_size=600)
        return path


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the files of a table, its parts, one of fewer columns, of few values, and a later one with new levels."""
    folder = tmp_path_factory.mktemp("weather")
    table = Weather(2500, seed=0)
    return {
        "table": table.save(folder / "table.parquet"),
        "part 1": table.save(folder / "part1.parquet", slice(0, 700)),
        "part 2": table.save(folder / "part2.parquet", slice(700, 2499)),
        "part 3": table.save(folder / "part3.parquet", slice(2499, 2500)),
        "narrow": table.save(folder / "narrow.parquet", without=("wind", "frost", "day")),
        "few": Weather(2500, seed=1, few=True).save(folder / "few.parquet"),
        "later": Weather(1500, seed=2, levels="cdefgh").save(folder / "later.parquet"),
    }


@pytest.fixture(scope="session")
def fitted(files: dict[str, Path]) -> Binarizer:
    """Return a binarizer that knows the first part only, which has missing values in every column but two."""
    rows = pq.read_table(files["part 1"]).drop_columns(["ozone", "weight"])
    return Binarizer("quantile", 3, max_categories=4).fit(rows)
