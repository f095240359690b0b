"""What a run found beside what is on record: what got worse, what got better, and what is put there.

Where a search was finished its subproblems are compared, which are the same in every run; where it was stopped, the
depth up to which its tree is proven and the gap, which depend on the machine. Seconds are never compared with those of
another run.

The file has a line for each entry, so that a difference between two versions of it can be read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from benchmarks.data.cells import Cell
from benchmarks.harness.record import Entry, RecordError

FORMAT = "optitree-on-record 1"
TOLERANCE = 1e-9
# Finished searches: this many times as many subproblems, and some more where there are few.
ALLOWED, FEW, WORTH_RECORDING = 1.03, 10, 0.97
# Stopped searches: gaps differ from run to run.
ALLOWED_GAP, SMALL_GAP = 1.1, 0.002

Search = Mapping[str, Any]  # status, objective, lower_bound, proven_depth, conditions, solved: a fit has them, and more


@dataclass
class OnRecord:
    """Entries by part, and the best tree that any run has found for each table."""

    parts: dict[str, list[Entry]] = field(default_factory=dict)
    best: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Self:
        """What is there; nothing if there is no file."""
        if not path.is_file():
            return cls()
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.get("format") != FORMAT:
            raise RecordError(f"{path} is not a record of this benchmark; move it away.")
        return cls(content["parts"], content["best"])

    def write(self, path: Path) -> None:
        parts = [
            f"  {json.dumps(part)}: [\n" + ",\n".join(f"   {json.dumps(entry)}" for entry in entries) + "\n  ]"
            for part, entries in self.parts.items()
        ]
        best = [f"  {json.dumps(name)}: {json.dumps(tree)}" for name, tree in sorted(self.best.items())]
        text = (
            f'{{\n "format": {json.dumps(FORMAT)},\n "best": {{\n' + ",\n".join(best) + "\n },\n"
            ' "parts": {\n' + ",\n".join(parts) + "\n }\n}\n"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def accept(self, part: str, entries: Sequence[Entry], about: Mapping[str, Any]) -> None:
        """Put entries in the place of those of the same cells; the others of the part stay."""
        of_cell = {cell_of(entry): entry for entry in self.parts.get(part, [])}
        of_cell |= {cell_of(entry): {**entry, "measured": dict(about)} for entry in entries}
        self.parts[part] = sorted(of_cell.values(), key=_order)
        self.best = best_of(self.best, entries)


def cell_of(entry: Entry) -> Cell:
    return Cell(**entry["cell"])


def searches(entry: Entry) -> dict[str, Search]:
    """The searches of an entry that can be compared: on one thread, with the time that each had."""
    found: dict[str, Search] = {name: entry[name] for name in ("fit", "one", "on", "off", "shallow") if name in entry}
    return found | dict(entry.get("stopped", {}))


def best_of(known: Mapping[str, Mapping[str, Any]], entries: Iterable[Entry]) -> dict[str, dict[str, Any]]:
    """The best tree of each table; one for other conditions than those of a later run is forgotten."""
    best = {name: dict(tree) for name, tree in known.items()}
    for entry in entries:
        name = entry["cell"]["dataset"]
        for search in searches(entry).values():
            tree = {"objective": search["objective"], "conditions": search["conditions"]}
            old = best.get(name)
            if old is None or old["conditions"] != tree["conditions"] or tree["objective"] < old["objective"]:
                best[name] = tree
    return best


def compare(then: Sequence[Entry], now: Sequence[Entry]) -> tuple[list[str], list[str], int]:
    """What got worse, what got better, and how many entries are not on record."""
    worse, better, unknown = [], [], 0
    known = {cell_of(entry): entry for entry in then}
    for entry in now:
        before = known.get(cell_of(entry))
        if before is None:
            unknown += 1
            continue
        searched = searches(entry)
        for name, old in searches(before).items():
            label = f"{cell_of(entry)}, {name}"
            if name not in searched:
                if entry.get("limit", 0.0) >= before.get("limit", 0.0):
                    worse.append(f"{label}: on record, and not measured ({entry.get('skipped', 'no such search')})")
                continue
            comparable = entry.get("limit") == before.get("limit")
            bad, good = compare_searches(old, searched[name], same_limit=comparable)
            worse += [f"{label}: {what}" for what in bad]
            better += [f"{label}: {what}" for what in good]
    return worse, better, unknown


def compare_searches(old: Search, new: Search, *, same_limit: bool) -> tuple[list[str], list[str]]:
    """What is worse in the new one, and what is better; little can be said of stopped ones if they had other limits."""
    if old["conditions"] != new["conditions"]:
        return [f"{new['conditions']} conditions, on record {old['conditions']}: nothing else can be compared"], []
    finished = old["status"] == "optimal", new["status"] == "optimal"
    if finished == (True, True):
        return _compare_finished(old, new)
    contradiction = _contradiction(old, new)
    if contradiction:
        return [contradiction], []
    if finished == (False, True):
        return [], ["proven, on record it is not"]
    if not same_limit:
        return [], []
    if finished == (True, False):
        return [f"{new['status']} at gap {gap(new):.4f}, on record it is proven"], []
    return _compare_stopped(old, new)


def _compare_finished(old: Search, new: Search) -> tuple[list[str], list[str]]:
    if abs(old["objective"] - new["objective"]) > TOLERANCE:
        return [f"the objective is {new['objective']:.12f}, on record {old['objective']:.12f}"], []
    change = f"{new['solved']:,} subproblems, on record {old['solved']:,}"
    if new["solved"] > ALLOWED * old["solved"] + FEW:
        return [change], []
    return [], [change] if new["solved"] + FEW < WORTH_RECORDING * old["solved"] else []


def _compare_stopped(old: Search, new: Search) -> tuple[list[str], list[str]]:
    deep, deep_then = depth_proven(new), depth_proven(old)
    if deep != deep_then:
        change = [f"proven to depth {new['proven_depth']}, on record {old['proven_depth']}"]
        return (change, []) if deep < deep_then else ([], change)
    change = [f"gap {gap(new):.4f}, on record {gap(old):.4f}"]
    if gap(new) > ALLOWED_GAP * gap(old) + SMALL_GAP:
        return change, []
    return [], change if ALLOWED_GAP * gap(new) + SMALL_GAP < gap(old) else []


def _contradiction(old: Search, new: Search) -> str:
    """No tree is below a lower bound: not that of another run either."""
    if old["lower_bound"] > new["objective"] + TOLERANCE:
        return f"a tree of {new['objective']:.9f}, below the lower bound on record, {old['lower_bound']:.9f}"
    if new["lower_bound"] > old["objective"] + TOLERANCE:
        return f"the lower bound is {new['lower_bound']:.9f}, and a tree of {old['objective']:.9f} is on record"
    return ""


def gap(search: Search) -> float:
    return float(search["objective"] - search["lower_bound"])


def depth_proven(search: Search) -> float:
    return math.inf if search["proven_depth"] is None else float(search["proven_depth"])


def _order(entry: Entry) -> tuple[str, float]:
    depth = entry["cell"]["max_depth"]
    return entry["cell"]["dataset"], math.inf if depth is None else depth
