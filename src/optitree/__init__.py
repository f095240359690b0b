"""Provably optimal sparse regression trees."""

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
from .output.text import export_text
from .solver.solution import Solution, TracePoint
from .solver.tree import Node, Tree
from .verify import verify

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
    "regularization_path",
    "verify",
]
__version__ = "0.1.0"
