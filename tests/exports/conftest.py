"""The cases, by their names, and a server that the tests start."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .cases import NAMES, Case, case
from .databases import Postgres, postgres_in


@pytest.fixture(params=NAMES, name="case")
def each_case(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    # Not below pytest's own folder, into which no other user may look.
    with tempfile.TemporaryDirectory(prefix="optitree-postgres-") as folder, postgres_in(Path(folder)) as server:
        yield server
