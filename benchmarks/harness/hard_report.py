"""From the records of `benchmarks.hard` to its tables. Pure functions: nothing here runs the solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from benchmarks.data.cells import Cell
from benchmarks.harness.judge import geometric_mean
from benchmarks.harness.record import Entry, Record
from benchmarks.harness.text import markdown, seconds
from benchmarks.solvers.anytime import FEWEST_POINTS, FEWEST_SECONDS, SHARES, SHOWN

# A table as text, and the expectations that failed.
Report = tuple[str, list[str]]

FEWEST_CACHED = 1000  # below, the bytes of a cached subproblem are those of something else


def fits(record: Record) -> Report:
    """Proven or not, time, memory."""
    entries, faults = sound(record.entries)
    head = [
        "dataset", "λ", "depth", "status", "objective", "gap", "leaves", "fit", "search", "peak MB", "of it the fit's",
        "subproblems", "cached", "core: bytes each", "process: bytes each",
    ]  # fmt: skip
    lines = []
    for entry in entries:
        result = entry["fit"]
        grown = max(result["peak_megabytes"] - result["start_megabytes"], 0.0)
        lines.append([
            *_name(entry), _status(result), f"{result['objective']:.6f}",
            f"{result['objective'] - result['lower_bound']:.2g}", str(result["leaves"]), seconds(result["seconds"]),
            seconds(result["search_seconds"]), f"{result['peak_megabytes']:.0f}", f"{grown:.0f}",
            f"{result['solved']:,}", f"{result['cached']:,}", _each(result["core_megabytes"], result["cached"]),
            _each(grown, result["cached"]),
        ])  # fmt: skip
    settings = record.about["settings"]
    proven = [entry["fit"] for entry in entries if entry["fit"]["status"] == "optimal"]
    open_cells = [f"{_cell(entry)} (gap {_gap(entry['fit']):.2g})" for entry in entries if entry["fit"] not in proven]
    closing = (
        f"Proven: {len(proven)} of {len(entries)}, in {sum(result['seconds'] for result in proven):.1f} s together."
    )
    if open_cells:
        closing += f" Not within {settings['limit']:g} s: {', '.join(open_cells)}."
    if entries:
        worst = max(entries, key=lambda entry: float(entry["fit"]["peak_megabytes"]))
        closing += f" Largest process: {worst['fit']['peak_megabytes']:,.0f} MB ({_cell(worst)})."
    note = (
        f"`n_jobs={settings['n_jobs']}`, {settings['limit']:g} s a cell, a process of its own for each. `peak MB`: the "
        "most that was resident during the fit, libraries and data included; `of it the fit's`: above what was "
        f"resident before. Bytes for each cached subproblem, where there are {FEWEST_CACHED:,} or more: by the core's "
        "own count, and by the growth of the process."
    )
    return "\n\n".join([closing, markdown(head, lines), note]), faults


def threads(record: Record) -> Report:
    """One thread against two."""
    return one_against_two(record.entries)


def one_against_two(measured: Sequence[Entry]) -> Report:
    """The same for entries of any benchmark: `one` is a fit, `two` another or None."""
    entries, faults = sound(measured)
    head = ["dataset", "λ", "depth", "one thread", "two threads", "one / two", "peak MB: one", "two", "same tree"]
    lines, ratios = [], []
    compared = [entry for entry in entries if entry["two"]]
    for entry in compared:
        one, two = entry["one"], entry["two"]
        both = one["status"] == two["status"] == "optimal"
        ratio = one["seconds"] / two["seconds"]
        if both:
            ratios.append(ratio)
            if one["tree"] != two["tree"]:
                faults.append(f"{_cell(entry)}: another tree with two threads than with one")
        sign = "" if both else "≥ " if two["status"] == "optimal" else "unknown: "
        lines.append([
            *_name(entry), _timing(one), _timing(two), f"{sign}{ratio:.2f}", f"{one['peak_megabytes']:.0f}",
            f"{two['peak_megabytes']:.0f}", ("yes" if one["tree"] == two["tree"] else "NO") if both else "-",
        ])  # fmt: skip
    mean = geometric_mean(ratios)
    closing = f"{len(compared)} of {len(entries)} cells take one thread over two seconds."
    if mean is not None:
        closing += (
            f" On the {len(ratios)} that both prove, two threads are {mean:.2f} times as fast (geometric mean; least "
            f"{min(ratios):.2f}, most {max(ratios):.2f})."
        )
    note = "Seconds of the whole fit. The trees are compared node by node where both are proven."
    return "\n\n".join([closing, markdown(head, lines), note]), faults


def anytime(record: Record) -> Report:
    """How soon the tree is good."""
    entries, faults = sound(record.entries)
    head = ["dataset", "λ", "depth", "status", "search", "primal integral: stopped", "trace"]
    head += [f"gap at {share:.0%}: {way}" for share in SHOWN for way in ("stopped", "trace")]
    head += ["points of the trace"]
    shown = [SHARES.index(share) for share in SHOWN]
    long_enough = [entry for entry in entries if entry["seconds"] >= FEWEST_SECONDS]
    lines = [
        [
            *_name(entry), _status(entry), seconds(entry["seconds"]), f"{entry['stopped_integral']:.4f}",
            f"{entry['trace_integral']:.4f}",
            *(_percent(entry[way][share]) for share in shown for way in ("stopped_gaps", "trace_gaps")),
            f"{entry['points']}{' (too coarse)' if entry['points'] < FEWEST_POINTS else ''}",
        ]
        for entry in long_enough
    ]  # fmt: skip
    closing = ""
    if long_enough:
        gaps = [fmean(entry["stopped_gaps"][share] for entry in long_enough) for share in shown]
        means = [f"after {share:.0%} of the time {_percent(gap)}" for share, gap in zip(SHOWN, gaps, strict=True)]
        closing = (
            f"{len(long_enough)} cells; mean primal integral "
            f"{fmean(entry['stopped_integral'] for entry in long_enough):.4f} by stopped runs. Mean gap of the tree "
            f"{', '.join(means)}. "
            f"A stopped run went on for {seconds(max(entry['overtime'] for entry in long_enough))} s at most."
        )
    short = [_cell(entry) for entry in entries if entry not in long_enough]
    if short:
        closing += f" Too short to tell (under {FEWEST_SECONDS:g} s): {', '.join(short)}."
    note = (
        "Gaps are (incumbent - best) / best; the primal integral is their mean over the run. `stopped`: of the trees "
        f"that runs return which are stopped after {', '.join(f'{share:.1%}' for share in SHARES)} of the time. "
        "`trace`: by the upper bound that the search reports about twenty times a second, a single leaf until the "
        f"first report; with fewer than {FEWEST_POINTS} points it says little but how long that took."
    )
    return "\n\n".join([closing.strip(), markdown(head, lines), note]), faults


REPORTS: dict[str, Callable[[Record], Report]] = {
    "grid": fits,
    "seoul": fits,
    "threads": threads,
    "anytime": anytime,
}


def sound(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Entries with a result, and what is to be said of the others."""
    failed = [f"{_cell(entry)}: {entry['failed']}" for entry in entries if "failed" in entry]
    return [entry for entry in entries if "failed" not in entry], failed


def _cell(entry: Entry) -> str:
    return str(Cell(**entry["cell"]))


def _name(entry: Entry) -> list[str]:
    cell = Cell(**entry["cell"])
    return [cell.dataset, f"{cell.regularization:g}", cell.depth_label]


def _status(result: Entry) -> str:
    return "proven" if result["status"] == "optimal" else str(result["status"])


def _gap(result: Entry) -> float:
    return float(result["objective"] - result["lower_bound"])


def _timing(result: Entry) -> str:
    return seconds(result["seconds"]) + ("" if result["status"] == "optimal" else f" {result['status']}")


def _each(megabytes: float, count: int) -> str:
    return f"{megabytes * 1e6 / count:.0f}" if count >= FEWEST_CACHED else "-"


def _percent(value: float) -> str:
    return "0" if value < 5e-7 else f"{value:.2%}"
