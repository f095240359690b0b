"""Real tables as people have them, and generated ones: as frames, as groups, and as columns of 0 and 1.

The conditions are always those of `OptimalTreeRegressor()`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.data.cells import BinaryTable, DataMissingError, shared_folder
from benchmarks.data.generated import GENERATED, generate
from benchmarks.data.raw import columns_and_target, read_csv
from optitree import Groups, OptimalTreeRegressor
from optitree.conditions.rules import Rules
from optitree.groups.groups import group_rows
from optitree.table.rows import read_rows

REAL = (
    "autos-imports85", "hitters", "diabetes", "boston", "house-prices", "wine-red", "parkinsons", "taxis",
    "bike-hour", "california", "kc-house", "diamonds",
)  # fmt: skip


def real_folder() -> Path:
    """The folder of the real tables, which is not everywhere where the others are."""
    folder = shared_folder() / "datasets" / "real"
    if not folder.is_dir():
        raise DataMissingError(f"No real tables found: there is no folder {folder}.")
    return folder


def read(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Columns and target of a real table, or of a generated one."""
    if name in GENERATED:
        return generate(GENERATED[name])
    file = real_folder() / f"{name}.csv.gz"
    if not file.is_file():
        raise DataMissingError(f"There is no real table {name!r}: {file} is missing.")
    return columns_and_target(read_csv(file))


@cache
def default_groups(name: str) -> Groups:
    """The groups that the search of a default model sees."""
    return group_rows(read_rows(*read(name), None, OptimalTreeRegressor()), Rules())


@cache
def default_bits(name: str) -> BinaryTable:
    """Every default condition as a column of 0 and 1, for solvers that take nothing else."""
    X, y = read(name)
    answers = default_groups(name).binarizer.transform(X)
    return BinaryTable(np.ascontiguousarray(answers, dtype=np.uint8), y.to_numpy(np.float64))
