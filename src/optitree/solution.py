"""The solution of a search: a tree, what it costs, and what has been proven about it."""

from dataclasses import dataclass

from .tree import Tree


@dataclass(frozen=True, slots=True)
class TracePoint:
    """The state of the search at one moment."""

    seconds: float
    lower_bound: float
    upper_bound: float
    solved: int
    cached: int


@dataclass(frozen=True, slots=True)
class Solution:
    """``objective = loss / root_loss + regularization * leaves``; no tree is below lower_bound."""

    status: str
    tree: Tree
    objective: float
    lower_bound: float
    loss: float
    root_loss: float
    seconds: float
    solved: int
    cached: int
    megabytes: float
    trace: tuple[TracePoint, ...] = ()

    @property
    def gap(self) -> float:
        """How much better than this tree another could be at most; 0 when proven optimal."""
        return self.objective - self.lower_bound
