"""The paper's tables and results are other people's data and not part of the project."""

import pytest
from benchmarks.data.cells import DataMissingError, shared_folder


@pytest.fixture(autouse=True)
def shared_data():
    """Skip, with the reason, where the data is absent: the tests that every user runs pass without it."""
    try:
        return shared_folder()
    except DataMissingError as problem:  # which says where the data is expected
        pytest.skip(str(problem))
