"""Reports, summaries, pictures and notebooks, without a browser."""

import json
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from matplotlib.figure import Figure

from optitree import (
    OptimalTreeRegressor,
    compress,
    load,
    near_optimal_trees,
    plot_convergence,
    plot_tree,
    regularization_path,
)
from optitree.output.words import with_thousands, with_unit


def content_of(file):
    return json.loads(re.search(r'id="content">(.*?)</script>', file.read_text(), re.DOTALL).group(1))


def test_the_summary_has_the_scope_of_the_proof(fitted):
    text = fitted.summary()
    assert text.startswith(f"The tree has {fitted.n_leaves_} leaves and explains ")
    conditions = len(fitted.binarizer_.conditions_)
    assert f"{conditions} conditions on 3 columns, with at most 3 questions" in text
    assert "up to 1e-9" in text


def test_a_report_is_one_small_file_written_soon(sample, tmp_path):
    model = OptimalTreeRegressor(0.0, max_leaves=20, max_depth=6, time_limit=None).fit(*sample)
    start = time.perf_counter()
    model.report(tmp_path / "tree.html")
    assert time.perf_counter() - start < 1
    text = (tmp_path / "tree.html").read_text()
    assert len(text.encode()) < 500_000
    assert not re.search(r"""(src|href)=["']?http""", text)


def test_paths_and_near_optimal_trees_have_reports_and_summaries(sample, tmp_path):
    path = regularization_path(*sample, max_depth=3)
    path.report(tmp_path / "path.html")
    assert len(content_of(tmp_path / "path.html")["trees"]) == len(path)
    near = near_optimal_trees(*sample, 0.1, max_depth=3)
    near.report(tmp_path / "near.html")
    content = content_of(tmp_path / "near.html")
    assert content["count"] == len(near)
    assert all(leaf["bins"] for leaf in content["trees"][0]["nodes"] if "condition" not in leaf)
    assert f"{len(near)} tree" in near.summary()
    assert "<b" in path._repr_html_()


def test_histograms_weigh_what_leaves_weigh_and_survive_a_file(fitted, tmp_path):
    tree = fitted.tree_
    assert tree.targets.exact
    for leaf, weights in tree.targets.weights.items():
        assert sum(weights) == pytest.approx(tree.nodes[leaf].weight)
    fitted.save(tmp_path / "tree.json")
    again = load(tmp_path / "tree.json")
    assert again.tree_.targets == tree.targets
    assert again.solution_.trace == fitted.solution_.trace


def test_groups_without_values_say_that_their_histograms_are_of_means():
    import pandas as pd  # noqa: PLC0415

    frame = pd.DataFrame({"a": [0, 0, 1, 1] * 5, "y": np.arange(20.0)})
    model = OptimalTreeRegressor().fit_groups(compress(frame, target="y"))
    assert not model.tree_.targets.exact
    assert OptimalTreeRegressor().fit(frame[["a"]], frame["y"]).tree_.targets.exact


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_pictures_take_axes_and_are_saved(fitted, tmp_path, kind):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plot_tree(fitted, left) is left
    assert plot_convergence(fitted, right) is right
    figure.savefig(tmp_path / f"picture.{kind}")
    values = {text.get_text() for text in left.texts}
    assert {"yes", "no"} <= values


def test_a_fitted_model_prints_its_tree_and_an_unfitted_one_its_parameters(fitted):
    assert "predict" in str(fitted)
    assert "proven in" in str(fitted)
    assert "predict" not in str(OptimalTreeRegressor())
    assert "proven optimal" in fitted._repr_mimebundle_()["text/html"]
    assert "text/html" in OptimalTreeRegressor()._repr_mimebundle_()


def test_numbers_are_written_with_units_and_thousands():
    assert with_thousands("1234567.5") == "1,234,567.5"
    assert with_thousands("-2024") == "-2024"
    assert (with_unit("3", "$"), with_unit("-3", "€"), with_unit("3", "%")) == ("$3", "-€3", "3%")
    assert with_unit("3", "years") == "3 years"


def test_import_is_quick_and_takes_nothing_along():
    code = (
        "import time; start = time.perf_counter(); import optitree; took = time.perf_counter() - start; import sys; "
        "print(took, *{name.partition('.')[0] for name in sys.modules} & {'matplotlib', 'rich', 'jinja2'})"
    )
    took, *loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert float(took) < 0.5
    assert loaded == []
