"""What a program came to: a tree measured by us, and HiGHS's bound on every tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

from experiments.mip.full_tree import Splits
from experiments.mip.program import Answer

EQUAL = 1e-6  # objectives that differ by less are the same: HiGHS's tolerances do not carry further


@dataclass(frozen=True)
class Found:
    """The best tree of all rounds, and the best bound.

    `tolerance`: HiGHS has solved the program, but its bound is not within `EQUAL` of the tree.
    `refuted`: its bound is above its own tree; HiGHS is wrong.
    """

    columns: int
    constraints: int  # of the first round
    status: Literal["optimal", "time_limit", "tolerance", "refuted"] = "time_limit"
    splits: Splits | None = None  # None: HiGHS found no tree in its time
    objective: float | None = None  # loss / root loss + regularization * leaves, from the tree, not from HiGHS
    lower_bound: float = 0.0
    seconds: float = 0.0  # in HiGHS, all rounds together
    rounds: int = 0

    @property
    def gap(self) -> float | None:
        """What could be won at most; below 0 by rounding, or where the bound is refuted."""
        return None if self.objective is None else self.objective - self.lower_bound

    def without_tree(self, answer: Answer) -> Self:
        """Count a round that ended before there was a tree."""
        bound = max(self.lower_bound, answer.lower_bound)
        return replace(self, lower_bound=bound, seconds=self.seconds + answer.seconds, rounds=self.rounds + 1)

    def with_tree(self, answer: Answer, splits: Splits, objective: float) -> Self:
        """Count a round, and keep its tree if it is the best so far."""
        counted = self.without_tree(answer)
        if self.objective is None or objective < self.objective:
            counted = replace(counted, splits=splits, objective=objective)
        gap = counted.gap
        if gap is not None and gap <= EQUAL:
            return replace(counted, status="refuted" if gap < -EQUAL else "optimal")
        return replace(counted, status="tolerance" if answer.optimal else "time_limit")
