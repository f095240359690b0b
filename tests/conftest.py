"""What all tests have in common: how they are shared out among processes."""

from typing import Any

import pytest
from hypothesis import settings

TOGETHER = ("tests/distributed/", "tests/exports/")

# How long an example takes depends on what the other processes do.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of engines in one process: Spark and Dask take longer to start than most tests to run.

    So those of exports, which all use the same few models.

    (A mark for groups would say the same, but pytest 9.2 does not let xdist 3.8 see it.)
    """
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415  (calls this hook if it is there)

    class SomeTogether(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid)

    return SomeTogether(config, log)
