"""A run that can be stopped: one line of JSON for each cell, appended when it is done.

The first line says with what settings, software and machine the rest was measured. A run goes on only where all of
that is the same: figures from two machines or two builds do not belong in one table.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from benchmarks.harness.text import duration, say

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

C = TypeVar("C", bound="DataclassInstance")

FORMAT = "optitree-benchmark 1"

Entry = dict[str, Any]


class RecordError(Exception):
    """The file is not there, is no record, or was made under other circumstances."""


class Record:
    """The entries of a file, in order of their making."""

    def __init__(self, path: Path, about: Mapping[str, Any], entries: Sequence[Entry], size: int) -> None:
        self.path = path
        self.about = about
        self.entries = list(entries)
        self._size = size  # of the whole lines: a line cut short by a kill is overwritten

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read what there is."""
        try:
            content = path.read_bytes()
        except OSError:
            raise RecordError(f"There is no {path}: run the benchmark first.") from None
        whole = content[: content.rfind(b"\n") + 1]
        try:
            about, *entries = [json.loads(line) for line in whole.splitlines()]
            known = about.pop("format") == FORMAT
        except (ValueError, KeyError, AttributeError):
            known = False
        if not known:
            raise RecordError(f"{path} is not a benchmark record; move it away or use --fresh.")
        return cls(path, about, entries, len(whole))

    @classmethod
    def open(cls, path: Path, about: Mapping[str, Any], *, fresh: bool) -> Self:
        """Go on with the file if it was made under the same circumstances; start it if it is not there."""
        if not fresh and path.is_file():
            record = cls.read(path)
            differences = _differences(record.about, json.loads(json.dumps(about)))
            if differences:
                raise RecordError(
                    f"{path} was measured under other circumstances ({'; '.join(differences)}). "
                    "--fresh starts it again, --output FOLDER begins another."
                )
            return record
        line = json.dumps({"format": FORMAT, "date": time.strftime("%Y-%m-%d"), **about}) + "\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(line, encoding="utf-8")
        return cls.read(path)

    def append(self, entry: Entry) -> None:
        """Add an entry that survives whatever happens next."""
        line = (json.dumps(entry) + "\n").encode()
        with self.path.open("r+b") as file:
            file.seek(self._size)
            file.write(line)
            file.truncate()
        self._size += len(line)
        self.entries.append(entry)


def complete(record: Record, cells: Sequence[C], measure: Callable[[C], Entry]) -> None:
    """Measure the cells that the record does not have yet, and say how long the rest will take."""
    done = {_key(entry["cell"]) for entry in record.entries}
    left = [cell for cell in cells if _key(asdict(cell)) not in done]
    if done:
        say(f"{record.path.name} has {len(cells) - len(left)} of {len(cells)} cells\n")
    for number, cell in enumerate(left):
        estimate = time_left(record.entries, left[number:])
        soon = "" if estimate is None else f", {duration(estimate)} left"
        say(f"[{len(cells) - len(left) + number + 1}/{len(cells)}{soon}] {cell}: ")
        start = time.perf_counter()
        entry = {"cell": asdict(cell), **measure(cell)}
        record.append({**entry, "spent": round(time.perf_counter() - start, 3)})
        say("\n")


def _key(fields: Mapping[str, Any]) -> str:
    """What tells a cell from others, in a file or not yet in one."""
    return json.dumps(fields, sort_keys=True)


def time_left(entries: Sequence[Entry], left: Sequence[DataclassInstance]) -> float | None:
    """The cells to come take as long as those of the same depth did so far: depth decides more than anything."""
    if not entries:
        return None
    spent = defaultdict(list)
    for entry in entries:
        spent[entry["cell"].get("max_depth")].append(entry["spent"])
    means = {depth: sum(times) / len(times) for depth, times in spent.items()}
    mean = sum(sum(times) for times in spent.values()) / len(entries)
    return sum(means.get(getattr(cell, "max_depth", None), mean) for cell in left)


def _differences(old: Mapping[str, Any], new: Mapping[str, Any], prefix: str = "") -> list[str]:
    found = []
    for name in dict.fromkeys((*old, *new)):
        before, now = old.get(name), new.get(name)
        if name == "date" or before == now:
            continue
        if isinstance(before, dict) and isinstance(now, dict):
            found += _differences(before, now, f"{prefix}{name} ")
        else:
            found.append(f"{prefix}{name} {before} then, {now} now")
    return found
