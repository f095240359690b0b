"""Levels of a category that can be told apart, and the order that their targets give them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import core
from ..table.rows import Merged
from .profile import LevelProfile
from .thresholds import Places, few_places

# Levels by their numbers, ascending.
Sets = list[tuple[int, ...]]
_LEAST_ROWS = 2
_MOST_CUT = 511  # places that are looked at, where there are more levels
# Centres of levels closer than this share of the farthest are equal, and ordered by number: rounding is far below.
_PLACES = 2.0**30


class Targets(NamedTuple):
    """The target of each row, its weight (None: all count the same), and what rows that stand for several hide."""

    target: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    merged: Merged | None = None


@dataclass(frozen=True)
class LevelClasses:
    """Classes of levels, mostly of one level each. A level of a single row could as well be chance: these are one.

    ``class_of`` has the class of each level; that of what is missing comes last.
    """

    members: tuple[tuple[int, ...], ...]
    class_of: NDArray[np.uint32]

    @classmethod
    def of(cls, profile: LevelProfile, most: int) -> "LevelClasses":
        """Return the classes of a category, of which there may be ``most``."""
        assert profile.rows is not None
        own = np.flatnonzero(profile.rows >= _LEAST_ROWS)
        if len(own) >= most:
            heaviest = np.lexsort((own, -profile.weights[own]))[: most - 1]
            own = np.sort(own[heaviest])
        rest = np.setdiff1d(np.arange(len(profile)), own)
        members = [(int(level),) for level in own]
        if len(rest):
            members.append(tuple(rest.tolist()))
        class_of = np.full(len(profile) + 1, len(own), np.uint32)
        class_of[own] = np.arange(len(own))
        class_of[-1] = len(members)
        return cls(tuple(members), class_of)

    def __len__(self) -> int:
        return len(self.members)

    def set_of(self, classes: Iterable[int]) -> Sets:
        """Return the set of the levels of some classes; none if what is missing is one of them."""
        chosen = list(classes)
        if len(self) in chosen:
            return []
        return [tuple(sorted(level for number in chosen for level in self.members[number]))]


def is_like_an_id(profile: LevelProfile) -> bool:
    """Whether most rows of a category have a level of their own."""
    rows = profile.rows
    return rows is not None and bool(2 * rows[rows < _LEAST_ROWS].sum() > rows.sum())


class OrderedClasses:
    """The classes of a category with what the target says of them.

    The centre of a class, its mean or median, is drawn towards that of all, by half for a class of weight ``pull``, so
    that a level of a few rows does not lead.
    """

    def __init__(self, classes: LevelClasses, codes: NDArray[np.uint32], targets: Targets) -> None:
        self._classes, self._codes = classes, codes
        target, self._weight, merged = targets
        self._target = target - (target.min() / 2 + target.max() / 2)
        scatter, rows = (None, None) if merged is None else (merged.scatter, merged.rows)
        sums = core.add_up(codes, len(classes) + 1, self._target, self._weight, scatter, rows)
        self._weights, self._means, self._scatter, self._rows = (values[: len(classes)] for values in sums)

    @property
    def pull(self) -> float:
        """The weight of a class at which its own mean says as much as that of all.

        After empirical Bayes: the variance inside classes over that between them, in rows of average weight, both
        estimated without bias (one-way analysis of variance). At most the weight of all, where classes do not differ
        more than chance would have it.
        """
        classes, rows, weight = len(self._classes), self._rows.sum(), self._weights.sum()
        if not 1 < classes < rows or not weight:
            return float(weight)
        mean = np.average(self._means, weights=self._weights)
        inside = self._scatter.sum() / (rows - classes)
        between = (self._weights * (self._means - mean) ** 2).sum() / (classes - 1)
        usual = (rows - (self._rows**2).sum() / rows) / (classes - 1)  # rows of a class
        variance = (between - inside) / usual
        pull = inside / variance if variance > 0 else np.inf
        return float(min(pull, rows) * (weight / rows))

    def cuts(self, most: int, *, median: bool) -> Sets:
        """Return the sets of the first levels in the order of their centres, cut at ``most`` places at most.

        The places are those that leave the least of the squared deviations of the centres (Fisher, 1958). Of a set and
        the levels after it the one with fewer levels is named.
        """
        if len(self._classes) < 2 or most < 1:
            return []
        centres = self._drawn_centres(median)
        order = np.lexsort((np.arange(len(centres)), centres))
        levels = len(self._classes.class_of) - 1
        found: Sets = []
        for place in _best_places(centres[order], self._weights[order], most):
            (first,), (last,) = self._classes.set_of(order[:place]), self._classes.set_of(order[place:])
            found.append(first if 2 * len(first) <= levels else last)
        return found

    def _drawn_centres(self, median: bool) -> NDArray[np.float64]:
        """Return the centres as whole numbers, which rounding of the sums does not change."""
        centres, overall = self._means, float(np.average(self._means, weights=self._weights))
        if median:
            centres, overall = self._medians()
        drawn = (centres - overall) * (self._weights / (self._weights + self.pull))
        return np.asarray(np.round(drawn / max(np.abs(drawn).max(), np.finfo(float).tiny) * _PLACES))

    def _medians(self) -> tuple[NDArray[np.float64], float]:
        """Return the median of each class and that of all."""
        there = self._codes < len(self._classes)
        codes, target = self._codes[there], self._target[there]
        weight = np.ones(len(target)) if self._weight is None else self._weight[there]
        every = _lower_medians(np.zeros_like(codes), 1, target, weight)
        return _lower_medians(codes, len(self._classes), target, weight), float(every[0])


def _best_places(values: NDArray[np.float64], weights: NDArray[np.float64], most: int) -> Places:
    """Return the places where ascending values are best cut into ``most`` + 1 parts; none between equal values."""
    starts = [0, *few_places(weights, _MOST_CUT), len(values)]
    places = np.array([at for at in starts[1:-1] if values[at - 1] < values[at]], dtype=np.intp)
    if len(places) <= most:
        return [int(place) for place in places]
    ends = np.concatenate([[0], places, [len(values)]])
    weight, total = (np.concatenate([[0.0], np.cumsum(terms)])[ends] for terms in (weights, weights * values))
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = (total - total[:, None]) ** 2 / (weight - weight[:, None])  # of a part from one end to another
    gain = np.where(np.triu(np.ones_like(gain, dtype=bool), 1), gain, -np.inf)
    gain = np.round(gain / gain[0, 1:].max(initial=1.0) * _PLACES)  # whole numbers, which rounding does not change
    best, before = gain[0], []
    for _ in range(most):
        sums = best[:, None] + gain
        before.append(sums.argmax(axis=0))
        best = sums.max(axis=0)
    at, found = len(ends) - 1, []
    for step in reversed(before):
        at = int(step[at])
        found.append(int(ends[at]))
    return found[::-1]


def _lower_medians(
    codes: NDArray[np.uint32], size: int, target: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    order = np.lexsort((target, codes))
    below = np.cumsum(weight[order])
    ends = np.searchsorted(codes[order], np.arange(size), side="right")
    before = np.concatenate([[0.0], below[ends[:-1] - 1]])
    half = before + (below[ends - 1] - before) / 2
    return np.asarray(target[order][np.searchsorted(below, half * (1 - 1e-12))])
