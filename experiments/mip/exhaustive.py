"""Every tree there is, tried one by one: the judge where two solvers disagree. It shares no code with the search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from experiments.mip.sample import Sample, leaf_loss

Mask = NDArray[np.bool_]  # which points are meant


def least_objective(data: Sample, depth: int, regularization: float) -> float:
    """Return the least loss / root loss + regularization * leaves of all trees of at most this depth."""
    holds = data.features[data.group]
    known: dict[tuple[bytes, int], float] = {}

    def leaf(mask: Mask) -> float:
        return leaf_loss(data.target[mask], data.weight[mask], data.loss) / data.root_loss + regularization

    def best(mask: Mask, left: int) -> float:
        key = (np.packbits(mask).tobytes(), left)
        if key not in known:
            sides = [(mask & holds[:, j], mask & ~holds[:, j]) for j in range(holds.shape[1])] if left else []
            splits = [best(yes, left - 1) + best(no, left - 1) for yes, no in sides if yes.any() and no.any()]
            known[key] = min([leaf(mask), *splits])
        return known[key]

    return best(np.ones(len(data.group), dtype=np.bool_), depth) + data.floor / data.root_loss
