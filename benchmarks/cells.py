"""What is measured: cells of (dataset, regularization, depth limit), and the data behind them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint8]
Targets = NDArray[np.float64]

PROJECT_ROOT = Path(__file__).resolve().parents[1]


class DataMissingError(Exception):
    """The shared datasets are not where they are looked for."""


@dataclass(frozen=True)
class Cell:
    """One problem: a binarised dataset, a price per leaf, a depth limit (None = no limit)."""

    dataset: str
    regularization: float
    max_depth: int | None

    @property
    def depth_label(self) -> str:
        return "none" if self.max_depth is None else str(self.max_depth)

    def __str__(self) -> str:
        return f"{self.dataset} {self.regularization:g} depth {self.depth_label}"


@dataclass(frozen=True)
class Table:
    """A binarised dataset: one 0/1 column per condition, and the target."""

    X: Bits
    y: Targets


# Depths ascend with "no limit" last: `run` relies on it to conclude that a peer which timed out
# on a shallow cell would also time out on the deeper ones of the same row.
DEPTHS: tuple[int | None, ...] = (5, 6, 8, None)

ROWS: tuple[tuple[str, float], ...] = (
    ("airfoil", 0.005),
    ("real-estate", 0.005),
    ("optical", 0.001),
    ("enb-heat", 0.001),
    ("insurance", 0.001),
    ("seoul-bike", 0.05),
    ("seoul-bike", 0.01),
    ("seoul-bike", 0.005),
    ("seoul-bike", 0.001),
)

TABLE: tuple[Cell, ...] = tuple(Cell(*row, depth) for row in ROWS for depth in DEPTHS)

# No peer is known to finish a row of the table without a depth limit, so that comparison would rest on
# time-outs alone. All of these but yacht .001 are cells that osrt was seen to finish within a minute
# without one (nine sets were tried, from .05 down to the first of .05 .01 .005 .001 it did not finish).
EXTRA: tuple[Cell, ...] = tuple(
    Cell(dataset, regularization, None)
    for dataset, regularizations in (
        ("sync", (0.05, 0.01, 0.005, 0.001)),
        ("yacht", (0.05, 0.01, 0.005, 0.001)),
        ("servo", (0.05, 0.01, 0.005, 0.001)),
        ("airquality", (0.05,)),
        ("real-estate", (0.05,)),
        ("insurance", (0.05, 0.01)),
        ("airfoil", (0.05,)),
        ("enb-heat", (0.05,)),
        ("enb-cool", (0.05,)),
    )
    for regularization in regularizations
)

# An everyday fit: all of it, Python included, should cost a few milliseconds.
EVERYDAY: tuple[Cell, ...] = (Cell("airfoil", 0.01, 4),)

QUICK: tuple[Cell, ...] = (
    *EVERYDAY,
    *(cell for cell in TABLE if cell.dataset != "seoul-bike" and cell.max_depth in (5, 6)),
    *(cell for cell in EXTRA if cell.dataset in ("sync", "enb-heat", "enb-cool", "airfoil")),
)


@dataclass(frozen=True)
class Selection:
    """Cells that are run together, and the seconds a peer gets for each unless told otherwise."""

    cells: tuple[Cell, ...]
    peer_limit: float


SELECTIONS: dict[str, Selection] = {
    "quick": Selection(QUICK, peer_limit=10.0),
    "table": Selection(EVERYDAY + TABLE + EXTRA, peer_limit=60.0),
    "extra": Selection(EXTRA, peer_limit=60.0),
}


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
def load(dataset: str) -> Table:
    """Read one binarised dataset: 0/1 columns, the target last."""
    file = shared_folder() / "datasets" / "binarised" / f"{dataset}.csv"
    if not file.is_file():
        raise DataMissingError(f"There is no dataset {dataset!r}. Known: {', '.join(dataset_names())}.")
    values = np.loadtxt(file, delimiter=",", skiprows=1)
    bits = values[:, :-1]
    if not np.isin(bits, (0.0, 1.0)).all():
        raise DataMissingError(f"{file.name} has values other than 0 and 1 in its condition columns.")
    return Table(np.ascontiguousarray(bits, dtype=np.uint8), np.ascontiguousarray(values[:, -1]))
