"""``optitree path``: every optimal tree as the regularization falls."""

from pathlib import Path as FilePath
from typing import Annotated, Any

import typer

from ..groups.groups import Groups
from ..models.path import Path, check_path_parameters, regularization_path
from ..output.plots import check_plot, plot_path, save_plot
from ..solver.losses import loss_of
from .answers import groups_data, model_data, print_json
from .failures import interrupted
from .options import (
    AsJson,
    Columns,
    Conditions,
    Effort,
    LeastRegularization,
    Report,
    Source,
    Trees,
    expanded,
    tree_option,
)
from .reading import groups_of
from .watching import check_folders, watched


@expanded
def path(
    columns: Columns,
    source: Source,
    trees: Trees,
    conditions: Conditions,
    effort: Effort,
    min_regularization: LeastRegularization = 0.001,
    max_leaves: Annotated[int | None, tree_option("End the path after trees of so many leaves.")] = None,
    plot: Annotated[
        FilePath | None, typer.Option(help="Draw loss against leaves to this file, .png, .svg or .pdf.")
    ] = None,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """List every optimal tree as the regularization falls, with the interval on which each is optimal."""
    search: dict[str, Any] = {
        "min_regularization": min_regularization,
        "max_leaves": max_leaves,
        **vars(trees),
        **effort.limits(),
    }
    model, *_ = check_path_parameters(**search)
    needed = loss_of(model.loss, model.quantile).needs_values
    check_folders(plot, report)
    if plot is not None:
        check_plot(plot)
    with watched(effort.quiet):
        groups = groups_of(source, columns, conditions.binarizer(), values=needed)
        found = regularization_path(groups, **search)
    if as_json:
        print_json(_data(found, groups))
    else:
        typer.echo(_text(found))
    if plot is not None:
        save_plot(lambda ax: plot_path(found, ax), plot)
    if report is not None:
        found.report(report, target=columns.target)
    if found.status == "interrupted":
        raise interrupted("these are the trees that were proven optimal by then")


def _data(found: Path, groups: Groups) -> dict[str, Any]:
    columns = found.to_dict()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    each = [{**row, "tree": model_data(model)["tree"]} for row, model in zip(rows, found, strict=True)]
    return {"status": found.status, **groups_data(groups), "trees": each}


def _text(found: Path) -> str:
    if not len(found):
        return "no tree was proven optimal before the search ended"
    many = f"{len(found)} optimal tree{'' if len(found) == 1 else 's'}"
    if found.status == "optimal":
        return f"{found.to_text()}\n{many}, proven down to regularization {found.steps[-1].low:.6g}"
    reason = found.status.replace("_", " ")
    return f"{found.to_text()}\n{many}; the {reason} came before the rest, below {found.steps[-1].low:.6g}"
