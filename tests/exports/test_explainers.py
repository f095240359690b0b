"""Libraries that take scikit-learn's trees take ours: shap adds up, dtreeviz, supertree and plot_tree draw."""

import html
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.tree import export_text, plot_tree

from .cases import GENERATED, Case, case

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of what they import themselves
    shap = pytest.importorskip("shap", reason="shap is not installed")
    dtreeviz = pytest.importorskip("dtreeviz", reason="dtreeviz is not installed")
    supertree = pytest.importorskip("supertree", reason="supertree is not installed")

mpl.use("Agg")


def test_shap_adds_up_to_the_predictions(case: Case):
    pipeline = case.model.to_sklearn()
    answers = pipeline["conditions"].transform(case.rows[:1000]).astype(float)
    explainer = shap.TreeExplainer(pipeline["tree"])
    total = explainer.expected_value + explainer.shap_values(answers).sum(axis=1)
    np.testing.assert_allclose(total, case.predicted[:1000], rtol=1e-9, atol=1e-9 * np.abs(case.predicted).max())


def drawn():
    """Return a model, its tree, the answers and targets that it was fitted to, and the conditions."""
    frame, target = GENERATED["intervals"][0]()
    model = case("intervals").model
    pipeline = model.to_sklearn()
    names = pipeline["conditions"].get_feature_names_out().tolist()
    return model, pipeline["tree"], pipeline["conditions"].transform(frame).astype(float), target, names


def test_scikit_learn_draws_the_tree():
    model, tree, _, _, names = drawn()
    shown = {artist.get_text().split("\n")[0] for artist in plot_tree(tree, feature_names=names)}
    asked = {str(node.condition) for node in model.tree_.nodes if node.condition}
    assert {f"{condition} <= 0.5" for condition in asked} <= shown
    assert all(condition in export_text(tree, feature_names=names) for condition in asked)


@pytest.mark.filterwarnings("ignore")
def test_dtreeviz_draws_the_tree():
    model, tree, answers, target, names = drawn()
    names = [html.escape(name) for name in names]  # which dtreeviz hands to Graphviz as they are
    view = dtreeviz.model(tree, X_train=answers, y_train=target, feature_names=names, target_name="y")
    assert len(view.shadow_tree.leaves) == model.n_leaves_
    assert "<svg" in view.view(fancy=False).svg()


@pytest.mark.filterwarnings("ignore")
def test_supertree_draws_the_tree(tmp_path):
    model, tree, answers, target, names = drawn()
    view = supertree.SuperTree(tree, answers, target, names, "y")
    view.save_json_tree(str(tmp_path / "tree"))
    (file,) = tmp_path.iterdir()
    text = file.read_text()
    assert all(str(node.condition) in text for node in model.tree_.nodes if node.condition)
