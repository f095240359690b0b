"""A file larger than the memory allowed, to the proven tree: the part `parquet` of `benchmarks.scale`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data.cells import PROJECT_ROOT
from benchmarks.harness.parts import Part
from benchmarks.harness.text import markdown, say, seconds
from optitree import Binarizer, OptimalTreeRegressor, compress, export_text
from optitree.groups.engines.data_files import Reading, open_files

MEGABYTES = 1000  # for DuckDB
MOST_MEGABYTES = 2000  # for the whole process
BINARIZERS: dict[str, Callable[[], Binarizer]] = {
    "Binarizer()": Binarizer,
    'Binarizer("quantile", 4)': partial(Binarizer, "quantile", 4),
}

# Every value is a hash of the row's number, so that each run makes the same table (a hash of two arguments would not
# do: DuckDB's are correlated). The target is a tree of seven leaves plus noise, the sum of four uniform numbers; its
# cuts are at no round share of the rows, where quantiles would find them by chance.
_UNIFORM = "(hash(16 * i + {salt}) / 18446744073709551616.0)"
_VALUES = f"""
SELECT
    round({_UNIFORM.format(salt=1)} * 100, 4) AS price,
    CAST(hash(16 * i + 2) % 100 AS INTEGER) AS age,
    CASE WHEN hash(16 * i + 3) % 20 = 0 THEN NULL ELSE
        ['east', 'island', 'north', 'north-east', 'north-west', 'south', 'south-west', 'west'][
            1 + CAST(hash(16 * i + 4) % 8 AS INTEGER)]
    END AS region,
    hash(16 * i + 5) % 3 = 0 AS member,
    DATE '2015-01-01' + CAST(hash(16 * i + 6) % 3650 AS INTEGER) AS day,
    CASE WHEN hash(16 * i + 7) % 10 = 0 THEN NULL ELSE round(-10 * ln({_UNIFORM.format(salt=8)} + 1e-9), 3) END AS load,
    {" + ".join(_UNIFORM.format(salt=salt) for salt in (9, 10, 11, 12))} - 2 AS noise
FROM range({{rows}}) AS t(i)
"""
_TREE = """
CASE
    WHEN age <= 40 THEN CASE WHEN region = 'north' THEN 10 ELSE 4 END
    WHEN price <= 31.7 THEN CASE WHEN load IS NULL THEN 14 ELSE 8 END
    WHEN member THEN 20
    WHEN day <= DATE '2021-06-10' THEN 16
    ELSE 12
END"""
_TABLE = f"SELECT * EXCLUDE noise, round({_TREE} + noise, 4) AS target FROM ({_VALUES})"
_BYTES_A_ROW = 60  # of disk, with room to spare


def parquet(rows: int) -> Part:
    """From a Parquet file that does not fit into the memory allowed to the proven tree."""
    with tempfile.TemporaryDirectory(prefix="optitree-") as folder:
        free = shutil.disk_usage(folder).free
        if free < rows * _BYTES_A_ROW:
            return Part(
                "", [], [f"{rows:,} rows need {rows * _BYTES_A_ROW / 1e9:.1f} GB, {free / 1e9:.1f} GB are free"]
            )
        file = Path(folder) / "table.parquet"
        say(f"writing {rows:,} rows: ")
        start = time.perf_counter()
        noise_share = _write(file, rows)
        size = file.stat().st_size
        say(f"{time.perf_counter() - start:.0f} s, {size / 1e6:,.0f} MB\n")
        results = [_measured(file, name) for name in BINARIZERS]
    for result in results:
        result["file_megabytes"], result["noise_share"] = size / 1e6, noise_share
    faults = [
        f"{result['binarizer']}: {result['megabytes']:.0f} MB at most, more than {MOST_MEGABYTES}"
        for result in results
        if result["megabytes"] >= MOST_MEGABYTES
    ]
    faults += [f"{result['binarizer']}: {result['status']}" for result in results if result["status"] != "optimal"]
    return Part(_parquet_text(rows, results), results, faults)


def _write(file: Path, rows: int) -> float:
    """Write the table, and return the share of the target's variance that no tree explains."""
    import duckdb  # noqa: PLC0415  (of this part alone)

    connection = duckdb.connect(config={"temp_directory": str(file.parent / "spill")})
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"COPY ({_TABLE.format(rows=rows)}) TO '{file}' (FORMAT parquet)")
    unexplained = f"SELECT var_pop(target - {_TREE}) / var_pop(target) FROM '{file}'"
    return float(connection.execute(unexplained).fetchone()[0])


