"""Tables of every kind of column, and models of them."""

import numpy as np
import pandas as pd

from optitree import OptimalTreeRegressor

HOSTILE = "<script>alert(1)</script>"
HOSTILE_LEVELS = ["</script><b>", "<!-- x", "a\u2028b", '{{data}} & "it\'s"']


def numbers(rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 4)).round(2) * 100, columns=["age", "body mass", "size", "x_4"])
    y = 50 * (frame["age"] > 30) + 30 * (frame["body mass"] > 0) * (frame["age"] <= 30) + 20 * (frame["size"] > 50)
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    return frame, (y + rng.normal(size=rows)).to_numpy()


def mixed(rows: int = 500, seed: int = 1) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south", "east", "west", "centre"], rows).astype(object)
    smoker = rng.random(rows) < 0.4
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365 * 24, rows), unit="h")
    income = rng.lognormal(10, 1, rows).round(-2)
    y = 10 * (region == "north") + 6 * smoker + 4 * (day > pd.Timestamp("2024-07-01")) + 3 * (income > 30_000)
    region[rng.random(rows) < 0.15] = None
    income[rng.random(rows) < 0.1] = np.nan
    frame = pd.DataFrame({"region": region, "smoker": smoker, "day": day, "income": income})
    return frame, np.asarray(y + rng.normal(size=rows) + 5 * pd.isna(region), float)


def hostile(rows: int = 300, seed: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    level = rng.choice(HOSTILE_LEVELS, rows).astype(object)
    number = rng.normal(size=rows).round(1)
    y = np.array([HOSTILE_LEVELS.index(each) for each in level]) * 3.0 + (number > 0)
    level[rng.random(rows) < 0.1] = None
    return pd.DataFrame({HOSTILE: level, "<img src=x onerror=alert(2)>": number}), y


def of_leaves(leaves: int) -> OptimalTreeRegressor:
    """Return a model of about so many leaves, soon: it need not be proven."""
    rng = np.random.default_rng(3)
    names = ["number of rooms", "distance to the centre", "age", "rate of a long name that goes on and on"]
    frame = pd.DataFrame(rng.random((1500, 4)).round(3), columns=names)
    y = np.floor(frame.to_numpy() * 4) @ np.array([100_000.0, 20_000, 5_000, 1_000])
    for seconds in (1.0, 4.0, 16.0):  # more where others are at work
        model = OptimalTreeRegressor(0.0, max_leaves=leaves, max_depth=7, time_limit=seconds).fit(frame, y)
        if model.n_leaves_ == leaves:
            break
    return model
