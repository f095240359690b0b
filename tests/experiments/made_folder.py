"""A shared folder with made tables and made published results: the form of the real one, and nobody's data."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

METHODS = ("osrt", "iai", "evtree", "guide", "cart")
ROWS, COLUMNS = 80, 5


def make_folder(folder: Path, name: str = "airquality", loss: float = 0.97) -> Path:
    """Write one binarised table, its raw form, a household, and published trees of two leaves with such a loss."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2, (ROWS, COLUMNS))
    target = 4.0 * bits[:, 0] + 2.0 * bits[:, 1] * bits[:, 2] + random.normal(size=ROWS).round(3)
    binary = pd.DataFrame(bits, columns=[f"c{number}_1" for number in range(COLUMNS)]).assign(y=target)
    raw = pd.DataFrame(random.normal(size=(ROWS, 3)).round(3), columns=["Wind", "Temp", "Day"])
    raw = raw.assign(Month=random.integers(5, 8, ROWS), Ozone=(10 * np.exp(raw["Wind"]) + 5 * raw["Temp"]).round(3))
    for part, table in (("binarised", binary), ("raw", raw)):
        (folder / "datasets" / part).mkdir(parents=True)
        table.to_csv(folder / "datasets" / part / f"{name}.csv", index=False)
    _household(random).to_parquet(folder / "datasets" / "raw" / "household.parquet")
    _published(folder / "published", name, loss * target.var())
    return folder


def _household(random: np.random.Generator) -> pd.DataFrame:
    rows = 600
    numbers = random.random((rows, 4)).round(3)
    names = ["Global_reactive_power", "Voltage", "Global_intensity", "Global_active_power"]
    dates = {"Date": [f"1/{month}/2007" for month in random.integers(1, 13, rows)]}
    times = {"Time": [f"{hour:02}:00:00" for hour in random.integers(0, 24, rows)]}
    return pd.DataFrame({**dates, **times}).join(pd.DataFrame(numbers, columns=names))


def _published(folder: Path, name: str, loss: float) -> None:
    tree = {"num_leaves": 2, "train_mse": loss}
    run = {**tree, "test_mse": 2 * loss, "regularization": 0.01}
    contents = {
        "loss": [tree],
        "time": [{"num_leaves": 2, "time": 0.5}],
        "cv": {f"fold_{fold}": [run] for fold in range(1, 6)},
        "controllability": {"0.01": [tree] * 10},
    }
    for kind, content in contents.items():
        _write(folder / kind, name, {f"depth_{depth}": content for depth in range(2, 10)})
    _write(folder / "scalability", "household", {"results": [{"num_samples": 100, "time": 1.0}]})


def _write(folder: Path, name: str, content: object) -> None:
    folder.mkdir(parents=True)
    for method in METHODS:
        (folder / f"{name}_{method}.json").write_text(json.dumps(content))
