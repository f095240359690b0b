"""The mixed-integer programs against every tree there is, and against the solver."""

from dataclasses import replace

import numpy as np
import pytest
from experiments.experiment import Bench, Settings
from experiments.mip import ort
from experiments.mip.dtip import solve_dtip
from experiments.mip.exhaustive import least_objective
from experiments.mip.found import EQUAL, Found
from experiments.mip.full_tree import ancestors, branch_nodes, leaf_nodes, level, route
from experiments.mip.ort import solve_ort
from experiments.mip.program import Answer, new_program, run
from experiments.mip.sample import objective, sample

from experiments import baselines
from optitree import OptimalTreeRegressor

from ..property.brute_force import brute_force
from ..property.instances import Instance, random_instance
from ..property.instances import absolute as with_absolute_error

LIMIT = 30.0
CUBE = np.array([[i >> k & 1 for k in range(3)] for i in range(8)])
COIN = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)

TABLES = {
    "exclusive or": (COIN, COIN[:, 0] ^ COIN[:, 1]),
    "ties": (COIN, [0, 1, 1, 0, 0, 1, 1, 0, 5, 5, 5, 5]),
    "a feature twice": (COIN[:, [0, 0, 1]], np.arange(12)),
    "constant features": (np.column_stack((COIN, np.zeros(12), np.ones(12))), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]),
    "only constant features": (np.ones((5, 2)), [1, 2, 3, 4, 100]),
    "a row many times": (COIN[[0] * 6 + [1, 2, 3]], [7, 7, 7, 0, 1, 2, 3, 4, 5]),
    "constant target": (COIN, np.full(12, 1e6)),
    "one row": (COIN[:1], [5.0]),
    "a question for each side": (CUBE, 10 * CUBE[:, 0] + np.where(CUBE[:, 0] == 1, 2 * CUBE[:, 1], CUBE[:, 2])),
    "far from zero": (COIN, 1e6 + np.arange(12) ** 2),
}


def small(seed: int, depth: int, loss: str) -> Instance:
    instance = random_instance(np.random.default_rng(seed), rows=9, features=3)
    problem = replace(instance.problem, max_depth=depth, min_samples_leaf=1)
    instance = replace(instance, weight=np.ones(len(instance.y)), problem=problem)
    return with_absolute_error(instance) if loss == "absolute_error" else instance


def check_ort(X: np.ndarray, y: np.ndarray, loss: str, depth: int, regularization: float, least: float) -> None:
    found = solve_ort(sample(X, y, loss), depth, regularization, LIMIT)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(least, abs=EQUAL)
    assert found.lower_bound <= least + EQUAL


def check_dtip(X: np.ndarray, y: np.ndarray, depth: int, least: float) -> None:
    found = solve_dtip(sample(X, y, "absolute_error"), depth, LIMIT)
    assert found.status == "optimal"
    assert found.objective == pytest.approx(least, abs=EQUAL)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("seed", range(12))
def test_ort_and_every_tree(seed, loss):
    instance = small(seed, 1 + seed % 2, loss)
    problem = instance.problem
    least = brute_force(instance).cost
    check_ort(instance.binary, instance.y, loss, problem.max_depth, problem.regularization, least)
    data = sample(instance.binary, instance.y, loss)
    assert least_objective(data, problem.max_depth, problem.regularization) == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_dtip_and_every_tree(seed):
    instance = small(seed, 1 + seed % 2, "absolute_error")
    instance = replace(instance, problem=replace(instance.problem, regularization=0.0))
    check_dtip(instance.binary, instance.y, instance.problem.max_depth, brute_force(instance).cost)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("regularization", [0.0, 0.05])
def test_special_tables(name, regularization):
    X, y = (np.asarray(part, dtype=float) for part in TABLES[name])
    for loss in ("squared_error", "absolute_error"):
        ours = OptimalTreeRegressor(regularization, max_depth=2, loss=loss).fit(X.astype(bool), y)
        assert ours.status_ == "optimal"
        check_ort(X, y, loss, 2, regularization, ours.objective_)
    if regularization == 0:
        check_dtip(X, y, 2, ours.objective_)


def test_depth_three():
    """Parity of three features: nothing is won before the third split."""
    X, y = CUBE, CUBE.sum(axis=1) % 2
    assert solve_ort(sample(X, y, "squared_error"), 3, 0.01, LIMIT).objective == pytest.approx(0.08)
    assert solve_dtip(sample(X, y, "absolute_error"), 3, LIMIT).objective == pytest.approx(0.0)
    assert solve_dtip(sample(X, y, "absolute_error"), 2, LIMIT).objective == pytest.approx(1.0)


def test_a_node_that_does_not_split_sends_all_rows_one_way():
    """With `left` as in the paper of 2017 groups could part for nothing at a node without a feature."""
    data = sample([[0], [1]], [0.0, 10.0], "absolute_error")
    found = solve_ort(data, 2, 1.5, LIMIT)
    assert (found.objective, found.lower_bound) == (pytest.approx(2.5), pytest.approx(2.5))  # parted for nothing: 1.5


def test_a_threshold_of_zero_is_no_split():
    program = new_program()
    a = {(m, 0): program.addBinary() for m in (1, 3)}
    b = {m: program.addBinary() for m in (1, 3)}
    v = ort.Variables(a, b, [], [])
    assert ort.read_off(v, np.array([1.0, 1.0, 0.0, 1.0])) == {3: 0}


