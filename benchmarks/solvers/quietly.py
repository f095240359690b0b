"""A fit of ours that says in its status, not in a warning, that a limit ended it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from optitree import LimitWarning, OptimalTreeRegressor


def quietly(fit: Callable[..., OptimalTreeRegressor], *data: Any) -> OptimalTreeRegressor:
    """Fit; a limit reached is read from status_."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        return fit(*data)
