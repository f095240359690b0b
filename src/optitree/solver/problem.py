"""What is optimised, over which trees, and when to stop without a proof."""

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop without a proof: seconds, and megabytes of the whole process."""

    seconds: float | None = None
    megabytes: float | None = None
