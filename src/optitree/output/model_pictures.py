"""What only pictures need of a model, in its file: the targets of its leaves and the course of its search."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..conditions.serialize import finite, require
from ..solver.solution import TracePoint
from ..solver.targets import Targets

_MOST_BINS = 1000
_MOST_POINTS = 10_000


def targets_to_dict(targets: Targets) -> dict[str, Any]:
    """Return the targets of leaves as plain values."""
    return {
        "edges": list(targets.edges),
        "leaves": [list(weights) for weights in targets.weights.values()],
        "low": targets.low,
        "high": targets.high,
        "exact": targets.exact,
    }


def targets_from_dict(content: dict[str, Any], leaves: Sequence[int]) -> Targets:
    """Read them back, for leaves of these numbers. Raises ValueError or the like when something does not fit."""
    edges = tuple(finite(edge) for edge in content["edges"])
    require(1 < len(edges) <= _MOST_BINS, "targets have no bins")
    require(all(a < b for a, b in pairwise(edges)), "bins of targets are out of order")
    weights = [tuple(finite(weight) for weight in each) for each in content["leaves"]]
    require(len(weights) == len(leaves), "targets are not those of the leaves")
    fits = all(len(each) == len(edges) - 1 and min(each) >= 0 and max(each) > 0 for each in weights)
    require(fits, "a leaf has no targets")
    require(type(content["exact"]) is bool, "a mark is not true or false")
    low, high = finite(content["low"]), finite(content["high"])
    return Targets(edges, dict(zip(leaves, weights, strict=True)), low, high, content["exact"])


def trace_to_list(trace: Sequence[TracePoint]) -> list[list[Any]]:
    """Return the moments of a search as plain values."""
    return [[p.seconds, p.lower_bound, p.upper_bound, p.solved, p.cached, p.proven_depth] for p in trace]


def trace_from_list(content: list[list[Any]]) -> tuple[TracePoint, ...]:
    """Read them back."""
    require(isinstance(content, list) and len(content) <= _MOST_POINTS, "the trace is no list of moments")
    points = []
    for seconds, lower, upper, solved, cached, depth in content:
        whole = all(type(number) is int for number in (solved, cached, 0 if depth is None else depth))
        require(whole, "a number is not whole")
        points.append(TracePoint(finite(seconds), finite(lower), finite(upper), solved, cached, depth))
    return tuple(points)
