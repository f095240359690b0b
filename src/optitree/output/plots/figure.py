"""Figures, axes and files of pictures; the one place that imports matplotlib."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...writing import replacing

_KINDS = (".png", ".pdf", ".svg")
_NEEDED = "a picture needs matplotlib; install it with: pip install 'optitree[plot]'"
INK, GREY, FAINT, LINE = "#1d2733", "#5b6775", "#eef1f4", "#c3cad2"
BLUE, AMBER, RED = "#1f5f8b", "#b7791f", "#b03a2e"


def check_plot(file: Path) -> None:
    """Notice before the work that a picture could not be drawn to a file."""
    if file.suffix.lower() not in _KINDS:
        raise ValueError(f"cannot draw to {file.name!r}; give the picture a name that ends in .png, .pdf or .svg")
    new_figure()


def save_plot(draw: Callable[[Any], Any], file: Path) -> None:
    """Draw to a file, of the kind that its name ends with; ``draw`` is given the axes."""
    figure = new_figure()
    draw(figure.subplots())
    save_figure(figure, file)


def save_figure(figure: Any, file: Path) -> None:
    """Write a figure to a file, of the kind that its name ends with."""
    with replacing(file, "wb") as opened:
        figure.savefig(opened, format=file.suffix[1:].lower(), dpi=150)


def new_figure(size: tuple[float, float] | None = None) -> Any:
    """Return a figure that no window shows."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError(_NEEDED) from None
    return Figure(figsize=size, layout="constrained")


def axes(ax: Any, size: tuple[float, float] | None = None) -> Any:
    """Return the axes that were given, or those of a new figure of a size in inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError(_NEEDED) from None
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def quiet(ax: Any) -> None:
    """Take away what is no data: two sides of the frame, dark ticks."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(colors=GREY, labelsize=9)
    ax.xaxis.label.set_color(GREY)
    ax.yaxis.label.set_color(GREY)
    ax.grid(axis="y", color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)


def title(ax: Any, text: str, note: str = "") -> None:
    """Write a title from the left edge of the axes, broken so that it does not reach into those beside them."""
    import textwrap  # noqa: PLC0415  (for pictures only)

    width = max(12, int(ax.get_window_extent().width * 72 / ax.figure.dpi / 6.0))
    lines = [*textwrap.wrap(text, width), *(textwrap.wrap(note, width) if note else [])]
    ax.set_title("\n".join(lines), loc="left", fontsize=11, color=INK)


def legend(ax: Any) -> None:
    """Say what the lines are, on a ground that lets them be read where lines pass below."""
    ax.legend(frameon=True, framealpha=0.85, facecolor="white", edgecolor="none", fontsize=9, loc="best")
