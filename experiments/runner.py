"""Runs an experiment: what is measured goes line by line to NAME.jsonl, then table and figures are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.harness.machine import build, machine, versions
from benchmarks.harness.record import Record, complete

from experiments.experiment import Bench, Experiment, Findings, Row, Settings
from experiments.figures import save

PACKAGES = ("optitree", "scikit-learn", "pystreed", "osrt", "highspy", "matplotlib")


def run(experiment: Experiment, settings: Settings, output: Path, *, fresh: bool) -> Record:
    """Measure the cells that the record does not have yet."""
    about = {
        "settings": {"experiment": experiment.name, **{k: v for k, v in asdict(settings).items() if k != "datasets"}},
        "machine": machine(),
        "versions": versions(*PACKAGES),
        "build": build(),
    }
    cells = experiment.cells(settings)
    record = Record.open(record_file(experiment, output), about, fresh=fresh)
    with Bench(settings) as bench:
        complete(record, cells, lambda cell: experiment.measure(cell, bench))
    return record


def record_file(experiment: Experiment, output: Path) -> Path:
    """Where the lines of an experiment are."""
    return output / f"{experiment.name}.jsonl"


def report(experiment: Experiment, record: Record, output: Path) -> Findings:
    """Write NAME.md and the figures of all that the record has."""
    rows: Sequence[Row] = record.entries
    findings = experiment.table(rows)
    text = f"## {experiment.title}\n\n*{experiment.claim}*\n\n{findings.text}\n\n{_circumstances(record)}\n"
    if findings.faults:
        text += "\n**EXPECTATIONS THAT FAILED**\n\n" + "\n".join(f"- {fault}" for fault in findings.faults) + "\n"
    (output / f"{experiment.name}.md").write_text(text, encoding="utf-8")
    for name, figure in experiment.figures(rows):
        save(figure, output / name)
    return Findings(text, findings.faults)


def _circumstances(record: Record) -> str:
    about = record.about
    settings, computer = about["settings"], about["machine"]
    used = ", ".join(f"{name} {version}" for name, version in about["versions"].items() if version)
    return (
        f"Measured {about['date']}, {computer['processor']}, {computer['cpus']} processors, "
        f"Python {computer['python']}; {used}. At most {settings['limit']:g} s for a search of ours, "
        f"{settings['peer_limit']:g} s for one of another{'; the quick form' if settings['quick'] else ''}."
    )
