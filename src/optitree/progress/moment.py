"""The state of a search at one moment, in words and numbers."""

from typing import Protocol


class Moment(Protocol):
    """What a search tells about itself twenty times a second."""

    @property
    def seconds(self) -> float:
        """Since it began."""

    @property
    def lower_bound(self) -> float:
        """No tree is below it."""

    @property
    def upper_bound(self) -> float:
        """The objective of the best tree so far."""

    @property
    def solved(self) -> int:
        """Subproblems."""

    @property
    def proven_depth(self) -> int | None:
        """No tree of at most so many questions is better than the best so far; None: no tree at all."""


def line_of(moment: Moment) -> str:
    """Say how far a search is: its best tree, what no tree is below, the depth for which it has a proof."""
    depth = "" if not moment.proven_depth else f"   proven to depth {moment.proven_depth}"
    gap = moment.upper_bound - moment.lower_bound
    return (
        f"{moment.seconds:7.1f} s   objective {moment.upper_bound:.6f}   lower bound {moment.lower_bound:.6f}   "
        f"gap {gap:.4f}{depth}   {moment.solved:,} subproblems"
    )
