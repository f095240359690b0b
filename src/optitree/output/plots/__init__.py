"""Pictures, for those who have matplotlib. Each takes the axes to draw on, and returns them."""

from .convergence import plot_convergence
from .figure import check_plot, save_figure, save_plot
from .path import plot_path
from .tree import plot_tree
from .validation import plot_validation

__all__ = ["check_plot", "plot_convergence", "plot_path", "plot_tree", "plot_validation", "save_figure", "save_plot"]
