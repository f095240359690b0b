"""The picture of a search: its bounds, and the depth for which it had a proof, over time."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from .figure import AMBER, BLUE, GREY, axes, legend, quiet, title


def plot_convergence(model: Any, ax: Any = None) -> Any:
    """Draw how the best tree and the lower bound met, or how far apart they are, with the depths proven on the way."""
    check_is_fitted(model)
    trace = model.solution_.trace
    if not trace:
        raise ValueError(
            "this model has no record of its search (it is of a path, of a near-optimal set or of an early file); fit "
            "an OptimalTreeRegressor at its regularization to have one"
        )
    ax = axes(ax)
    seconds = [point.seconds for point in trace]
    ax.step(seconds, [point.upper_bound for point in trace], where="post", color=BLUE, label="best tree found")
    ax.step(seconds, [point.lower_bound for point in trace], where="post", color=AMBER, label="no tree is below")
    ax.plot(seconds[-1:], [trace[-1].upper_bound], "o", color=BLUE, markersize=4)
    ax.plot(seconds[-1:], [trace[-1].lower_bound], "o", color=AMBER, markersize=4)
    _mark_depths(ax, trace)
    ax.set_xlim(0, (seconds[-1] or 1e-3) * 1.03)
    ax.set_xlabel("seconds")
    ax.set_ylabel("objective")
    quiet(ax)
    gap = model.solution_.gap
    title(ax, "The proof: bounds meet" if gap == 0 else f"The search stopped with a gap of {gap:.2g}")
    legend(ax)
    return ax


def _mark_depths(ax: Any, trace: Any) -> None:
    """Mark when it was known that no tree of so many questions is better; names where there is room."""
    known, last = 0, -1.0
    reach = (trace[-1].seconds or 1e-3) * 0.06
    for point in trace:
        depth = point.proven_depth
        if depth is None or depth <= known:
            continue
        known = depth
        ax.axvline(point.seconds, color=GREY, linewidth=0.7, linestyle=":")
        if point.seconds - last > reach or last < 0:
            style = {"textcoords": "offset points", "color": GREY, "fontsize": 8, "va": "top"}
            late = point.seconds > 0.8 * trace[-1].seconds  # there is no room for it on the right
            place, style["ha"] = ((-3, -3), "right") if late else ((3, -3), "left")
            ax.annotate(f"depth {depth}", (point.seconds, 1), place, xycoords=("data", "axes fraction"), **style)
            last = point.seconds
