"""What to say of a search that ended before its proof: what is known, and what would help this very search."""

import math
from collections import Counter
from typing import Any

from ..conditions.binarizer import Binarizer
from ..conditions.condition import AtMost, Between
from ..output.text import among_which, what_is_proven
from ..solver.solution import STOPS

_RUN_OUT = {"time_limit": "time", "memory_limit": "memory"}
_INTERRUPTED = "What was found by then is kept; a second Ctrl-C would have raised KeyboardInterrupt"
_WEIGHTS = "Bring the weights of the rows closer to each other to finish"


def limit_message(model: Any) -> str:
    """Return the warning of a fitted model whose search was stopped."""
    status, among = model.status_, among_which(model.solution_)
    known = f"the tree's objective is {model.objective_:.6g}. {what_is_proven(model.solution_)}"
    return f"{STOPS[status]} came before the proof{among}: {known}. {_advice(model)}"


def path_message(path: Any, min_regularization: float) -> str:
    """Return the warning of a path whose search was stopped before all of it was proven."""
    status, first = path.status, path[0]
    error = path.steps[0].error
    if error:
        return (
            f"{STOPS['precision_limit']} leaves it open whether these trees are optimal: others may be better by "
            f"{error:.2g}. {_WEIGHTS}"
        )
    known = int((~path.proven).sum())
    proven = f"it is proven down to regularization {path.proven_to:.6g}, not {min_regularization:.6g}"
    if known:
        gap = max(model.gap_ for model in path)
        what = f"the {known} trees below are the best known" if known > 1 else "the tree below is the best known"
        proven = f"{proven}; {what} (gap {gap:.2g} at most)"
    depth = path.steps[-1].depth
    easier = [*_fewer(first), f"set min_regularization above {min_regularization:g}"]
    advice = _what_helps(status, f"With max_depth={depth} the whole path is proven" if depth else None, easier)
    return f"{STOPS[status]} came before the whole path{among_which(first.solution_)}: {proven}. {advice}"


def choice_message(model: Any) -> str:
    """Return the warning of a cross-validation that was stopped before everything was proven."""
    choice, best = model.choice_status_, model.best_estimator_
    status = choice if choice != "optimal" else model.status_
    parts = []
    if choice != "optimal":
        folds, stopped = model.n_splits_, model.n_stopped_
        parts.append(
            f"the choice compares the best trees known, the paths of {stopped} of {folds} folds not being proven"
        )
    at = f"the tree at the regularization chosen, {model.regularization_:.3g},"
    if model.greedy_:
        found = f"objective {best.objective_:.6g}; no tree is below {best.lower_bound_:.6g}"
        parts.append(f"{at} is a greedy one, which predicted clearly better than those that were searched for: {found}")
    elif model.status_ == "optimal":
        parts.append(f"{at} is optimal{among_which(best.solution_)}")
    else:
        known = what_is_proven(best.solution_)
        parts.append(f"{at} is the best known{among_which(best.solution_)}: objective {best.objective_:.6g}. {known}")
    whole = {depth for depth in model.cv_results_["max_depth"].tolist() if depth not in (None, model.max_depth)}
    proven = f"With max_depth={max(whole)} the choice is proven" if whole and choice != "optimal" else None
    easier = [*_fewer(best), f"set min_regularization above {model.min_regularization_:.3g}"]
    return f"{STOPS[status]} came before all was proven: {'; '.join(parts)}. {_what_helps(status, proven, easier)}"


def near_message(trees: Any) -> str:
    """Return the warning of near-optimal trees whose search was stopped."""
    status, best = trees.status, trees.best
    among, depth = among_which(best.solution_), best.proven_depth_
    proven, easier = None, [*_fewer(best), f"set a regularization above {best.regularization:g}"]
    if len(trees):
        what = (
            f"the search was over{among}: no tree but the {len(trees):,} found has an objective below "
            f"{trees.lower_bound:.6g}"
        )
        there = math.floor(1e4 * (trees.lower_bound / trees.optimum - 1)) / 1e4
        proven = f"All trees of within={there:g} are found" if there > 0 else None
    else:
        what = (
            f"the proof of the optimum{among}: the best tree found has objective {best.objective_:.6g}, and no tree is "
            f"below {trees.lower_bound:.6g}"
        )
        proven = f"With max_depth={depth} the optimum is proven" if depth else None
    return f"{STOPS[status]} came before {what}. {_what_helps(status, proven, easier)}"


def _advice(model: Any) -> str:
    depth = model.proven_depth_
    return _what_helps(model.status_, f"max_depth={depth} is proven" if depth else None, _easier(model))


def _what_helps(status: str, proven: str | None, easier: list[str]) -> str:
    """Return what to do: what is proven within the same limit, and what would make more of it."""
    if status == "precision_limit":
        return _WEIGHTS
    if status == "interrupted":
        return _INTERRUPTED
    steps = f"{', '.join(easier)}, or raise {status}"
    if proven:
        return f"{proven} within this {_RUN_OUT[status]}; to prove more, {steps}"
    return f"To finish, {steps}"


def _easier(model: Any) -> list[str]:
    """Return changes after which there is less to prove, those that cost the tree least first."""
    steps = _fewer(model)
    if model.regularization > 0 or model.max_leaves is None:
        steps.append(f"set a regularization above {model.regularization:g}")
    else:  # without a regularization the number of leaves alone decides
        steps.append(f"set max_leaves below {model.max_leaves}")
    return steps


def _fewer(model: Any) -> list[str]:
    fewer = _fewer_thresholds(model.binarizer_)
    return [] if fewer is None else [f"use fewer thresholds with Binarizer(max_thresholds={fewer})"]


def _fewer_thresholds(binarizer: Binarizer) -> int | None:
    """Return half as many thresholds as a column has now at most, or None where none has two."""
    per_column = Counter(c.column for c in binarizer.conditions_ if isinstance(c, AtMost | Between))
    most = max(per_column.values(), default=0)
    if binarizer.thresholds == "all":  # which asks for no number: the default is fewer if that is
        most = min(most, 2 * Binarizer().max_thresholds)
    else:
        most = min(most, binarizer.max_thresholds)
    return most // 2 if most > 1 else None
