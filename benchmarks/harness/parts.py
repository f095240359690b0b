"""Benchmarks in parts: run them, print what they say, keep it beside the other parts' last results."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data.cells import DataMissingError
from benchmarks.harness.machine import machine, versions
from benchmarks.harness.text import say


@dataclass(frozen=True)
class Part:
    """What one part of a benchmark has to say: text for people, rows for machines, expectations that failed."""

    text: str
    rows: list[dict[str, Any]]
    faults: list[str]


def run_parts(name: str, parts: Mapping[str, Callable[[], Part]], output: Path) -> int:
    """Run parts one after the other, print what they say, and put it into the results of that name."""
    code = 0
    for title, part in parts.items():
        try:
            start = time.perf_counter()
            result = part()
        except DataMissingError as problem:
            print(problem, file=sys.stderr)
            return 2
        say(f"{title}: {time.perf_counter() - start:.0f} s in all\n")
        text = result.text
        if result.faults:
            text += "\n\n**EXPECTATIONS THAT FAILED**\n\n" + "\n".join(f"- {fault}" for fault in result.faults)
            code = 1
        print(f"## {title}\n\n{text}\n", flush=True)
        _write(output, name, title, text, result)
    return code


def _write(output: Path, name: str, title: str, text: str, result: Part) -> None:
    """Put one part into NAME.json, and all that are there into NAME.md."""
    file = output / f"{name}.json"
    record = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    record[title] = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": versions("optitree", "scikit-learn", "pandas", "polars", "duckdb"),
        "rows": result.rows,
        "faults": result.faults,
        "text": text,
    }
    output.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    pages = [f"## {title}\n\n{part['text']}\n" for title, part in record.items()]
    (output / f"{name}.md").write_text("\n".join(pages), encoding="utf-8")
