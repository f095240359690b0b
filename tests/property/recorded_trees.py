"""Trees on record: 2,000 random tables with the trees that an earlier build found.

``python -m tests.property.recorded_trees`` writes the file anew. That is a decision, not a habit: a tree that changes
is a change of behaviour, because among equally good trees the canonical one is defined without reference to the
search.
"""

import gzip
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from optitree.solver.problem import Problem

from .instances import Instance, any_loss, nested_instance, random_instance
from .test_brute_force import splits

FILE = Path(__file__).with_name("recorded_trees.json.gz")
SMALL, LARGE = 1200, 800


def make_instance(seed: int) -> Instance:
    """Make a table of targets and weights with few digits; the last seeds make larger ones."""
    rng = np.random.default_rng(900_000 + seed)
    rows, features = (14, 5) if seed < SMALL else (60, 9)
    make = nested_instance if seed % 2 else random_instance
    instance = any_loss(make(rng, rows, features), seed)
    problem = instance.problem
    if seed % 5 == 0:
        problem = replace(problem, max_leaves=int(rng.integers(1, 9)))
    weight = np.maximum(np.round(instance.weight, 3), 0.001)
    return replace(instance, y=np.round(instance.y, 3), weight=weight, problem=problem)


def to_plain(instance: Instance) -> dict[str, Any]:
    """Return a table as plain values: a text of 0 and 1 for each row."""
    return {
        "rows": ["".join(map(str, row)) for row in instance.binary.astype(int).tolist()],
        "y": instance.y.tolist(),
        "weight": instance.weight.tolist(),
        "problem": asdict(instance.problem),
    }


def from_plain(content: dict[str, Any]) -> Instance:
    """Read a table back."""
    binary = np.array([[digit == "1" for digit in row] for row in content["rows"]])
    return Instance(binary, np.array(content["y"]), np.array(content["weight"]), Problem(**content["problem"]))


def record(instance: Instance) -> dict[str, Any]:
    """Return a table with its tree, the objective, and what the leaves predict."""
    solution = instance.solve()
    leaves = [node.value for node in solution.tree.nodes if node.is_leaf]
    return to_plain(instance) | {
        "tree": splits(solution.tree), "objective": solution.objective, "predictions": [round(v, 9) for v in leaves],
    }  # fmt: skip


def read() -> list[dict[str, Any]]:
    """Read the file."""
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write() -> None:
    """Solve all tables and write the file."""
    lines = [json.dumps(record(make_instance(seed)), separators=(",", ":")) for seed in range(SMALL + LARGE)]
    FILE.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))


if __name__ == "__main__":
    write()
