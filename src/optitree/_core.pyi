from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Columns, or a matrix with a column in each of its rows.
Numbers = Sequence[NDArray[np.float64]] | NDArray[np.float64] | NDArray[np.uint8]

def distinct_values(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.uint32], NDArray[np.float64]]: ...
def copy_columns(matrix: NDArray[Any], columns: NDArray[np.float64] | NDArray[np.uint8]) -> bool: ...
def few_values(columns: Numbers) -> list[tuple[list[float], bool] | None]: ...
def have_infinity(columns: Numbers) -> bool: ...
def bin_ranges(
    values: NDArray[np.float64], thresholds: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def group_rows(columns: Sequence[NDArray[np.uint32]], rows: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def group_table(
    columns: Numbers | Sequence[NDArray[Any]],
    intervals: Sequence[tuple[int, int, float, float]],
    conditions: int,
    rows: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint64]]: ...
def add_up(
    group_of: NDArray[np.uint32],
    groups: int,
    mean: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    scatter: NDArray[np.float64] | None = None,
    rows: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def greedy_splits(
    codes: Sequence[NDArray[np.uint16]],
    sizes: Sequence[int],
    ordered: Sequence[bool],
    target: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    max_leaves: int,
) -> tuple[list[int], list[int]]: ...
def boosted_splits(
    codes: Sequence[NDArray[np.uint16]],
    sizes: Sequence[int],
    ordered: Sequence[bool],
    target: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    rounds: int,
    leaves: int,
    rate: float,
) -> tuple[list[int], list[int]]: ...

class Options:
    hierarchical: bool
    lookahead: bool
    leaf_count: bool
    pairs: bool
    kmeans: bool
    prices: bool
    eager: bool
    subset: bool
    cache: bool
    subtraction: bool
    merge_equal_features: bool

class Progress:
    seconds: float
    lower_bound: float
    upper_bound: float
    solved: int
    cached: int
    bytes: int

class Solution:
    status: str
    objective: float
    lower_bound: float
    seconds: float
    solved: int
    cached: int
    bytes: int
    trace: list[Progress]
    tree: Tree
    near: NearOptimal

class NearTree:
    tree: Tree
    objective: float

class NearOptimal:
    status: str
    trees: list[NearTree]
    lower_bound: float
    more: bool

class Tree:
    feature: list[int]
    yes: list[int]
    no: list[int]
    rows: list[float]
    weight: list[float]
    value: list[float]
    loss: list[float]

class Step:
    tree: Tree
    loss: float
    low: float
    high: float

class Path:
    status: str
    steps: list[Step]
    seconds: float
    solved: int
    cached: int
    bytes: int

class Task:
    def __init__(
        self,
        bits: NDArray[np.uint64],
        weight: NDArray[np.float64],
        mean: NDArray[np.float64],
        scatter: NDArray[np.float64],
        rows: NDArray[np.float64],
        features: int,
        *,
        regularization: float,
        max_depth: int | None,
        max_leaves: int | None,
        min_samples_leaf: float,
        rates: tuple[float, float],
        points: tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]] | None,
        seconds: float,
        bytes: int,
        threads: int,
        options: Options,
        monitor: Callable[[Progress], bool] | None = None,
    ) -> None: ...

def solve(task: Task, trace: bool = False, within: float = 0.0, max_trees: int = 0) -> Solution: ...
def solve_path(task: Task) -> Path: ...
