"""The figure of the mixed-integer baselines: seconds above, HiGHS's gap below, against depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.experiment import Row
from experiments.figures import LOOKS, OURS, Look, one_legend, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Parts of tables have broken lines, whole tables solid ones; markers tell them apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
MARKERS = "osvDP"
HOLLOW = "hollow: not proven in its time"
SPREAD = 0.06  # of a depth, between tables: many end at the limit and would hide each other


def draw(rows: Sequence[Row]) -> Figure:
    """A column for each formulation, a line for each table."""
    names = list(dict.fromkeys(row["cell"]["formulation"] for row in rows))
    tables = sorted({_table(row) for row in rows}, key=lambda table: (table[1] is None, table[0]))
    depths = sorted({row["cell"]["max_depth"] for row in rows})
    figure, axes = panels(2 * len(names), len(names), width=4.0, height=3.1)
    for name, times, gaps in zip(names, axes, axes[len(names) :], strict=False):
        for place, table in enumerate(tables):
            mine = [row for row in rows if row["cell"]["formulation"] == name and _table(row) == table]
            _line(times, gaps, mine, _look(table), SPREAD * (place - (len(tables) - 1) / 2))
        times.set_yscale("log")
        times.set_title(name, fontsize=10)
        gaps.set_ylim(-0.03, 1.03)
        for ax, what in ((times, "seconds"), (gaps, "HiGHS's gap, of the root loss")):
            ax.set_xticks(depths)
            ax.set_xlabel("depth limit", fontsize=9)
            ax.set_ylabel(what, fontsize=9)
    one_legend(figure, 4)
    return figure


def _table(row: Row) -> tuple[str, int | None, int | None]:
    cell = row["cell"]
    return cell["dataset"], cell["rows"], cell["columns"]


def _look(table: tuple[str, int | None, int | None]) -> Look:
    name, rows, columns = table
    place = ("airquality", "servo", "sync", "yacht", "real-estate").index(name)
    label = f"HiGHS, {name}" if rows is None else f"HiGHS, {name} {rows} x {columns}"
    return Look(label, COLOURS[place], MARKERS[place], "solid" if rows is None else (0, (3, 1.5)))


def _line(times: Axes, gaps: Axes, rows: Sequence[Row], look: Look, aside: float) -> None:
    """Draw what HiGHS took and left open, hollow where it has proven nothing, and what ours took."""
    if not rows:
        return
    at = [row["cell"]["max_depth"] + aside for row in rows]
    ours = {**LOOKS[OURS].marks(), "markersize": 3.5, "linestyle": "none"}
    times.plot(at, [row["ours"]["seconds"] for row in rows], label=LOOKS[OURS].label, **ours)
    # No tree at all is drawn as if the gap were the whole root loss.
    left = [1.0 if row["highs"]["gap"] is None else row["highs"]["gap"] for row in rows]
    for ax, values in ((times, [row["highs"]["seconds"] for row in rows]), (gaps, left)):
        ax.plot(at, values, label=look.label, **look.curve())
        proven = [row["highs"]["status"] == "optimal" for row in rows]
        points = [(x, y) for x, y, done in zip(at, values, proven, strict=True) if not done]
        if points:
            hollow = {**look.marks(), "markerfacecolor": "white", "linestyle": "none"}
            ax.plot([x for x, _ in points], [y for _, y in points], **hollow)
            ax.plot([], [], marker="o", color="0.3", markerfacecolor="white", linestyle="none", label=HOLLOW)
