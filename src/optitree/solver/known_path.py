"""A path that goes on below what is proven, with the best trees known.

Where the proofs of a path do not come in time, two things are left that take little of it: the whole path of trees of
two and of three questions, and searches at single regularizations that are stopped. Both know trees; of all of them the
best at each regularization is taken. The first kind proves for every regularization that no tree of so few questions is
better, the second bounds every tree from below, at its regularization and (the objective of the best tree is concave)
between two of them.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ..groups.groups import Groups
from .problem import Limits, Problem
from .scope import scope_of
from .solution import PathStep, Proof, Solution
from .solve import ProvenPath, prove_path, solve
from .task import Monitor

SHALLOW = (2, 3)
# The path as a whole has half of the time; what is left when it is not complete goes to the trees below. A whole
# path of little depth may take a good part of what there is: more is proven by it than by anything else.
_SHARE_OF_PROOFS, _SHARE_OF_SHALLOW = 0.5, 0.4
# Regularizations are searched this factor apart, further apart where a search would have less than so many seconds. A
# path to zero is searched down to the smallest, and at zero.
_FACTOR, _LEAST_SECONDS, _SMALLEST = math.sqrt(2), 0.2, 1e-4


class Stretch(NamedTuple):
    """An interval of regularization on which a tree is the best of some."""

    solution: Solution
    low: float
    high: float


class PathSearch:
    """The search for a path of groups within limits.

    ``shallow`` has the steps of whole paths by their depth, less than that of the problem; ``status`` says what came
    before the proof of the path, if anything.
    """

    def __init__(self, groups: Groups, problem: Problem, end: float, limits: Limits) -> None:
        self.groups, self.problem, self.end, self.limits = groups, problem, end, limits
        self.monitor: Monitor | None = None
        self.threads = 1
        self.status = "optimal"
        self.shallow: dict[int, tuple[PathStep, ...]] = {}
        self._proven: tuple[PathStep, ...] = ()
        self._known: list[Solution] = []
        self._proofs: list[Proof] = []

    def solve_shallow(self) -> None:
        """Find the whole paths of trees of two and three questions, if a part of the time is enough."""
        if self.status == "interrupted":
            return
        deepest = math.inf if self.problem.max_depth is None else self.problem.max_depth
        for depth in SHALLOW:
            if depth in self.shallow or depth >= deepest:
                continue
            found = self._prove(replace(self.problem, max_depth=depth, max_leaves=None), _SHARE_OF_SHALLOW)
            if found.status != "optimal":
                self._known += [*(step.solution for step in found.steps), *found.known]
                self.status = "interrupted" if found.status == "interrupted" else self.status
                return
            self.shallow[depth] = found.steps

    def solve(self) -> tuple[PathStep, ...]:
        """Find the path: proven as far as the time allows, then the best trees known."""
        try:
            return self._solve()
        except KeyboardInterrupt:  # between two searches
            if not self._known and not self.shallow and not self._proven:
                raise
            self.status = "interrupted"
            return self._with_known(self._proven or self._single_leaf())

    def _solve(self) -> tuple[PathStep, ...]:
        if self.status == "interrupted":
            return self._with_known(self._single_leaf())
        begin = time.monotonic()
        found = self._prove(self.problem, _SHARE_OF_PROOFS)
        self.status = found.status
        if found.status == "optimal" or found.steps[0].error:
            return found.steps
        self._proven = found.steps
        self._known += found.known
        if self.limits.seconds is None:  # a limit on memory: as long again
            self.limits = Limits(2 * (time.monotonic() - begin), self.limits.megabytes, begin)
        if self.status != "interrupted":
            self.solve_shallow()
        if self.status != "interrupted":
            self._search_below(found.steps)
        return self._with_known(found.steps)

    def _prove(self, problem: Problem, share: float) -> ProvenPath:
        return prove_path(self.groups, problem, self.end, self._part(share), self.monitor, threads=self.threads)

    def _part(self, share: float) -> Limits:
        """Return limits for a share of the time that is left."""
        if self.limits.seconds is None:
            return self.limits
        return Limits(share * self.limits.seconds_left, self.limits.megabytes)

    def _single_leaf(self) -> tuple[PathStep, ...]:
        """Return what is proven before any search: a second leaf costs more than all the loss there is."""
        known = [*self._known, *(step.solution for path in self.shallow.values() for step in path)]
        first = next(solution for solution in known if solution.tree.n_leaves == 1)
        return (PathStep(first, max(self.end, 1.0), math.inf, self.status),)

    def _search_below(self, steps: Sequence[PathStep]) -> None:
        """Search at regularizations at which nothing is proven, from high to low.

        Some are left out where searches take longer than they should, as they do on large tables.
        """
        at = open_regularizations(steps, self.end, self.limits.seconds_left)
        done = 0
        while done < len(at) and not self.limits.over:
            begin, regularization = time.monotonic(), at[done]
            problem = replace(self.problem, regularization=regularization, max_leaves=None)
            limits = self._part(1 / (len(at) - done))
            found = solve(self.groups, problem, limits, self.monitor, threads=self.threads)
            self._known.append(found)
            self._proofs.append(Proof(regularization, found.lower_bound, found.proven_depth))
            if found.status == "interrupted":
                self.status = found.status
                return
            if self.problem.max_leaves is not None and found.tree.n_leaves > self.problem.max_leaves:
                return  # the path ends above
            rest = (time.monotonic() - begin) * (len(at) - done - 1)
            done += max(1, round(rest / self.limits.seconds_left))

    def _with_known(self, steps: tuple[PathStep, ...]) -> tuple[PathStep, ...]:
        """Return the proven steps with the best trees known between and below them."""
        # Ctrl-C may have come after the limit that ended the proofs.
        steps = tuple(step if step.status == "optimal" else replace(step, status=self.status) for step in steps)
        shallow = [step.solution for path in self.shallow.values() for step in path]
        filled: list[PathStep] = []
        for few, many in pairwise([*steps, None]):
            assert few is not None
            between = list(stretches(few, many, [*self._known, *shallow], self.end))
            low = self.end if many is None else many.high
            reach = min(few.low, max([low, *(stretch.high for stretch in between)]))
            filled += [self._known_below(few, reach), *map(self._step, between)]
        most = self.problem.max_leaves
        return tuple(step for step in filled if most is None or step.leaves <= most)

    def _known_below(self, step: PathStep, reach: float) -> PathStep:
        """Return a proven step that is the best known further down."""
        if reach == step.low:
            return step
        return replace(step, depth=self._depth, proofs=self._proofs_between(reach, step.low), known_to=reach)

    def _step(self, stretch: Stretch) -> PathStep:
        """Return the step of the best tree known, which stands beside all trees of the search now."""
        scope = scope_of(self.groups.condition_set, replace(self.problem, max_leaves=None))
        solution = replace(stretch.solution, status=self.status, scope=scope, trace=(), prices=None)
        proofs = self._proofs_between(stretch.low, stretch.high)
        step = PathStep(solution, stretch.low, stretch.high, self.status, proven=False, proofs=proofs)
        return replace(step, depth=self._depth)

    @property
    def _depth(self) -> int:
        """No tree of so many questions is better than the best known, at any regularization."""
        return max(self.shallow, default=0)

    def _proofs_between(self, low: float, high: float) -> tuple[Proof, ...]:
        return tuple(proof for proof in self._proofs if low <= proof.regularization <= high)


def open_regularizations(steps: Sequence[PathStep], end: float, seconds: float) -> list[float]:
    """Return regularizations at which nothing is proven, from high to low, to search within so many seconds."""
    lowest = max(end, _SMALLEST)
    most = max(int(seconds / _LEAST_SECONDS), 1)
    regions = [(few.low, many.high) for few, many in pairwise(steps)] + [(steps[-1].low, lowest)]
    factor = _FACTOR
    while True:
        found = [r for high, low in regions for r in _between(high, low, factor)]
        found += [r for r in (lowest, end) if r < steps[-1].low and r not in found]
        if len(found) <= most or factor > 1 / lowest:
            return list(dict.fromkeys(found))
        factor *= _FACTOR


def _between(high: float, low: float, factor: float) -> Iterator[float]:
    r = high / factor
    while r > low:
        yield r
        r /= factor


def stretches(few: PathStep, many: PathStep | None, known: Sequence[Solution], end: float) -> Iterator[Stretch]:
    """Return which trees are best between a proven step and the next, or the end, and on which intervals.

    What two trees cost are two lines, which cross once. From each tree the way leads to the one that crosses it first.
    """
    low = end if many is None else many.high
    others = list(known) if many is None else [*known, many.solution]
    at, best = few.low, few.solution
    open_stretch: tuple[Solution, float] | None = None
    while at > low:
        larger = [s for s in others if s.tree.n_leaves > best.tree.n_leaves and s.relative_loss < best.relative_loss]
        crossing, following = max(
            ((min(_crossing(best, s), at), s.tree.n_leaves, k) for k, s in enumerate(larger)), default=(low, 0, -1)
        )[0::2]
        if open_stretch is not None:
            yield Stretch(open_stretch[0], max(crossing, low), open_stretch[1])
        if crossing <= low or following < 0 or (many is not None and larger[int(following)] is many.solution):
            return
        at, best = crossing, larger[int(following)]
        open_stretch = best, at


def _crossing(few: Solution, many: Solution) -> float:
    return (few.relative_loss - many.relative_loss) / (many.tree.n_leaves - few.tree.n_leaves)
