"""What prices cost where they do not pay: `python -m benchmarks.prices [--real] [--limit S]`.

The paper's cells (eight binarised datasets, four regularizations, depths 4, 5, 6, 8 and none), or with `--real` the
twelve real tables at depths 3 to 6, each searched with prices and without, one thread. Seconds are processor time, so
that a busy machine does not matter much. The search without prices gets twice the seconds that the one with them took:
where it does not end by then, prices pay. Ratios count on cells that take over 20 ms with or without
prices; no ratio is to be above 1.25.

Progress goes to stderr, the table to stdout, and to prices.md (prices-real.md) in `--output`. The exit code is 1 if a
ratio is above 1.25 or objectives differ, 2 if data is missing, 0 otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data.cells import DATASETS, REGULARIZATIONS, Cell, DataMissingError, grid
from benchmarks.data.real import REAL
from benchmarks.harness.judge import geometric_mean
from benchmarks.harness.machine import machine
from benchmarks.harness.text import markdown, say, seconds
from benchmarks.solvers.alone import in_fresh_process
from benchmarks.solvers.switched import Search, search

DEPTHS: tuple[int | None, ...] = (4, 5, 6, 8, None)
REAL_DEPTHS = (3, 4, 5, 6)
REAL_REGULARIZATION = 0.01  # the default
ALLOWED = 1.25
SHORTEST = 0.02  # seconds
# The search without prices gets so many times the seconds of the other one, and so many in any case: on a busy machine
# not all of them are its own.
LIMIT, LEAST_LIMIT = 2.0, 5.0
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Compared:
    """A cell searched with prices and without."""

    cell: Cell
    on: Search
    off: Search

    @property
    def counts(self) -> bool:
        return max(self.on.cpu_seconds, self.off.cpu_seconds) > SHORTEST and "optimal" in (
            self.on.status,
            self.off.status,
        )

    @property
    def ratio(self) -> float:
        """At most this much where the search without prices was stopped, at least where the other one was."""
        return self.on.cpu_seconds / self.off.cpu_seconds


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prices", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--real", action="store_true", help="the real tables instead of the paper's")
    parser.add_argument("--limit", type=float, default=120.0, metavar="S", help="seconds for one search (default: 120)")
    parser.add_argument("--dataset", action="append", metavar="NAME", help="only this; may be repeated")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", metavar="FOLDER")
    options = parser.parse_args(arguments)
    names = options.dataset or (REAL if options.real else DATASETS)
    cells = grid(names, (REAL_REGULARIZATION,), REAL_DEPTHS) if options.real else grid(names, REGULARIZATIONS, DEPTHS)
    try:
        compared = measure(cells, options.limit)
    except DataMissingError as problem:
        print(problem, file=sys.stderr)
        return 2
    text, problems = report(compared)
    print(text)
    name = "prices-real.md" if options.real else "prices.md"
    processor = f"Measured on {machine()['processor']}, one thread, {options.limit:g} s a search."
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / name).write_text(f"{text}\n\n{processor}\n", encoding="utf-8")
    return int(bool(problems))


def measure(cells: Sequence[Cell], limit: float) -> list[Compared]:
    """Search every cell twice. Once a table is not solved within the limit its deeper cells are left out."""
    compared: list[Compared] = []
    for number, cell in enumerate(cells):
        row = [known for known in compared if _row(known.cell) == _row(cell)]
        if any(known.on.status != "optimal" for known in row):
            continue
        say(f"[{number + 1}/{len(cells)}] {cell}: ")
        on = in_fresh_process(search, cell, limit)
        off = in_fresh_process(search, cell, max(LEAST_LIMIT, min(limit, LIMIT * on.seconds)), ("prices",))
        compared.append(Compared(cell, on, off))
        say(f"{on.status} {seconds(on.cpu_seconds)}, without {off.status} {seconds(off.cpu_seconds)}\n")
    return compared


def _row(cell: Cell) -> tuple[str, float]:
    return cell.dataset, cell.regularization


def report(compared: Sequence[Compared]) -> tuple[str, list[str]]:
    """The table of the cells that count, a line for each depth, and what must not be."""
    counting = [one for one in compared if one.counts]
    lines = [
        [
            one.cell.dataset, f"{one.cell.regularization:g}", one.cell.depth_label, _timing(one.on), _timing(one.off),
            f"{_sign(one)}{one.ratio:.2f}", f"{one.on.solved:,}", f"{one.off.solved:,}",
        ]
        for one in counting
    ]  # fmt: skip
    head = ["table", "λ", "depth", "prices on", "off", "on / off", "subproblems: on", "off"]
    problems = [
        f"{one.cell}: {one.ratio:.2f} times the time without prices, over {ALLOWED:g}"
        for one in counting
        if one.ratio > ALLOWED
    ]
    problems += [
        f"{one.cell}: another objective with prices than without"
        for one in compared
        if one.on.status == one.off.status == "optimal" and abs(one.on.objective - one.off.objective) > TOLERANCE
    ]
    means = []
    for depth in dict.fromkeys(one.cell.max_depth for one in counting):
        mean = geometric_mean([one.ratio for one in counting if one.cell.max_depth == depth])
        means.append(f"{'none' if depth is None else depth}: {mean:.2f}")
    closing = (
        f"{len(compared)} cells, of which {len(counting)} take over {SHORTEST * 1000:g} ms with or without prices. "
        f"Geometric means of the ratios by depth: {', '.join(means) or '-'}. Seconds of the processor, the least of "
        "three below 1 s; ≤: stopped without prices once prices had won; ≥: stopped with them."
    )
    text = f"{markdown(head, lines)}\n\n{closing}"
    if problems:
        text += "\n\n**EXPECTATIONS THAT FAILED**\n\n" + "\n".join(f"- {problem}" for problem in problems)
    return text, problems


def _sign(one: Compared) -> str:
    if one.on.status != "optimal":
        return "≥ "
    return "" if one.off.status == "optimal" else "≤ "


def _timing(found: Search) -> str:
    return seconds(found.cpu_seconds) + ("" if found.status == "optimal" else f" {found.status}")


if __name__ == "__main__":
    sys.exit(main())
