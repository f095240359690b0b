"""Household power as the paper prepares it: month and hour out of date and time, five columns, complete rows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from benchmarks.data.raw import raw_file
from optitree import Binarizer

COLUMNS = ["Month", "Hour", "Global_reactive_power", "Voltage", "Global_intensity"]
TARGET = "Global_active_power"


@cache
def read_household() -> pd.DataFrame:
    """All complete rows."""
    table = pd.read_parquet(raw_file("household")).dropna()
    month = table["Date"].str.split("/").str[1].astype(int)
    hour = table["Time"].str.split(":").str[0].astype(int)
    return table.assign(Month=month, Hour=hour)[[*COLUMNS, TARGET]].reset_index(drop=True)


def drawn(size: int) -> tuple[pd.DataFrame, pd.Series]:
    """So many rows drawn at random, in their order."""
    table = read_household()
    rows = np.sort(np.random.default_rng(0).choice(len(table), min(size, len(table)), replace=False))
    sample = table.iloc[rows].reset_index(drop=True)
    return sample[COLUMNS], sample[TARGET]


def four_intervals() -> Binarizer:
    """The paper's conditions: four intervals of equal width, the first left out."""
    return Binarizer("uniform", 3, encoding="interval", drop="first")
