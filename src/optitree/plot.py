"""Pictures of a path and of a cross-validation, for those who have matplotlib."""

from pathlib import Path
from typing import Any

import numpy as np

_MOST_LABELS = 12
_NEEDED = "a picture needs matplotlib; install it with: pip install 'optitree[plot]'"
_BLUE, _GREY, _RED = "#1f5fa8", "#9a9a9a", "#c0392b"


def plot_path(path: Any, ax: Any = None) -> Any:
    """Draw what each tree leaves unexplained against its leaves, with the price of a leaf between two trees."""
    ax = _axes(ax)
    leaves = path.leaves
    share = np.array([step.solution.relative_loss for step in path.steps])
    ax.plot(leaves, share, "-o", color=_BLUE, markersize=4)
    prices = path.breakpoints
    for at in np.unique(np.linspace(0, len(prices) - 1, min(len(prices), _MOST_LABELS)).astype(int)):
        middle = (leaves[at] + leaves[at + 1]) / 2, (share[at] + share[at + 1]) / 2
        ax.annotate(f"{prices[at]:.2g}", middle, (4, 4), textcoords="offset points", color=_GREY, fontsize=8)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("leaves")
    ax.set_ylabel("share of the loss that is left")
    ax.set_title("Optimal trees, and the price of a leaf that separates them")
    ax.set_ylim(bottom=0)
    return ax


def save_plot(path: Any, file: Path) -> None:
    """Draw a path to a file, of the kind that its name ends with."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError(_NEEDED) from None
    figure = Figure(layout="constrained")
    plot_path(path, figure.subplots())
    figure.savefig(file, dpi=150)


def plot_validation(model: Any, ax: Any = None) -> Any:
    """Draw the mean test loss over the folds, with its standard error, against the price of a leaf."""
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
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("regularization: the price of a leaf (larger trees to the right)")
    ax.set_ylabel(f"test loss ({model.loss.replace('_', ' ')})")
    ax.legend()
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot  # noqa: PLC0415  (an extra)
    except ImportError:
        raise ImportError(_NEEDED) from None
    return pyplot.subplots(layout="constrained")[1]
