"""What is optimised, over which trees, and when to stop without a proof."""

import math
import time
from dataclasses import dataclass, field

from .losses import SQUARED_ERROR, Loss, loss_of


@dataclass(frozen=True, slots=True)
class Problem:
    """What is optimised, over which trees."""

    regularization: float
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_leaves: int | None = None
    loss: str = SQUARED_ERROR.name
    quantile: float = 0.5  # of loss="quantile"

    @property
    def minimised(self) -> Loss:
        """The loss that is minimised."""
        return loss_of(self.loss, self.quantile)


# A search that begins when its time is over still gets this share of it, and at most so many seconds.
_LEAST_SHARE, _LEAST_SECONDS = 0.1, 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop without a proof: seconds from now on, and megabytes of the whole process.

    They are made when a call begins, and all that it does before the search takes of the same time.
    """

    seconds: float | None = None
    megabytes: float | None = None
    start: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.seconds is not None and time.monotonic() - self.start >= self.seconds

    @property
    def seconds_left(self) -> float:
        """What a search that begins now gets of the time."""
        if self.seconds is None:
            return math.inf
        least = min(_LEAST_SHARE * self.seconds, _LEAST_SECONDS)
        return max(self.seconds - (time.monotonic() - self.start), least)
