"""The demonstration: a real table, its best tree, and what a greedy tree of that size loses."""

import time

from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from .conditions.binarizer import Binarizer
from .models.estimator import OptimalTreeRegressor
from .output.text import export_text

# scikit-learn calls them age, sex, bmi, bp, s1 ... s6; these are what its documentation says.
_COLUMNS = (
    "age",
    "sex",
    "body mass index",
    "blood pressure",
    "total cholesterol",
    "LDL",
    "HDL",
    "cholesterol / HDL",
    "log triglycerides",
    "glucose",
)


def run_demo() -> str:
    """Fit the diabetes table that ships with scikit-learn, in its original units."""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    model = OptimalTreeRegressor(regularization=0.02, max_depth=3, binarizer=Binarizer(max_thresholds=64))
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    greedy = DecisionTreeRegressor(max_leaf_nodes=model.n_leaves_, random_state=0).fit(X, y)
    ours, theirs = model.score(X, y), greedy.score(X, y)
    greedy_objective = (1 - theirs) + model.regularization * greedy.get_n_leaves()
    lines = [
        f"Diabetes progression after one year: {X.shape[0]} patients, {X.shape[1]} measurements,",
        f"{len(model.binarizer_.conditions_)} conditions on them. A leaf must explain "
        f"{model.regularization:.0%} of the variance; at most {model.max_depth} questions a patient.",
        "",
        export_text(model, feature_names=_COLUMNS, decimals=0),
        "",
        f"status        {model.status_}",
        f"objective     {model.objective_:.6f} = {model.loss_ / model.root_loss_:.6f} of the "
        f"variance left + {model.regularization} x {model.n_leaves_} leaves",
        f"lower bound   {model.lower_bound_:.6f}: no tree on these conditions is below it",
        f"time          {seconds:.2f} s in all, {model.solution_.seconds:.2f} s of it search over "
        f"{model.solution_.solved:,} subproblems",
        f"R²            {ours:.1%} with {model.n_leaves_} leaves",
        f"greedy tree   {theirs:.1%} with {greedy.get_n_leaves()} leaves (scikit-learn, free to split "
        "anywhere and at any depth)",
        f"              its objective is {greedy_objective:.6f}: {greedy_objective - model.objective_:.6f} worse",
    ]
    return "\n".join(lines)
