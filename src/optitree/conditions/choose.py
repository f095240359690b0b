"""Choosing the conditions: rules for thresholds and levels, applied to columns wherever they are."""

import math
from collections.abc import Sequence
from itertools import pairwise

from ..table.columns import BOOLEAN, CATEGORY, DATE, column_names
from ..table.rows import Rows
from .choose_levels import level_conditions, without_redundant
from .condition import AtMost, Between, Condition, Equals, IsIn, IsMissing, IsTrue, UpTo
from .condition_set import ConditionSet
from .level_classes import Targets
from .profile import LevelProfile, NumberProfile, Source, columns_in_memory
from .readable import separating_date, separating_threshold
from .rules import Rules
from .thresholds import Places, all_places, few_places, quantile_places, uniform_neighbours
from .tree_splits import Guesses


def choose_for_rows(rules: Rules, rows: Rows, *, median: bool = False) -> ConditionSet:
    """Return the conditions for rows in memory, all of which count. ``median``: the loss asks for medians."""
    sources = columns_in_memory(rows)
    guesses = None
    if rows.target is not None:

        def profiles() -> list[NumberProfile | LevelProfile]:
            return [s.levels() if s.kind == CATEGORY else s.numbers(None) for s in sources]

        guesses = Guesses(profiles, Targets(rows.target, rows.weight, rows.merged), median=median)
    elif rules.thresholds == "reference":
        raise ValueError("thresholds='reference' looks at the target; give y to fit")
    names = rows.table.names
    conditions = choose(rules, sources, column_names(names, len(sources)), guesses)
    return ConditionSet(conditions, tuple(source.kind for source in sources), names, rules)


def choose(
    rules: Rules, sources: Sequence[Source], names: Sequence[str], guesses: Guesses | None
) -> tuple[Condition, ...]:
    """Return the conditions of all columns. ``guesses``: where trees split, if the target is known."""
    chooser = _Chooser(rules, guesses if rules.look_at_target else None)
    found: list[Condition] = []
    for column, (source, name) in enumerate(zip(sources, names, strict=True)):
        found += chooser.conditions(column, name, source)
    return tuple(found)


class _Chooser:
    def __init__(self, rules: Rules, guesses: Guesses | None) -> None:
        self._rules = rules
        self._guesses = guesses
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
        if profile.order is None:
            return level_conditions((column, name), profile, self._rules, self._guesses, missing=source.has_missing)
        # Levels with an order are asked about as numbers are.
        order, missing = profile.order, source.has_missing
        ends = [order.index(profile.levels[place - 1]) + 1 for place in self._places(column, profile)]
        if self._rules.encoding == "threshold":
            return [UpTo(column, name, order[:end], missing) for end in ends]
        parts = [order[begin:end] for begin, end in pairwise([0, *ends, len(order)])] if ends else []
        found = [IsIn(column, name, part) if len(part) > 1 else Equals(column, name, part[0]) for part in parts]
        return without_redundant(found, self._rules, missing=missing)

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
        return without_redundant(intervals, self._rules, missing=missing)

    def _places(self, column: int, profile: NumberProfile | LevelProfile) -> Places:
        rule, most = self._rules.thresholds, self._rules.max_thresholds
        if len(profile) <= self._most_values:
            return all_places(len(profile))
        if rule == "quantile":
            return quantile_places(profile.weights, most)
        if self._guesses is None:
            return few_places(profile.weights, most)
        if rule == "reference":
            return sorted(self._guesses.boosted.places[column][:most])
        chosen = dict.fromkeys(self._guesses.greedy.places[column])
        for place in self._guesses.boosted.places[column]:
            if len(chosen) < most:
                chosen[place] = None
        chosen |= dict.fromkeys(quantile_places(profile.weights, most - len(chosen)))
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
