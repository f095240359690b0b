"""Whether the search got slower, told by instructions and not by a noisy clock: `make instructions`.

Counts the instructions of a few searches under `valgrind --tool=callgrind` and compares them with those on record. The
driver (`benchmarks/instructions.cpp`) is built by make with fixed flags; only the search is counted, on one thread, and
two counts of one build differ by well under a thousandth. Counts depend on the compiler: a record of another one is
compared all the same, with a word of warning.

The exit code is 1 if a cell takes over 3 % more than its record or gives another answer, 2 if something is missing, 0
otherwise. Where the real tables are missing their cells are left out, with a word. `--record` puts the new counts on
record, in the place of those of the same cells.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.data.cells import PROJECT_ROOT, Cell, DataMissingError
from benchmarks.data.grouped import groups
from benchmarks.data.real import default_groups, real_folder
from benchmarks.harness.judge import geometric_mean
from benchmarks.harness.text import markdown, say

# From a millisecond to some tenths of a second, valgrind being about fifty times as slow.
CELLS = (
    Cell("airfoil", 0.01, 4),
    Cell("real-estate", 0.005, 5),
    Cell("seoul-bike", 0.05, 5),
    Cell("insurance", 0.001, 6),
    Cell("optical", 0.001, 6),
    Cell("airfoil", 0.005, 8),
    Cell("yacht", 0.001, None),
    Cell("enb-heat", 0.005, None),
)
# Real tables have more conditions, most of them thresholds of the same columns.
REAL_CELLS = (
    Cell("hitters", 0.01, 3),
    Cell("wine-red", 0.01, 3),
    Cell("boston", 0.01, 4),
    Cell("taxis", 0.01, 4),
)
ALLOWED = 1.03
WORTH_RECORDING = 0.97
TOLERANCE = 1e-9
DRIVER = PROJECT_ROOT / "build" / "instructions"
RECORD = Path(__file__).parent / "results" / "instructions.json"

Count = dict[str, Any]


class ToolMissingError(Exception):
    """Valgrind or the driver is not there, or did not do its work."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    try:
        cells = [cell for cell in known_cells() if not options.dataset or cell.dataset in options.dataset]
        if not cells:
            raise DataMissingError("No cell is left: --dataset names none that is measured.")
        with tempfile.TemporaryDirectory() as folder:
            counts = {str(cell): count(cell, options.driver, Path(folder)) for cell in cells}
    except (DataMissingError, ToolMissingError) as problem:
        print(problem, file=sys.stderr)
        return 2
    recorded = json.loads(options.record_file.read_text(encoding="utf-8")) if options.record_file.is_file() else {}
    print(table(counts, recorded))
    found = faults(counts, recorded)
    if options.record:
        names = [str(cell) for cell in CELLS + REAL_CELLS]
        kept = {name: (recorded | counts)[name] for name in names if name in recorded or name in counts}
        options.record_file.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        print(f"\nOn record: {options.record_file.name}.")
        return 0
    for fault in found:
        print(f"\n{fault}")
    return 1 if found else 0


def known_cells() -> tuple[Cell, ...]:
    """All cells, but those of the real tables where these are missing."""
    try:
        real_folder()
    except DataMissingError as problem:
        say(f"Left out: {', '.join(map(str, REAL_CELLS))}. {problem}\n")
        return CELLS
    return CELLS + REAL_CELLS


def count(cell: Cell, driver: Path, folder: Path) -> Count:
    """The instructions of one search, and its answer."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise ToolMissingError("valgrind is not installed: apt install valgrind, or the like.")
    if not driver.is_file():
        raise ToolMissingError(f"There is no {driver}: make build/instructions.")
    say(f"{cell}: ")
    command = [
        valgrind, "--tool=callgrind", "--toggle-collect=counted_search", f"--callgrind-out-file={folder / 'callgrind'}",
        str(driver), str(_write_groups(cell, folder)), repr(cell.regularization),
        str(-1 if cell.max_depth is None else cell.max_depth),
    ]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or collected is None:
        raise ToolMissingError(f"the driver failed under valgrind:\n{run.stderr}")
    answer: Count = json.loads(run.stdout)
    answer.pop("seconds")  # valgrind's, not ours
    instructions = int(collected[1])
    say(f"{instructions:,}\n")
    return {"instructions": instructions, **answer}


def table(counts: Mapping[str, Count], recorded: Mapping[str, Count]) -> str:
    """Now beside the record."""
    lines, ratios = [], []
    for name, now in counts.items():
        then = recorded.get(name)
        if then:
            ratios.append(now["instructions"] / then["instructions"])
        lines.append([
            name, f"{now['instructions']:,}", f"{then['instructions']:,}" if then else "-",
            f"{ratios[-1]:.4f}" if then else "-", f"{now['subproblems']:,}", f"{now['objective']:.6f}",
        ])  # fmt: skip
    text = markdown(["cell", "instructions", "on record", "ratio", "subproblems", "objective"], lines)
    mean = geometric_mean(ratios)
    if mean is not None:
        text += f"\n\nGeometric mean of the ratios: {mean:.4f}."
        if min(ratios) < WORTH_RECORDING:
            text += " Some cells take less than on record: --record keeps it that way."
    others = sorted({then["compiler"] for name in counts if (then := recorded.get(name))})
    compiler = next(iter(counts.values()))["compiler"]
    if others not in ([], [compiler]):
        text += f"\n\nCompiler {compiler}, on record {', '.join(others)}: some of the difference may be theirs."
    return text


def faults(counts: Mapping[str, Count], recorded: Mapping[str, Count]) -> list[str]:
    """What must not be."""
    found = []
    for name, now in counts.items():
        then = recorded.get(name)
        if not now["optimal"]:
            found.append(f"{name}: not proven optimal.")
        elif then is None:
            found.append(f"{name}: not on record; --record puts it there.")
        elif abs(now["objective"] - then["objective"]) > TOLERANCE:
            found.append(f"{name}: the objective is {now['objective']:.12f}, on record {then['objective']:.12f}.")
        elif now["instructions"] > ALLOWED * then["instructions"]:
            more = now["instructions"] / then["instructions"] - 1
            found.append(f"{name}: {more:.1%} more instructions than on record.")
    return found


def _write_groups(cell: Cell, folder: Path) -> Path:
    """The groups of a dataset in the format that the driver reads."""
    path = folder / f"{cell.dataset}.groups"
    if not path.is_file():
        data = default_groups(cell.dataset) if cell in REAL_CELLS else groups(cell.dataset)
        with path.open("wb") as file:
            file.write(f"{len(data)} {data.bits.shape[1]} {len(data.conditions)}\n".encode())
            for array in (data.bits, data.weight, data.mean, data.scatter, data.rows):
                file.write(array.tobytes())
    return path


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.instructions", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--dataset", action="append", metavar="NAME", help="only this dataset; may be repeated")
    parser.add_argument("--record", action="store_true", help="put the counts on record instead of judging them")
    parser.add_argument("--record-file", type=Path, default=RECORD, metavar="FILE")
    parser.add_argument(
        "--driver", type=Path, default=DRIVER, metavar="FILE", help="what `make build/instructions` made"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
