"""What a leaf looks like in numbers."""

import math

from ..solver.losses import Loss
from ..solver.tree import Node


def spread_of(node: Node, loss: Loss) -> float | None:
    """Return how far targets typically are from the prediction; None where the loss does not say it in their units.

    That is the standard deviation under squared error and the mean deviation under absolute error.
    """
    each = max(node.loss, 0.0) / node.weight
    if loss.name == "squared_error":
        return math.sqrt(each)
    return each if loss.name == "absolute_error" else None


def spread_name(loss: Loss) -> str:
    """Return what the spread is called."""
    return "standard deviation" if loss.name == "squared_error" else "mean deviation"
