"""Experiments run on made tables: what they read is cached by name, and forgotten before and after each test."""

import pytest
from benchmarks.data import cells, grouped, household
from benchmarks.solvers.peers import optitree

from experiments import experiment, published

from .made_folder import make_folder


class InThisProcess:
    """Stands for the process of any solver: ours answers, and nothing has to be started."""

    def __init__(self, solver, solve, read):
        self._read = read

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def call(self, cell, limit):
        table = self._read(cell.dataset)
        return optitree(table.X, table.y, cell.regularization, cell.max_depth, limit)()


@pytest.fixture
def at_once(monkeypatch):
    """Start no processes, and forget every table and result that was read."""
    monkeypatch.setattr(experiment, "Worker", InThisProcess)
    caches = (cells.load, grouped.groups, household.read_household, published.read)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.fixture
def made_tables(tmp_path, monkeypatch, at_once):
    """The folder that experiments read instead of the shared one."""
    folder = make_folder(tmp_path / "shared")
    monkeypatch.setenv("OPTITREE_SHARED", str(folder))
    return folder
