"""The frontier of loss against leaves at one depth limit, from both sides.

Losses are shares of the root loss. Our trees give it from above: their lower convex hull is what the best tree for some
λ attains, and a tree above it is for no λ the best. Our lower bounds give it from below: a tree of H leaves costs at
least the bound at λ, so its loss is at least `bound - λ H` for every λ that was searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Step:
    """What we know at one λ: our tree, and that no tree costs less than `bound`."""

    regularization: float
    leaves: int
    loss: float
    bound: float
    optimal: bool


class Frontier:
    """All steps of one dataset at one depth limit."""

    def __init__(self, steps: Iterable[Step]) -> None:
        self.steps = list(steps)
        points = {(1, 1.0), *((step.leaves, step.loss) for step in self.steps)}
        self.hull = _lower_hull(sorted(points))

    def attained(self, leaves: int) -> float:
        """The hull of our trees at so many leaves; beyond the last of them it is level."""
        for (a, high), (b, low) in zip(self.hull, self.hull[1:], strict=False):
            if leaves <= b:
                return high + (low - high) * (leaves - a) / (b - a)
        return self.hull[-1][1]

    def best(self, leaves: int) -> float:
        """The least loss of our trees with at most so many leaves."""
        return min([1.0, *(step.loss for step in self.steps if step.leaves <= leaves)])

    def proven(self, leaves: int) -> float:
        """No tree of so many leaves has a smaller loss."""
        return max([0.0, *(step.bound - step.regularization * leaves for step in self.steps)])

    def is_below(self, leaves: int, loss: float) -> bool:
        """Whether a tree is better than what we hold proven: then one of the two is wrong."""
        return loss < self.proven(leaves) - TOLERANCE

    def distance(self, leaves: int, loss: float) -> float:
        """How far a tree is above the hull; 0 if it is the best for some λ. Negative: better than all of our trees."""
        above = loss - self.attained(leaves)
        return above if abs(above) > TOLERANCE else 0.0

    def agreement(self, trees: Sequence[tuple[int, float]]) -> int:
        """The most trees, ordered by falling λ, that can each have a λ of their own at which they are our optimum."""
        longest = [0] * (len(self.steps) + 1)  # longest[j]: using the trees so far and the first j steps
        for leaves, loss in trees:
            previous, longest = longest, [0]
            for j, step in enumerate(self.steps):
                value = loss + step.regularization * leaves
                equal = step.optimal and abs(value - step.bound) <= TOLERANCE
                longest.append(max(previous[j + 1], longest[j], previous[j] + equal))
        return longest[-1]


def _lower_hull(points: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """The corners of the lower convex hull while it falls; points are sorted."""
    hull: list[tuple[int, float]] = []
    for x, y in points:
        if hull and y >= hull[-1][1]:
            continue
        while len(hull) > 1 and not _turns_up(hull[-2], hull[-1], (x, y)):
            hull.pop()
        hull.append((x, y))
    return hull


def _turns_up(a: tuple[int, float], b: tuple[int, float], c: tuple[int, float]) -> bool:
    return (b[1] - a[1]) * (c[0] - b[0]) < (c[1] - b[1]) * (b[0] - a[0])
