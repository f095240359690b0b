"""Who sees the progress of long work, and what."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from optitree import OptimalTreeRegressor, compress, near_optimal_trees, regularization_path
from optitree.progress import Display, Lines, displaying, line_of, showing
from optitree.progress.display import live_display
from optitree.progress.picture import State
from optitree.solver.solution import TracePoint

POINT = TracePoint(12.34, 0.25, 0.5, 1234, 10, 3)


class Recorder(Display):
    def __init__(self):
        self.stages = []
        self.moments = []
        self.monitor = lambda moment: self.moments.append(moment) or True

    def stage(self, text, steps=0):
        self.stages.append(text)


def test_a_moment_is_a_line():
    assert line_of(POINT) == (
        "   12.3 s   objective 0.500000   lower bound 0.250000   gap 0.2500   proven to depth 3   1,234 subproblems"
    )


def test_lines_are_a_second_apart_and_then_further(capsys):
    lines = Lines()
    for tenth in range(1000):
        assert lines.monitor(TracePoint(tenth / 10, 0, 1, 0, 0))
    seconds = [float(line.split()[0]) for line in capsys.readouterr().err.splitlines()]
    apart = np.diff(seconds)
    assert apart[0] == pytest.approx(1)
    assert apart[-1] > 5
    assert len(seconds) < 50


def test_a_second_search_has_lines_from_its_beginning(capsys):
    lines = Lines()
    lines.monitor(TracePoint(50.0, 0, 1, 0, 0))
    lines.monitor(TracePoint(0.1, 0, 1, 0, 0))
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_patience_is_silence(capsys):
    lines = Lines(patience=60)
    lines.stage("work")
    lines.monitor(POINT)
    lines.note("done")
    assert capsys.readouterr().err == ""


def test_nobody_is_shown_what_nobody_asked_for(capsys):
    with showing(verbose=False) as display:
        display.stage("work")
        display.note("done")
        assert display.monitor is None
    assert capsys.readouterr() == ("", "")


def test_what_is_done_in_parts_is_shown_by_the_first_display():
    recorder = Recorder()
    with displaying(recorder), showing(verbose=True) as inner, showing(verbose=False) as innermost:
        assert inner is innermost is recorder
    with showing(verbose=False) as display:
        assert display is not recorder


def test_every_long_work_says_what_it_does(sample):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    frame = pd.DataFrame(sample.X, columns=["a", "b", "c"]).assign(y=sample.y)
    works = {
        "searching for the best tree": lambda: OptimalTreeRegressor(max_depth=2).fit(*sample),
        "searching for every optimal tree": lambda: regularization_path(*sample, max_depth=2),
        "searching for trees nearly as good as the best": lambda: near_optimal_trees(*sample, max_depth=2),
        "grouping 60 rows": lambda: compress(duckdb.from_df(frame), target="y"),
        "grouping the rows": lambda: compress(frame, target="y"),
    }
    for stage, work in works.items():
        recorder = Recorder()
        with displaying(recorder):
            work()
        assert stage in recorder.stages


def test_the_picture_has_the_bounds_as_they_close():
    state = State()
    state.begin("searching", 4)
    state.see(TracePoint(0.1, 0.0, 1.0, 5, 0, 0))
    state.see(POINT)
    state.done = 1
    text = state.text()
    for part in ("searching", "1 of 4", "0.500000", "0.250000", "50.0 %", "to depth 3", "1,234"):
        assert part in text
    assert text.count("━") >= 30  # of 40: a quarter closed from below, a half from above
    assert text.count("╌") == 10


def test_a_notebook_shows_one_output_that_is_replaced(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=lambda bundle, raw: shown.append(bundle["text/plain"]))

    def show(bundle, raw, display_id):
        shown.append(bundle["text/plain"])
        return handle

    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=show))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: False))
    with displaying(live_display()) as display:
        display.stage("searching")
        display.monitor(POINT)
        display.step("fold 1 of 2: done")
    assert "searching" in shown[0]
    assert shown[-1].splitlines() == ["fold 1 of 2: done", line_of(POINT)]
