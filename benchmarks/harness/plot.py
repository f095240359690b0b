"""A run as a picture: how often each solver is near the fastest, and how many cells it solves in how long.

The first is the performance profile of Dolan and Moré (2002): the share of cells that a solver answers rightly within
τ times what the fastest right solver took. A wrong answer counts as none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.judge import Row
from benchmarks.solvers.peers import OURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours of Okabe and Ito and of Tol, told apart by every kind of eye; the dashes tell them apart in print.
STYLES: tuple[tuple[str, str | tuple[int, tuple[int, ...]]], ...] = (
    ("#000000", "solid"),
    ("#0072B2", (0, (6, 2))),
    ("#009E73", (0, (3, 1, 1, 1))),
    ("#D55E00", (0, (2, 1))),
    ("#AA3377", (0, (1, 1))),
)
LABEL_HEIGHT = 0.055  # of the panel: labels nearer than this would overlap


def times(rows: Sequence[Row]) -> dict[str, list[float]]:
    """The seconds of every solver on every cell; infinite where it has no right answer."""
    ours = [row.ours.seconds if row.ours.status == "solved" else math.inf for row in rows]
    peers = {
        name: [row.peers[name].seconds if name in row.right_peers() else math.inf for row in rows]
        for name in rows[0].peers
    }
    return {OURS: ours, **peers}


def factors(taken: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """The same as multiples of the fastest on each cell."""
    fastest = [min(cell) for cell in zip(*taken.values(), strict=True)]
    return {
        name: [time / best if math.isfinite(time) else math.inf for time, best in zip(mine, fastest, strict=True)]
        for name, mine in taken.items()
    }


def shares(values: Sequence[float], end: float) -> tuple[list[float], list[float]]:
    """The corners of the curve: at each value, the share of all cells that are no larger; up to `end`."""
    finite = sorted(value for value in values if math.isfinite(value))
    steps = [(value, rank / len(values)) for rank, value in enumerate(finite, start=1)]
    height = steps[-1][1] if steps else 0.0
    return [*(value for value, _ in steps), end], [*(share for _, share in steps), height]


def spread(heights: Sequence[float], gap: float, top: float = 1.0) -> list[float]:
    """Heights at least `gap` apart and as near as may be to those given, in their order, none above `top`."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed = [heights[place] for place in order]
    for above in range(1, len(placed)):
        placed[above] = max(placed[above], placed[above - 1] + gap)
    if placed:
        placed[-1] = min(placed[-1], top)
    for below in range(len(placed) - 2, -1, -1):
        placed[below] = min(placed[below], placed[below + 1] - gap)
    answer = [0.0] * len(heights)
    for place, height in zip(order, placed, strict=True):
        answer[place] = height
    return answer


def draw(rows: Sequence[Row], peer_limit: float, path: Path) -> None:
    """Write the picture."""
    import matplotlib as mpl  # noqa: PLC0415  (a run without it still has its report)

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    taken = times(rows)
    # Text stays text, and the same rows give the same file.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "optitree", "font.size": 10}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), sharey=True)
        _panel(left, factors(taken), least=1.0)
        left.set_xlabel("τ: times the fastest solver's time")
        left.set_ylabel("share of cells solved, rightly")
        left.set_title("Within τ times the fastest", loc="left", fontsize=11)
        _panel(right, taken, most=peer_limit)
        right.set_xlabel("seconds")
        right.set_title("Within so many seconds", loc="left", fontsize=11)
        right.axvline(peer_limit, color="0.7", linewidth=0.8, zorder=0)
        right.text(peer_limit, 0.02, "peers' limit", color="0.4", fontsize=8, ha="right", va="bottom", rotation=90)
        depths = list(dict.fromkeys(row.cell.depth_label for row in rows))
        datasets = len({row.cell.dataset for row in rows})
        figure.suptitle(
            f"{len(rows)} cells of {datasets} datasets, depth limits {', '.join(depths)}: whole fit calls, one thread",
            x=0.01, ha="left", fontsize=11,
        )  # fmt: skip
        figure.tight_layout()
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        plt.close(figure)


def _panel(axes: Axes, values: Mapping[str, Sequence[float]], least: float = math.inf, most: float = 0.0) -> None:
    """One curve for each solver, its name at the end of it. The axis reaches from `least` to `most`, and further."""
    finite = [value for mine in values.values() for value in mine if math.isfinite(value)]
    start, end = min([*finite, least, most or math.inf]), 1.3 * max([*finite, most])
    ends = []
    for (name, mine), (colour, dashes) in zip(values.items(), STYLES, strict=False):
        x, y = shares(mine, end)
        axes.step(
            [start, *x], [0.0, *y], where="post", color=colour, linestyle=dashes,
            linewidth=2.4 if name == OURS else 1.6, zorder=3 if name == OURS else 2,
        )  # fmt: skip
        ends.append((name, y[-1], colour))
    for (name, height, colour), place in zip(ends, spread([end[1] for end in ends], LABEL_HEIGHT), strict=True):
        axes.annotate(
            f"{name} {height:.0%}", (1, place), xycoords=("axes fraction", "data"), xytext=(5, 0),
            textcoords="offset points", va="center", color=colour, annotation_clip=False,
            fontweight="bold" if name == OURS else "normal",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xlim(start, end)
    axes.set_ylim(0, 1.03)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(visible=True, which="major", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
