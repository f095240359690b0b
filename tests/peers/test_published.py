"""A sample of `python -m benchmarks.published`: no published tree beats ours."""

import pytest

from benchmarks import published


@pytest.mark.parametrize("dataset", ["airquality", "servo", "sync", "yacht"])
def test_no_published_tree_is_better(dataset, capsys):
    assert published.main(["--dataset", dataset, "--depth", "2", "--depth", "3", "--depth", "4"]) == 0
    assert "No published tree beats ours." in capsys.readouterr().out
