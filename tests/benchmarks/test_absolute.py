"""What the benchmark of absolute error concludes from answers: nothing here runs osrt."""

import numpy as np
import pytest
from benchmarks.absolute import report, verdict
from benchmarks.data.cells import Cell
from benchmarks.solvers.absolute_peers import optitree
from benchmarks.solvers.peers import Answer

CELL = Cell("sync", 0.01, 5)
OURS = Answer("solved", 0.5, 0.4, 0.3, leaves=4, depth=3)


def test_answers_are_the_same_worse_or_better():
    assert verdict(OURS, Answer("solved", 5.0, objective=0.3 + 1e-9)) == "the same"
    assert verdict(OURS, Answer("solved", 5.0, objective=0.31)) == "osrt is worse"
    assert verdict(OURS, Answer("solved", 5.0, objective=0.29)) == "OSRT IS BETTER"
    assert verdict(OURS, Answer("time_limit", 60.0, message="killed")) == "killed"


def test_one_that_was_killed_counts_with_its_limit_and_one_that_failed_not_at_all():
    rows = [
        (CELL, OURS, Answer("solved", 5.0, objective=0.3)),
        (CELL, OURS, Answer("time_limit", 50.0, message="killed")),
        (CELL, OURS, Answer("error", message="the process died")),
    ]
    text = report(rows, 60, 50)
    assert f"{np.sqrt(10 * 100):.0f}x over 2 cells" in text
    assert ">100x" in text
    assert "the process died" in text


def test_the_judgement_is_about_medians():
    bits = np.array([[0], [0], [0], [1], [1]], dtype=np.uint8)
    answer = optitree(bits, np.array([0.0, 1.0, 5.0, 9.0, 9.0]), 0.01, 1, 10.0)()
    assert answer.status == "solved"
    assert answer.objective == pytest.approx((1 + 4) / (5 + 4 + 4 + 4) + 0.02)
