"""Scalability: household power from 100 to two million rows, ours, CART and the other exact solvers in one run.

Ours is the whole fit from a pandas frame, binarization included. CART sees the same five columns. The other solvers
are given the columns of 0 and 1, and timed for nothing but their fit; one that takes too long is not asked again.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks.data.cells import BinaryTable, Cell
from benchmarks.data.household import COLUMNS, drawn, four_intervals, read_household
from benchmarks.harness.judge import TOLERANCE
from benchmarks.harness.text import markdown, say, seconds
from sklearn.tree import DecisionTreeRegressor

from experiments import published
from experiments.experiment import Bench, Experiment, Findings, Row, Settings
from experiments.figures import LOOKS, OURS, one_legend, panels
from optitree import OptimalTreeRegressor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZES = (100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000, 2_049_280)
PEERS = ("streed", "osrt")
REGULARIZATION, DEPTH = 0.035, 5
LEAST_RATIO = 5.0  # how many times as long as ours CART takes at least on all rows
ZOOM = 10_000  # rows, in the second figure


@dataclass(frozen=True)
class SizeCell:
    """So many rows of household."""

    rows: int

    def __str__(self) -> str:
        return f"{self.rows:,} rows"


def cells(settings: Settings) -> list[SizeCell]:
    """The paper's sizes, as far as the table reaches."""
    most = min(len(read_household()), 10_000 if settings.quick else SIZES[-1])
    return [SizeCell(size) for size in SIZES if size <= most]


def bits(dataset: str) -> BinaryTable:
    """Rows for a solver that takes columns of 0 and 1; the name of the dataset is their number."""
    X, y = drawn(int(dataset))
    return BinaryTable(four_intervals().fit(X).transform(X).astype(np.uint8), y.to_numpy(np.float64))


def measure(cell: SizeCell, bench: Bench) -> dict[str, Any]:
    """Seconds of every method, the median of three for ours and CART."""
    X, y = drawn(cell.rows)
    model = OptimalTreeRegressor(REGULARIZATION, max_depth=DEPTH, binarizer=four_intervals())
    ours = _median_seconds(partial(model.fit, X, y))
    cart = DecisionTreeRegressor(max_depth=DEPTH, random_state=0)
    row: dict[str, Any] = {
        "seconds": ours,
        "cart": _median_seconds(partial(cart.fit, X, y)),
        "status": model.status_,
        "objective": model.objective_,
        "leaves": model.n_leaves_,
        "r2": 1 - model.loss_ / model.root_loss_,
    }
    say(f"ours {seconds(ours)}, CART {seconds(row['cart'])}")
    problem = Cell(str(cell.rows), REGULARIZATION, DEPTH)
    for peer in PEERS:
        answer = bench.until_late(peer, problem, read=bits)
        row[peer] = {"status": answer.status, "seconds": answer.seconds, "objective": answer.objective}
        say(f", {peer} {answer.status} {seconds(answer.seconds)}")
    return row


def _median_seconds(call: Callable[[], Any], repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return round(statistics.median(times), 6)


def table(rows: Sequence[Row]) -> Findings:
    """Times by size, and whether the exact solvers agree."""
    head = ["rows", "ours, s", "CART, s", "CART / ours", "status", "objective", "leaves"]
    head += [f"{LOOKS[peer].label}, s" for peer in PEERS] + ["their objective"]
    lines, faults = [], []
    for row in rows:
        peers = [row[peer] for peer in PEERS]
        known = [peer["objective"] for peer in peers if peer["objective"] is not None]
        same = all(abs(value - row["objective"]) <= TOLERANCE for value in known)
        lines.append([
            f"{row['cell']['rows']:,}", seconds(row["seconds"]), seconds(row["cart"]),
            f"{row['cart'] / row['seconds']:.2f}", row["status"], f"{row['objective']:.6f}", str(row["leaves"]),
            *(_peer(peer) for peer in peers), "-" if not known else "same" if same else "WORSE",
        ])  # fmt: skip
        if row["status"] != "optimal":
            faults.append(f"{row['cell']['rows']:,} rows: {row['status']}")
        if any(value < row["objective"] - TOLERANCE for value in known):
            faults.append(f"{row['cell']['rows']:,} rows: another solver has a better tree")
    last = rows[-1]
    ratio = last["cart"] / last["seconds"]
    if last["cell"]["rows"] == SIZES[-1] and ratio < LEAST_RATIO:
        faults.append(f"CART takes {ratio:.2f} times our fit on all rows, less than {LEAST_RATIO:g}")
    note = (
        f"{', '.join(COLUMNS)} in four intervals of equal width, λ {REGULARIZATION:g}, depth {DEPTH}; rows drawn at "
        f"random, edges from the rows drawn. At {last['cell']['rows']:,} rows our fit with its proof is {ratio:.1f} "
        "times as fast as CART's."
    )
    return Findings(f"{markdown(head, lines)}\n\n{note}\n\n{_published()}", faults)


def _published() -> str:
    runs = {method: dict(published.household(method)) for method in published.METHODS}
    sizes = sorted({size for each in runs.values() for size in each})
    head = ["published, another machine", *(LOOKS[f"{method} published"].label for method in runs)]
    lines = [[f"{size:,}", *(seconds(each[size]) if size in each else "-" for each in runs.values())] for size in sizes]
    return markdown(head, lines)


def _peer(answer: Row) -> str:
    shown = {"solved": seconds(answer["seconds"]), "time_limit": f">{answer['seconds']:g}", "implied": "-"}
    return shown.get(answer["status"], str(answer["status"]))


def figures(rows: Sequence[Row]) -> Iterator[tuple[str, Figure]]:
    """All sizes, and the small ones in a linear scale as in the paper's second figure."""
    figure, (whole, zoomed) = panels(2, 2, width=5.2, height=3.6)
    _draw(whole, rows)
    whole.set_xscale("log")
    whole.set_yscale("log")
    whole.set_title("household, d = 5, λ = 0.035", fontsize=10)
    _draw(zoomed, [row for row in rows if row["cell"]["rows"] <= ZOOM], ZOOM)
    zoomed.set_ylim(0, 8)
    zoomed.set_title(f"up to {ZOOM:,} rows, below 8 s", fontsize=10)
    one_legend(figure, 4)
    yield "scalability", figure


def _draw(ax: Axes, rows: Sequence[Row], most: float = float("inf")) -> None:
    for method in ("evtree", "guide", "iai", "osrt", "cart"):
        points = [(size, taken) for size, taken in published.household(method) if size <= most]
        look = LOOKS[f"{method} published"]
        if points:
            ax.plot(*zip(*points, strict=True), label=look.label, **look.curve())
    for method in (*PEERS, "cart", OURS):
        points = [point for row in rows if (point := _point(row, method))]
        if points:
            ax.plot(*zip(*points, strict=True), label=LOOKS[method].label, **LOOKS[method].curve())
    ax.set_xlabel("rows", fontsize=9)
    ax.set_ylabel("seconds", fontsize=9)


def _point(row: Row, method: str) -> tuple[int, float] | None:
    if method in PEERS:
        answer = row[method]
        return (row["cell"]["rows"], answer["seconds"]) if answer["status"] == "solved" else None
    return row["cell"]["rows"], row["seconds" if method == OURS else method]


EXPERIMENT = Experiment(
    name="scalability",
    title="Scalability",
    claim="OSRT takes minutes for two million rows, less than IAI; evtree runs out of 30 minutes beyond 50,000 rows.",
    cells=cells,
    measure=measure,
    table=table,
    figures=figures,
    limit=60.0,
    peer_limit=20.0,
    timed=True,
)
