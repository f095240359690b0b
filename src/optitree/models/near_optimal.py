"""All trees that are nearly as good as the best."""

import math
import warnings
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple, overload
from weakref import WeakValueDictionary

from ..errors import LimitWarning
from ..groups.groups import Groups
from ..output.text import export_text
from ..progress import showing
from ..solver.near_trees import NearSolutions
from ..solver.solution import STOPS, Solution
from ..solver.solve import solve_near
from .advice import near_message
from .estimator import OptimalTreeRegressor
from .fitted import groups_of_any, set_fitted
from .interrupts import interrupts
from .parameters import check_near, check_search, threads_of
from .shown import Reported


class ConditionUse(NamedTuple):
    """How many of the trees ask a condition, and which share of them that is."""

    trees: int
    share: float


class NearOptimalTrees(Reported):
    """The trees whose objective is at most (1 + within) times the optimum, as fitted models.

    It has a length and can be iterated, indexed and sliced. There may be millions of trees: the model of each is made
    when it is asked for, and made again once nobody holds it any more.

    Two trees are the same if their leaves are the same sets of rows; of all trees with the same leaves the one with
    least depth, then the earliest conditions, is shown. They come in order of their objectives; of equally good ones
    the one with fewest leaves comes first, then the one with least depth, then the one with the earliest conditions.
    The first is the tree that ``OptimalTreeRegressor`` finds.

    The ``status_`` of a model is "optimal" if no tree is better, else "near_optimal"; its ``gap_`` is how far its
    objective is above the optimum.

    Attributes
    ----------
    status : str
        "complete" when all trees are there, else what came first: "max_trees", "time_limit", "memory_limit",
        "precision_limit" or "interrupted" (Ctrl-C).
    complete : bool
        Whether all trees are there.
    count : int
        How many trees there are. At least so many if not all were found: with status "max_trees" one more than are
        there.
    lower_bound : float
        No tree that is missing has an objective below this. So the trees that are there are always the first ones,
        up to the order of equally good ones.
    optimum : float
        The objective of the best tree; NaN if a limit came before its proof, and then there are no trees.
    best : OptimalTreeRegressor
        The first tree, or without a proof the best one found, with its gap.
    within : float
    objectives : tuple of float
    condition_use : dict of str to ConditionUse
        For every condition that a tree asks, how many of the trees do and which share of them; most used first.
    """

    def __init__(self, template: OptimalTreeRegressor, groups: Groups, found: NearSolutions, within: float) -> None:
        self._params = template.get_params(deep=False)
        self._condition_set = groups.condition_set
        self._solutions = found.solutions
        # Whoever holds a model gets the same one again; those that nobody holds take no memory.
        self._models: WeakValueDictionary[int, OptimalTreeRegressor] = WeakValueDictionary()
        self.best = self[0] if len(self) else self._make(found.best)
        self.within = within
        self.optimum = self.best.objective_ if len(self) else math.nan
        self.lower_bound = found.lower_bound
        self.count = len(self) + found.more
        self.status = "max_trees" if found.more else "complete" if found.status == "optimal" else found.status
        self.complete = self.status == "complete"

    def _make(self, solution: Solution) -> OptimalTreeRegressor:
        return set_fitted(OptimalTreeRegressor(**self._params), self._condition_set, solution)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_models", "objectives")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._models = WeakValueDictionary({0: self.best} if len(self) else {})

    def __len__(self) -> int:
        return len(self._solutions)

    @overload
    def __getitem__(self, at: int) -> OptimalTreeRegressor: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[OptimalTreeRegressor, ...]: ...
    def __getitem__(self, at: int | slice) -> OptimalTreeRegressor | tuple[OptimalTreeRegressor, ...]:
        places = range(len(self))[at]  # or an IndexError
        if isinstance(places, range):
            return tuple(self[place] for place in places)
        model = self._models.get(places)
        if model is None:
            self._models[places] = model = self._make(self._solutions[places])
        return model

    def __iter__(self) -> Iterator[OptimalTreeRegressor]:
        return (self[at] for at in range(len(self)))

    @cached_property
    def objectives(self) -> tuple[float, ...]:
        """The objective of each tree."""
        return tuple(self._solutions.objectives.tolist())

    def __str__(self) -> str:
        return f"{self!r}\n{export_text(self.best)}" if len(self) else repr(self)

    def __repr__(self) -> str:
        if not len(self):
            return f"<NearOptimalTrees: none, {STOPS[self.status]} came before the proof of the optimum>"
        what = f"{len(self):,} {'tree' if len(self) == 1 else 'trees'}"
        if self.status == "max_trees":
            what = f"the best {what} of more"
        near = f"within {100 * self.within:g} % of the optimum {self.optimum:.6g}"
        if self.complete or self.status == "max_trees":
            return f"<NearOptimalTrees: {what} {near}>"
        return (
            f"<NearOptimalTrees: {what} {near}; {STOPS[self.status]} came before the others, "
            f"none of which is below {self.lower_bound:.6g}>"
        )

    @property
    def condition_use(self) -> dict[str, ConditionUse]:
        """How many of the trees ask each condition, and which share of them; most used first."""
        counts: dict[str, int] = {}
        for at in range(len(self)):
            for text in self._texts(at):
                counts[text] = counts.get(text, 0) + 1
        most_used = sorted(counts.items(), key=lambda item: -item[1])  # stable: then those of the best tree first
        return {text: ConditionUse(count, count / len(self)) for text, count in most_used}

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row for each tree."""
        import pandas as pd  # noqa: PLC0415  (only who asks for a frame needs it)

        solutions = [self._solutions[at] for at in range(len(self))]
        return pd.DataFrame(
            {
                "rank": range(1, len(self) + 1),
                "objective": self.objectives,
                "excess": [objective - self.optimum for objective in self.objectives],
                "loss": [solution.loss for solution in solutions],
                "leaves": [solution.tree.n_leaves for solution in solutions],
                "depth": [solution.tree.depth for solution in solutions],
                "conditions": [", ".join(self._texts(at)) for at in range(len(self))],
            }
        )

    def _texts(self, at: int) -> list[str]:
        """Return the conditions of a tree, each once, from the root down."""
        return list(dict.fromkeys(map(str, self._solutions.conditions_of(at))))


def near_optimal_trees(
    X: Any, y: Any = None, within: float = 0.02, max_trees: int = 1000, *, sample_weight: Any = None, **params: Any
) -> NearOptimalTrees:
    """Find all trees whose objective is at most (1 + within) times the optimum.

    Parameters
    ----------
    X, y, sample_weight
        As for ``OptimalTreeRegressor.fit``. X may be the ``Groups`` that ``optitree.compress`` made of a table; y and
        sample_weight are None then.
    within : float, default=0.02
        How much worse than the best a tree may be, as a share of the optimum.
    max_trees : int, default=1000
        If there are more, the best so many are returned.
    **params
        Parameters of ``OptimalTreeRegressor``, except ``max_leaves``. ``n_jobs`` is for the proof of the optimum, the
        limits are for all of it.

    Returns
    -------
    NearOptimalTrees
        A limit reached or Ctrl-C is a warning: the trees that are there are then the first ones, and ``lower_bound``
        is below all others.
    """
    known = OptimalTreeRegressor().get_params(deep=False)
    within, most = check_near(within, max_trees, params, known)
    model = OptimalTreeRegressor(**params)
    search = check_search(model)
    most, threads = min(most, 2**31), threads_of(model.n_jobs)
    with showing(model.verbose) as display:
        display.stage("grouping the rows")
        groups = groups_of_any(X, y, sample_weight, model)
        display.stage("searching for trees nearly as good as the best")
        found = solve_near(groups, *search, display.monitor, within=within, max_trees=most, threads=threads)
    trees = NearOptimalTrees(model, groups, found, within)
    if trees.status == "interrupted":
        interrupts.heard()
    if trees.status in STOPS:
        warnings.warn(near_message(trees), LimitWarning, stacklevel=2)
    return trees
