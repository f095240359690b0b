"""The raw tables of the shared folder: columns as their makers left them, the target last."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl

from benchmarks.data.cells import DataMissingError, shared_folder


def raw_file(name: str) -> Path:
    """The raw table of a name, in the same shared folder as the binarised ones."""
    folder = shared_folder() / "datasets" / "raw"
    for suffix in (".csv", ".parquet"):
        if (folder / f"{name}{suffix}").is_file():
            return folder / f"{name}{suffix}"
    raise DataMissingError(f"There is no raw table {name!r}: {folder} has neither {name}.csv nor {name}.parquet.")


def read_pandas(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Columns and target; rows without a target are left out."""
    file = raw_file(name)
    return columns_and_target(pd.read_parquet(file) if file.suffix == ".parquet" else read_csv(file))


def read_csv(file: Path) -> pd.DataFrame:
    """Only an empty cell is a missing value: `None` can be a level."""
    return pd.read_csv(file, keep_default_na=False, na_values=[""])


def columns_and_target(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The target is the last column; rows without one are left out."""
    target = frame.columns[-1]
    frame = frame[frame[target].notna()]
    return frame.drop(columns=target), frame[target]


def read_polars(name: str) -> tuple[pl.DataFrame, pl.Series]:
    """The same by polars."""
    file = raw_file(name)
    frame = pl.read_parquet(file) if file.suffix == ".parquet" else pl.read_csv(file, null_values=[""])
    target = frame.columns[-1]
    frame = frame.filter(pl.col(target).is_not_null())
    return frame.drop(target), frame[target]
