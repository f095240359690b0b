"""A search that would not end by itself, and programs that end it, to be run in processes of their own."""

import json
import subprocess
import sys
from typing import Any

# Random bits give no bound a hold: without a limit this search would take longer than anyone has.
TABLE = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.random((3000, 100)) < 0.5
y = rng.normal(size=3000)
"""
INTERRUPTED = """
import json, os, signal, threading, time
from optitree import OptimalTreeRegressor

model = OptimalTreeRegressor(1e-4, time_limit=30, n_jobs=N_JOBS)
asked = []

def interrupt():
    asked.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(SECONDS, interrupt).start()
try:
    model.fit(X, y)
except KeyboardInterrupt:
    seconds = time.monotonic() - asked[0]
    loss = np.mean((y - model.predict(X)) ** 2)
    print(json.dumps({
        "seconds": seconds,
        "status": model.status_,
        "lower_bound": model.lower_bound_,
        "objective": model.objective_,
        "cost": loss / np.var(y) + 1e-4 * model.n_leaves_,
    }))
"""


def endless() -> tuple[Any, Any]:
    """Return the table."""
    table: dict[str, Any] = {}
    exec(TABLE, table)
    return table["X"], table["y"]


def run(program: str) -> dict[str, Any]:
    """Run a program on the table in a process of its own and read the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", TABLE + program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def interrupted_after(seconds: float, n_jobs: int) -> dict[str, Any]:
    """Fit, press Ctrl-C, and tell how long the answer took and what was left."""
    return run(INTERRUPTED.replace("SECONDS", str(seconds)).replace("N_JOBS", str(n_jobs)))
