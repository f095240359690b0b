"""Tables with thresholds, levels and missing values: no bound changes the tree, and at depth two no tree is better."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.data.generated import Order, generate

from optitree import Groups, OptimalTreeRegressor, compress, core
from optitree.solver.problem import Limits, Problem
from optitree.solver.solution import Solution
from optitree.solver.solve import solve

from .instances import BOUNDS

SEEDS = range(36)
TARGET = "target"
LIMITS = [(3, 0.005), (4, 0.01), (5, 0.03), (None, 0.1)]  # depth and regularization that every search below is quick at


def order_of(seed: int) -> Order:
    rng = np.random.default_rng(seed)
    return Order(
        rows=int(rng.integers(30, 150)),
        numbers=int(rng.integers(1, 5)),
        categories=int(rng.integers(0, 3)),
        levels=int(rng.integers(2, 7)),
        ties=float(rng.choice([0, 0.5, 1])),
        noise=float(rng.choice([0.1, 0.5, 1])),
        missing=float(rng.choice([0, 0.1, 0.3])),
        structure="tree" if rng.random() < 0.5 else "smooth",
        seed=seed,
    )


def groups_of(X: pd.DataFrame, y: pd.Series) -> Groups:
    return compress(X.assign(target=y), target=TARGET)


def solve_without(groups: Groups, problem: Problem, *off: str) -> Solution:
    options = core.Options()
    options.eager = True  # or small tables would be solved before prices begin
    for bound in off:
        setattr(options, bound, False)
    return solve(groups, problem, Limits(60), options=options)


def best_of_depth_two(answers: np.ndarray, y: np.ndarray, regularization: float) -> float:
    """Try every condition at the root, and every other below it on either side."""

    def loss(rows: np.ndarray) -> float:
        return float(((y[rows] - y[rows].mean()) ** 2).sum() / root_loss)

    def split(rows: np.ndarray, condition: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        yes, no = rows[condition[rows]], rows[~condition[rows]]
        return (yes, no) if len(yes) and len(no) else None

    def stump(rows: np.ndarray) -> float:
        splits = [split(rows, condition) for condition in answers.T]
        pairs = [loss(both[0]) + loss(both[1]) + 2 * regularization for both in splits if both]
        return min([loss(rows) + regularization, *pairs])

    everything = np.arange(len(y))
    root_loss = ((y - y.mean()) ** 2).sum()
    splits = [split(everything, condition) for condition in answers.T]
    return min([stump(everything), *(stump(both[0]) + stump(both[1]) for both in splits if both)])


@pytest.mark.parametrize("seed", SEEDS)
def test_no_bound_changes_the_tree(seed):
    X, y = generate(order_of(seed))
    depth, regularization = LIMITS[seed % len(LIMITS)]
    model = OptimalTreeRegressor(regularization, max_depth=depth).fit(X, y)
    assert model.status_ == "optimal"
    groups, problem = groups_of(X, y), Problem(regularization, depth)
    for off in ((), *((bound,) for bound in BOUNDS)):
        solution = solve_without(groups, problem, *off)
        assert solution.status == "optimal", off
        assert abs(solution.objective - model.objective_) <= 1e-9, off
        assert solution.tree == model.tree_, off


@pytest.mark.parametrize("seed", SEEDS)
def test_no_tree_of_depth_two_is_better(seed):
    X, y = generate(order_of(1000 + seed))
    regularization = [0.0, 0.01, 0.05][seed % 3]
    model = OptimalTreeRegressor(regularization, max_depth=2).fit(X, y)
    best = best_of_depth_two(model.binarizer_.transform(X), y.to_numpy(), regularization)
    assert model.gap_ == 0
    assert abs(model.objective_ - best) <= 1e-9


def test_a_table_is_as_it_was_ordered():
    order = Order(4000, 4, categories=2, levels=3, ties=0.5, noise=0.25, missing=0.1, seed=7)
    X, y = generate(order)
    again, y_again = generate(order)
    pd.testing.assert_frame_equal(X, again)
    pd.testing.assert_series_equal(y, y_again)
    assert X.shape == (4000, 6)
    assert [X[name].nunique() for name in ("number 2", "number 3", "category 0")] == [5, 5, 3]
    assert X["number 0"].isna().mean() == pytest.approx(0.1, abs=0.02)
    assert not X["number 1"].isna().any()
    # A variance of 100 in all, of which the columns explain three quarters.
    assert y.var() == pytest.approx(100, rel=0.1)
    silent = generate(Order(4000, 4, categories=2, levels=3, ties=0.5, noise=0.0, missing=0.1, seed=7))[1]
    assert np.corrcoef(silent, y)[0, 1] ** 2 == pytest.approx(0.75, abs=0.05)
    assert silent.nunique() <= 16
