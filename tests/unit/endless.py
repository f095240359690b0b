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
# The calls that search, and Ctrl-C while they do.
INTERRUPTED = """
import json, os, signal, threading, time, warnings
from optitree import LimitWarning, OptimalTreeRegressor, OptimalTreeRegressorCV, near_optimal_trees, regularization_path

asked = []

def interrupt():
    asked.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

for seconds in TIMES:
    threading.Timer(seconds, interrupt).start()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    try:
        found = CALL
    except KeyboardInterrupt:
        print(json.dumps({"seconds": time.monotonic() - asked[-1], "raised": True}))
        raise SystemExit
answer = {"seconds": time.monotonic() - asked[0], "raised": False, "warnings": [str(w.message) for w in told]}
best = found[-1] if hasattr(found, "steps") else getattr(found, "best", getattr(found, "best_estimator_", found))
loss = np.mean((y - best.predict(X)) ** 2)
print(json.dumps({
    **answer,
    "status": getattr(found, "status", getattr(found, "status_", None)),
    "choice": getattr(found, "choice_status_", None),
    "lower_bound": best.lower_bound_,
    "objective": best.objective_,
    "leaves": best.n_leaves_,
    "cost": loss / np.var(y) + best.regularization * best.n_leaves_,
}))
"""
# Work on tables that takes long by itself, with Ctrl-C a tenth of a second after it begins. What is large is never
# written to and takes no memory, or is one column many times over.
INTERRUPTED_BEFORE_THE_SEARCH = """
import json, os, signal, threading, time
from optitree import OptimalTreeRegressor, core

column, y = rng.normal(size=200_000), rng.normal(size=200_000)
codes = [rng.integers(0, 60_000, 200_000).astype(np.uint16)] * 20
coded = core.CodedTable(codes, [60_000] * 20, [True] * 20, y, None)
many = [column] * 20_000
intervals = [(k, k, 0.0, np.inf) for k in range(20_000)]
numbers = np.column_stack([column] * 30)
text = np.column_stack([np.array([f"level {k % 1000}" for k in range(200_000)], dtype=object)] * 30)
phases = {
    "reading": lambda: core.copy_columns(np.broadcast_to(codes[0][:8], (10**8, 8)), np.empty((8, 10**8))),
    "looking for infinity": lambda: core.have_infinity(many),
    "looking for few values": lambda: core.few_values([np.zeros(200_000)] * 20_000),
    "a greedy tree": lambda: coded.greedy_splits(100_000),
    "an ensemble": lambda: coded.boosted_splits(1_000_000, 4, 0.3),
    "grouping": lambda: core.group_table(many, intervals, len(intervals), len(column)),
    "adding up": lambda: core.add_up(np.zeros(3 * 10**8, np.uint32), 1, np.zeros(3 * 10**8)),
    "fit of numbers": lambda: OptimalTreeRegressor().fit(numbers, y),
    "fit of text": lambda: OptimalTreeRegressor().fit(text, y),
}
seconds = {}
for phase, work in phases.items():
    asked = []

    def interrupt():
        asked.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.1, interrupt).start()
    try:
        work()
        seconds[phase] = None
        time.sleep(1)  # to be interrupted
    except KeyboardInterrupt:
        seconds.setdefault(phase, time.monotonic() - asked[0])
print(json.dumps(seconds))
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


def interrupted(call: str, *times: float) -> dict[str, Any]:
    """Make a call, press Ctrl-C after so many seconds, and tell how long the answer took and what was left."""
    return run(INTERRUPTED.replace("TIMES", str(list(times))).replace("CALL", call))
