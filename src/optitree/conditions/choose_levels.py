"""Choosing the conditions of a category whose levels have no order."""

import warnings
from collections.abc import Sequence

from .condition import Condition, Equals, IsIn, IsOther
from .level_classes import Sets, is_like_an_id
from .profile import LevelProfile
from .rules import Rules
from .tree_splits import Guesses


def level_conditions(
    column: tuple[int, str], profile: LevelProfile, rules: Rules, guesses: Guesses | None, *, missing: bool
) -> list[Condition]:
    """Return the conditions of a category, a column with its number and name.

    Each level where they are few. Beside them, where the target is known, sets: the first levels in the order of their
    means, and those by which trees split. Without it many levels are the most frequent ones and the rest.
    """
    few = len(profile) <= rules.max_categories
    found = _single_levels(column, profile, rules, missing=missing) if few or guesses is None else []
    if guesses is None:
        return found
    if not few and is_like_an_id(profile):
        _warn_of_id(column[1])
        return found
    sets = _Sets(len(profile), missing=missing, singles=few)
    if rules.thresholds == "reference":
        sets.add(guesses.boosted.sets[column[0]], rules.max_categories)
    else:
        _propose(sets, guesses, column[0], rules.max_thresholds if few else rules.max_categories - 1)
    for levels in sets.chosen:
        names = tuple(profile.levels[level] for level in levels)
        found.append(IsIn(*column, names) if len(names) > 1 else Equals(*column, names[0]))
    return found


class _Sets:
    """Sets of levels that part rows in different ways."""

    def __init__(self, levels: int, *, missing: bool, singles: bool) -> None:
        self.chosen: Sets = []
        self._levels, self._missing = levels, missing
        self._seen = {self._key((level,)) for level in range(levels)} if singles else set()

    def add(self, sets: Sets, most: int) -> None:
        """Add sets until there are ``most``."""
        for levels in sets:
            key = self._key(levels)
            if len(self.chosen) < most and 0 < len(levels) < self._levels and key not in self._seen:
                self._seen.add(key)
                self.chosen.append(levels)

    def _key(self, levels: tuple[int, ...]) -> frozenset[int]:
        """Return the same for a set and the rest, unless something is missing, which is in neither."""
        if self._missing or 2 * len(levels) < self._levels:
            return frozenset(levels)
        rest = frozenset(range(self._levels)).difference(levels)
        return rest if len(rest) < len(levels) or 0 in rest else frozenset(levels)


def _propose(sets: _Sets, guesses: Guesses, column: int, most: int) -> None:
    """Choose sets: ``most`` cuts of the order of means, all of a greedy tree, and half as many of an ensemble."""
    cuts = guesses.cuts(column, most)
    sets.add(cuts, len(cuts))  # first, and so beside each other: a chain
    greedy = guesses.greedy.sets[column]
    sets.add(greedy, len(sets.chosen) + len(greedy))
    sets.add(guesses.boosted.sets[column], len(sets.chosen) + most // 2)


def _single_levels(column: tuple[int, str], profile: LevelProfile, rules: Rules, *, missing: bool) -> list[Condition]:
    frequent, rare = _frequent(profile, rules.max_categories)
    found: list[Condition] = [Equals(*column, level) for level in frequent]
    if rare:
        found.append(IsOther(*column, rare))
    weight_of = dict(zip(profile.levels, profile.weights, strict=True))
    weights = [*(weight_of[level] for level in frequent), sum(weight_of[level] for level in rare)]
    return without_redundant(found, rules, missing=missing, weights=weights)


def _frequent(profile: LevelProfile, most: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the levels with a condition of their own, and the others; both alphabetical."""
    if len(profile) <= most:
        return list(profile.levels), ()
    order = sorted(range(len(profile)), key=lambda k: (-profile.weights[k], k))
    frequent, rare = sorted(order[: most - 1]), sorted(order[most - 1 :])
    return [profile.levels[k] for k in frequent], tuple(profile.levels[k] for k in rare)


def without_redundant(
    found: Sequence[Condition], rules: Rules, *, missing: bool, weights: Sequence[float] = ()
) -> list[Condition]:
    """Leave out the first condition on request, and one of two that are opposites: that of the greater weight."""
    if rules.drop == "first":
        return list(found[1:])
    if len(found) == 1:
        return []  # true wherever there is a value
    if len(found) == 2 and not missing:
        first = not len(weights) or weights[0] < weights[1]
        return list(found[:1] if first else found[1:])
    return list(found)


def _warn_of_id(name: str) -> None:
    warnings.warn(
        f"column {name!r} looks like an id: most of its texts are those of a single row, so no condition asks about "
        "it; leave it out, or turn it into something that rows have in common",
        UserWarning,
        stacklevel=2,
    )
