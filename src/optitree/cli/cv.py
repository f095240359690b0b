"""``optitree cv``: the regularization chosen by cross-validation."""

from pathlib import Path
from typing import Annotated, Any

import typer
from sklearn.model_selection import KFold

from ..models.cv import OptimalTreeRegressorCV
from ..models.parameters import whole
from ..output.plots import check_plot, plot_validation, save_plot
from ..output.text import export_text
from .answers import model_data, print_json
from .failures import interrupted
from .options import (
    AsJson,
    Columns,
    Conditions,
    Effort,
    MaxLeaves,
    Report,
    Save,
    Source,
    ValidatedTrees,
    expanded,
    tree_option,
)  # fmt: skip
from .reading import rows_of
from .watching import check_folders, watched


@expanded
def cv(
    columns: Columns,
    source: Source,
    trees: ValidatedTrees,
    conditions: Conditions,
    effort: Effort,
    folds: Annotated[int, tree_option("The number of folds.")] = 5,
    seed: Annotated[
        int | None, tree_option("Shuffle rows with this number; by default folds are made alike by their targets.")
    ] = None,
    selection: Annotated[str, tree_option("min, or one_standard_error: a smaller tree not clearly worse.")] = "min",
    min_regularization: Annotated[
        float | None,
        tree_option(
            "The lowest regularization to compare; by default 0.001, less for many rows, and greedy trees below."
        ),
    ] = None,
    max_leaves: MaxLeaves = None,
    save: Save = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the test loss to this file, .png, .svg or .pdf.")] = None,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Choose the regularization and the depth that predict best by cross-validation, and find the best tree there.

    Where nothing is said of conditions or of leaves, these are what greedy trees predict clearly better with.

    The rows are read into memory; --n-jobs is how many folds are worked on at a time.
    """
    whole("folds", folds, least=2)
    parted = folds if seed is None else KFold(folds, shuffle=True, random_state=seed)
    model = OptimalTreeRegressorCV(
        min_regularization=min_regularization,
        max_leaves=max_leaves,
        binarizer=None if conditions == Conditions() else conditions.binarizer(),
        cv=parted,
        selection=selection,
        **vars(trees),
        **effort.limits(),
    )
    check_folders(save, plot, report)
    if plot is not None:
        check_plot(plot)
    with watched(effort.quiet):
        rows = rows_of(source, columns)
        if len(rows.y) < folds:
            raise ValueError(f"{len(rows.y)} rows cannot be parted into {folds} folds; give --folds {len(rows.y)}")
        model.fit(rows.X, rows.y, sample_weight=rows.weight)
    if as_json:
        print_json({**model_data(model.best_estimator_), **_choice(model), "rows": len(rows.y)})
    else:
        typer.echo(f"{export_text(model.best_estimator_)}\n{_text(model, folds)}")
    if save is not None:
        model.save(save)
    if plot is not None:
        save_plot(lambda ax: plot_validation(model, ax), plot)
    if report is not None:
        model.report(report, target=columns.target)
    if "interrupted" in (model.status_, getattr(model, "choice_status_", None)):
        raise interrupted("this is the best of what was found by then")


def _choice(model: Any) -> dict[str, Any]:
    """Return what was compared, and what was chosen."""
    low, high = model.regularizations_[model.best_index_]
    curve = {name: values.tolist() for name, values in model.cv_results_.items()}
    return {
        "chosen_from": low,
        "chosen_to": high,
        "test_loss": -model.best_score_,
        "test_loss_error": float(model.cv_results_["standard_error"][model.best_index_]),
        "folds": model.n_splits_,
        "curve": curve,
    }


def _text(model: Any, folds: int) -> str:
    chosen = _choice(model)
    return (
        f"chosen by {folds}-fold cross-validation: regularization {model.regularization_:.4g}, test loss "
        f"{chosen['test_loss']:.6g} ± {_rounded(chosen['test_loss_error'])}"
    )


def _rounded(value: float) -> str:
    """Write an error with two digits, and no exponent where it can be read without."""
    return f"{float(f'{value:.2g}'):.6g}"
