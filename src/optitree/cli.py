"""The command line."""

from typing import Annotated

import typer

from . import __version__
from .demo import run_demo

app = typer.Typer(help="Provably optimal sparse regression trees.", no_args_is_help=True, add_completion=False)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"optitree {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Provably optimal sparse regression trees."""


@app.command()
def demo() -> None:
    """Fit a real table, print the best tree there is and what is proven about it."""
    typer.echo(run_demo())
