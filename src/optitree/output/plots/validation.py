"""The picture of a cross-validation: the test loss against the regularization."""

from typing import Any

import numpy as np

from .figure import BLUE, GREY, RED, axes, legend, quiet, title


def plot_validation(model: Any, ax: Any = None) -> Any:
    """Draw the mean test loss over the folds, with its standard error, against the regularization."""
    ax = axes(ax)
    results = model.cv_results_
    at = model.best_index_
    drawn = (results["max_depth"] == results["max_depth"][at]) & (results["greedy"] == results["greedy"][at])
    low, high = model.regularizations_[drawn].T
    mean, error = results["mean_test_loss"][drawn], results["standard_error"][drawn]
    # A step function: both ends of an interval have its value. Infinity and zero have no place on the axis.
    ends = np.column_stack([np.where(np.isfinite(high), high, 2 * low), np.where(low > 0, low, high / 2)]).ravel()
    mean, error = np.repeat(mean, 2), np.repeat(error, 2)
    ax.plot(ends, mean, color=BLUE, label="mean over the folds")
    band = {"color": BLUE, "alpha": 0.15, "linewidth": 0}
    ax.fill_between(ends, mean - error, mean + error, label="± one standard error", **band)
    leaves = f"{model.n_leaves_} {'leaf' if model.n_leaves_ == 1 else 'leaves'}"
    chosen = f"chosen: {model.regularization_:.3g}, {leaves}"
    ax.axvline(model.regularization_, color=RED, linestyle="--", label=chosen)
    if model.selection == "one_standard_error":
        best = int(np.argmin(mean))
        allowed = mean[best] + error[best]
        ax.axhline(allowed, color=GREY, linewidth=0.8, label="minimum + one standard error")
    ax.set_xscale("log")
    ax.invert_xaxis()
    ax.set_xlabel("regularization (larger trees to the right)")
    ax.set_ylabel(f"test loss ({model.loss.replace('_', ' ')})")
    quiet(ax)
    folds = f"{model.n_splits_} fold{'' if model.n_splits_ == 1 else 's'}"
    title(ax, f"The regularization, chosen by cross-validation with {folds}")
    legend(ax)
    return ax
