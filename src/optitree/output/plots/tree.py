"""The picture of a tree: a box for each condition, and for each leaf its prediction, rows, spread and targets."""

import textwrap
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ...solver.losses import loss_of
from ...solver.tree import Node, Tree
from ..leaves import spread_of
from ..text import closing_line
from ..words import may_be_missing, on_one_line, or_missing, prediction_format, write_number
from .figure import FAINT, GREY, INK, LINE, axes
from .layout import Box, Layout, lay_out

_CONDITION = 9.0  # the size of letters
_CAPTION = 12.0  # points for each line below the tree that says what is proven
_PADDING = 5.0  # of a box, on both sides of a condition
_MARGIN = 0.96  # of the width that a text may have: letters of small pictures are rounded to whole pixels
_RAMP = ("#c9dcea", "#8db8d4", "#4f8fb8", "#1f6391", "#0c3c61")  # of leaves, from low predictions to high


def plot_tree(model: Any, ax: Any = None) -> Any:
    """Draw a fitted tree; needs matplotlib and nothing else. Returns the axes.

    A box has its condition and rows, a leaf its prediction, rows, spread and a histogram of its targets. Missing values
    are named on the edge that they take. Without axes a figure is made that is as large as the tree needs.
    """
    check_is_fitted(model)
    layout = lay_out(model.tree_, _longest(model.tree_) / _MARGIN + 2 * _PADDING)
    width = max(layout.width, 330.0)
    caption = textwrap.wrap(closing_line(model.solution_), int(width / 4.2))
    height = layout.height + _CAPTION * (len(caption) + 0.5)
    ax = axes(ax, (width / 72, height / 72))
    ax.set_axis_off()
    ax.set_xlim((layout.width - width) / 2, (layout.width + width) / 2)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.figure.draw_without_rendering()  # only then the size of the axes is known, and with it that of the letters
    extent = ax.get_window_extent()
    scale = min(extent.width / width, extent.height / height) * 72 / ax.figure.dpi
    pen = _Pen(ax, scale)
    _draw_edges(pen, model, layout)
    values = [node.value for node in model.tree_.nodes if node.is_leaf]
    digits = prediction_format(values)
    for at, (node, box) in enumerate(zip(model.tree_.nodes, layout.boxes, strict=True)):
        if node.condition is not None:
            _draw_split(pen, node, box)
        else:
            share = (node.value - min(values)) / (max(values) - min(values) or 1)
            _draw_leaf(pen, model, at, box, layout.down, digits, _RAMP[min(int(share * len(_RAMP)), len(_RAMP) - 1)])
    for line, text in enumerate(caption):
        pen.write(layout.width / 2, layout.height + _CAPTION * (line + 0.75), text, 7.5, width - 8, color=GREY)
    return ax


def _wide(text: str, size: float) -> float:
    """Return how many points wide a line of text is."""
    from matplotlib.textpath import TextPath  # noqa: PLC0415  (an extra)

    escaped = text.replace("$", r"\$")
    return float(TextPath((0, 0), escaped, size=size).get_extents().width) if text.strip() else 0.0


def _longest(tree: Tree) -> float:
    """Return how wide the longest condition is, as splits show it."""
    return max((_wide(_asked(node), _CONDITION) for node in tree.nodes if not node.is_leaf), default=0.0)


def _asked(node: Node) -> str:
    """Return a condition on one line, which names of columns may not be."""
    return on_one_line(str(node.condition).replace("<=", "≤"))