def _measured(file: Path, name: str) -> dict[str, Any]:
    """Run `measure` in a fresh process."""
    say(f"{name}: ")
    command = [sys.executable, "-m", "benchmarks.scale", "--measure", str(file), name]
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    # In the temporary folder, for what DuckDB puts on disk.
    done = subprocess.run(command, cwd=file.parent, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    say(f"{seconds(result['compress_seconds'])} s, {result['megabytes']:.0f} MB\n")
    return result


def measure(file: str, name: str) -> dict[str, Any]:
    """From the file to the tree, in this process: its memory is measured too."""
    before = _peak_megabytes()
    clock = [time.perf_counter()]
    table = open_files([file], reading=Reading(megabytes=MEGABYTES))
    clock.append(time.perf_counter())
    groups = compress(table, target="target", binarizer=BINARIZERS[name]())
    clock.append(time.perf_counter())
    model = OptimalTreeRegressor().fit_groups(groups)
    clock.append(time.perf_counter())
    opened, compressed, fitted = np.diff(clock).tolist()
    return {
        "binarizer": name,
        "rows": groups.n_rows,
        "open_seconds": opened,
        "compress_seconds": compressed,
        "fit_seconds": fitted,
        "rows_per_second": groups.n_rows / compressed,
        "conditions": len(groups.conditions),
        "groups": len(groups),
        "status": model.status_,
        "objective": model.objective_,
        "leaves": model.n_leaves_,
        "loss_share": model.loss_ / model.root_loss_,
        "megabytes_before": before,
        "megabytes": _peak_megabytes(),
        "tree": export_text(model).splitlines()[:-1],
    }


def _peak_megabytes() -> float:
    """The most memory this process has had."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6


def _parquet_text(rows: int, results: Sequence[dict[str, Any]]) -> str:
    head = ["binarizer", "conditions", "groups", "open", "group", "rows / s", "search", "peak MB", "status"]
    head += ["objective", "leaves", "loss / root loss"]
    lines = [
        [
            f"`{result['binarizer']}`", str(result["conditions"]), f"{result['groups']:,}",
            seconds(result["open_seconds"]), seconds(result["compress_seconds"]),
            f"{result['rows_per_second']:,.0f}", seconds(result["fit_seconds"]), f"{result['megabytes']:,.0f}",
            result["status"], f"{result['objective']:.6f}", str(result["leaves"]), f"{result['loss_share']:.6f}",
        ]
        for result in results
    ]  # fmt: skip
    note = (
        f"{rows:,} rows in a Parquet file of {results[0]['file_megabytes']:,.0f} MB, made by DuckDB: two columns of "
        "numbers, one of them with gaps, a whole number, a category with gaps, a boolean and a date; the target is a "
        f"tree of seven leaves plus noise, which is {results[0]['noise_share']:.6f} of its variance. Seconds to open "
        f"the file, to choose conditions and group the rows (DuckDB with {MEGABYTES} MB), and to search; the most "
        f"memory that the process ever had, {results[0]['megabytes_before']:,.0f} MB of it before the file is opened."
    )
    trees = [f"`{result['binarizer']}`:\n\n```\n" + "\n".join(result["tree"]) + "\n```" for result in results]
    return "\n\n".join([markdown(head, lines), note, *trees])
