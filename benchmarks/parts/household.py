"""The paper's experiment on up to two million rows: the part `household` of `benchmarks.scale`."""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from benchmarks.data.cells import Bits, Targets
from benchmarks.data.raw import raw_file
from benchmarks.harness.judge import TOLERANCE
from benchmarks.harness.parts import Part
from benchmarks.harness.text import markdown, say, seconds
from benchmarks.solvers.peers import SOLVERS, Answer
from optitree import Binarizer, OptimalTreeRegressor

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
        "(CART: of two from a million rows on). Ours is the whole fit from a pandas frame, binarization included; "
        "CART is `DecisionTreeRegressor(max_depth=5)` on the same five columns; the other exact solvers get the 0/1 "
        f"columns and had {peer_limit:g} s, after which larger sizes were not tried. Last column: our predictions for "
        f"all {SIZES[-1]:,} rows."
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
