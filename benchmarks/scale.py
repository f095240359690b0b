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
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from benchmarks.data.cells import PROJECT_ROOT, Bits, Targets
from benchmarks.data.raw import raw_file
from benchmarks.harness.judge import TOLERANCE
from benchmarks.harness.parts import Part, run_parts
from benchmarks.harness.text import markdown, say, seconds
from benchmarks.solvers.peers import SOLVERS, Answer
from optitree import Binarizer, OptimalTreeRegressor, compress, export_text
from optitree.groups.engines.data_files import open_files


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--part", choices=("household", "parquet"), help="only this part")
    parser.add_argument("--rows", type=int, default=100_000_000, metavar="N", help="rows of the Parquet file")
    parser.add_argument("--peer-limit", type=float, default=60.0, metavar="S", help="seconds a peer gets for a size")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)  # how the process of `parquet` is started
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(_measure(*options.measure)))
        return 0
    parts = {"household": partial(household, options.peer_limit), "parquet": partial(parquet, options.rows)}
    wanted = {name: part for name, part in parts.items() if options.part in (None, name)}
    return run_parts("scale", wanted, options.output)


# ---- household

SIZES = (100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 2_049_280)
COLUMNS = ["Month", "Hour", "Global_reactive_power", "Voltage", "Global_intensity"]
TARGET = "Global_active_power"
PEERS = ("streed", "osrt")
REGULARIZATION, DEPTH = 0.035, 5
LEAST_RATIO = 5.0


def household(peer_limit: float) -> Part:
    """The paper's experiment on the rows of one household."""
    table = _read_household()
    rows = []
    late: set[str] = set()  # peers that ran out of time at a smaller size
    for size in SIZES:
        say(f"{size:,}: ")
        row = _household_row(table, size)
        say(f"ours {seconds(row['seconds'])}, CART {seconds(row['cart_seconds'])}")
        binarizer = _binarizer().fit(row["X"])
        bits, y = binarizer.transform(row.pop("X")).astype(np.uint8), row.pop("y")
        row["peers"] = {}
        for peer in PEERS:
            answer = Answer("implied", peer_limit) if peer in late else _call_peer(peer, bits, y, peer_limit)
            if answer.status == "time_limit":
                late.add(peer)
            say(f", {peer} {answer.status} {seconds(answer.seconds)} {answer.message}")
            row["peers"][peer] = {"status": answer.status, "seconds": answer.seconds, "objective": answer.objective}
        say("\n")
        rows.append(row)
    return Part(_household_text(rows, peer_limit), rows, _household_faults(rows))


def _read_household() -> pd.DataFrame:
    table = pd.read_parquet(raw_file("household")).dropna()
    month = table["Date"].str.split("/").str[1].astype(int)
    hour = table["Time"].str.split(":").str[0].astype(int)
    return table.assign(Month=month, Hour=hour)[[*COLUMNS, TARGET]].reset_index(drop=True)


def _household_row(table: pd.DataFrame, size: int) -> dict[str, Any]:
    drawn = np.sort(np.random.default_rng(0).choice(len(table), size, replace=False))
    sample = table.iloc[drawn].reset_index(drop=True)
    X, y = sample[COLUMNS], sample[TARGET]
    model = OptimalTreeRegressor(REGULARIZATION, max_depth=DEPTH, binarizer=_binarizer())
    fit = _median_seconds(lambda: model.fit(X, y), 3)
    cart = DecisionTreeRegressor(max_depth=DEPTH, random_state=0)
    cart_fit = _median_seconds(lambda: cart.fit(X, y), 3 if size <= 500_000 else 2)
    return {
        "rows": size,
        "conditions": len(model.binarizer_.conditions_),
        "seconds": fit,
        "search_seconds": model.solution_.seconds,
        "cart_seconds": cart_fit,
        "predict_seconds": _median_seconds(lambda: model.predict(table[COLUMNS]), 1),
        "status": model.status_,
        "objective": model.objective_,
        "leaves": model.n_leaves_,
        "X": X,
        "y": y.to_numpy(),
    }


def _binarizer() -> Binarizer:
    return Binarizer("uniform", 3, encoding="interval", drop="first")


