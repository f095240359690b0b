"""From the entries of `benchmarks.real` to its tables. Pure functions: nothing here runs the solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchmarks.data.cells import Cell
from benchmarks.data.generated import GENERATED
from benchmarks.harness.hard_report import Report, one_against_two, sound
from benchmarks.harness.judge import NOTICEABLE, Row, faults, judge, slower
from benchmarks.harness.on_record import Search, cell_of, gap
from benchmarks.harness.record import Entry
from benchmarks.harness.report import report
from benchmarks.harness.text import markdown, seconds

ALLOWED_RATIO = 1.25  # the most that prices may cost where they do not pay
SHORTEST = 0.02  # seconds: a ratio of less is noise
TOLERANCE = 1e-9
Best = Mapping[str, Mapping[str, Any]]


def defaults(entries: Sequence[Entry], best: Best) -> Report:
    """Proven or not, and how far from it."""
    measured, problems = sound(entries)
    real = [entry for entry in measured if entry["cell"]["dataset"] not in GENERATED]
    proven = [entry for entry in real if entry["fit"]["status"] == "optimal"]
    closing = f"Proven: {len(proven)} of {len(real)}."
    if real:
        worst = max(real, key=lambda entry: gap(entry["fit"]))
        mean = fmean(gap(entry["fit"]) for entry in real)
        closing += f" Mean gap {mean:.4f}, largest {gap(worst['fit']):.4f} ({worst['cell']['dataset']})."
    if len(real) < len(measured):
        closing += " Generated tables are in no mean."
    return "\n\n".join([_fits(measured), closing]), problems + _above_best(measured, best)


def depths(entries: Sequence[Entry], best: Best) -> Report:
    """What each depth costs."""
    measured, problems = sound(entries)
    late = [str(cell_of(entry)) for entry in measured if entry["fit"]["status"] != "optimal"]
    spent = sum(entry["fit"]["seconds"] for entry in measured)
    closing = f"Proven: {len(measured) - len(late)} of {len(measured)}, {spent:.1f} s in all."
    if late:
        closing += f" Not: {', '.join(late)}."
    return "\n\n".join([_fits(measured), closing]), problems


def prices(entries: Sequence[Entry], best: Best) -> Report:
    """What prices cost, and save."""
    measured, problems = sound(entries)
    lines, ratios = [], {}
    for entry in measured:
        if "skipped" in entry:
            lines.append([*_name(entry), entry["skipped"], *["-"] * 4])
            continue
        on, off = entry["on"], entry["off"]
        known = "optimal" in (on["status"], off["status"]) and max(on["seconds"], off["seconds"]) > SHORTEST
        ratio = on["seconds"] / off["seconds"]
        if known:
            ratios[str(cell_of(entry))] = ratio
        both = on["status"] == off["status"] == "optimal"
        if both and abs(on["objective"] - off["objective"]) > TOLERANCE:
            problems.append(f"{cell_of(entry)}: another objective with prices than without")
        sign = "" if both else "≤ " if on["status"] == "optimal" else "≥ "
        lines.append([
            *_name(entry), _timing(on), _timing(off), f"{sign}{ratio:.2f}" if known else "-",
            f"{on['solved']:,}", f"{off['solved']:,}",
        ])  # fmt: skip
    problems += [
        f"{cell}: prices take {ratio:.2f} times the time without them, over {ALLOWED_RATIO:g}"
        for cell, ratio in ratios.items()
        if ratio > ALLOWED_RATIO
    ]
    closing = f"No cell takes over {SHORTEST * 1000:g} ms."
    if ratios:
        worst = max(ratios, key=lambda cell: ratios[cell])
        closing = (
            f"Largest ratio {ratios[worst]:.2f} ({worst}), of {len(ratios)} cells that take over {SHORTEST * 1000:g} "
            f"ms with or without prices; at most {ALLOWED_RATIO:g} is expected."
        )
    head = ["table", "depth", "prices on", "off", "on / off", "subproblems: on", "off"]
    return "\n\n".join(
        [markdown(head, lines), closing, "Seconds of the search, the least of three below 1 s."]
    ), problems


def threads(entries: Sequence[Entry], best: Best) -> Report:
    """One thread against two."""
    return one_against_two([entry for entry in entries if "skipped" not in entry])


def stopped(entries: Sequence[Entry], best: Best) -> Report:
    """How good the trees of stopped searches are."""
    measured, problems = sound(entries)
    lines, above = [], []
    for entry in measured:
        name, shallow = entry["cell"]["dataset"], entry["shallow"]
        least = best[name]["objective"]
        for label, fit in entry["stopped"].items():
            greedy = entry["cart"][label]
            above.append(fit["objective"] - least)
            long_enough = shallow["status"] == "optimal" and fit["seconds"] >= shallow["seconds"]
            if fit["objective"] > greedy + TOLERANCE:
                problems.append(f"{name}, {label}: {fit['objective']:.6f}, CART of as many leaves {greedy:.6f}")
            if long_enough and fit["objective"] > shallow["objective"] + TOLERANCE:
                problems.append(
                    f"{name}, {label}: {fit['objective']:.6f}, the best tree of depth 3, which takes "
                    f"{seconds(shallow['seconds'])} s, {shallow['objective']:.6f}"
                )
            lines.append([
                name, label, _status(fit), f"{fit['objective']:.6f}", f"{gap(fit):.4f}", _depth(fit),
                str(fit["leaves"]), f"{fit['objective'] - least:+.6f}", f"{fit['objective'] - greedy:+.6f}",
                f"{fit['objective'] - shallow['objective']:+.6f}" + ("" if long_enough else " (had less time)"),
            ])  # fmt: skip
    head = [
        "table", "limit", "status", "objective", "gap", "proven to depth", "leaves", "above the best known",
        "above CART", "above the best of depth 3",
    ]  # fmt: skip
    closing = f"Above the best known: {fmean(above):.5f} in the mean, {max(above):.5f} at most." if above else ""
    note = (
        "The best known: of this run and of all on record, at any limit and depth. CART on the same conditions, with "
        "as many leaves. No tree is to be worse than CART's, nor, given the time, than the best of depth 3."
    )
    return "\n\n".join([markdown(head, lines), closing, note]), problems + _above_best(measured, best)


def peers(entries: Sequence[Entry], best: Best) -> Report:
    """The search beside pystreed."""
    measured, problems = sound(entries)
    if not measured:
        return "", problems
    rows = [judge(Row.from_dict(entry)) for entry in measured]
    problems += [fault for row in rows for fault in faults(row)]
    problems += [f"{row.cell}: a right peer takes less" for row in rows if slower(row, NOTICEABLE)]
    return report(rows, measured[-1]["settings"]), problems


REPORTS: dict[str, Callable[[Sequence[Entry], Best], Report]] = {
    "defaults": defaults,
    "depths": depths,
    "prices": prices,
    "threads": threads,
    "stopped": stopped,
    "peers": peers,
}


def _fits(entries: Sequence[Entry]) -> str:
    head = [
        "table", "depth", "conditions", "status", "objective", "lower bound", "gap", "proven to depth", "leaves",
        "subproblems", "seconds", "peak MB",
    ]  # fmt: skip
    lines = []
    for entry in entries:
        fit = entry["fit"]
        lines.append([
            *_name(entry), str(fit["conditions"]), _status(fit), f"{fit['objective']:.6f}",
            f"{fit['lower_bound']:.6f}", f"{gap(fit):.4f}", _depth(fit), str(fit["leaves"]), f"{fit['solved']:,}",
            seconds(fit["seconds"]), f"{fit['peak_megabytes']:.0f}",
        ])  # fmt: skip
    return markdown(head, lines)


def _above_best(entries: Sequence[Entry], best: Best) -> list[str]:
    """Lower bounds on all trees that a tree refutes."""
    found = []
    for entry in entries:
        known = best[entry["cell"]["dataset"]]["objective"]
        for fit in [entry["fit"]] if "fit" in entry else entry["stopped"].values():
            if fit["lower_bound"] > known + TOLERANCE:
                found.append(f"{cell_of(entry)}: a lower bound of {fit['lower_bound']:.9f}, but a tree has {known:.9f}")
    return found


def _name(entry: Entry) -> list[str]:
    cell: Cell = cell_of(entry)
    return [cell.dataset, cell.depth_label]


def _status(search: Search) -> str:
    return "proven" if search["status"] == "optimal" else str(search["status"])


def _depth(search: Search) -> str:
    return "any" if search["proven_depth"] is None else str(search["proven_depth"])


def _timing(search: Search) -> str:
    return seconds(search["seconds"]) + ("" if search["status"] == "optimal" else f" {search['status']}")