def test_tangents_close_the_gap_in_several_rounds(monkeypatch):
    """From a single tangent the first tree is a guess; the rounds end at the optimum all the same."""
    monkeypatch.setattr(ort, "FIRST_TANGENTS", 1)
    rng = np.random.default_rng(5)
    X, y = rng.random((14, 4)) < 0.5, rng.normal(size=14)
    data = sample(X, y, "squared_error")
    found = solve_ort(data, 2, 0.02, LIMIT)
    assert found.rounds > 2
    assert found.status == "optimal"
    assert found.objective == pytest.approx(least_objective(data, 2, 0.02), abs=EQUAL)


def test_a_stopped_program_leaves_a_valid_bound():
    rng = np.random.default_rng(1)
    data = sample(rng.random((60, 10)) < 0.5, rng.normal(size=60), "squared_error")
    found = solve_ort(data, 2, 0.001, 0.3)
    least = least_objective(data, 2, 0.001)
    assert found.status == "time_limit"
    assert found.lower_bound <= least + EQUAL
    assert found.objective is None or found.objective >= least - EQUAL
    assert found.seconds < 3


def test_rounds_keep_the_best_tree_and_the_best_bound():
    first = Found(3, 4).with_tree(Answer(True, np.zeros(1), 0.5, 1.0), {1: 0}, 0.9)
    second = first.with_tree(Answer(False, np.zeros(1), 0.4, 1.0), {1: 1}, 0.95)
    assert (second.objective, second.lower_bound, second.splits) == (0.9, 0.5, {1: 0})
    assert (second.seconds, second.rounds, second.status) == (2.0, 2, "time_limit")
    assert first.status == "tolerance"
    assert second.without_tree(Answer(False, None, 0.6, 1.0)).gap == pytest.approx(0.3)
    assert Found(3, 4).gap is None
    assert Found(3, 4).with_tree(Answer(True, np.zeros(1), 0.9, 1.0), {}, 0.5).status == "refuted"


def test_dtip_is_for_absolute_error():
    with pytest.raises(ValueError, match="absolute error, not squared_error"):
        solve_dtip(sample(*TABLES["ties"], "squared_error"), 1, LIMIT)


def test_a_program_without_a_solution_is_an_error():
    program = new_program()
    x = program.addBinary()
    program.addConstr(x >= 2)
    with pytest.raises(RuntimeError, match="HiGHS says Infeasible"):
        run(program, 1.0)


def test_nodes_are_numbered_as_by_bertsimas_and_dunn():
    assert (list(branch_nodes(2)), list(leaf_nodes(2)), level(5)) == ([1, 2, 3], [4, 5, 6, 7], 2)
    assert list(ancestors(6)) == [(1, False), (3, True)]
    rows = np.array([[0, 0], [0, 1], [1, 0]], dtype=bool)
    assert route({1: 0, 2: 1}, 2, rows).tolist() == [4, 5, 7]


def test_a_split_with_an_empty_side_is_no_leaf():
    data = sample(*TABLES["constant features"], "squared_error")
    assert objective(data, {1: 2}, 1, 0.1) == pytest.approx(1.1)


def row_of(ours: float, highs: float | None, least: float, status: str = "optimal", bound: float = 0.0) -> dict:
    cell = {"formulation": "ORT", "dataset": "servo", "rows": None, "columns": None, "max_depth": 2}
    gap = None if highs is None else highs - bound
    return {
        "cell": cell, "groups": 3, "conditions": 2, "every_tree": least,
        "ours": {"status": "optimal", "objective": ours, "seconds": 0.1},
        "highs": {"status": status, "objective": highs, "lower_bound": bound, "gap": gap, "seconds": 1.0, "rounds": 1},
    }  # fmt: skip


def test_disagreements_are_settled_by_every_tree():
    assert baselines.verdict(row_of(0.5, 0.5, 0.5)) == "same optimum"
    assert baselines.verdict(row_of(0.5, 0.6, 0.5)).endswith("ours is right")
    assert baselines.verdict(row_of(0.5, 0.4, 0.4)).endswith("HiGHS is right")
    assert baselines.verdict(row_of(0.5, 0.4, 0.4, "time_limit")).endswith("HiGHS is right")
    assert baselines.verdict(row_of(0.5, 0.6, 0.5, "time_limit")) == "tree worse by 0.1000"
    assert baselines.verdict(row_of(0.5, None, 0.5, "time_limit")) == "no tree in its time"
    assert baselines.verdict(row_of(0.5, 0.5, 0.5, "time_limit")).endswith("not proven")


def test_what_a_tree_refutes_is_a_fault():
    assert baselines.table([row_of(0.5, 0.5, 0.5)] * 16).faults == []
    assert "ours is optimal at 0.5" in baselines.table([row_of(0.5, 0.4, 0.4)]).faults[0]
    assert "HiGHS is optimal at 0.6" in baselines.table([row_of(0.5, 0.6, 0.5)]).faults[0]
    assert "lower bound 0.7" in baselines.table([row_of(0.5, 0.8, 0.5, "time_limit", 0.7)]).faults[0]
    few = [row_of(0.5, 0.5, 0.5)] * 7 + [row_of(0.5, 0.6, 0.5, "time_limit")] * 9
    assert baselines.table(few).faults == ["ORT: HiGHS and ours agree on 7 instances, not on 8"]


def test_one_cell_of_each_formulation(made_tables):
    with Bench(Settings(peer_limit=LIMIT)) as bench:
        cells = [baselines.Instance(name, "airquality", 20, 4, 1) for name in baselines.FORMULATIONS]
        rows = [{"cell": vars(cell), **baselines.measure(cell, bench)} for cell in cells]
    assert [baselines.verdict(row) for row in rows] == ["same optimum"] * 3
    ((name, figure),) = baselines.figures(rows)
    assert name == "baselines"
    assert len(figure.axes) == 6
