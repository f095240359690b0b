"""Provably optimal sparse regression trees."""

from .binarizer import Binarizer
from .conditions import Condition
from .errors import FileFormatError, LimitWarning
from .estimator import OptimalTreeRegressor
from .export import export_text
from .files import load
from .solution import Solution, TracePoint
from .tree import Node, Tree

__all__ = [
    "Binarizer",
    "Condition",
    "FileFormatError",
    "LimitWarning",
    "Node",
    "OptimalTreeRegressor",
    "Solution",
    "TracePoint",
    "Tree",
    "export_text",
    "load",
]
__version__ = "0.1.0"
