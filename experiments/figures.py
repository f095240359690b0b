"""How figures look: a colour, a marker and a line of its own for each method, so that grey print is enough."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH = 130
OURS = "ours"


@dataclass(frozen=True)
class Look:
    """How a method is drawn: its label, and what tells it from the others."""

    label: str
    colour: str
    marker: str
    line: Any = "solid"
    hollow: bool = False
    size: float = 5.0  # of the marker: those that often coincide are rings around each other

    def marks(self) -> dict[str, Any]:
        """What matplotlib is told of its markers."""
        face = "none" if self.hollow else self.colour
        return {"marker": self.marker, "markersize": self.size, "color": self.colour, "markerfacecolor": face}

    def curve(self) -> dict[str, Any]:
        """The same with its line."""
        return {**self.marks(), "linestyle": self.line, "linewidth": 1.2}


# Colours of Okabe and Ito, told apart by every kind of eye, from dark to light.
LOOKS = {
    OURS: Look("ours (run here)", "#000000", "^", size=3.5),
    "osrt": Look("OSRT (run here)", "#0072B2", "v", (0, (6, 2))),
    "streed": Look("pystreed (run here)", "#009E73", "s", (0, (3, 1, 1, 1)), hollow=True, size=7.5),
    "cart": Look("CART (run here)", "#D55E00", "x", (0, (2, 1))),
    "osrt published": Look("OSRT (published)", "#0072B2", "v", (0, (6, 2)), hollow=True, size=7.5),
    "iai published": Look("IAI (published)", "#CC79A7", "D", (0, (4, 1, 1, 1, 1, 1)), hollow=True),
    "evtree published": Look("evtree (published)", "#E69F00", "o", (0, (1, 1)), hollow=True),
    "guide published": Look("GUIDE (published)", "#56B4E9", "P", (0, (1, 2))),
    "cart published": Look("CART (published)", "#D55E00", "+", (0, (2, 2))),
}


def new_figure(width: float, height: float) -> Figure:
    """A figure of so many inches, of no window."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (a run that only measures does without)

    return Figure(figsize=(width, height), layout="constrained")


def panels(count: int, columns: int, width: float = 3.6, height: float = 2.7) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, as the paper lays them out; those that are left over are not drawn."""
    columns = min(columns, max(count, 1))
    rows = max(-(-count // columns), 1)
    figure = new_figure(columns * width, rows * height + 0.7)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for empty in axes[count:]:
        empty.remove()
    for ax in axes[:count]:
        quiet(ax)
    return figure, axes[:count]


def quiet(ax: Axes) -> None:
    """A panel without what says nothing."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, color="0.92", linewidth=0.7)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=8)


def one_legend(figure: Figure, columns: int = 5) -> None:
    """One legend below all panels, each label once."""
    found: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    order = {look.label: place for place, look in enumerate(LOOKS.values())}
    labels = sorted(found, key=lambda label: order.get(label, len(order)))
    if labels:
        figure.legend(
            [found[label] for label in labels], labels, loc="outside lower center", ncols=min(columns, len(labels)),
            frameon=False, fontsize=9,
        )  # fmt: skip


def with_range(ax: Axes, look: Look, points: Iterable[Sequence[float]], **style: Any) -> None:
    """Points (x, y, least and most x, least and most y): a marker, and its range as thin lines, as in the paper."""
    drawn = sorted(tuple(point) for point in points)
    if not drawn:
        return
    gap = float("nan")
    ends: list[float] = []
    heights: list[float] = []
    for x, y, left, right, low, high in drawn:
        if right > left:
            ends, heights = [*ends, left, right, gap], [*heights, y, y, gap]
        if high > low:
            ends, heights = [*ends, x, x, gap], [*heights, low, high, gap]
    if ends:
        ax.plot(ends, heights, color=look.colour, linewidth=0.9)
    style = {"linestyle": "none", **look.marks(), **style}
    ax.plot([point[0] for point in drawn], [point[1] for point in drawn], label=look.label, **style)


def log_seconds(ax: Axes) -> None:
    """A logarithmic axis of seconds from one power of ten to another, with no labels between them to overlap."""
    from matplotlib.ticker import NullFormatter  # noqa: PLC0415

    low, high = ax.dataLim.x0, ax.dataLim.x1
    ax.set_xscale("log")
    ax.set_xlim(10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high)))
    ax.xaxis.set_minor_formatter(NullFormatter())


def whole_numbers(ax: Axes) -> None:
    """Ticks of an axis that counts."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def save(figure: Figure, path: Path) -> None:
    """Write PATH.svg and PATH.png; text stays text, and the same figure gives the same file."""
    import matplotlib as mpl  # noqa: PLC0415

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "optitree"}):
        figure.savefig(path.with_name(f"{path.name}.svg"), metadata={"Date": None})
        figure.savefig(path.with_name(f"{path.name}.png"), dpi=DOTS_PER_INCH)
