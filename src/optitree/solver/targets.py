"""The targets of each leaf in a few numbers: what a histogram needs once the rows are gone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..groups.groups import Groups, RowTargets

_MOST_BINS = 20
_TAIL = 0.005  # of the rows at either end share the first bin, and the last: one far row must not flatten the others
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Targets:
    """How much weight each leaf has in bins that all leaves share.

    ``weights`` has them for the number of each leaf. The first and the last bin also hold what lies beyond: the targets
    go from ``low`` to ``high``. Where only the means of groups were known, ``exact`` is False.
    """

    edges: tuple[float, ...]
    weights: dict[int, tuple[float, ...]]
    low: float
    high: float
    exact: bool


def targets_of(features: Sequence[int], children: Sequence[tuple[int, int]], groups: Groups) -> Targets:
    """Return the targets of the leaves of a tree.

    Of each node ``features`` has the condition that it asks, -1 for a leaf, and ``children`` the nodes after a yes
    and a no.
    """
    values, exact = _known_targets(groups)
    edges, low, high = _bins(values.target)
    step = edges[1] - edges[0]
    count = len(edges) - 1
    places = np.clip((values.target - edges[0]) / step, 0, count - 1).astype(np.intp)
    leaf_of = _leaves(features, children, groups)
    leaf = leaf_of if values.group is None else leaf_of[values.group]
    sums = (
        np.bincount(leaf * count + places, values.weight, minlength=len(features) * count)
        .astype(np.float64)
        .reshape(-1, count)
    )
    return Targets(
        tuple(edges.tolist()),
        {at: tuple(sums[at].tolist()) for at, feature in enumerate(features) if feature < 0},
        low,
        high,
        exact,
    )


def _known_targets(groups: Groups) -> tuple[RowTargets, bool]:
    """Return the targets of rows as far as they are known, and whether they are."""
    if groups.of_rows is not None:
        return groups.of_rows, True
    if groups.points is not None:
        return RowTargets(*groups.points), True
    return RowTargets(None, groups.mean + groups.origin, groups.weight), not groups.scatter.any()


def _bins(target: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, float]:
    """Return the edges of bins of one width, a round one, and the ends of the targets."""
    tail = int(_TAIL * (len(target) - 1))
    last = len(target) - 1
    ordered = np.partition(target, sorted({0, tail, last - tail, last}))
    low, first, final, high = (float(ordered[at]) for at in (0, tail, last - tail, last))
    if not final > first:
        first, final = low, high
    whole = bool((target == np.floor(target)).all())
    spread = final - first + (1.0 if whole else 0.0)
    step = _round_up(spread / _MOST_BINS, whole)
    if not step > 0 or first + step == first or final + step == final:  # one value, or none that floating point parts
        width = max(abs(first), 1.0)
        return np.array([first - width / 2, first + width / 2]), low, high
    begin = math.floor(first / step) * step - (0.5 if whole else 0.0)
    count = max(1, math.ceil((final - begin) / step))
    return np.asarray(begin + step * np.arange(count + 1), np.float64), low, high


def _round_up(width: float, whole: bool) -> float:
    """Return the least round number that is no smaller; of whole numbers one that is whole."""
    if not width > 0 or not math.isfinite(width):
        return 0.0
    if whole and width <= 1:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    steps = (step * power for step in _STEPS)
    return next((step for step in steps if step >= width and not (whole and step % 1)), 10 * power)


def _leaves(features: Sequence[int], children: Sequence[tuple[int, int]], groups: Groups) -> NDArray[np.intp]:
    """Return the leaf that each group reaches."""
    leaves = np.zeros(len(groups), np.intp)
    waiting = [(0, np.arange(len(groups)))]
    while waiting:
        at, members = waiting.pop()
        feature = features[at]
        if feature < 0:
            leaves[members] = at
            continue
        holds = (groups.bits[members, feature // 64] >> np.uint64(feature % 64) & np.uint64(1)).astype(bool)
        yes, no = children[at]
        waiting += [(yes, members[holds]), (no, members[~holds])]
    return leaves
