"""The tables of `benchmarks/certificates.py`."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks.harness.text import markdown, seconds

Entry = dict[str, Any]


def report(part: str, entries: Sequence[Entry]) -> str:
    """The table of a part, and what it comes to."""
    if part == "refuted":
        return _refuted(entries)
    head = ["table", "λ", "depth", "objective", "reported", "proven", "search, s", "write, s", "kB", "price lists"]
    rows = [[*_name(entry), *_figures(entry)] for entry in entries]
    text = markdown([*head, "branchings", "check, s", "its CPU, s", "verdict"], rows)
    checks = [entry["check"] for entry in entries]
    single = sum(entry["optimal"] and not entry["branchings"] for entry in entries)
    near = sum(entry["accepted"] and entry["reported"] - entry["proven"] <= 0.02 for entry in entries)
    return (
        f"## Certificates: {part}\n\n{text}\n\n{len(entries)} certificates, "
        f"{sum(entry['accepted'] for entry in entries)} accepted, {sum(entry['optimal'] for entry in entries)} of them "
        f"of an optimal tree, {single} by a single price list; {near} prove the reported bound or one at most .02 "
        f"below it. Time to check: median {seconds(statistics.median(checks))} s, longest {seconds(max(checks))} s."
    )


def _name(entry: Entry) -> list[str]:
    cell = entry["cell"]
    return [cell["dataset"], f"{cell['regularization']:g}", str(cell["max_depth"] or "none")]


def _figures(entry: Entry) -> list[str]:
    verdict = "optimal" if entry["optimal"] else "bound" if entry["accepted"] else "REJECTED"
    bounds = [f"{entry[name]:.6f}" for name in ("objective", "reported", "proven")]
    times = [seconds(entry["search"]), seconds(entry["write"]), f"{entry['bytes'] / 1000:.1f}"]
    checking = [seconds(entry[name]) for name in ("check", "check_cpu")]
    return [*bounds, *times, str(entry["lists"]), str(entry["branchings"]), *checking, verdict]


def _refuted(entries: Sequence[Entry]) -> str:
    rows = [
        [
            *_name(entry),
            entry["peer"],
            f"{entry['rival']:.6f}",
            f"{entry['objective']:.6f}",
            f"{entry['rival'] - entry['objective']:.6f}",
            "refuted" if entry["refuted"] else "not refuted",
        ]
        for entry in entries
    ]
    head = ["table", "λ", "depth", "peer", "its tree", "the certificate's", "difference", "verdict"]
    return f"## Trees that peers call optimal\n\n{markdown(head, rows)}"
