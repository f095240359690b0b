"""A certificate: the file beside a tree with which anyone can check that no tree is better."""

import gzip
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import core
from ..groups.groups import Groups
from ..solver.problem import Limits, Problem
from ..solver.solution import Solution
from ..solver.solve import solve
from ..verify import FORMAT, TOLERANCE, VERSION
from ..verify_prices import Costs
from ..writing import replacing
from .column_generation import Oracle
from .price_lists import Prices
from .prove import Aim, Proof, bound, depth_of, prove
from .statement import Subject, describe, nested

_STEPS = 40  # of the search for the price of a leaf at which a limit on leaves holds by itself


@dataclass(frozen=True)
class Certificate:
    """What is claimed of a tree, with the proof, as plain values (docs/certificate.md says what they are)."""

    content: dict[str, Any]
    seconds: float  # that it took to write

    @property
    def objective(self) -> float:
        """What the tree costs."""
        return float(self.content["objective"])

    @property
    def lower_bound(self) -> float:
        """What no tree costs less than."""
        return float(self.content["lower_bound"])

    @property
    def optimal(self) -> bool:
        """Whether that is the tree's own cost, within the tolerance."""
        return bool(self.content["optimal"])

    @property
    def n_price_lists(self) -> int:
        """Number of price lists."""
        return len(self.content["prices"])

    @property
    def n_branchings(self) -> int:
        """Number of subproblems that are split in the proof."""
        return len(self.content["branchings"])

    def __repr__(self) -> str:
        what = "optimal" if self.optimal else f"lower bound {self.lower_bound:.6g}"
        return f"<Certificate: {what}, {self.n_price_lists} price lists, {self.n_branchings} branchings>"

    def named(self, target: str | None, weight: str | None) -> "Certificate":
        """Return the same certificate with the names of the columns of target and weights in the table."""
        return replace(self, content=self.content | {"target": target, "weight": weight})

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file, JSON compressed by gzip; ``optitree verify`` checks it."""
        text = json.dumps(self.content, separators=(",", ":"), allow_nan=False)
        with replacing(path, "wb") as file:
            file.write(gzip.compress(text.encode(), mtime=0))


def write(subject: Subject, grouped: Groups, problem: Problem, solution: Solution, seconds: float) -> Certificate:
    """Write the certificate of a solution within some seconds, or of the lower bound that can be proven in them."""
    start = time.monotonic()
    if problem.loss != "squared_error":
        raise ValueError(f"there are certificates for loss='squared_error' only, not for {problem.loss!r}")
    if not solution.root_loss > 0:
        raise ValueError("the target is constant: one leaf is best, and there is nothing to certify")
    at, found = _without_max_leaves(grouped, problem, solution, start + seconds / 4)
    costs = Costs(subject.groups, float(at.regularization), problem.min_samples_leaf)
    tree = nested(solution.tree, grouped.conditions)
    content = _statement(subject, problem, tree) | {"leaf_price": costs.price}
    objective = float(costs.tree(tree)[0]) - (costs.price - problem.regularization) * solution.tree.n_leaves
    proof = _proof(subject, grouped, at, found, costs, start + seconds)
    content |= {"prices": proof.prices, "branchings": proof.branchings, "objective": objective}
    # Rounding of the last subtraction: the checker does it in another way.
    extra = (costs.price - problem.regularization) * (problem.max_leaves or 0)
    lower = float(max(min(proof.bound, objective + extra) - extra - 1e-14, 0.0))
    optimal = bool(objective - lower <= TOLERANCE)
    return Certificate(content | {"lower_bound": lower, "optimal": optimal}, time.monotonic() - start)


def _proof(subject: Subject, grouped: Groups, at: Problem, found: Solution, costs: Costs, deadline: float) -> Proof:
    prices = _prices(found, subject)
    if found.proven_depth is not None and (at.max_depth is None or found.proven_depth < at.max_depth):
        return bound(costs, nested(found.tree, grouped.conditions), prices, deadline)
    if prices is None:
        prices = _prices(_eagerly(grouped, at, deadline), subject)
    tree = nested(found.tree, grouped.conditions)
    # A proof for some depths may be about a tree that is deeper: then no tree of these depths costs less than it.
    aim = Aim(float(costs.tree(tree)[0]), tree, depth_of(at.max_depth), prices)
    return prove(costs, aim, Oracle(costs, grouped, at, subject.place), deadline)


def _eagerly(grouped: Groups, problem: Problem, deadline: float) -> Solution:
    """Search once more, with prices from the very start: a search that is soon over does without."""
    options = core.Options()
    options.eager = True
    return solve(grouped, problem, Limits((deadline - time.monotonic()) / 8), options=options)


def _prices(solution: Solution, subject: Subject) -> Prices | None:
    if solution.prices is None or len(solution.prices) != len(subject.place):
        return None
    prices = np.asarray(solution.prices)[subject.place]
    return prices if prices.any() else None


def _without_max_leaves(
    grouped: Groups, problem: Problem, solution: Solution, deadline: float
) -> tuple[Problem, Solution]:
    """Return a problem without a limit on leaves whose optimum proves most about the one with it, and its solution.

    A tree of at most K leaves costs V(r) - (r - regularization) K or more, for every price r of a leaf and the least
    cost V(r) at that price. It is most where the best tree at r has K leaves.
    """
    most = problem.max_leaves
    if most is None:
        return problem, solution
    low, high, found = problem.regularization, 1.0, solution
    at = replace(problem, max_leaves=None)
    best, chosen = -np.inf, (at, solution)
    for price in (low, *(None for _ in range(_STEPS))):
        r = price if price is not None else (low + high) / 2
        at = replace(at, regularization=r)
        found = solve(grouped, at, Limits(max(deadline - time.monotonic(), 0.1)))
        if found.lower_bound - (r - problem.regularization) * most > best:
            best, chosen = found.lower_bound - (r - problem.regularization) * most, (at, found)
        if found.tree.n_leaves == most or (r == problem.regularization and found.tree.n_leaves < most):
            break
        low, high = (r, high) if found.tree.n_leaves > most else (low, r)
    return chosen


def _statement(subject: Subject, problem: Problem, tree: Any) -> dict[str, Any]:
    groups, columns = subject.groups, subject.conditions.column_names
    conditions = [describe(condition, columns) for condition in subject.conditions.conditions]
    return {
        "format": FORMAT,
        "version": VERSION,
        "loss": problem.loss,
        "regularization": float(problem.regularization),
        "max_depth": problem.max_depth,
        "max_leaves": problem.max_leaves,
        "min_samples_leaf": problem.min_samples_leaf,
        "tolerance": TOLERANCE,
        "columns": list(columns),
        "target": None,
        "weight": None,
        "conditions": conditions,
        "source": subject.source,
        "origin": subject.origin,
        "groups": {
            "answers": groups.names(),
            "rows": groups.rows,
            "weight": groups.weight,
            "sum": groups.sum,
            "square": groups.square,
            "units": list(groups.units),
        },
        "digest": groups.digest(conditions),
        "tree": tree,
    }
