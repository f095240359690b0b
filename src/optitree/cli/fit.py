"""``optitree fit``: the best tree for a table."""

from pathlib import Path
from typing import Annotated

import typer

from ..groups.groups import Groups
from ..models.estimator import OptimalTreeRegressor
from ..models.parameters import check_search
from ..output.text import export_text
from .answers import groups_data, model_data, print_json
from .failures import interrupted, note
from .options import (
    AsJson,
    Columns,
    Conditions,
    Effort,
    MaxLeaves,
    Regularization,
    Report,
    Save,
    Source,
    Trees,
    expanded,
)
from .reading import groups_of
from .watching import check_folders, watched


@expanded
def fit(
    columns: Columns,
    source: Source,
    trees: Trees,
    conditions: Conditions,
    effort: Effort,
    regularization: Regularization = 0.01,
    max_leaves: MaxLeaves = None,
    save: Save = None,
    save_groups: Annotated[
        Path | None, typer.Option(help="Write the groups to this file; fit reads it in place of the table.")
    ] = None,
    report: Report = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof to this file, for optitree verify.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the best tree for a table in files, of any size: DuckDB groups the rows, the search sees only groups.

    Files may also be groups that --save-groups wrote (.npz), which need no --target. Ctrl-C ends the search: the best
    tree so far is printed and saved.
    """
    model = OptimalTreeRegressor(
        regularization, max_leaves=max_leaves, binarizer=conditions.binarizer(), **vars(trees), **effort.limits()
    )
    needed = check_search(model).problem.minimised.needs_values
    check_folders(save, save_groups, report, certificate)
    with watched(effort.quiet) as display:
        groups = groups_of(source, columns, conditions.binarizer(), values=needed)
        if save_groups is not None:
            groups.save(_with_suffix(save_groups))
        fit_groups(model, groups)
    # Printed before it is saved: what cannot be saved is not lost.
    if as_json:
        print_json({**model_data(model), **groups_data(groups)})
    else:
        typer.echo(export_text(model))
    if save is not None:
        model.save(save)
    if report is not None:
        model.report(report, target=columns.target)
    if model.status_ == "interrupted":
        if certificate is not None:
            note("no certificate was written: the search was interrupted before the proof")
        raise interrupted(f"this is the best tree so far, and no tree is better by more than {model.gap_:.4g}")
    if certificate is not None:
        with watched(effort.quiet) as display:
            display.stage("writing the certificate")
            model.certificate(groups).named(columns.target, columns.weight).save(certificate)


def fit_groups(model: OptimalTreeRegressor, groups: Groups) -> None:
    """Fit a model; if Ctrl-C ends the search it has the best tree so far."""
    try:
        model.fit_groups(groups)
    except KeyboardInterrupt:
        if getattr(model, "status_", None) != "interrupted":
            raise


def _with_suffix(path: Path) -> Path:
    """Return a name by which fit knows groups."""
    if path.suffix != ".npz":
        note(f"the groups are written to {path}; fit reads them by a name that ends in .npz")
    return path
