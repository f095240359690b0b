"""Tables made to order: so many rows, columns of numbers and of levels, ties, missing values and noise.

What is behind the target is known: a tree, or a smooth function, of the columns as they were before values went
missing. The same order gives the same table, whatever else was drawn before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Structure = Literal["tree", "smooth"]

TREE_DEPTH = 4
SMOOTH_COLUMNS = 6  # a smooth function of more would be a sum that looks like noise
TIED_VALUES = 5


@dataclass(frozen=True)
class Order:
    """What a table is to be like. Shares are between 0 and 1."""

    rows: int
    numbers: int  # columns of them
    categories: int = 0  # columns of them
    levels: int = 4  # of each category; the first are more frequent than the last
    ties: float = 0.0  # share of the columns of numbers that have a few values only
    noise: float = 0.3  # share of the target's variance that no column explains
    missing: float = 0.0  # share of the values of every other column that are missing
    structure: Structure = "tree"
    seed: int = 0


# What real tables are like in the extreme.
GENERATED: dict[str, Order] = {
    "generated-wide": Order(2_000, 125, noise=0.5, structure="smooth", seed=1),
    "generated-tall": Order(40_000, 8, categories=2, levels=6, ties=0.25, noise=0.3, missing=0.02, seed=2),
    "generated-noise": Order(1_000, 10, noise=1.0, seed=3),
    "generated-levels": Order(3_000, 2, categories=8, levels=12, noise=0.4, missing=0.05, seed=4),
}


def generate(order: Order) -> tuple[pd.DataFrame, pd.Series[float]]:
    """The columns and the target of an order."""
    rng = np.random.default_rng(order.seed)
    whole = _columns(order, rng)
    signal = {"tree": _tree, "smooth": _smooth}[order.structure](whole, rng)
    scale = signal.std()
    signal = (signal - signal.mean()) / scale if scale > 0 else np.zeros(order.rows)
    target = np.sqrt(1 - order.noise) * signal + np.sqrt(order.noise) * rng.normal(size=order.rows)
    frame = pd.DataFrame({name: _with_missing(values, at, order, rng) for at, (name, values) in enumerate(whole)})
    return frame, pd.Series(10 * target + 100, name="target")


def _columns(order: Order, rng: np.random.Generator) -> list[tuple[str, NDArray[Any]]]:
    """Numbers of several distributions, some of them tied, then categories."""
    draws: tuple[Callable[[], Numbers], ...] = (
        lambda: rng.normal(size=order.rows),
        lambda: rng.exponential(size=order.rows),
        lambda: rng.random(order.rows),
    )
    tied = round(order.ties * order.numbers)
    columns: list[tuple[str, NDArray[Any]]] = []
    for at in range(order.numbers):
        values = draws[at % len(draws)]()
        if at >= order.numbers - tied:
            values = np.digitize(values, np.quantile(values, np.arange(1, TIED_VALUES) / TIED_VALUES)).astype(float)
        columns.append((f"number {at}", values))
    shares = 1 / np.arange(1.0, order.levels + 1)
    names = np.array([f"level {level}" for level in range(order.levels)], dtype=object)
    for at in range(order.categories):
        columns.append((f"category {at}", rng.choice(names, order.rows, p=shares / shares.sum())))
    return columns


def _with_missing(values: NDArray[Any], at: int, order: Order, rng: np.random.Generator) -> NDArray[Any]:
    if at % 2 or order.missing == 0:
        return values
    gone = values.copy()
    gone[rng.random(order.rows) < order.missing] = np.nan if values.dtype == np.float64 else None
    return gone


def _tree(columns: list[tuple[str, NDArray[Any]]], rng: np.random.Generator, depth: int = TREE_DEPTH) -> Numbers:
    """A value for each leaf of a random tree that splits any column, at any value or level that it has."""
    rows = len(columns[0][1])
    signal = np.zeros(rows)

    def grow(at: NDArray[np.intp], depth: int) -> None:
        values = columns[rng.integers(len(columns))][1][at]
        if depth == 0 or len(at) < 2:
            signal[at] = rng.normal()
            return
        value = values[rng.integers(len(at))]
        yes = values <= value if values.dtype == np.float64 else values == value
        grow(at[yes], depth - 1)
        grow(at[~yes], depth - 1)

    grow(np.arange(rows), depth)
    return signal


def _smooth(columns: list[tuple[str, NDArray[Any]]], rng: np.random.Generator) -> Numbers:
    """Waves and products of a few columns of numbers, and an effect of each level."""
    numbers = [values for _, values in columns if values.dtype == np.float64][:SMOOTH_COLUMNS]
    signal = np.zeros(len(columns[0][1]))
    for left, right in zip(numbers, [*numbers[1:], *numbers[:1]], strict=True):
        signal += rng.normal() * np.sin(2 * left + rng.random()) + rng.normal() * left * right
    for _, values in columns:
        if values.dtype != np.float64:
            levels, code = np.unique(values, return_inverse=True)
            signal += rng.normal(size=len(levels))[code]
    return signal
