"""Threshold guessing: where a greedy tree and a boosted ensemble of small trees split.

After McTavish et al., *Fast sparse decision tree optimization via reference ensembles* (2022).
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import core
from .profile import LevelProfile, NumberProfile
from .thresholds import Places, all_places, quantile_places

GREEDY_LEAVES = 16
_ROUNDS, _LEAVES, _RATE = 20, 4, 0.3
_MOST_CODES = 65_536


class Guesses:
    """For each column the places where trees split; nothing for categories."""

    def __init__(
        self,
        profiles: Sequence[NumberProfile | LevelProfile],
        target: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
    ) -> None:
        self._places: list[Places] = []  # the place after each code
        columns, sizes, ordered = [], [], []
        for profile in profiles:
            codes, places = _coarse(profile)
            self._places.append(places)
            columns.append(codes.astype(np.uint16))
            sizes.append(int(codes.max(initial=0)) + 1)
            ordered.append(isinstance(profile, NumberProfile))
        self._table = core.CodedTable(columns, sizes, ordered, target, weight)

    @cached_property
    def greedy(self) -> list[Places]:
        """The splits of a greedy tree."""
        return self._read(self._table.greedy_splits(GREEDY_LEAVES))

    @cached_property
    def boosted(self) -> list[Places]:
        """The splits of a boosted ensemble, the best first."""
        return self._read(self._table.boosted_splits(_ROUNDS, _LEAVES, _RATE))

    def _read(self, splits: tuple[list[int], list[int]]) -> list[Places]:
        found: list[Places] = [[] for _ in self._places]
        for column, code in zip(*splits, strict=True):
            if code < len(self._places[column]):  # else the split is about levels, or about what is missing
                found[column].append(self._places[column][code])
        return found


def _coarse(profile: NumberProfile | LevelProfile) -> tuple[NDArray[np.uint32], Places]:
    """Return codes that fit into 16 bits, and the place after each but the last."""
    assert profile.codes is not None
    if isinstance(profile, LevelProfile):
        few = len(profile) < _MOST_CODES  # else a column of names, of no use to a greedy tree
        return profile.codes if few else np.zeros_like(profile.codes), []
    if len(profile) < _MOST_CODES:
        return profile.codes, all_places(profile)
    places = quantile_places(profile, _MOST_CODES - 2)
    starts = np.zeros(len(profile) + 1, np.uint32)  # with a place of its own for what is missing
    starts[[*places, len(profile)]] = 1
    return np.cumsum(starts, dtype=np.uint32)[profile.codes], places
