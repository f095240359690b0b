"""The losses: what is minimised, what the core is told of it, and what it means for a person.

name            a leaf predicts     a row loses
squared_error   the mean            (target - prediction)²
absolute_error  the median          |target - prediction|
quantile        a quantile          quantile a unit of a prediction below the target, 1 - quantile of one above it
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, mean_squared_error

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Loss:
    """A loss.

    ``leaf`` says what a leaf predicts, ``metric`` is scikit-learn's mean loss of rows. ``score`` is what
    1 - loss / root loss is called: R² for squared error, D² for any other. ``needs_values``: the search needs the
    values of the target in each group, not only their mean and scatter. ``over`` and ``under`` are what a row loses by
    a unit of a prediction above and of one below its target, where that is in proportion; zeros where it is not.
    """

    name: str
    leaf: str
    metric: Callable[..., Any]
    score: str = "d2"
    needs_values: bool = True
    over: float = 0.0
    under: float = 0.0

    def mean(self, target: Numbers, predicted: Numbers, weight: Numbers | None = None) -> float:
        """Return the weighted mean of what rows lose."""
        return float(self.metric(target, predicted, sample_weight=weight))


SQUARED_ERROR = Loss("squared_error", "the mean", mean_squared_error, score="r2", needs_values=False)
ABSOLUTE_ERROR = Loss("absolute_error", "the median", mean_absolute_error, over=1.0, under=1.0)


def _quantile(quantile: float) -> Loss:
    def metric(*rows: Numbers, sample_weight: Numbers | None) -> Any:
        return mean_pinball_loss(*rows, sample_weight=sample_weight, alpha=quantile)

    return Loss("quantile", f"the {quantile:g} quantile", metric, over=1 - quantile, under=quantile)


_MAKE: dict[str, Callable[[float], Loss]] = {
    "squared_error": lambda _: SQUARED_ERROR,
    "absolute_error": lambda _: ABSOLUTE_ERROR,
    "quantile": _quantile,
}
LOSSES = tuple(_MAKE)


@lru_cache(maxsize=64)
def loss_of(name: str, quantile: float = 0.5) -> Loss:
    """Return a loss by its name; the quantile is that of ``"quantile"``."""
    return _MAKE[name](quantile)
