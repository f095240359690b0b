"""Provably optimal sparse regression trees."""

from .binarizer import Binarizer
from .compress import compress
from .conditions import Condition
from .cv import OptimalTreeRegressorCV
from .errors import FileFormatError, LimitWarning
from .estimator import OptimalTreeRegressor
from .export import export_text
from .files import load
from .groups import Groups
from .near import NearOptimalTrees, near_optimal_trees
from .path import Path, regularization_path
from .solution import Solution, TracePoint
from .tree import Node, Tree

__all__ = [
    "Binarizer",
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
    "regularization_path",
]
__version__ = "0.1.0"
