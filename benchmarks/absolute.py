"""Absolute error beside osrt with `metric: "L1"`, in one run: `make absolute`.

Every binarised dataset at three regularizations, depth 5; each cell of osrt in a process that is killed when it
overruns. Prints and writes a table of times, their ratios and both answers. The exit code is 1 if osrt found a better
tree than ours.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.data.cells import Cell, DataMissingError, dataset_names, grid
from benchmarks.harness.judge import geometric_mean
from benchmarks.harness.machine import build, machine, versions
from benchmarks.harness.text import factor, markdown, say, seconds
from benchmarks.solvers.absolute_peers import SOLVERS
from benchmarks.solvers.peers import Answer
from benchmarks.solvers.worker import Worker

REGULARIZATIONS = (0.05, 0.01, 0.005)
DEPTH = 5
TOLERANCE = 1e-6  # of objectives that both solvers computed and we did again
RESULT = Path(__file__).parent / "results" / "absolute.md"

Row = tuple[Cell, Answer, Answer]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print and write the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.absolute", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--limit", type=float, default=60.0, metavar="S", help="seconds a cell may take ours")
    parser.add_argument("--peer-limit", type=float, default=60.0, metavar="S", help="seconds a cell may take osrt")
    parser.add_argument("--dataset", action="append", help="only this one; may be repeated")
    parser.add_argument("--output", type=Path, default=RESULT, metavar="FILE", help="where the table goes")
    options = parser.parse_args(arguments)
    try:
        cells = grid(options.dataset or dataset_names(), REGULARIZATIONS, (DEPTH,))
        rows = _run(cells, options.limit, options.peer_limit)
    except DataMissingError as problem:
        print(problem, file=sys.stderr)
        return 2
    text = report(rows, options.limit, options.peer_limit)
    print(text)
    options.output.write_text(text + "\n", encoding="utf-8")
    return 1 if any(verdict(*row[1:]) == "OSRT IS BETTER" for row in rows) else 0


def _run(cells: Sequence[Cell], limit: float, peer_limit: float) -> list[Row]:
    rows = []
    with Worker("optitree", SOLVERS["optitree"]) as ours, Worker("osrt", SOLVERS["osrt"]) as theirs:
        for cell in cells:
            rows.append((cell, ours.call(cell, limit), theirs.call(cell, peer_limit)))
            say(f"{cell}: {seconds(rows[-1][1].seconds)} s, osrt {seconds(rows[-1][2].seconds)} s\n")
    return rows


def verdict(ours: Answer, theirs: Answer) -> str:
    """Whether the answers agree; one that is no optimum is worse than ours."""
    if ours.objective is None or theirs.objective is None:
        return theirs.message or theirs.status
    difference = theirs.objective - ours.objective
    if abs(difference) <= TOLERANCE:
        return "the same"
    return "osrt is worse" if difference > 0 else "OSRT IS BETTER"


def report(rows: Sequence[Row], limit: float, peer_limit: float) -> str:
    """The table with what was measured where. An osrt that was killed counts with its limit."""
    lines = []
    ratios = []
    for cell, ours, theirs in rows:
        ratio = theirs.seconds / ours.seconds if theirs.status in ("solved", "time_limit") else None
        killed = ">" if theirs.status == "time_limit" else ""
        if ratio is not None:
            ratios.append(ratio)
        lines.append([
            cell.dataset,
            f"{cell.regularization:g}",
            ours.status,
            seconds(ours.seconds),
            "" if ratio is None else killed + seconds(theirs.seconds),
            "" if ratio is None else killed + factor(ratio),
            "" if ours.objective is None else f"{ours.objective:.9f}",
            str(ours.leaves),
            verdict(ours, theirs),
        ])  # fmt: skip
    head = ["dataset", "λ", "ours", "s", "osrt, s", "ratio", "objective", "leaves", "answers"]
    mean = geometric_mean(ratios)
    about = {**machine(), **versions("optitree", "osrt"), "build": build()}
    return "\n".join([
        f"# Absolute error at depth {DEPTH}, beside osrt (L1)",
        "",
        "Made by `make absolute`: the whole fit, one thread, one run. "
        f"Limits: {limit:g} s ours, {peer_limit:g} s osrt; an osrt that was killed counts with its limit.",
        "",
        markdown(head, lines),
        "",
        f"Geometric mean of the ratios: {'none' if mean is None else factor(mean)} over {len(ratios)} cells.",
        "",
        *(f"- {name}: {value}" for name, value in about.items()),
    ])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
