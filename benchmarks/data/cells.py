"""What is measured: cells of (dataset, regularization, depth limit), and the data behind them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint8]
Targets = NDArray[np.float64]

PROJECT_ROOT = Path(__file__).resolve().parents[2]


class DataMissingError(Exception):
    """The shared datasets are not where they are looked for."""


@dataclass(frozen=True)
class Cell:
    """One problem: a binarised dataset, a regularization, a depth limit (None = no limit)."""

    dataset: str
    regularization: float
    max_depth: int | None

    @property
    def depth_label(self) -> str:
        return "none" if self.max_depth is None else str(self.max_depth)

    def __str__(self) -> str:
        return f"{self.dataset} {self.regularization:g} depth {self.depth_label}"


@dataclass(frozen=True)
class BinaryTable:
    """A binarised dataset: one 0/1 column per condition, and the target."""

    X: Bits
    y: Targets


# Every row of cells has its regularizations falling and its depths rising, "no limit" last: what a time-out says of
# the cells after it (`benchmarks.harness.beside`) rests on that order.
DATASETS = ("airfoil", "real-estate", "yacht", "optical", "enb-heat", "insurance", "sync", "seoul-bike")
REGULARIZATIONS = (0.05, 0.01, 0.005, 0.001)
DEPTHS: tuple[int | None, ...] = (5, 6, 8, None)

ALL_REGULARIZATIONS = (0.1, 0.05, 0.01, 0.005, 0.001, 0.0005)
ALL_DEPTHS: tuple[int | None, ...] = (2, 3, 4, 5, 6, 7, 8, 9, None)


def grid(datasets: Iterable[str], regularizations: Iterable[float], depths: Iterable[int | None]) -> tuple[Cell, ...]:
    """All combinations, a dataset at a time, the depths innermost."""
    return tuple(Cell(*parts) for parts in product(datasets, regularizations, depths))


def bench() -> tuple[Cell, ...]:
    """32 rows at four depths."""
    return grid(DATASETS, REGULARIZATIONS, DEPTHS)


def quick() -> tuple[Cell, ...]:
    """What every solver is quick on: shallow trees, and no limit where osrt can do without."""
    small = [dataset for dataset in DATASETS if dataset != "seoul-bike"]
    return (*grid(small, REGULARIZATIONS, (5, 6)), *grid(("sync",), REGULARIZATIONS, (None,)))


def full() -> tuple[Cell, ...]:
    """Every dataset there is, at every regularization and depth."""
    return grid(dataset_names(), ALL_REGULARIZATIONS, ALL_DEPTHS)


def shared_folder() -> Path:
    """The folder with datasets and published results: OPTITREE_SHARED, else `../shared`."""
    folder = Path(os.environ.get("OPTITREE_SHARED", PROJECT_ROOT.parent / "shared"))
    if not (folder / "datasets" / "binarised").is_dir():
        raise DataMissingError(
            f"No datasets found: {folder} has no folder datasets/binarised. "
            "Set OPTITREE_SHARED to the folder that holds datasets/ and published/."
        )
    return folder


def dataset_names() -> tuple[str, ...]:
    """Every binarised dataset there is, in alphabetical order."""
    return tuple(sorted(file.stem for file in (shared_folder() / "datasets" / "binarised").glob("*.csv")))


@cache
def load(dataset: str) -> BinaryTable:
    """Read one binarised dataset: 0/1 columns, the target last."""
    file = shared_folder() / "datasets" / "binarised" / f"{dataset}.csv"
    if not file.is_file():
        raise DataMissingError(f"There is no dataset {dataset!r}. Known: {', '.join(dataset_names())}.")
    values = np.loadtxt(file, delimiter=",", skiprows=1)
    bits = values[:, :-1]
    if not np.isin(bits, (0.0, 1.0)).all():
        raise DataMissingError(f"{file.name} has values other than 0 and 1 in its condition columns.")
    return BinaryTable(np.ascontiguousarray(bits, dtype=np.uint8), np.ascontiguousarray(values[:, -1]))
