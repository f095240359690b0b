"""``optitree compare``: what a greedy tree of as many leaves loses."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from ..models.estimator import OptimalTreeRegressor
from ..models.parameters import check_search
from ..output.text import export_text
from ..solver.losses import Loss, loss_of
from .answers import model_data, print_json
from .failures import interrupted
from .greedy import Encoded, fit_greedy
from .options import (
    AsJson,
    Columns,
    Conditions,
    Effort,
    MaxLeaves,
    Regularization,
    Source,
    Trees,
    expanded,
    tree_option,
)
from .reading import Rows, rows_of
from .watching import watched


@dataclass(frozen=True)
class _Measured:
    """A tree as it is compared; ``test_score`` is NaN where no rows were set aside."""

    leaves: int
    depth: int
    loss: float
    score: float
    objective: float
    test_score: float


@expanded
def compare(
    columns: Columns,
    source: Source,
    trees: Trees,
    conditions: Conditions,
    effort: Effort,
    regularization: Regularization = 0.01,
    max_leaves: MaxLeaves = None,
    test_share: Annotated[float, tree_option("A share of the rows to set aside, to see how both predict them.")] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Set the best tree beside scikit-learn's greedy tree (CART) of as many leaves, on the same rows."""
    model = OptimalTreeRegressor(
        regularization, max_leaves=max_leaves, binarizer=conditions.binarizer(), **vars(trees), **effort.limits()
    )
    check_search(model)
    if not 0 <= test_share < 1:
        raise ValueError(f"test_share={test_share} must be at least 0 and below 1, for example 0.25")
    with watched(effort.quiet) as display:
        rows = rows_of(source, columns)
        train = _chosen(len(rows.y), test_share)
        try:
            model.fit(rows.X.filter(train), rows.y[train], _part(rows.weight, train))
        except KeyboardInterrupt:
            if getattr(model, "status_", None) != "interrupted":
                raise
        display.stage("fitting the greedy tree")
        ours, theirs = _measure(model, rows, train)
    if as_json:
        print_json({"optimal": {**asdict(ours), **model_data(model)}, "greedy": asdict(theirs), "rows": len(rows.y)})
    else:
        typer.echo(f"{export_text(model)}\n\n{_text(model, ours, theirs, int((~train).sum()))}")
    if model.status_ == "interrupted":
        raise interrupted(f"this is the best tree so far, and no tree is better by more than {model.gap_:.4g}")


def _chosen(rows: int, test_share: float) -> NDArray[np.bool_]:
    """Return which rows are for training: the same ones for the same number of rows."""
    train = np.ones(rows, dtype=bool)
    train[np.random.default_rng(0).permutation(rows)[: int(rows * test_share)]] = False
    return train


def _part(values: Any, which: NDArray[np.bool_]) -> Any:
    return None if values is None else values[which]


def _measure(model: OptimalTreeRegressor, rows: Rows, train: NDArray[np.bool_]) -> tuple[_Measured, _Measured]:
    """Fit the greedy tree, and measure both on the rows for training and on those set aside."""
    loss = loss_of(model.loss, model.quantile)
    encoded = Encoded.of(rows.X).values
    limits = {"max_depth": model.max_depth or None, "min_samples_leaf": model.min_samples_leaf}
    weight = _part(rows.weight, train)
    greedy = fit_greedy(Encoded(encoded[train]), rows.y[train], weight, loss, leaves=model.n_leaves_, **limits)
    predicted = (model.predict(rows.X), model.n_leaves_, model.depth_), (
        greedy.predict(encoded), int(greedy.get_n_leaves()), int(greedy.get_depth()),
    )  # fmt: skip
    found = []
    for values, leaves, depth in predicted:
        mean, score = _loss_and_score(loss, rows, values, train)
        test = _loss_and_score(loss, rows, values, ~train)[1] if not train.all() else np.nan
        found.append(_Measured(leaves, depth, mean, score, (1 - score) + model.regularization * leaves, test))
    return found[0], found[1]


def _loss_and_score(loss: Loss, rows: Rows, predicted: NDArray[Any], which: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the mean loss, and which share of that of the best constant is taken away."""
    y, weight = rows.y[which], _part(rows.weight, which)
    mean = loss.mean(y, predicted[which], weight)
    middle = np.average(y, weights=weight) if loss.name == "squared_error" else _median(y, weight)
    root = loss.mean(y, np.full(len(y), middle), weight)
    return float(mean), float(1 - mean / root) if root > 0 else 1.0


def _median(y: NDArray[np.float64], weight: Any) -> float:
    order = np.argsort(y, kind="stable")
    weights = np.ones(len(y)) if weight is None else weight
    heights = np.cumsum(weights[order])
    return float(y[order][np.searchsorted(heights, heights[-1] / 2)])


def _text(model: OptimalTreeRegressor, ours: _Measured, theirs: _Measured, aside: int) -> str:
    score = loss_of(model.loss, model.quantile).score.upper().replace("2", "²")
    head = f"{'':20}  leaves  depth          loss  {score:>7}  objective"
    lines = [head + (f"  {score} of {aside:,} rows set aside" if aside else "")]
    for name, tree in (("best tree", ours), ("greedy tree (CART)", theirs)):
        test = f"  {tree.test_score:.4f}" if aside else ""
        size = f"{name:20}  {tree.leaves:6}  {tree.depth:5}"
        lines.append(f"{size}  {tree.loss:12.6g}  {tree.score:7.4f}  {tree.objective:9.6f}{test}")
    lost = theirs.objective - ours.objective
    if lost > 0:
        more = f"{100 * (theirs.loss / ours.loss - 1):.1f} % more loss" if ours.loss > 0 else "loss"
        lines.append(f"greedy loses {lost:.6f} of the objective: {more} with {theirs.leaves} leaves")
    elif lost == 0:
        lines.append("greedy loses nothing here: its tree is as good")
    else:
        lines.append(
            f"greedy is better by {-lost:.6f}: it may ask conditions that were not offered to the search; raise "
            "--max-thresholds"
        )
    return "\n".join(lines)
