"""What a person sees at a terminal, and what Ctrl-C leaves: real processes, a pseudo-terminal, a real signal."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
import pytest

from optitree import load

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals")
pytest.importorskip("duckdb", reason="DuckDB is not installed")
pytestmark = pytest.mark.alone

SEARCHING = "searching for the best tree"
BEFORE = ("reading the files", "counting the rows", "grouping 3,000 rows")


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """A table whose search would not end: random bits give no bound a hold."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame((rng.random((3000, 60)) < 0.5).astype(int), columns=[f"c{k}" for k in range(60)])
    path = tmp_path_factory.mktemp("endless") / "hard.csv"
    frame.assign(price=rng.normal(size=3000) + frame["c0"]).to_csv(path, index=False)
    return path


def command(*arguments):
    return [sys.executable, "-m", "optitree", *map(str, arguments)]


def fit(table, *more):
    return command("fit", table, "--target", "price", "--regularization", "0.0001", *more)


class Terminal:
    """A process whose standard error is a terminal of 100 columns."""

    def __init__(self, arguments):
        self._master, slave = pty.openpty()
        self._out = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the terminal)
        environment = {**os.environ, "COLUMNS": "100", "LINES": "30", "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            arguments, stdin=slave, stdout=self._out, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.seen = ""

    def finish(self):
        """Return what is on standard output when the process has ended; the terminal is read until then."""
        self.read(None)
        self.process.wait(timeout=60)
        os.close(self._master)
        self._out.seek(0)
        with self._out:
            return self._out.read().decode()

    def read(self, until, seconds=60):
        """Read what is drawn until a text is there, or the process has closed the terminal."""
        end = time.monotonic() + seconds
        while until is None or until not in self.seen:
            ready, _, _ = select.select([self._master], [], [], max(end - time.monotonic(), 0))
            try:
                piece = os.read(self._master, 65536) if ready else b""
            except OSError:  # how Linux says that the other end is closed
                piece = b""
            if not piece:
                assert until is None, f"{until!r} did not come: {self.seen[-2000:]}"
                break
            self.seen += piece.decode(errors="replace")
        return self.seen


def test_bounds_close_on_a_terminal_and_the_tree_is_on_standard_output(endless):
    terminal = Terminal(fit(endless, "--time-limit", 6))
    terminal.read("subproblems")
    tree = terminal.finish()
    seen = terminal.seen
    assert terminal.process.returncode == 0
    for shown in (SEARCHING, "objective", "lower bound", "gap", "proven"):
        assert shown in seen
    assert any(stage in seen for stage in BEFORE), "each may be over before it is drawn, but hardly all of them"
    assert "memory" in seen or sys.platform != "linux"
    assert "\x1b[" in seen, "it is drawn again in its place"
    assert "predict " in tree
    assert "time limit after" in tree.splitlines()[-1]
    assert "\x1b" not in tree


def test_ctrl_c_prints_and_saves_the_best_tree(endless, tmp_path):
    terminal = Terminal(fit(endless, "--time-limit", 60, "--save", tmp_path / "tree.json"))
    terminal.read("subproblems")
    asked = time.monotonic()
    os.kill(terminal.process.pid, signal.SIGINT)
    tree = terminal.finish()
    took = time.monotonic() - asked
    assert terminal.process.returncode == 130
    assert took < 10
    assert "predict " in tree
    assert tree.splitlines()[-1].startswith("interrupted after ")
    seen = terminal.seen
    assert "interrupted; this is the best tree so far, and no tree is better by more than " in " ".join(seen.split())
    assert "Traceback" not in seen
    model = load(tmp_path / "tree.json")
    assert model.status_ == "interrupted"
    assert model.gap_ > 0


def test_lines_come_in_a_pipe_and_ctrl_c_ends_with_json(endless):
    process = subprocess.Popen(
        fit(endless, "--time-limit", 60, "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    line = ""
    while "lower bound" not in line:
        line = process.stderr.readline()
        assert line, "it ended without a line"
    assert "\x1b" not in line
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    told = json.loads(out)
    assert told["status"] == "interrupted"
    assert told["lower_bound"] < told["objective"]
    assert told["tree"]["rows"] == 3000


def test_ctrl_c_before_there_is_a_tree_says_so(endless):
    terminal = Terminal(command("fit", "-", "--target", "price"))  # which waits for what is typed
    terminal.read("reading the files")
    os.kill(terminal.process.pid, signal.SIGINT)
    assert (terminal.finish(), terminal.process.returncode) == ("", 130)
    assert "optitree: interrupted before there was a tree" in terminal.seen


def test_quiet_is_quiet_on_a_terminal_too(endless):
    terminal = Terminal(fit(endless, "--time-limit", 1, "--quiet"))
    assert "predict " in terminal.finish()
    assert terminal.seen == ""


def test_verbose_in_python_draws_on_a_terminal_and_leaves_a_line():
    program = (
        "import numpy as np\nfrom optitree import OptimalTreeRegressor, OptimalTreeRegressorCV\n"
        "rng = np.random.default_rng(0)\nX, y = rng.random((300, 20)) < 0.5, rng.normal(size=300)\n"
        "OptimalTreeRegressor(0.01, max_depth=3, verbose=True).fit(X, y)\n"
        "OptimalTreeRegressorCV(max_depth=2, cv=3, verbose=True).fit(X, y)\n"
    )
    terminal = Terminal([sys.executable, "-W", "ignore", "-c", program])
    terminal.finish()
    seen = terminal.seen
    assert SEARCHING in seen
    assert "fold 3 of 3: " in seen
    assert "3 of 3" in seen