@dataclass(frozen=True)
class _Pen:
    """Draws in points on axes that show them ``scale`` times as large."""

    ax: Any
    scale: float

    def write(self, x: float, y: float, text: str, size: float, width: float, **style: Any) -> None:
        """Write a line of text, smaller where it would be wider than it may, or without its middle.

        A condition is told by its column, at the beginning, and by its threshold, at the end.
        """
        full, width = _wide(text, size), width * _MARGIN
        if full > width:
            size *= max(width / full, 0.86)
        kept = len(text)
        whole = text
        while _wide(text, size) > width and kept > 2:
            kept -= 1
            text = f"{whole[: (kept + 1) // 2].rstrip()}…{whole[len(whole) - kept // 2 :].lstrip()}"
        # A column may be called $x$: that is a name, not a formula.
        style = {"ha": "center", "va": "center_baseline", "color": INK, "parse_math": False, **style}
        self.ax.text(x, y, text, fontsize=size * self.scale, clip_on=False, **style)

    def box(self, box: Box, **style: Any) -> None:
        """Draw a box with round corners."""
        from matplotlib.patches import FancyBboxPatch  # noqa: PLC0415  (an extra)

        corner = box.x - box.width / 2 + 3, box.y - box.height / 2 + 3
        style = {"boxstyle": "round,pad=3,rounding_size=4", "linewidth": 0.9 * self.scale, "zorder": 2, **style}
        self.ax.add_patch(FancyBboxPatch(corner, box.width - 6, box.height - 6, **style))

    def line(self, xs: list[float], ys: list[float]) -> None:
        """Draw an edge."""
        self.ax.plot(xs, ys, color=LINE, linewidth=1.1 * self.scale, zorder=1, solid_joinstyle="round")


def _draw_edges(pen: _Pen, model: Any, layout: Layout) -> None:
    here = may_be_missing(model.tree_, model.binarizer_.conditions_)
    for at, node in enumerate(model.tree_.nodes):
        if node.condition is None:
            continue
        a = layout.boxes[at]
        no = "no, missing" if or_missing(node.condition, here[at]) else "no"
        for child, answer in ((node.yes, "yes"), (node.no, no)):
            b = layout.boxes[child]
            if layout.down:
                middle = a.y + a.height / 2 + 9
                pen.line([a.x, a.x, b.x, b.x], [a.y, middle, middle, b.y])
                side = -1 if b.x < a.x else 1
                pen.write(b.x - side * 4, middle + 8, answer, 8, 90, color=GREY, ha="left" if side < 0 else "right")
            else:
                middle = a.x + a.width / 2 + 8
                pen.line([a.x, middle, middle, b.x], [a.y, a.y, b.y, b.y])
                edge = b.x - b.width / 2 - 4
                pen.write(edge, b.y - 6, answer, 7, edge - middle, color=GREY, ha="right")


def _draw_split(pen: _Pen, node: Node, box: Box) -> None:
    pen.box(box, facecolor=FAINT, edgecolor=LINE)
    pen.write(box.x, box.y - box.height * 0.19, _asked(node), _CONDITION, box.width - 2 * _PADDING)
    pen.write(box.x, box.y + box.height * 0.24, f"{node.rows:,} rows", 7.5, box.width - 10, color=GREY)


def _draw_leaf(pen: _Pen, model: Any, at: int, box: Box, down: bool, digits: int, colour: str) -> None:
    node = model.tree_.nodes[at]
    pen.box(box, facecolor="white", edgecolor=LINE)
    spread = spread_of(node, loss_of(model.loss, model.quantile))
    around = "" if spread is None else f" ± {write_number(spread, digits)}"
    rows = f"{node.rows:,} {'row' if node.rows == 1 else 'rows'}"
    value = write_number(node.value, digits)
    left, top = box.x - box.width / 2, box.y - box.height / 2
    if down:
        pen.write(box.x, top + 14, value, 13, box.width - 10, weight="bold")
        pen.write(box.x, top + 29, rows + around.replace(" ±", ", ±"), 7.5, box.width - 8, color=GREY)
        area = Box(box.x, top + 54, box.width - 18, 34)
    else:
        pen.write(left + 6, box.y - 4.5, value, 10.5, 84, weight="bold", ha="left")
        pen.write(left + 6, box.y + 6.5, rows + around.replace(" ±", ", ±"), 6.8, 92, color=GREY, ha="left")
        area = Box(left + 138, box.y, 68, 18)
    _draw_histogram(pen, model.tree_.targets, at, area, colour)


def _draw_histogram(pen: _Pen, targets: Any, at: int, area: Box, colour: str) -> None:
    if targets is None:
        return
    heights = targets.weights[at]
    width, most = area.width / len(heights), max(heights)
    left, foot = area.x - area.width / 2, area.y + area.height / 2
    places = [left + width * (k + 0.5) for k in range(len(heights))]
    tall = [area.height * height / most for height in heights]
    pen.ax.bar(places, [-height for height in tall], width * 0.86, foot, color=colour, zorder=3, linewidth=0)
    pen.ax.plot([left, left + area.width], [foot, foot], color=LINE, linewidth=0.7 * pen.scale, zorder=3)
