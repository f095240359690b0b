"""The paper's published results, read from the shared folder: who, at which depth limit, what came out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.data.cells import DataMissingError, dataset_names, shared_folder

METHODS = ("osrt", "iai", "evtree", "guide", "cart")
DEPTHS = tuple(range(2, 10))

# The paper's list together with .05 and .02, largest first, the order of the runs in the published files. Most sets
# were run on the paper's twenty values; enb-cool, enb-heat and insurance were run on another eleven (.2 .1 .05 .02 .01
# .005 .002 .001 .0005 .0002 .0001), as their trees' sizes show.
REGULARIZATIONS = (
    0.5, 0.2, 0.105, 0.1, 0.08, 0.055, 0.05, 0.035, 0.02, 0.01, 0.009, 0.008, 0.007, 0.006, 0.005,
    0.004, 0.003, 0.002, 0.001, 0.0005, 0.0002, 0.0001,
)  # fmt: skip


@dataclass(frozen=True)
class PublishedTree:
    """One run of a published file: a tree's leaves and mean squared error."""

    leaves: int
    loss: float


def trees(dataset: str, method: str, depth: int) -> list[PublishedTree]:
    """The trees of one method at one depth limit, in the file's order (largest λ first)."""
    runs = read("loss", f"{dataset}_{method}").get(f"depth_{depth}", [])
    return [PublishedTree(int(run["num_leaves"]), float(run["train_mse"])) for run in runs]


def times(dataset: str, method: str, depth: int) -> list[tuple[int, float]]:
    """Leaves and seconds, on the authors' machine, of every run of one method at one depth limit."""
    runs = read("time", f"{dataset}_{method}").get(f"depth_{depth}", [])
    return [(int(run["num_leaves"]), float(run["time"])) for run in runs]


def folds(dataset: str, method: str, depth: int) -> dict[str, list[dict[str, Any]]]:
    """The runs of each fold of the cross-validation: regularization, leaves, training and test error."""
    return dict(read("cv", f"{dataset}_{method}").get(f"depth_{depth}", {}))


def seeds(dataset: str, method: str, depth: int) -> dict[str, list[PublishedTree]]:
    """The trees of ten seeds for each regularization."""
    by_regularization = read("controllability", f"{dataset}_{method}").get(f"depth_{depth}", {})
    return {
        regularization: [PublishedTree(int(run["num_leaves"]), float(run["train_mse"])) for run in runs]
        for regularization, runs in by_regularization.items()
    }


def household(method: str) -> list[tuple[int, float]]:
    """Rows and seconds of the experiment on scalability."""
    runs = read("scalability", f"household_{method}").get("results", [])
    return [(int(run["num_samples"]), float(run["time"])) for run in runs]


@cache
def read(kind: str, name: str) -> dict[str, Any]:
    """A published file."""
    file = shared_folder() / "published" / kind / f"{name}.json"
    if not file.is_file():
        raise DataMissingError(f"There are no published results at {file}.")
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def datasets(kind: str) -> tuple[str, ...]:
    """The datasets with published results of a kind whose table is here too."""
    folder = shared_folder() / "published" / kind
    known: Iterable[str] = {file.stem.rpartition("_")[0] for file in folder.glob("*_osrt.json")}
    return tuple(name for name in dataset_names() if name in known)
