"""Fitted models, and rows that are hard to get right: on thresholds and beside them, missing, unseen, huge and tiny."""

import datetime as dt
import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from benchmarks.data.cells import DataMissingError
from benchmarks.data.raw import read_pandas
from benchmarks.data.real import read
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes

from optitree import Binarizer, LimitWarning, OptimalTreeRegressor
from optitree.conditions.values import Intervals, Levels
from optitree.table.columns import BOOLEAN, CATEGORY, DATE

ROWS = 10_000
UNSEEN = ["unseen", "", "it's", 'say "so"', "a\\b", "north ", "NORTH", "日本", "%s;--", "*/", "two\nlines\r"]
EXTREME = [0.0, -0.0, 1e308, -1e308, 5e-324, -5e-324, 2.0**53 + 2, 1e15, 0.1 + 0.2]


@dataclass(frozen=True)
class Case:
    """A model, rows of its table and what it predicts for them."""

    model: OptimalTreeRegressor
    rows: pd.DataFrame
    predicted: NDArray[np.float64]

    def kinds(self) -> dict[str, str]:
        """Return the kind of each column that the tree asks about; columns without names are x0, x1 ..."""
        return {self._name(k): self.model.binarizer_.kinds_[k] for k in self.model.tree_.columns}

    @functools.cached_property
    def plain_rows(self) -> list[dict[str, Any]]:
        """Return rows as Python has them, with None, or NaN in every second row, for what is missing."""
        columns = {self._name(k): self._plain(k) for k in self.model.tree_.columns}
        rows = zip(*columns.values(), strict=True) if columns else [()] * len(self.rows)
        return [dict(zip(columns, values, strict=True)) for values in rows]

    def _name(self, k: int) -> str:
        return str(self.rows.columns[k]) if hasattr(self.model, "feature_names_in_") else f"x{k}"

    def _plain(self, k: int) -> list[Any]:
        values, kind = self.rows.iloc[:, k], self.model.binarizer_.kinds_[k]
        there = values.notna()
        plain = [value.to_pydatetime() for value in values[there]] if kind == DATE else values[there].tolist()
        found = iter(plain)
        nothing = [None, None if kind in (CATEGORY, DATE, BOOLEAN) else float("nan")]
        return [next(found) if known else nothing[at % 2] for at, known in enumerate(there)]

    @functools.cached_property
    def arrow(self) -> pa.Table:
        """Return the same as a table of pyarrow, with a column of row numbers to restore the order by."""
        rows, kinds = self.plain_rows, self.kinds()
        types = {CATEGORY: pa.string(), DATE: pa.timestamp("us"), BOOLEAN: pa.bool_()}
        columns = {
            name: pa.array([row[name] for row in rows], types.get(kind, pa.float64()), from_pandas=False)
            for name, kind in kinds.items()
        }
        return pa.table({**columns, "row number": pa.array(range(len(self.rows)), pa.int64())})


def hard_rows(model: OptimalTreeRegressor, frame: pd.DataFrame, rows: int = ROWS) -> pd.DataFrame:
    """Draw rows, each value for itself: those of the table, all that conditions ask for, and what was never there."""
    rng = np.random.default_rng(len(frame))
    columns = {}
    for k, (name, kind) in enumerate(zip(frame.columns, model.binarizer_.kinds_, strict=True)):
        asked = [c.values for c in model.binarizer_.conditions_ if c.column == k]
        there = frame[name].dropna()
        if kind == CATEGORY:
            levels = [level for values in asked if isinstance(values, Levels) for level in values.levels]
            pool = np.array([*levels[:200], *UNSEEN, *map(str, there.unique()[:50])], dtype=object)
            drawn = pd.Series(rng.choice(pool, rows), dtype=object)
        elif kind == BOOLEAN:
            drawn = pd.Series(rng.random(rows) < 0.5).astype("boolean")
        else:
            ends = [e for v in asked if isinstance(v, Intervals) for pair in v.ends for e in pair if np.isfinite(e)]
            drawn = _dates(rng, ends, there, rows) if kind == DATE else _numbers(rng, ends, there, rows)
        columns[name] = drawn.mask(rng.random(rows) < 0.1)
    return pd.DataFrame(columns)


def _numbers(rng: np.random.Generator, ends: list[float], there: pd.Series, rows: int) -> pd.Series:
    beside = [np.nextafter(end, side) for end in ends for side in (-np.inf, np.inf)]
    pool = np.array([*ends, *beside, *EXTREME, *there.to_numpy(float)[:2000]])
    return pd.Series(rng.choice(pool, rows))


def _dates(rng: np.random.Generator, ends: list[float], there: pd.Series, rows: int) -> pd.Series:
    near = [int(end) + step for end in ends for step in (-1, 0, 1, -86_400_000_000, 86_400_000_000)]
    known = there.to_numpy("M8[us]").astype(np.int64)[:2000].tolist()
    return pd.Series(rng.choice(np.array([*near, *known]), rows).astype("M8[us]"))


