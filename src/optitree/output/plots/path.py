"""The picture of a path: what is left unexplained against the number of leaves."""

from typing import Any

import numpy as np

from .figure import BLUE, GREY, axes, quiet, title

_LABEL_POINTS = 8


def plot_path(path: Any, ax: Any = None) -> Any:
    """Draw what each tree leaves unexplained against its leaves, with the regularization between two trees."""
    ax = axes(ax)
    leaves = path.leaves
    share = np.array([step.solution.relative_loss for step in path.steps])
    ax.plot(leaves, share, "-o", color=BLUE, markersize=4)
    known = ~path.proven
    if known.any():  # of which nothing is proven: hollow
        ax.plot(leaves[known], share[known], "o", color=BLUE, markerfacecolor="white", markersize=4)
    ax.set_xlim(0.5, max(leaves, default=1) + 0.5)
    ax.set_ylim(0, 1.05 * max(share, default=1) or 1)
    ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.set_xlabel("leaves")
    ax.set_ylabel("share of the loss that is left")
    quiet(ax)
    stopped = "" if path.status == "optimal" else f"(stopped by the {path.status.replace('_', ' ')})"
    title(ax, _title(path), stopped)
    middles = np.column_stack([leaves[:-1] + leaves[1:], share[:-1] + share[1:]]) / 2
    texts = [f"{regularization:.2g}" for regularization in path.breakpoints]
    style = {"textcoords": "offset points", "color": GREY, "fontsize": _LABEL_POINTS}
    for at in _apart(ax, middles, texts):
        ax.annotate(texts[at], middles[at], (4, 4), **style)
    return ax


def _title(path: Any) -> str:
    what = "Optimal trees" if path.proven.all() else "Trees, optimal and best known (hollow)"
    return f"{what}, and the regularization that separates them"


def _apart(ax: Any, places: Any, texts: list[str]) -> list[int]:
    """Return which texts can be written at their places, from the left, without touching one before."""
    points = ax.transData.transform(places.reshape(-1, 2)) * 72 / ax.figure.dpi
    kept: list[int] = []
    for at, (x, y) in enumerate(points):
        # A digit is less than 0.65 of its height wide. All texts begin as far from their places, so places decide.
        touching = (
            x < points[k][0] + 0.65 * _LABEL_POINTS * (len(texts[k]) + 0.5) and abs(y - points[k][1]) < _LABEL_POINTS
            for k in kept
        )
        if not any(touching):
            kept.append(at)
    return kept
