"""A sample of `python -m experiments loss`: no published tree beats ours."""

import pytest
from experiments.__main__ import main


@pytest.mark.parametrize("dataset", ["airquality", "servo", "sync", "yacht"])
def test_no_published_tree_is_better(dataset, tmp_path, capsys):
    assert main(["loss", "--quick", "--datasets", dataset, "--output", str(tmp_path)]) == 0
    assert "No published or live tree of any method lies below our frontier." in capsys.readouterr().out
