"""Random small problems of every kind that has ever broken a tree solver."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from optitree import Groups, core
from optitree.conditions.condition import IsTrue
from optitree.conditions.condition_set import ConditionSet
from optitree.groups.groups import group_rows
from optitree.solver.problem import Limits, Problem
from optitree.solver.solution import Solution
from optitree.solver.solve import solve
from optitree.table.columns import BOOLEAN, Column
from optitree.table.reading import Table
from optitree.table.rows import Rows

QUANTILES = (0.5, 0.1, 0.25, 0.3, 0.9, 0.99)
BOUNDS = tuple(name for name in dir(core.Options) if not name.startswith("_") and name != "eager")


def groups_of(binary: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None, *, values: bool = False) -> Groups:
    """Group the rows of a boolean matrix by one condition a column, constant columns included."""
    rows, features = binary.shape
    conditions = tuple(IsTrue(f, f"x{f}") for f in range(features))
    table = Table(tuple(Column(BOOLEAN, column.astype(float)) for column in binary.T), rows)
    return group_rows(Rows(table, y, weight), ConditionSet(conditions, (BOOLEAN,) * features), values=values)


@dataclass(frozen=True)
class Instance:
    binary: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    problem: Problem

    @cached_property
    def _groups(self) -> Groups:  # frozen: one is enough for all solves
        return groups_of(self.binary, self.y, self.weight, values=self.problem.minimised.needs_values)

    def groups(self) -> Groups:
        return self._groups

    def solve(self, *off: str, **kwargs: object) -> Solution:
        """Solve with the named bounds switched off."""
        options = core.Options()
        options.eager = True  # or small tables would be solved before prices and threads begin
        for bound in off:
            setattr(options, bound, False)
        return solve(self.groups(), self.problem, Limits(), options=options, **kwargs)


def random_instance(rng: np.random.Generator, rows: int = 14, features: int = 5) -> Instance:
    n, f = int(rng.integers(1, rows + 1)), int(rng.integers(1, features + 1))
    binary = _independent(rng, n, f)
    if rng.random() < 0.3:  # one column in intervals: at most one of the features holds
        binary = np.arange(f) == rng.integers(0, f + 1, n)[:, None]
    problem = Problem(
        regularization=float(rng.choice([0, 1e-4, 1e-3, 0.01, 0.03, 0.1, 0.3])),
        max_depth=[None, 0, 1, 2, 3, 4, 5][rng.integers(7)],
        min_samples_leaf=int(rng.choice([1, 1, 2, 3])),
    )
    return Instance(binary, _target(rng, binary), _weight(rng, n), problem)


def nested_instance(rng: np.random.Generator, rows: int = 20, features: int = 7) -> Instance:
    """Thresholds and levels of two columns, one literal implying another, under a depth limit that binds."""
    n, f = int(rng.integers(6, rows + 1)), int(rng.integers(4, features + 1))
    half = int(rng.integers(1, f))
    binary = np.column_stack([_column(rng, n, half), _column(rng, n, f - half)])
    if rng.random() < 0.5:
        binary = binary[:, rng.permutation(f)]
    problem = Problem(
        regularization=float(rng.choice([1e-4, 1e-3, 0.01, 0.03, 0.1])),
        max_depth=int(rng.integers(3, 6)),
        min_samples_leaf=int(rng.choice([1, 1, 2, 3])),
    )
    return Instance(binary, _target(rng, binary), _weight(rng, n), problem)


def absolute(instance: Instance) -> Instance:
    return replace(instance, problem=replace(instance.problem, loss="absolute_error"))


def quantile(instance: Instance, seed: int) -> Instance:
    q = QUANTILES[seed % len(QUANTILES)]
    return replace(instance, problem=replace(instance.problem, loss="quantile", quantile=q))


def rows_again(instance: Instance, rng: np.random.Generator) -> Instance:
    """Let rows repeat the answers of others: groups hold several targets, some of them the same."""
    rows = rng.integers(0, 1 + len(instance.y) // 2, len(instance.y))
    return replace(instance, binary=instance.binary[rows])


def any_loss(instance: Instance, seed: int) -> Instance:
    """Let every third instance have another loss than squared error, some with several targets a group."""
    if seed % 3:
        return instance
    if seed % 2:
        instance = rows_again(instance, np.random.default_rng(seed))
    return quantile(instance, seed) if seed % 9 == 0 else absolute(instance)


def _independent(rng: np.random.Generator, n: int, f: int) -> np.ndarray:
    binary = rng.random((n, f)) < rng.choice([0.15, 0.5, 0.8])
    if f > 1 and rng.random() < 0.3:  # equal, opposite and constant columns
        binary[:, -1] = [binary[:, 0], ~binary[:, 0], np.zeros(n, bool)][rng.integers(3)]
    return binary


def _column(rng: np.random.Generator, n: int, f: int) -> np.ndarray:
    """Make the features of one column: thresholds, levels, some of both, or nothing in common."""
    value, at = rng.integers(0, f + 1, n)[:, None], np.arange(f)
    kind = rng.integers(4)
    if kind == 0:
        return value <= at
    if kind == 1:
        return value == at
    if kind == 2:
        return np.where(rng.random(f) < 0.5, value <= at, value == at)
    return rng.random((n, f)) < rng.choice([0.2, 0.5, 0.8])


def _target(rng: np.random.Generator, binary: np.ndarray) -> np.ndarray:
    n, f = binary.shape
    y = [
        lambda: rng.normal(size=n),
        lambda: rng.integers(0, 3, n).astype(float),  # many ties
        lambda: binary @ rng.normal(size=f) + 0.1 * rng.normal(size=n),
        lambda: np.logical_xor.reduce(binary[:, :3], axis=1) + 0.01 * rng.normal(size=n),
        lambda: np.exp(3 * rng.normal(size=n)),
    ][rng.integers(5)]()
    return y + 1e6 if rng.random() < 0.25 else y


def _weight(rng: np.random.Generator, n: int) -> np.ndarray:
    return [np.ones(n), rng.integers(1, 4, n).astype(float), rng.exponential(size=n) + 1e-3][rng.integers(3)]
