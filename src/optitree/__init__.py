"""Provably optimal sparse regression trees."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .verify import verify  # at once: a name that is asked for later would be the module, and it needs little

if TYPE_CHECKING:
    from .certificate.certificate import Certificate
    from .conditions.binarizer import Binarizer
    from .conditions.condition import Condition
    from .errors import FileFormatError, LimitWarning
    from .groups.compress import compress
    from .groups.groups import Groups
    from .models.cv import OptimalTreeRegressorCV
    from .models.estimator import OptimalTreeRegressor
    from .models.load import load
    from .models.near_optimal import NearOptimalTrees, near_optimal_trees
    from .models.path import Path, regularization_path
    from .output.plots import plot_convergence, plot_path, plot_tree, plot_validation
    from .output.text import export_text
    from .solver.solution import Solution, TracePoint
    from .solver.tree import Node, Tree

# Where each name is. A module is imported when the first of its names is asked for: scikit-learn alone takes more than
# a second to import, which who only asks for the version, or loads another module first, should not wait for.
_PLACES = {
    "Binarizer": "conditions.binarizer",
    "Certificate": "certificate.certificate",
    "Condition": "conditions.condition",
    "FileFormatError": "errors",
    "Groups": "groups.groups",
    "LimitWarning": "errors",
    "NearOptimalTrees": "models.near_optimal",
    "Node": "solver.tree",
    "OptimalTreeRegressor": "models.estimator",
    "OptimalTreeRegressorCV": "models.cv",
    "Path": "models.path",
    "Solution": "solver.solution",
    "TracePoint": "solver.solution",
    "Tree": "solver.tree",
    "compress": "groups.compress",
    "export_text": "output.text",
    "load": "models.load",
    "near_optimal_trees": "models.near_optimal",
    "plot_convergence": "output.plots",
    "plot_path": "output.plots",
    "plot_tree": "output.plots",
    "plot_validation": "output.plots",
    "regularization_path": "models.path",
}

__all__ = [
    "Binarizer",
    "Certificate",
    "Condition",
    "FileFormatError",
    "Groups",
    "LimitWarning",
    "NearOptimalTrees",
    "Node",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "Path",
    "Solution",
    "TracePoint",
    "Tree",
    "compress",
    "export_text",
    "load",
    "near_optimal_trees",
    "plot_convergence",
    "plot_path",
    "plot_tree",
    "plot_validation",
    "regularization_path",
    "verify",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
