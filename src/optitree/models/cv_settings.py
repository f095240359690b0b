"""What a cross-validation settles before it searches: how fine the conditions are, and how small leaves may be.

Greedy trees tell, pruned to every size, since they take no search: where they predict clearly better with finer
conditions or smaller leaves, these are what optimal trees are searched with, too. What is tried first is taken unless
another setting is better by more than the standard error of the difference between the folds.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..conditions.rules import Rules
from ..groups.groups import group_rows
from ..solver.grown import Grown, grow
from ..solver.losses import Loss
from ..solver.problem import Limits, Problem
from ..solver.solution import geometric_mean
from ..table.rows import Rows
from .validation_curve import Fold, first_good

Numbers = NDArray[np.float64]

# Leaves of so many rows are tried, and columns with so many thresholds.
LEAST_ROWS = (5, 10, 20, 2, 1)
FINE = 32
# The regularizations at which trees are pruned lie between these ends, high to low; the last is next to zero.
_ENDS = np.geomspace(1.0, 1e-10, 51)
MIDDLES = tuple(map(geometric_mean, [*_ENDS, 0.0], [math.inf, *_ENDS]))


class Setting(NamedTuple):
    """How conditions are chosen, and the fewest rows of a leaf."""

    rules: Rules
    min_samples_leaf: int


class Tried(NamedTuple):
    """The losses of one fold's test rows, which weigh so much: a row for each setting, a column for each of MIDDLES."""

    losses: Numbers
    weight: float


def settings_of(rules: Rules, min_samples_leaf: int | None, *, refine: bool) -> tuple[Setting, ...]:
    """Return the settings to try, those that are preferred first. ``refine``: finer conditions, too."""
    fine = replace(rules, max_thresholds=max(FINE, rules.max_thresholds))
    sizes = LEAST_ROWS if min_samples_leaf is None else (min_samples_leaf,)
    return tuple(Setting(each, size) for each in ((rules, fine) if refine else (rules,)) for size in sizes)


def settle(
    settings: Sequence[Setting], attempts: Callable[[Sequence[Setting]], Iterable[Tried | None]], seconds: float
) -> Setting:
    """Return the setting to search with.

    ``attempts`` tries some with the same conditions on all folds. It is not asked again when half of the time is over;
    where it has none for a fold, what was tried before counts.
    """
    tried: list[list[Tried]] = []
    known: list[Setting] = []
    begin = time.monotonic()
    for rules in dict.fromkeys(setting.rules for setting in settings):
        if tried and time.monotonic() - begin > seconds / 2:
            break
        some = [setting for setting in settings if setting.rules == rules]
        whole = []
        for fold in attempts(some):
            if fold is None:  # the folds after it would only take time
                return _best_of(known, tried, settings[0])
            whole.append(fold)
        tried.append(whole)
        known += some
    return _best_of(known, tried, settings[0])


def _best_of(known: Sequence[Setting], tried: Sequence[list[Tried]], default: Setting) -> Setting:
    """Return the first setting that none is clearly better than."""
    if not known:
        return default
    weight = np.array([fold.weight for fold in tried[0]])
    losses = np.concatenate([np.stack([fold.losses for fold in whole], axis=-1) for whole in tried])
    sizes = np.argmin(losses @ weight, axis=1)  # each setting counts with the size of tree that suits it best
    return known[first_good(losses[np.arange(len(losses)), sizes], weight)]


def try_settings(
    settings: Sequence[Setting], problem: Problem, train: Rows, test: Rows, seconds: float | None
) -> Tried | None:
    """Return the losses on test rows for settings with the same conditions, None if the time does not suffice."""
    limits = Limits(seconds)
    groups = group_rows(train, settings[0].rules)
    losses = []
    for setting in settings:
        grown = grow(groups, replace(problem, min_samples_leaf=setting.min_samples_leaf), limits)
        if grown is None or limits.over:
            return None
        losses.append(losses_of(grown, test, problem.minimised, problem.max_leaves))
    return Tried(np.array(losses), weight_of(test))


def losses_of(grown: Grown, test: Rows, loss: Loss, most_leaves: int | None = None) -> Numbers:
    """Return the losses on test rows at each of MIDDLES; where there would be too many leaves, of the last before."""
    assert test.target is not None
    many = math.inf if most_leaves is None else most_leaves
    allowed = [r for r, leaves in zip(MIDDLES, grown.leaves(MIDDLES), strict=True) if leaves <= many]
    known = [loss.mean(test.target, values, test.weight) for values in grown.predictions(test.table, allowed)]
    return np.array(known + known[-1:] * (len(MIDDLES) - len(known)))


def grown_fold(grown: Grown, test: Rows, loss: Loss) -> Fold:
    """Return the losses of pruned greedy trees on test rows, at every regularization."""
    return Fold(_ENDS, losses_of(grown, test, loss), grown.leaves(MIDDLES), 0.0, weight_of(test))


def weight_of(rows: Rows) -> float:
    """Return how much rows count in a mean over folds."""
    return float(rows.table.rows if rows.weight is None else rows.weight.sum())
