"""A sample of `python -m experiments loss`: no published tree beats ours."""

from experiments.__main__ import main


def test_no_published_tree_is_better(tmp_path, capsys):
    datasets = ("airquality", "servo", "sync", "yacht")
    assert main(["loss", "--quick", "--datasets", *datasets, "--output", str(tmp_path)]) == 0
    assert "No published or live tree of any method lies below our frontier." in capsys.readouterr().out
