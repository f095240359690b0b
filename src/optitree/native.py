"""The door to the C++ core: the only module that imports it."""

from ._core import Options, Progress, group_rows, solve
from ._core import Solution as CoreSolution

__all__ = ["CoreSolution", "Options", "Progress", "group_rows", "solve"]
