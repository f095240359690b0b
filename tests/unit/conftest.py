"""Small tables that the unit tests share."""

from typing import NamedTuple

import numpy as np
import pytest

from optitree import OptimalTreeRegressor


class Sample(NamedTuple):
    X: np.ndarray
    y: np.ndarray


def make_sample(rows: int = 60, columns: int = 3, seed: int = 0) -> Sample:
    """Return a step function of the first two columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).round(2)
    y = 3.0 * (X[:, 0] > 0.3) + 2.0 * (X[:, 1] > 0) * (X[:, 0] <= 0.3)
    return Sample(X, y + 0.2 * rng.normal(size=rows))


@pytest.fixture
def sample() -> Sample:
    return make_sample()


@pytest.fixture
def fitted(sample: Sample) -> OptimalTreeRegressor:
    return OptimalTreeRegressor(max_depth=3).fit(*sample)
