"""Reports, summaries, pictures and notebooks, without a browser."""

import html
import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from optitree import (
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    compress,
    export_text,
    load,
    near_optimal_trees,
    plot_convergence,
    plot_path,
    plot_tree,
    plot_validation,
    regularization_path,
)
from optitree.output.words import with_thousands, with_unit
from optitree.solver.solution import TracePoint


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
    assert model.n_leaves_ == 20
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


def test_several_trees_print_a_tree_and_what_is_proven(sample):
    near = near_optimal_trees(*sample, within=0.2, max_depth=2, regularization=0.02)
    assert str(near) == f"{near!r}\n{export_text(near.best)}"
    assert "proven in" in str(near)
    shown = near._repr_html_()
    assert "The best of them:" in shown
    condition, use = next(iter(near.condition_use.items()))
    assert f">{html.escape(condition.replace('<=', '≤'))}</td>" in shown
    assert f">{use.trees} of {len(near)}</td>" in shown
    path = regularization_path(*sample, max_depth=2)
    shown = path._repr_html_()
    assert "The largest of them:" in shown
    assert shown.count("<tr>") == len(path) + 1


def test_histograms_of_a_notebook_stand_below_one_another(fitted):
    shown = fitted._repr_html_()
    assert "display:grid;grid-template-columns:auto auto auto auto 1fr" in shown
    cells = re.search(r"grid;.*?>(.*)</div></div>$", shown).group(1)
    leaves = re.sub(r"<div.*?</div>", "", cells)  # splits have a line of their own
    assert re.sub(r"<svg.*?</svg>", "", leaves).count("<span") == 4 * fitted.n_leaves_
    assert leaves.count("<b ") == fitted.n_leaves_


def test_a_unit_of_no_column_is_refused(tmp_path):
    frame = pd.DataFrame({"age": np.arange(20.0), "size": 1.0})
    model = OptimalTreeRegressor().fit(frame, frame["age"])
    file = tmp_path / "tree.html"
    with pytest.raises(ValueError, match=r"units has 'agee', which is no column; did you mean 'age'\?.*target="):
        model.report(file, units={"agee": "years"})
    with pytest.raises(TypeError, match=r"units=.* must be a mapping"):
        model.report(file, units=["years"])
    assert not file.exists()
    model.report(file, target="price", units={"age": "years", "price": "$"})
    assert "years" in file.read_text()


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


def overlapping(texts, renderer):
    boxes = [text.get_window_extent(renderer) for text in texts]
    return [
        (a.get_text(), b.get_text())
        for (a, left), (b, right) in combinations(zip(texts, boxes, strict=True), 2)
        if min(left.x1, right.x1) - max(left.x0, right.x0) > 1 and min(left.y1, right.y1) - max(left.y0, right.y0) > 1
    ]


@pytest.mark.filterwarnings("ignore::optitree.LimitWarning")
@pytest.mark.parametrize("leaves", [1, 3, 12, 40])
def test_no_text_of_a_tree_touches_another_or_a_box_that_is_not_its_own(leaves):
    rng = np.random.default_rng(0)
    columns = ["size", "a name of a column that goes on and on, as those of spreadsheets do", "$x$ <b>", "level"]
    frame = pd.DataFrame(rng.random((1500, 4)).round(3), columns=columns)
    y = np.floor(frame.to_numpy() * 4) @ np.array([1_000_000.0, 20_000, 5_000, 1_000])
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    for seconds in (1.0, 4.0, 16.0):  # more where others are at work
        model = OptimalTreeRegressor(0.0, max_leaves=leaves, max_depth=7, time_limit=seconds).fit(frame, y)
        if model.n_leaves_ == leaves:
            break
    assert model.n_leaves_ == leaves
    ax = plot_tree(model)
    figure = ax.figure
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    assert overlapping(ax.texts, renderer) == []
    boxes = [patch.get_window_extent(renderer) for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == 2 * leaves - 1
    for text in ax.texts:
        place = text.get_window_extent(renderer)
        met = [
            box
            for box in boxes
            if box.x0 + 1 < place.x1 and place.x0 < box.x1 - 1 and box.y0 + 1 < place.y1 and place.y0 < box.y1 - 1
        ]
        assert len(met) <= 1, text.get_text()
        inside = all(box.x0 <= place.x0 and place.x1 <= box.x1 for box in met)
        assert inside, f"{text.get_text()!r} reaches over the edge of a box"
        assert place.x0 >= 0
        assert place.x1 <= figure.bbox.x1
    shown = {text.get_text() for text in ax.texts}
    for node in model.tree_.nodes:
        if not node.is_leaf:
            threshold = str(node.condition).rpartition(" ")[2]
            assert any(text.endswith(threshold) for text in shown), "the threshold is never cut off"
    pyplot.close(figure)


@pytest.mark.parametrize("leaves", [3, 9])
def test_splits_make_room_for_their_conditions(leaves):
    x = np.arange(90.0) // 10
    frame = pd.DataFrame({"distance to the next station": x, "line\nof the table": -x})
    ax = plot_tree(OptimalTreeRegressor(0.0, max_leaves=leaves).fit(frame, x**2))
    ax.figure.canvas.draw()
    shown = [text.get_text() for text in ax.texts]
    assert sum(text.startswith("distance to the next station ≤ ") for text in shown) == leaves - 1
    pyplot.close(ax.figure)


def test_a_depth_that_is_proven_last_is_named_inside_the_axes(fitted):
    moments = [(0.0, 0), (0.5, 1), (0.98, 2), (1.0, None)]
    trace = tuple(TracePoint(seconds, 0.2, 0.5, 0, 0, depth) for seconds, depth in moments)
    fitted.solution_, before = replace(fitted.solution_, trace=trace), fitted.solution_
    figure = pyplot.figure(figsize=(3, 2), layout="constrained")
    ax = plot_convergence(fitted, figure.subplots())
    fitted.solution_ = before
    figure.canvas.draw()
    frame, renderer = ax.get_window_extent(), figure.canvas.get_renderer()
    named = {text.get_text(): text.get_window_extent(renderer) for text in ax.texts}
    assert named.keys() == {"depth 1", "depth 2"}
    assert all(frame.x0 <= place.x0 and place.x1 <= frame.x1 for place in named.values())
    assert ax.get_legend().get_frame().get_alpha() == 0.85, "lines below do not cross it out"
    pyplot.close(figure)


def test_titles_side_by_side_do_not_collide(sample):
    figure = pyplot.figure(figsize=(7, 3), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    plot_path(regularization_path(*sample, max_depth=3), left)
    plot_validation(OptimalTreeRegressorCV(max_depth=2).fit(*sample), middle)
    plot_convergence(OptimalTreeRegressor(0.01, max_depth=3).fit(*sample), right)
    figure.canvas.draw()
    titles = [text for ax in (left, middle, right) for text in [ax._left_title]]
    assert all(text.get_text() for text in titles)
    assert overlapping(titles, figure.canvas.get_renderer()) == []
    pyplot.close(figure)


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
        "import time; start = time.process_time(); import optitree; took = time.process_time() - start; import sys; "
        "print(took, *{name.partition('.')[0] for name in sys.modules} & {'matplotlib', 'rich', 'jinja2'})"
    )
    times = []
    for _ in range(5):  # others may be at work: seconds of the processor, and the quickest counts
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        took, *loaded = run.stdout.split()
        assert loaded == []
        times.append(float(took))
    assert min(times) < 0.5