def _median_seconds(call: Callable[[], Any], repeat: int) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _call_peer(peer: str, bits: Bits, y: Targets, limit: float) -> Answer:
    """One solver on one table, in a process of its own that is killed when it overruns."""
    context = multiprocessing.get_context("spawn")
    pipe, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(peer, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        pipe.send((bits, y, limit))
        pipe.recv()  # the data has arrived: the clock starts
        # After the fit come predictions, by which the tree is judged, and osrt predicts row by row in Python.
        if not pipe.poll(limit + 10 + len(y) / 50_000):
            return Answer("time_limit", limit)
        answer: Answer = pipe.recv()
    except (EOFError, OSError):
        return Answer("error", message="the process died")
    finally:
        process.kill()
        process.join()
    return Answer("time_limit", limit) if answer.seconds > limit else answer


def _serve(peer: str, pipe: Connection) -> None:
    """The other side: one table, one answer. A first call on a small table loads the library."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the peers print as they go
    bits, y, limit = pipe.recv()
    try:
        SOLVERS[peer](bits[:50], np.arange(50.0), 0.01, 2, 10.0)()
    except ImportError as problem:
        pipe.send("started")
        pipe.send(Answer("absent", message=str(problem)))
        return
    pipe.send("started")
    try:
        pipe.send(SOLVERS[peer](bits, y, REGULARIZATION, DEPTH, limit)())
    except Exception as problem:
        pipe.send(Answer("error", message=f"{type(problem).__name__}: {problem}"))


def _household_text(rows: Sequence[dict[str, Any]], peer_limit: float) -> str:
    head = ["rows", "conditions", "ours: fit", "CART: fit", "CART / ours", "status", "objective", "leaves", *PEERS]
    head += ["peers' objective", "predict all"]
    lines = [
        [
            f"{row['rows']:,}", str(row["conditions"]), seconds(row["seconds"]), seconds(row["cart_seconds"]),
            f"{row['cart_seconds'] / row['seconds']:.2f}", row["status"], f"{row['objective']:.6f}", str(row["leaves"]),
            *(_peer_entry(row["peers"][peer]) for peer in PEERS), _agreement(row), seconds(row["predict_seconds"]),
        ]
        for row in rows
    ]  # fmt: skip
    note = (
        f"Household power, {', '.join(COLUMNS)} in four intervals of equal width, λ {REGULARIZATION:g}, depth {DEPTH}; "
        "rows drawn at random, edges of the intervals from the rows drawn. Wall-clock seconds, the median of three "
        "(CART: of two from a million rows on). Ours is the whole fit from a pandas frame, binarization included; CART "
        "is `DecisionTreeRegressor(max_depth=5)` on the same five columns; the other exact solvers get the 0/1 columns "
        f"and had {peer_limit:g} s, after which larger sizes were not tried. Last column: our predictions for all "
        f"{SIZES[-1]:,} rows."
    )
    last = rows[-1]
    ratio = last["cart_seconds"] / last["seconds"]
    closing = f"At {last['rows']:,} rows our fit with its proof is {ratio:.1f} times as fast as CART's."
    return "\n\n".join([markdown(head, lines), note, closing])


def _peer_entry(answer: dict[str, Any]) -> str:
    match answer["status"]:
        case "solved":
            return seconds(answer["seconds"])
        case "time_limit":
            return f">{answer['seconds']:g}"
        case "implied":
            return "-"
        case other:
            return str(other)


def _agreement(row: dict[str, Any]) -> str:
    differences = [
        f"{peer} {answer['objective'] - row['objective']:+.6f}"
        for peer, answer in row["peers"].items()
        if answer["objective"] is not None and abs(answer["objective"] - row["objective"]) > TOLERANCE
    ]
    known = any(answer["objective"] is not None for answer in row["peers"].values())
    return ", ".join(differences) or ("same" if known else "-")


def _household_faults(rows: Sequence[dict[str, Any]]) -> list[str]:
    faults = [f"{row['rows']:,} rows: {row['status']}" for row in rows if row["status"] != "optimal"]
    faults += [
        f"{row['rows']:,} rows: {peer} has a better tree, {answer['objective']:.9f} < {row['objective']:.9f}"
        for row in rows
        for peer, answer in row["peers"].items()
        if answer["objective"] is not None and answer["objective"] < row["objective"] - TOLERANCE
    ]
    ratio = rows[-1]["cart_seconds"] / rows[-1]["seconds"]
    if ratio < LEAST_RATIO:
        faults.append(f"CART takes {ratio:.2f} times our fit at {rows[-1]['rows']:,} rows, less than {LEAST_RATIO:g}")
    return faults


# ---- parquet

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
    """Run `_measure` in a fresh process."""
    say(f"{name}: ")
    command = [sys.executable, "-m", "benchmarks.scale", "--measure", str(file), name]
    environment = os.environ | {"PYTHONPATH": str(PROJECT_ROOT)}
    # In the temporary folder, for what DuckDB puts on disk.
    done = subprocess.run(command, cwd=file.parent, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    say(f"{seconds(result['compress_seconds'])} s, {result['megabytes']:.0f} MB\n")
    return result


def _measure(file: str, name: str) -> dict[str, Any]:
    before = _peak_megabytes()
    clock = [time.perf_counter()]
    table = open_files([file], megabytes=MEGABYTES)
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
        "numbers, one with missing values, a whole number, a category with missing values, a boolean and a date; the "
        f"target is a tree of seven leaves plus noise, which is {results[0]['noise_share']:.6f} of its variance. "
        f"Seconds to open the file, to choose conditions and group the rows (DuckDB with {MEGABYTES} MB), and to "
        f"search; the most memory that the process ever had, {results[0]['megabytes_before']:,.0f} MB of it before the "
        "file is opened."
    )
    trees = [f"`{result['binarizer']}`:\n\n```\n" + "\n".join(result["tree"]) + "\n```" for result in results]
    return "\n\n".join([markdown(head, lines), note, *trees])


if __name__ == "__main__":
    sys.exit(main())
