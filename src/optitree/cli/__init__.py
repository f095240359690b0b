"""The command line: a file for each command, and for what commands have in common."""

from typing import Annotated

import typer

from .. import __version__
from .commands import EXIT_CODES, Commands

app = typer.Typer(
    cls=Commands,
    help="Provably optimal sparse regression trees.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"optitree {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Provably optimal sparse regression trees."""
