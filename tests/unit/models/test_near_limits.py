"""near_optimal_trees with hundreds of thousands of trees: limits hold in every phase of it."""

import sys
import time

import numpy as np
import pytest

from optitree import LimitWarning, near_optimal_trees

from ..endless import run

# Millions of trees are within half of the optimum.
MANY = {"within": 0.5, "regularization": 0.005, "max_depth": 4}
PEAK = """
import json, warnings
from optitree import near_optimal_trees

warnings.simplefilter("ignore")
X = rng.random((500, 12)) < 0.5
y = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=500)
small = near_optimal_trees(X, y, within=0.5, max_trees=10, regularization=0.005, max_depth=4)

def megabytes(which):
    return int(next(x for x in open("/proc/self/status") if which in x).split()[1]) * 1024 / 1e6

before = megabytes("VmRSS")
trees = near_optimal_trees(
    X, y, within=0.5, max_trees=MAX_TREES, regularization=0.005, max_depth=4,
    memory_limit=None if MEGABYTES is None else before + MEGABYTES,
)
print(json.dumps({
    "taken": megabytes("VmHWM") - before,
    "left": megabytes("VmRSS") - before,
    "trees": len(trees),
    "status": trees.status,
    "ordered": bool((np.diff(trees.objectives) > -1e-12).all()),
    "last": trees[-1].objective_ == trees.objectives[-1] <= trees.lower_bound,
}))
"""


def many() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((500, 12)) < 0.5
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=500)


def peak(max_trees: int, megabytes: int | None) -> dict[str, object]:
    return run(PEAK.replace("MAX_TREES", str(max_trees)).replace("MEGABYTES", str(megabytes)))


@pytest.mark.alone
@pytest.mark.parametrize("time_limit", [0.2, 0.6])
def test_the_time_limit_is_kept_however_many_trees_there_are(time_limit):
    start = time.monotonic()
    with pytest.warns(LimitWarning, match="the time limit came before the search was over"):
        trees = near_optimal_trees(*many(), max_trees=4_000_000, time_limit=time_limit, **MANY)
    assert time.monotonic() - start < time_limit + 0.3
    assert trees.status == "time_limit"
    assert trees.optimum <= trees.objectives[-1] <= trees.lower_bound + 1e-12


@pytest.mark.alone
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a process its peak")
def test_a_list_of_many_trees_is_small():
    told = peak(100_000, None)
    assert (told["trees"], told["status"], told["ordered"], told["last"]) == (100_000, "max_trees", True, True)
    assert told["taken"] < 120


@pytest.mark.alone
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell a process its peak")
def test_the_memory_limit_counts_the_list():
    told = peak(4_000_000, 60)
    assert (told["status"], told["ordered"], told["last"]) == ("memory_limit", True, True)
    assert told["taken"] < 80
