"""Threshold guessing: where a greedy tree and a boosted ensemble of small trees split.

After McTavish et al., *Fast sparse decision tree optimization via reference ensembles* (2022).
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import core
from .level_classes import LevelClasses, OrderedClasses, Sets, Targets
from .profile import LevelProfile, NumberProfile
from .thresholds import Places, all_places, quantile_places

GREEDY_LEAVES = 16
_ROUNDS, _LEAVES, _RATE = 20, 4, 0.3
MOST_CODES = 65_536


class Splits(NamedTuple):
    """For each column the places where trees split it, and the sets of levels by which they do."""

    places: list[Places]
    sets: list[Sets]


class _Coded(NamedTuple):
    """A column as codes that fit into 16 bits: the place after each but the last, or the classes of levels."""

    codes: NDArray[np.uint32]
    size: int
    places: Places
    classes: LevelClasses | None = None


class Guesses:
    """What trees, and the means of levels, propose to ask. Nothing is looked at before the first question.

    ``median``: levels are ordered by the medians of the target, as suits losses that medians minimise.
    """

    def __init__(
        self,
        profiles: Callable[[], Sequence[NumberProfile | LevelProfile]],
        targets: Targets,
        *,
        median: bool = False,
    ) -> None:
        self._profiles, self._targets, self._median = profiles, targets, median

    @cached_property
    def greedy(self) -> Splits:
        """The splits of a greedy tree."""
        return self._read(self._table.greedy_splits(GREEDY_LEAVES))

    @cached_property
    def boosted(self) -> Splits:
        """The splits of a boosted ensemble, the best first."""
        return self._read(self._table.boosted_splits(_ROUNDS, _LEAVES, _RATE))

    def cuts(self, column: int, most: int) -> Sets:
        """Return the first levels of a category in the order of their means, cut at so many places at most."""
        classes = self._ordered[column]
        assert classes is not None
        return classes.cuts(most, median=self._median)

    @cached_property
    def _coded(self) -> list[_Coded]:
        return [_code(profile) for profile in self._profiles()]

    @cached_property
    def _table(self) -> core.CodedTable:
        columns = [column.codes.astype(np.uint16) for column in self._coded]
        sizes = [column.size for column in self._coded]
        pulls = [None if classes is None else classes.pull for classes in self._ordered]
        return core.CodedTable(columns, sizes, pulls, self._targets.target, self._targets.weight)

    @cached_property
    def _ordered(self) -> list[OrderedClasses | None]:
        return [None if c.classes is None else OrderedClasses(c.classes, c.codes, self._targets) for c in self._coded]

    def _read(self, splits: tuple[list[int], list[int], list[list[int]]]) -> Splits:
        found = Splits([[] for _ in self._coded], [[] for _ in self._coded])
        for number, code, levels in zip(*splits, strict=True):
            column = self._coded[number]
            if column.classes is not None:
                found.sets[number] += column.classes.set_of(levels)
            elif code < len(column.places):  # else the split is about what is missing
                found.places[number].append(column.places[code])
        return found


def _code(profile: NumberProfile | LevelProfile) -> _Coded:
    """Return a column as codes, the last of which is for what is missing."""
    assert profile.codes is not None
    if isinstance(profile, LevelProfile) and profile.order is None:
        classes = LevelClasses.of(profile, MOST_CODES - 2)
        return _Coded(classes.class_of[profile.codes], len(classes) + 1, [], classes)
    if len(profile) < MOST_CODES:
        return _Coded(profile.codes, int(profile.codes.max(initial=0)) + 1, all_places(len(profile)))
    places = quantile_places(profile.weights, MOST_CODES - 2)
    starts = np.zeros(len(profile) + 1, np.uint32)  # with a place of its own for what is missing
    starts[[*places, len(profile)]] = 1
    codes = np.cumsum(starts, dtype=np.uint32)[profile.codes]
    return _Coded(codes, int(codes.max(initial=0)) + 1, places)
