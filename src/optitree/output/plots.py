"""Pictures of a path and of a cross-validation, for those who have matplotlib."""

from pathlib import Path
from typing import Any

import numpy as np

from ..writing import replacing

_KINDS = (".png", ".pdf", ".svg")
_LABEL_POINTS = 8
_NEEDED = "a picture needs matplotlib; install it with: pip install 'optitree[plot]'"
_BLUE, _GREY, _RED = "#1f5fa8", "#9a9a9a", "#c0392b"


def plot_path(path: Any, ax: Any = None) -> Any:
    """Draw what each tree leaves unexplained against its leaves, with the regularization between two trees."""
    ax = _axes(ax)
    leaves = path.leaves
    share = np.array([step.solution.relative_loss for step in path.steps])
    ax.plot(leaves, share, "-o", color=_BLUE, markersize=4)
    ax.set_xlim(0.5, max(leaves, default=1) + 0.5)
    ax.set_ylim(0, 1.05 * max(share, default=1) or 1)
    ax.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
    ax.set_xlabel("leaves")
    ax.set_ylabel("share of the loss that is left")
    title = "Optimal trees, and the regularization that separates them"
    ax.set_title(title if path.status == "optimal" else f"{title}\n(stopped by the {path.status.replace('_', ' ')})")
    middles = np.column_stack([leaves[:-1] + leaves[1:], share[:-1] + share[1:]]) / 2
    texts = [f"{regularization:.2g}" for regularization in path.breakpoints]
    style = {"textcoords": "offset points", "color": _GREY, "fontsize": _LABEL_POINTS}
    for at in _apart(ax, middles, texts):
        ax.annotate(texts[at], middles[at], (4, 4), **style)
    return ax


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


def check_plot(file: Path) -> None:
    """Notice before the work that a picture could not be drawn to a file."""
    if file.suffix.lower() not in _KINDS:
        raise ValueError(f"cannot draw to {file.name!r}; give the picture a name that ends in .png, .pdf or .svg")
    _figure()


def save_plot(path: Any, file: Path) -> None:
    """Draw a path to a file, of the kind that its name ends with."""
    figure = _figure()
    plot_path(path, figure.subplots())
    with replacing(file, "wb") as opened:
        figure.savefig(opened, format=file.suffix[1:].lower(), dpi=150)


def plot_validation(model: Any, ax: Any = None) -> Any:
    """Draw the mean test loss over the folds, with its standard error, against the regularization."""
    ax = _axes(ax)
    low, high = model.regularizations_.T
    mean = model.cv_results_["mean_test_loss"]
    error = model.cv_results_["standard_error"]
    # A step function: both ends of an interval have its value. Infinity and zero have no place on the axis.
    ends = np.column_stack([np.where(np.isfinite(high), high, 2 * low), np.where(low > 0, low, high / 2)]).ravel()
    mean, error = np.repeat(mean, 2), np.repeat(error, 2)
    ax.plot(ends, mean, color=_BLUE, label="mean over the folds")
    band = {"color": _BLUE, "alpha": 0.15, "linewidth": 0}
    ax.fill_between(ends, mean - error, mean + error, label="± one standard error", **band)
    leaves = f"{model.n_leaves_} {'leaf' if model.n_leaves_ == 1 else 'leaves'}"
    chosen = f"chosen: {model.regularization_:.3g}, {leaves}"
    ax.axvline(model.regularization_, color=_RED, linestyle="--", label=chosen)
    if model.selection == "one_standard_error":
        best = int(np.argmin(mean))
        allowed = mean[best] + error[best]
        ax.axhline(allowed, color=_GREY, linewidth=0.8, label="minimum + one standard error")
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("regularization: the penalty for a leaf (larger trees to the right)")
    ax.set_ylabel(f"test loss ({model.loss.replace('_', ' ')})")
    folds = f"{model.n_splits_} fold{'' if model.n_splits_ == 1 else 's'}"
    ax.set_title(f"The regularization, chosen by cross-validation with {folds}")
    ax.legend()
    return ax


def _figure() -> Any:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError(_NEEDED) from None
    return Figure(layout="constrained")


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError(_NEEDED) from None
    return pyplot.subplots(layout="constrained")[1]
