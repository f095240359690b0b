"""The parameters of a search, checked before any work starts."""

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

from joblib import effective_n_jobs, parallel_config

from ..conditions.binarizer import Binarizer
from ..solver.losses import LOSSES
from ..solver.problem import Limits, Problem
from .validation_curve import SELECTIONS

MOST_THREADS = 64
# Times weights and distances of targets as small as are allowed it is still within the range of floating point.
SMALLEST_QUANTILE = 1e-100
# Python's own numbers first, which are found without asking an abstract class.
_WHOLE = (int, Integral)
_REAL = (float, int, Real)


class Search(NamedTuple):
    """What is optimised, and when to stop without a proof."""

    problem: Problem
    limits: Limits


def check_search(model: Any) -> Search:
    """Return the parameters of an ``OptimalTreeRegressor``, or raise ValueError or TypeError where one is wrong."""
    return Search(_problem(model), _limits(model))


def _problem(model: Any) -> Problem:
    regularization = number("regularization", model.regularization, least=0)
    max_depth = whole_or_none("max_depth", model.max_depth, least=0)
    min_samples_leaf = whole("min_samples_leaf", model.min_samples_leaf, least=1)
    max_leaves = whole_or_none("max_leaves", model.max_leaves, least=1)
    loss = model.loss
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"loss={loss!r} is not available; use {', '.join(map(repr, LOSSES))}")
    quantile = number("quantile", model.quantile, least=0)
    if not 0 < quantile < 1:
        raise ValueError(f"quantile={model.quantile!r} must be between 0 and 1, for example 0.9")
    if quantile < SMALLEST_QUANTILE:
        raise ValueError(
            f"quantile={model.quantile!r} is too small to count with; use at least {SMALLEST_QUANTILE:g}, which "
            "predicts the lowest target of a leaf just the same"
        )
    if model.binarizer is not None and not isinstance(model.binarizer, Binarizer):
        raise TypeError(f"binarizer must be a Binarizer or None, not {type(model.binarizer).__name__}")
    return Problem(regularization, max_depth, min_samples_leaf, max_leaves, loss, quantile)


def _limits(model: Any) -> Limits:
    if model.n_jobs is not None and whole("n_jobs", model.n_jobs, least=-1_000_000) == 0:
        raise ValueError("n_jobs=0 must be 1 or more, -1 for all processors, or None")
    seconds = megabytes = None
    if model.time_limit is not None:
        seconds = number("time_limit", model.time_limit, least=0, hint=", or None for no limit")
    if model.memory_limit is not None:
        megabytes = number("memory_limit", model.memory_limit, least=1, hint=" (megabytes), or None for no limit")
    return Limits(seconds, megabytes)


def check_path_names(given: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError where a path is given a parameter that it does not have. ``known``: those of a model."""
    known = [name for name in known if name not in ("regularization", "max_leaves")]
    for name in given:
        if name == "regularization":
            raise TypeError("regularization is what falls along the path; say where it ends with min_regularization")
        if name not in known:
            raise TypeError(f"there is no parameter {name!r}; regularization_path knows {', '.join(known)}")


def check_path_end(min_regularization: Any, max_leaves: Any) -> tuple[float, int | None]:
    """Return where a path is to end."""
    least = number("min_regularization", min_regularization, least=0)
    return least, whole_or_none("max_leaves", max_leaves, least=1)


def check_selection(selection: Any) -> str:
    """Return the rule by which a cross-validation selects."""
    if not isinstance(selection, str) or selection not in SELECTIONS:
        raise ValueError(f"selection={selection!r} is unknown; use 'min' or 'one_standard_error'")
    return selection


def check_near(within: Any, max_trees: Any, params: Mapping[str, Any], known: Iterable[str]) -> tuple[float, int]:
    """Return how near the optimum trees may be, and how many of them to find. ``known``: parameters of a model."""
    within = number("within", within, least=0)
    most = whole("max_trees", max_trees, least=1)
    unknown = params.keys() - set(known)
    if unknown:
        raise TypeError(
            f"near_optimal_trees has no parameter {min(unknown)!r}; it takes within, max_trees, sample_weight and the "
            "parameters of OptimalTreeRegressor"
        )
    if params.get("max_leaves") is not None:
        raise ValueError(
            f"max_leaves={params['max_leaves']!r} is not available for near_optimal_trees; leave it out, and raise "
            "regularization for fewer leaves"
        )
    return within, most


def threads_of(n_jobs: int | None) -> int:
    """Return the number of threads of a search."""
    if n_jobs in (1, None):
        return 1
    # As everywhere in scikit-learn: what joblib makes of it, for threads, which any process may start.
    with parallel_config(prefer="threads"):
        return min(int(effective_n_jobs(n_jobs)), MOST_THREADS)


def number(name: str, value: Any, least: float, hint: str = "") -> float:
    """Return a finite number that is not below another."""
    if isinstance(value, bool) or not isinstance(value, _REAL):
        raise TypeError(f"{name}={value!r} must be a number of at least {least}{hint}")
    try:
        given = float(value)
    except OverflowError:  # a whole number beyond the range of floating point
        given = math.inf
    if not least <= given < math.inf:
        raise ValueError(f"{name}={value!r} must be a finite number of at least {least}{hint}")
    return given


def whole(name: str, value: Any, least: int, hint: str = "") -> int:
    """Return a whole number that is not below another."""
    if isinstance(value, bool) or not isinstance(value, _WHOLE):
        raise TypeError(f"{name}={value!r} must be a whole number of at least {least}{hint}")
    if value < least:
        raise ValueError(f"{name}={value!r} must be a whole number of at least {least}{hint}")
    return int(value)


def whole_or_none(name: str, value: Any, least: int) -> int | None:
    """Return a whole number that is not below another, or None for no limit."""
    return None if value is None else whole(name, value, least, hint=", or None for no limit")
