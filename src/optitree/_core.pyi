from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

def group_rows(
    bits: NDArray[np.uint64], target: NDArray[np.float64], weight: NDArray[np.float64] | None = None
) -> tuple[
    NDArray[np.uint64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
]: ...

class Options:
    hierarchical: bool
    lookahead: bool
    leaf_count: bool
    pairs: bool
    kmeans: bool
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
    feature: list[int]
    yes: list[int]
    no: list[int]
    rows: list[float]
    weight: list[float]
    mean: list[float]
    loss: list[float]

def solve(
    bits: NDArray[np.uint64],
    weight: NDArray[np.float64],
    mean: NDArray[np.float64],
    scatter: NDArray[np.float64],
    rows: NDArray[np.float64],
    features: int,
    *,
    regularization: float,
    max_depth: int | None,
    min_samples_leaf: float,
    seconds: float,
    bytes: int,
    options: Options,
    monitor: Callable[[Progress], bool] | None = None,
    trace: bool = False,
) -> Solution: ...
