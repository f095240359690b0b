"""Ctrl-C: what is there is given back with the status "interrupted"; a second one raises at once."""

import pytest

from optitree.models import interrupts
from optitree.models.interrupts import Interrupts

from ..endless import interrupted

CALLS = {
    "fit": "OptimalTreeRegressor(1e-4, time_limit=30).fit(X, y)",
    "fit with a limit on leaves": "OptimalTreeRegressor(0, max_leaves=9, time_limit=30).fit(X, y)",
    "path": "regularization_path(X, y, min_regularization=1e-4, time_limit=30)",
    "near-optimal trees": "near_optimal_trees(X, y, regularization=1e-4, time_limit=30)",
    "cross-validation": "OptimalTreeRegressorCV(min_regularization=1e-4, time_limit=200).fit(X, y)",
}


@pytest.mark.alone
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_gives_back_what_is_there(call):
    told = interrupted(CALLS[call], 1.5)
    assert not told["raised"]
    assert told["status"] == "interrupted" or told["choice"] == "interrupted"
    assert told["seconds"] < (3 if call == "cross-validation" else 1.5)  # a tree of all rows is searched for a moment
    assert told["leaves"] > 1
    assert 0 < told["lower_bound"] <= told["objective"]
    assert told["objective"] == pytest.approx(told["cost"], rel=1e-9)
    (warning,) = told["warnings"]
    assert warning.startswith("an interrupt came before ")
    assert warning.endswith("What was found by then is kept; a second Ctrl-C would have raised KeyboardInterrupt")


@pytest.mark.alone
def test_cross_validation_keeps_the_folds_that_are_done():
    call = CALLS["cross-validation"].replace("time_limit=200", "time_limit=7")
    told = interrupted(call, 3.5)
    assert told["choice"] == "interrupted"
    assert told["leaves"] > 1


@pytest.mark.alone
def test_a_second_ctrl_c_raises_in_the_next_search_of_a_loop_too():
    told = interrupted("[OptimalTreeRegressor(1e-4, time_limit=30).fit(X, y) for _ in range(3)]", 1.0, 2.2)
    assert told["raised"]
    assert told["seconds"] < 1.5


def test_only_a_second_one_within_two_seconds_is_a_second_one(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(interrupts.time, "monotonic", lambda: clock[0])
    heard = Interrupts()
    heard.heard()
    clock[0] += 2.1
    heard.heard()
    clock[0] += 1.9
    with pytest.raises(KeyboardInterrupt):
        heard.heard()
