"""Choosing the conditions: rules for thresholds and levels, applied to columns wherever they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .conditions import AtMost, Between, Condition, Equals, IsMissing, IsOther, IsTrue
from .guess import Guesses
from .profile import LevelProfile, NumberProfile, Source
from .readable import separating_date, separating_threshold
from .table import BOOLEAN, CATEGORY, DATE
from .thresholds import Gaps, all_gaps, few_gaps, quantile_gaps, uniform_neighbours


@dataclass(frozen=True)
class Rules:
    """The parameters of a binarizer."""

    thresholds: str
    max_thresholds: int
    encoding: str
    max_categories: int
    drop: str | None


def choose(
    rules: Rules, sources: Sequence[Source], names: Sequence[str], guess: Callable[[], Guesses] | None
) -> tuple[Condition, ...]:
    """Return the conditions of all columns. ``guess`` looks for split points where rules ask for them."""
    chooser = _Chooser(rules, guess)
    return tuple(
        condition
        for column, (source, name) in enumerate(zip(sources, names, strict=True))
        for condition in chooser.conditions(column, name, source)
    )


class _Chooser:
    def __init__(self, rules: Rules, guess: Callable[[], Guesses] | None) -> None:
        self._rules = rules
        self._guess = guess
        self._guesses: Guesses | None = None

    def conditions(self, column: int, name: str, source: Source) -> list[Condition]:
        if source.kind == CATEGORY:
            found = self._of_levels(column, name, source)
        elif source.kind == BOOLEAN:
            (low,), (high,) = source.ranges(())
            found = [IsTrue(column, name, source.gaps)] if low < high else []
        else:
            found = self._of_numbers(column, name, source)
        return [*found, IsMissing(column, name)] if source.gaps and _has_values(source) else found

    def _of_levels(self, column: int, name: str, source: Source) -> list[Condition]:
        profile = source.levels()
        frequent, rare = _frequent(profile, self._rules.max_categories)
        found: list[Condition] = [Equals(column, name, level) for level in frequent]
        if rare:
            found.append(IsOther(column, name, rare))
        weight_of = dict(zip(profile.levels, profile.weights, strict=True))
        weights = [*(weight_of[level] for level in frequent), sum(weight_of[level] for level in rare)]
        return self._without_redundant(found, source.gaps, weights)

    def _of_numbers(self, column: int, name: str, source: Source) -> list[Condition]:
        cuts = self._cuts(column, source)
        gaps, date = source.gaps, source.kind == DATE
        if self._rules.encoding == "threshold":
            return [AtMost(column, name, cut, gaps, date) for cut in cuts]
        if not cuts:
            return []
        ends = [None, *cuts, None]
        found: list[Condition] = [Between(column, name, low, high, gaps, date) for low, high in pairwise(ends)]
        return self._without_redundant(found, gaps)

    def _without_redundant(self, found: list[Condition], gaps: bool, weights: Sequence[float] = ()) -> list[Condition]:
        """Leave out the first condition on request, and one of two that are opposites."""
        if self._rules.drop == "first":
            return found[1:]
        if len(found) == 1:
            return []  # true wherever there is a value
        if len(found) == 2 and not gaps:
            first = not len(weights) or weights[0] < weights[1]
            return found[:1] if first else found[1:]
        return found

    def _cuts(self, column: int, source: Source) -> list[float]:
        separate = separating_date if source.kind == DATE else separating_threshold
        if self._rules.thresholds == "uniform":
            return [separate(a, b, near) for a, b, near in uniform_neighbours(source, self._rules.max_thresholds)]
        profile = source.numbers(None if self._rules.thresholds == "all" else self._rules.max_thresholds)
        return [separate(*profile.around(gap)) for gap in self._gaps(column, profile)]

    def _gaps(self, column: int, profile: NumberProfile) -> Gaps:
        rule, most = self._rules.thresholds, self._rules.max_thresholds
        if rule == "all":
            return all_gaps(profile)
        if rule == "quantile":
            return quantile_gaps(profile, most)
        if self._guess is None or (rule == "auto" and len(profile) - 1 <= most):
            return few_gaps(profile, most)
        if self._guesses is None:
            self._guesses = self._guess()
        if rule == "reference":
            return sorted(self._guesses.boosted[column][:most])
        chosen = dict.fromkeys(self._guesses.greedy[column])
        for gap in self._guesses.boosted[column]:
            if len(chosen) < most:
                chosen[gap] = None
        chosen |= dict.fromkeys(quantile_gaps(profile, most - len(chosen)))
        return sorted(chosen)


def _has_values(source: Source) -> bool:
    if source.kind == CATEGORY:
        return len(source.levels()) > 0
    (low,), (high,) = source.ranges(())
    return bool(low <= high)


def _frequent(profile: LevelProfile, most: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the levels with a condition of their own, and the others; both alphabetical."""
    if len(profile) <= most:
        return list(profile.levels), ()
    order = sorted(range(len(profile)), key=lambda k: (-profile.weights[k], k))
    frequent, rare = sorted(order[: most - 1]), sorted(order[most - 1 :])
    return [profile.levels[k] for k in frequent], tuple(profile.levels[k] for k in rare)
