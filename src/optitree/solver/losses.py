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
    values of the target in each group, not only their mean and scatter. ``in_core`` and ``parameters`` are what the
    core calls it and wants to know: of a pinball loss, what a row loses by a unit of a prediction above its target
    (``over``), and of one below it (``under``).
    """

    name: str
    leaf: str
    metric: Callable[..., Any]
    in_core: str = "pinball"
    parameters: tuple[float, ...] = ()
    score: str = "d2"
    needs_values: bool = True

    @property
    def over(self) -> float:
        """What a unit of a prediction above the target costs; 0 where that is not in proportion."""
        return self.parameters[0] if self.parameters else 0.0

    @property
    def under(self) -> float:
        """What a unit of a prediction below the target costs; 0 where that is not in proportion."""
        return self.parameters[1] if self.parameters else 0.0

    def mean(self, target: Numbers, predicted: Numbers, weight: Numbers | None = None) -> float:
        """Return the weighted mean of what rows lose."""
        return float(self.metric(target, predicted, sample_weight=weight))


SQUARED_ERROR = Loss("squared_error", "the mean", mean_squared_error, "squared", score="r2", needs_values=False)
ABSOLUTE_ERROR = Loss("absolute_error", "the median", mean_absolute_error, parameters=(1.0, 1.0))


def _quantile(quantile: float) -> Loss:
    def metric(*rows: Numbers, sample_weight: Numbers | None) -> Any:
        return mean_pinball_loss(*rows, sample_weight=sample_weight, alpha=quantile)

    return Loss("quantile", f"the {quantile:g} quantile", metric, parameters=(1 - quantile, quantile))


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
