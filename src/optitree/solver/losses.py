"""The losses: what is minimised, what the core is told of it, and what it means for a person.

name            a leaf predicts     a row loses
squared_error   the mean            (target - prediction)²
absolute_error  the median          |target - prediction|
quantile        a quantile          1 - quantile a unit of a prediction above the target, quantile of one below it
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Loss:
    """A loss.

    ``leaf`` says what a leaf predicts, ``of_error`` what rows lose by errors, target - prediction. ``score`` is what
    1 - loss / root loss is called: R² for squared error, D² for any other. ``needs_values``: the search needs the
    values of the target in each group, not only their mean and scatter. ``in_core`` and ``parameters`` are what the
    core calls it and wants to know: of a pinball loss, what a row loses by a unit of a prediction above its target
    (``over``), and of one below it (``under``).
    """

    name: str
    leaf: str
    of_error: Callable[[Vector], Vector]
    in_core: str
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

    def mean(self, target: Vector, predicted: Vector, weight: Vector | None = None) -> float:
        """Return the weighted mean of what rows lose.

        It is scikit-learn's metric of that name, in a tenth of its time: a cross-validation asks for hundreds.
        """
        return float(np.average(self.of_error(target - predicted), weights=weight))


def _pinball(name: str, leaf: str, over: float, under: float) -> Loss:
    def of_error(error: Vector) -> Vector:
        return np.maximum(under * error, -over * error)

    return Loss(name, leaf, of_error, "pinball", (over, under))


SQUARED_ERROR = Loss("squared_error", "the mean", np.square, "squared", score="r2", needs_values=False)
ABSOLUTE_ERROR = _pinball("absolute_error", "the median", over=1.0, under=1.0)
_MAKE: dict[str, Callable[[float], Loss]] = {
    "squared_error": lambda _: SQUARED_ERROR,
    "absolute_error": lambda _: ABSOLUTE_ERROR,
    "quantile": lambda quantile: _pinball("quantile", f"the {quantile:g} quantile", over=1 - quantile, under=quantile),
}
LOSSES = tuple(_MAKE)


def loss_of(name: str, quantile: float = 0.5) -> Loss:
    """Return a loss by its name; the quantile, any real number, is that of ``"quantile"``."""
    return _loss_of(name, float(quantile))


@lru_cache(maxsize=64)
def _loss_of(name: str, quantile: float) -> Loss:
    return _MAKE[name](quantile)
