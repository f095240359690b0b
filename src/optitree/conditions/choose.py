"""Choosing the conditions: rules for thresholds and levels, applied to columns wherever they are."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from ..table.columns import BOOLEAN, CATEGORY, DATE, column_names
from ..table.rows import Rows
from .condition import AtMost, Between, Condition, Equals, IsMissing, IsOther, IsTrue
from .condition_set import ConditionSet
from .profile import LevelProfile, NumberProfile, Source, columns_in_memory
from .readable import separating_date, separating_threshold
from .rules import Rules
from .thresholds import Places, all_places, few_places, quantile_places, uniform_neighbours
from .tree_splits import Guesses


def choose_for_rows(rules: Rules, rows: Rows) -> ConditionSet:
    """Return the conditions for rows in memory, all of which count."""
    table, target, weight = rows
    sources = columns_in_memory(table, weight)
    guess = None
    if target is not None:
        known = target  # mypy: not None inside the function

        def guess() -> Guesses:
            profiles = [s.levels() if s.kind == CATEGORY else s.numbers(None) for s in sources]
            return Guesses(profiles, known, weight)

    elif rules.thresholds == "reference":
        raise ValueError("thresholds='reference' looks at the target; give y to fit")
    conditions = choose(rules, sources, column_names(table.names, len(sources)), guess)
    return ConditionSet(conditions, tuple(source.kind for source in sources), table.names, rules)


def choose(
    rules: Rules, sources: Sequence[Source], names: Sequence[str], guess: Callable[[], Guesses] | None
) -> tuple[Condition, ...]:
    """Return the conditions of all columns. ``guess`` looks for split points where rules ask for them."""
    chooser = _Chooser(rules, guess)
    found: list[Condition] = []
    for column, (source, name) in enumerate(zip(sources, names, strict=True)):
        found += chooser.conditions(column, name, source)
    return tuple(found)


class _Chooser:
    def __init__(self, rules: Rules, guess: Callable[[], Guesses] | None) -> None:
        self._rules = rules
        self._guess = guess
        self._guesses: Guesses | None = None
        # A column of at most so many values gets a threshold between every two of them.
        self._most_values = {"all": math.inf, "auto": rules.max_thresholds + 1}.get(rules.thresholds, 0)

    def conditions(self, column: int, name: str, source: Source) -> list[Condition]:
        if source.kind == CATEGORY:
            found = self._of_levels(column, name, source)
        elif source.kind == BOOLEAN:
            found = [IsTrue(column, name, source.has_missing)] if _varies(source) else []
        else:
            found = self._of_numbers(column, name, source)
        if source.has_missing and _has_values(source):
            found.append(IsMissing(column, name))
        return found

    def _of_levels(self, column: int, name: str, source: Source) -> list[Condition]:
        profile = source.levels()
        frequent, rare = _frequent(profile, self._rules.max_categories)
        found: list[Condition] = [Equals(column, name, level) for level in frequent]
        if rare:
            found.append(IsOther(column, name, rare))
        weight_of = dict(zip(profile.levels, profile.weights, strict=True))
        weights = [*(weight_of[level] for level in frequent), sum(weight_of[level] for level in rare)]
        return self._without_redundant(found, source.has_missing, weights)

    def _of_numbers(self, column: int, name: str, source: Source) -> list[Condition]:
        few, date = source.few, source.kind == DATE
        separate = separating_date if date else separating_threshold
        if few is not None and len(few) <= self._most_values:
            thresholds = [*map(separate, few, few[1:])]
        elif self._rules.thresholds == "uniform":
            found = uniform_neighbours(source, self._rules.max_thresholds)
            thresholds = [separate(a, b, near) for a, b, near in found]
        else:
            profile = source.numbers(None if self._rules.thresholds == "all" else self._rules.max_thresholds)
            thresholds = [separate(*profile.around(place)) for place in self._places(column, profile)]
        missing = source.has_missing
        if self._rules.encoding == "threshold":
            return [AtMost(column, name, threshold, missing, date) for threshold in thresholds]
        if not thresholds:
            return []
        ends = [None, *thresholds, None]
        intervals: list[Condition] = [Between(column, name, low, high, missing, date) for low, high in pairwise(ends)]
        return self._without_redundant(intervals, missing)

    def _without_redundant(
        self, found: list[Condition], has_missing: bool, weights: Sequence[float] = ()
    ) -> list[Condition]:
        """Leave out the first condition on request, and one of two that are opposites."""
        if self._rules.drop == "first":
            return found[1:]
        if len(found) == 1:
            return []  # true wherever there is a value
        if len(found) == 2 and not has_missing:
            first = not len(weights) or weights[0] < weights[1]
            return found[:1] if first else found[1:]
        return found

    def _places(self, column: int, profile: NumberProfile) -> Places:
        rule, most = self._rules.thresholds, self._rules.max_thresholds
        if len(profile) <= self._most_values:
            return all_places(profile)
        if rule == "quantile":
            return quantile_places(profile, most)
        if self._guess is None:
            return few_places(profile, most)
        if self._guesses is None:
            self._guesses = self._guess()
        if rule == "reference":
            return sorted(self._guesses.boosted[column][:most])
        chosen = dict.fromkeys(self._guesses.greedy[column])
        for place in self._guesses.boosted[column]:
            if len(chosen) < most:
                chosen[place] = None
        chosen |= dict.fromkeys(quantile_places(profile, most - len(chosen)))
        return sorted(chosen)


def _varies(source: Source) -> bool:
    if source.few is not None:
        return len(source.few) > 1
    (low,), (high,) = source.ranges(())
    return bool(low < high)


def _has_values(source: Source) -> bool:
    if source.kind == CATEGORY:
        return len(source.levels()) > 0
    if source.few is not None:
        return len(source.few) > 0
    (low,), (high,) = source.ranges(())
    return bool(low <= high)


def _frequent(profile: LevelProfile, most: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the levels with a condition of their own, and the others; both alphabetical."""
    if len(profile) <= most:
        return list(profile.levels), ()
    order = sorted(range(len(profile)), key=lambda k: (-profile.weights[k], k))
    frequent, rare = sorted(order[: most - 1]), sorted(order[most - 1 :])
    return [profile.levels[k] for k in frequent], tuple(profile.levels[k] for k in rare)
