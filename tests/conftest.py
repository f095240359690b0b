"""What all tests have in common: how they are shared out among processes."""

from pathlib import Path

import pytest
from hypothesis import settings

ENGINES = Path(__file__).parent / "distributed"

# How long an example takes depends on what the other processes do.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")


@pytest.hookimpl(tryfirst=True)  # before the names of groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of engines in one process: Spark and Dask take longer to start than most tests to run."""
    for item in items:
        if ENGINES in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("engines"))
