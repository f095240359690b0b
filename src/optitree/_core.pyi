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
def order_in_groups(group_of: NDArray[np.uint32], groups: int, values: NDArray[np.float64]) -> NDArray[np.uint32]: ...

class CodedTable:
    def __init__(
        self,
        codes: Sequence[NDArray[np.uint16]],
        sizes: Sequence[int],
        pulls: Sequence[float | None],
        target: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
    ) -> None: ...
    def greedy_splits(self, max_leaves: int) -> tuple[list[int], list[int], list[list[int]]]: ...
    def boosted_splits(self, rounds: int, leaves: int, rate: float) -> tuple[list[int], list[int], list[list[int]]]: ...

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
    triples: bool
    chains: bool
    merge_equal_features: bool

class Effort:
    seconds: float
    solved: int
    cached: int
    bytes: int

class Progress(Effort):
    lower_bound: float
    upper_bound: float
    proven_depth: int | None

class Tree:
    feature: list[int]
    yes: list[int]
    no: list[int]
    rows: list[float]
    weight: list[float]
    value: list[float]
    loss: list[float]

class Grown:
    tree: Tree
    pruned_at: list[float]

class Solution:
    status: str
    objective: float
    lower_bound: float
    proven_depth: int | None
    effort: Effort
    trace: list[Progress]
    prices: list[float]
    tree: Tree

class SharedTrees:
    feature: NDArray[np.int32]
    support: NDArray[np.uint32]
    yes: NDArray[np.uint32]
    no: NDArray[np.uint32]
    rows: NDArray[np.float64]
    weight: NDArray[np.float64]
    value: NDArray[np.float64]
    loss: NDArray[np.float64]
    root: NDArray[np.uint32]
    objective: NDArray[np.float64]

class NearOptimalTrees:
    best: Solution
    status: str
    trees: SharedTrees
    lower_bound: float
    more: bool

class Step:
    tree: Tree
    low: float
    high: float

class Path:
    status: str
    steps: list[Step]
    effort: Effort
    error: float
    known: list[Tree]

class Limits:
    def __init__(self, seconds: float, bytes: int) -> None: ...

class Restrictions:
    def __init__(
        self, regularization: float, max_depth: int | None, min_samples_leaf: float, max_leaves: int | None
    ) -> None: ...

class GroupArrays:
    def __init__(
        self,
        bits: NDArray[np.uint64],
        statistics: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
        features: int,
        points: tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]] | None = None,
    ) -> None: ...

class Task:
    monitor: Callable[[Progress], bool] | None
    def __init__(
        self, groups: GroupArrays, restrictions: Restrictions, loss: str, parameters: Sequence[float]
    ) -> None: ...
    def set_limits(self, limits: Limits) -> None: ...
    def set_options(self, options: Options) -> None: ...
    def set_threads(self, threads: int) -> None: ...

def solve(task: Task) -> Solution: ...
def grow(task: Task) -> Grown | None: ...
def solve_path(task: Task) -> Path: ...
def solve_near_optimal(task: Task, within: float, max_trees: int) -> NearOptimalTrees: ...
def hold_prices(task: Task, prices: NDArray[np.float64]) -> tuple[bool, list[float], list[list[int]]]: ...
