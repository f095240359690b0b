"""``optitree show``: a saved tree, for people."""

from pathlib import Path
from typing import Annotated

import typer

from ..models.load import load
from ..output.plots import check_plot, plot_tree, save_figure
from ..output.text import export_text
from .answers import model_data, print_json
from .options import AsJson, Model, Report, expanded
from .watching import check_folders


@expanded
def show(
    model: Model,
    decimals: Annotated[int, typer.Option(help="Digits after the point in the predictions.")] = 2,
    report: Report = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the tree to this file, .png, .svg or .pdf.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print a saved tree and one paragraph about what it explains and what is proven."""
    check_folders(report, plot)
    if plot is not None:
        check_plot(plot)
    tree = load(model)
    if as_json:
        print_json(model_data(tree))
    else:
        typer.echo(f"{export_text(tree, decimals=decimals)}\n\n{tree.summary()}")
    if report is not None:
        tree.report(report)
    if plot is not None:
        save_figure(plot_tree(tree).figure, plot)
