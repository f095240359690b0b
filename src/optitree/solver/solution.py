"""The solution of a search: a tree, what it costs, and what has been proven about it."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .scope import Scope
from .tree import Tree

# What a search ended with before its proof, and what that is called in a sentence.
STOPS = {
    "time_limit": "the time limit",
    "memory_limit": "the memory limit",
    "precision_limit": "the limit of floating point",
    "interrupted": "an interrupt",
}
STATUSES = ("optimal", "near_optimal", *STOPS)


def to_raise(status: str, parameter: str) -> str:
    """Return what to raise to get further: the limit that came, if it is one to be set, or a parameter."""
    return f"{status} or {parameter}" if status in ("time_limit", "memory_limit") else parameter


@dataclass(frozen=True, slots=True)
class TracePoint:
    """The state of the search at one moment; see Solution."""

    seconds: float
    lower_bound: float
    upper_bound: float
    solved: int
    cached: int
    proven_depth: int | None = 0


@dataclass(frozen=True, slots=True)
class Solution:
    """``objective = loss / root_loss + regularization * leaves``; no tree is below lower_bound.

    No tree with at most ``proven_depth`` splits on the way to a leaf is better than this one; None: no tree at all.
    All of it is said of the trees in ``scope``, None where that is not known.
    """

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
    trace: tuple[TracePoint, ...] = field(default=(), compare=False, repr=False)
    proven_depth: int | None = 0
    scope: Scope | None = None
    # What every group costs at least in any leaf, beyond the loss inside it: where a certificate begins. None if the
    # search did without, or the solution comes from a file.
    prices: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    @property
    def gap(self) -> float:
        """How much better than this tree another could be at most; 0 when proven optimal."""
        return self.objective - self.lower_bound

    @property
    def relative_loss(self) -> float:
        """The share of the root loss that the tree leaves; 0 for a constant target."""
        return self.loss / self.root_loss if self.root_loss > 0 else 0.0

    def cost(self, regularization: float) -> float:
        """Return the objective of the tree at any regularization."""
        return self.relative_loss + regularization * self.tree.n_leaves


def better_of(better: Solution, other: Solution) -> Solution:
    """Return the better of two solutions of one problem, with what is proven of either."""
    lower_bound = min(max(better.lower_bound, other.lower_bound), better.objective)
    if other.proven_depth is None:  # and still the first is better: by rounding alone
        return replace(better, status=other.status, lower_bound=lower_bound, proven_depth=None)
    depth = max(better.proven_depth or 0, other.proven_depth)
    return replace(better, status=other.status, lower_bound=lower_bound, proven_depth=depth)


def proven_about(known: Solution, found: Solution) -> Solution:
    """Return a tree that was known, with what a search that found another has proven of all trees."""
    if found.objective >= known.objective:
        return better_of(known, found)
    status = "near_optimal" if found.status == "optimal" else found.status
    return replace(known, status=status, lower_bound=found.lower_bound, proven_depth=0, trace=found.trace)


@dataclass(frozen=True, slots=True)
class Proof:
    """What a search at one regularization has proven: no tree is below, none of so many questions is better there."""

    regularization: float
    lower_bound: float
    depth: int | None


@dataclass(frozen=True, slots=True)
class PathStep:
    """A tree that is proven optimal at every regularization from ``low`` to ``high``.

    The status is "optimal" where these ends are where other trees take over (or the path ends). Otherwise it says what
    ended the search before this was known: the interval may be longer, and neighbours need not meet. Where rounding
    leaves the proof open, ``error`` is not 0: another tree may be better by so much.

    A step that is not ``proven`` has the best tree known on its interval; one that is may be the best known below it,
    too, down to ``reach``. No tree of at most ``depth`` questions is better there, and ``proofs`` has what searches at
    single regularizations have proven.
    """

    solution: Solution
    low: float
    high: float
    status: str = "optimal"
    error: float = 0.0
    proven: bool = True
    depth: int = 0
    proofs: tuple[Proof, ...] = ()
    known_to: float | None = None

    @property
    def reach(self) -> float:
        """The lowest regularization for which no better tree is known."""
        return self.low if self.known_to is None else self.known_to

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return self.solution.tree.n_leaves

    @property
    def regularization(self) -> float:
        """The geometric mean of the interval; of the best tree known, where most has been proven about it."""
        if self.proven or not self.proofs:
            return geometric_mean(self.low, self.high)
        return max(self.proofs, key=lambda proof: math.inf if proof.depth is None else proof.depth).regularization


def geometric_mean(low: float, high: float) -> float:
    """Return the middle of an interval of regularization.

    An end at infinity counts as twice the other end, one at zero as half of it; of an interval from zero to infinity
    the middle is 1.
    """
    if low == 0:
        return 1.0 if high == math.inf else high / math.sqrt(2)
    return low * math.sqrt(2) if high == math.inf else math.sqrt(low) * math.sqrt(high)