def everything() -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return a table with a column of every kind, under names that are hard to quote."""
    rng = np.random.default_rng(1)
    n = 900
    size, age = rng.normal(size=n) * 1e-3, rng.integers(18, 90, n).astype(float)
    region = rng.choice(
        ["north", "south", "it's", 'say "so"', "", " ", "a\\b", "Ünïcode 日本", "x;--", "*/", "?", "two\nlines\r"], n
    )
    quality = pd.Categorical(rng.choice(["poor", "fair", "good"], n), ["poor", "fair", "good"], ordered=True)
    smoker = pd.array(rng.random(n) < 0.4, "boolean")
    since = pd.Timestamp("2019-12-30 06:00") + pd.to_timedelta(rng.integers(0, 10**12, n), unit="us")
    frame = pd.DataFrame(
        {
            'size "of" it': size,
            "o'clock `age`": age,
            "re.gion\\": region,
            "größe*/?": quality,
            "select": smoker,
            "since,\nwhen": since,
        }
    )
    target = 3 * (size > 0) + np.isin(region, ["north", "it's", "Ünïcode 日本", "a\\b"]) * 2.0 + age / 30
    target += (quality != "poor") * 1.7 + np.asarray(smoker) * 2.3 + (since > pd.Timestamp("2020-01-03 09:30")) * 1.9
    gaps = rng.random((3, n)) < 0.1
    for name, gap in zip(['size "of" it', "re.gion\\", "select"], gaps, strict=True):
        frame[name] = frame[name].mask(gap)
    return frame, np.asarray(target + 4 * gaps[0] + 0.1 * rng.normal(size=n))


def _without_empty_text() -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return the same, but for the level that ONNX takes for a missing value."""
    frame, target = everything()
    return frame.replace({"re.gion\\": {"": "-"}}), target


def _intervals() -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return numbers whose target is highest in the middle, and at the top: what open and closed intervals are for."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"v{k}": rng.normal(size=500) for k in range(3)})
    frame["v0"] = frame["v0"].mask(rng.random(500) < 0.1)
    target = (frame["v0"].abs() < 0.5) * 4.0 + (frame["v1"] > 0.8) * 3.0 + frame["v0"].isna() * 2.0 - (frame["v2"] > 1)
    return frame, target.to_numpy() + 1e-3 * rng.normal(size=500)


def _huge() -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return columns of very large, very small and whole numbers."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "huge": rng.normal(size=400) * 1e300,
            "tiny": rng.normal(size=400) * 1e-300,
            "id": 2.0**53 + 2 * rng.integers(-50, 50, 400),
        }
    )
    target = (frame["huge"] > 0) * 1.0 + (frame["tiny"] > 1e-301) * 2.0 + (frame["id"] > 2.0**53 + 10) * 4.0
    return frame, target.to_numpy() * np.pi * 1e10 + rng.normal(size=400)


def _quoted(frame: pd.DataFrame, target: pd.Series) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return a table under names with quotes."""
    return frame.rename(columns=lambda name: f"""{name} "in" o'clock"""), target.to_numpy(float)


def _diabetes() -> tuple[pd.DataFrame, NDArray[np.float64]]:
    X, y = load_diabetes(return_X_y=True)
    return pd.DataFrame(X), y  # columns are numbered, so the model has no names for them


_INTERVALS = Binarizer("quantile", 4, encoding="interval")
GENERATED: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "everything": (everything, {"regularization": 0.002}),
    "intervals": (_intervals, {"regularization": 0.001, "binarizer": _INTERVALS}),
    "dates between": (everything, {"regularization": 0.003, "max_depth": 4, "binarizer": _INTERVALS, "time_limit": 2}),
    "rare levels": (everything, {"regularization": 0.002, "binarizer": Binarizer("uniform", 3, max_categories=3)}),
    "huge and tiny": (_huge, {"regularization": 0.001}),
    "median": (everything, {"regularization": 0.01, "loss": "absolute_error", "max_depth": 3}),
    "quantile": (everything, {"regularization": 0.01, "loss": "quantile", "quantile": 0.9, "max_depth": 3}),
    "without names": (_diabetes, {"regularization": 0.01, "max_depth": 4}),
    "no empty text": (_without_empty_text, {"regularization": 0.002, "max_depth": 5}),
    "one leaf": (_diabetes, {"regularization": 1.0}),
}
SHARED: dict[str, Callable[[], Any]] = {
    **{
        name: functools.partial(read, name)
        for name in ("autos-imports85", "hitters", "house-prices", "taxis", "bike-hour", "kc-house", "diamonds")
    },
    **{name: functools.partial(read_pandas, name) for name in ("airquality-with-missing", "insurance", "seoul-bike")},
}
NAMES = [*GENERATED, *SHARED]


@functools.cache
def case(name: str) -> Case:
    """Return a case by its name; a test that needs a table that is not here is skipped."""
    if name in GENERATED:
        make, parameters = GENERATED[name]
        frame, target = make()
    else:
        try:
            frame, target = _quoted(*SHARED[name]())
        except DataMissingError as error:  # other people's tables are not part of the project
            pytest.skip(str(error))
        frame, target = _dated(frame)[:5000], target[:5000]
        parameters = {"regularization": 0.004, "max_depth": 4, "time_limit": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = OptimalTreeRegressor(**parameters).fit(frame, target)
    rows = hard_rows(model, frame)
    return Case(model, rows, model.predict(rows))


def _dated(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn columns of text that are dates into dates."""
    for name in frame.columns[[dtype.kind not in "biuf" for dtype in frame.dtypes]]:
        some = frame[name].dropna().astype(str)
        if len(some) and some.str.match(r"\d{4}-\d\d-\d\d").all():
            frame[name] = pd.to_datetime(frame[name])
    return frame


def as_iso(value: dt.datetime, at: int) -> str:
    """Write a moment as short as it can be, or in full, or with a T, by turns."""
    short = value.isoformat(" ") if value.time() != dt.time() else value.date().isoformat()
    return [short, value.isoformat(" ", "microseconds"), value.isoformat("T")][at % 3]


def check(predicted: Any, expected: NDArray[np.float64]) -> None:
    """Check that predictions are the same to the last bit, all of them."""
    found = np.asarray(predicted, dtype=np.float64)
    assert found.shape == expected.shape
    wrong = np.flatnonzero(found != expected)
    assert not len(wrong), f"{len(wrong)} of {len(expected)} differ, the first in row {wrong[0]}"
