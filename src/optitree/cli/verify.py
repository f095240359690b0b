"""``optitree verify``: the independent check of a certificate."""

from pathlib import Path
from typing import Annotated

import typer

from ..verify import main as check_certificate


def verify(
    certificate: Annotated[Path, typer.Argument(help="A certificate written by optitree fit --certificate.")],
    table: Annotated[
        Path | None, typer.Argument(help="The CSV file it is about; None to check the proof alone.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="The column to predict, if the certificate does not say.")] = None,
    weight: Annotated[str | None, typer.Option(help="The column of weights, if the certificate does not say.")] = None,
    tree: Annotated[
        Path | None, typer.Option(help="Another tree in JSON: null, or [condition, where it holds, where not].")
    ] = None,
) -> None:
    """Check a certificate: exit code 0 if all that it claims holds (and the other tree, if any, is optimal), else 1."""
    told = [str(certificate), *([str(table)] if table else [])]
    for option, value in (("--target", target), ("--weight", weight), ("--tree", tree)):
        told += [] if value is None else [option, str(value)]
    raise typer.Exit(check_certificate(told))
