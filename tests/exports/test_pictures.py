"""Tables and pictures of the tree: DOT drawn by Graphviz, LaTeX compiled, rules read."""

import csv
import io
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from optitree import OptimalTreeRegressor

from .cases import GENERATED, Case, case


def small() -> OptimalTreeRegressor:
    X = pd.DataFrame({"age|years": [20.0, 30, 40, 50] * 25, "place_1": ["a", "b", "c", None] * 25})
    return OptimalTreeRegressor(0.01).fit(X, X["age|years"] / 10 + (X["place_1"] == "a"))


def test_the_table_has_a_row_for_each_leaf():
    table = small().to_frame()
    assert table.columns.tolist() == ["leaf", "rule", "rows", "share", "prediction", "spread"]
    rules = ["is at most 35", "is more than 35 and at most 45", "is more than 45"]
    assert table["rule"].tolist() == [f"age|years {rule}" for rule in rules]
    assert table["leaf"].tolist() == [1, 3, 4]
    assert table["rows"].tolist() == [50, 25, 25]
    assert table["share"].tolist() == [0.5, 0.25, 0.25]
    assert table["prediction"].tolist() == [3.0, 4.0, 5.0]
    assert table["spread"].tolist() == [0.0, 0.0, 0.0]


def test_the_table_says_what_the_leaves_are(case: Case):
    table, nodes = case.model.to_frame(), case.model.tree_.nodes
    assert [nodes[leaf].value for leaf in table["leaf"]] == table["prediction"].tolist()
    assert set(case.model.apply(case.rows)) <= set(table["leaf"])
    assert table["rule"].is_unique
    read = list(csv.DictReader(io.StringIO(case.model.to_csv().removeprefix("\ufeff"))))
    assert [float(row["prediction"]) for row in read] == table["prediction"].tolist()
    assert [row["rule"] for row in read] == table["rule"].tolist()
    with_spread = table["spread"].notna().all()
    assert with_spread == (case.model.loss != "quantile")


def test_rules_name_every_level():
    levels = [f"level {k}" for k in range(12)]
    X = pd.DataFrame({"of": levels * 10})
    model = OptimalTreeRegressor(0.01).fit(X, X["of"].isin(levels[::2]) * 1.0)
    rules = model.to_frame()["rule"]
    assert "…" not in "".join(rules)
    named = levels[::2] if "level 0" in rules[0] else levels[1::2]
    assert all(level in rules[0] for level in named)


def test_markdown_is_a_table_whatever_the_names(case: Case):
    lines = case.model.to_markdown().splitlines()
    assert len(lines) == case.model.n_leaves_ + 2
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert cells == {5 if case.model.loss == "quantile" else 6}


@pytest.mark.parametrize("name", GENERATED)
def test_graphviz_draws_the_tree(name):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed; on Debian: apt-get install graphviz")
    model = case(name).model
    done = subprocess.run(["dot", "-Tplain"], input=model.to_dot(), capture_output=True, text=True, check=True)
    kinds = [line.split(" ", 1)[0] for line in done.stdout.splitlines()]
    assert kinds.count("node") == len(model.tree_)
    assert kinds.count("edge") == len(model.tree_) - 1
    assert not done.stderr


@pytest.mark.parametrize("name", ["median", "dates between", "quantile", "one leaf"])
def test_latex_compiles(name, tmp_path):
    if shutil.which("pdflatex") is None or not has_forest():
        pytest.skip(
            "LaTeX with forest is not installed; on Debian: apt-get install texlive-latex-base texlive-pictures"
        )
    text = case(name).model.to_latex(document=True).replace("日本", "NIHON")  # for which pdflatex has no font
    (tmp_path / "tree.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tree.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "tree.pdf").stat().st_size > 1000


def has_forest() -> bool:
    wanted = ["forest.sty", "elocalloc.sty", "standalone.cls"]
    return subprocess.run(["kpsewhich", *wanted], capture_output=True, check=False).returncode == 0


def test_latex_has_a_node_for_each_of_the_tree(case: Case):
    text = case.model.to_latex()
    assert text.startswith("\\begin{forest}\n")
    assert len(re.findall(r", prediction\b(?!/)", text)) == case.model.n_leaves_
    assert len(re.findall(r", split\b", text)) == case.model.n_leaves_ - 1


def test_numbers_of_pictures_tell_predictions_apart():
    model = OptimalTreeRegressor(0.001).fit(np.arange(4.0).reshape(-1, 1), [1e-5, 2e-5, 3e-5, 4e-5])
    assert len(set(re.findall(r"\\textbf{(.*?)}", model.to_latex()))) == model.n_leaves_
