"""``optitree export``: a saved tree in another language."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..models.load import load
from ..output.exports import EXPORT_FORMATS
from ..output.exports import export as export_model
from ..writing import replacing
from .options import Model, expanded
from .watching import check_folders

_BY_SUFFIX = {
    ".csv": "csv", ".json": "json", ".dot": "dot", ".gv": "dot", ".tex": "latex", ".md": "markdown", ".py": "python",
    ".c": "c", ".h": "c", ".sql": "sql-duckdb", ".onnx": "onnx",
}  # fmt: skip


@expanded
def export(
    model: Model,
    format: Annotated[
        str | None, typer.Option(help=f"{', '.join(EXPORT_FORMATS)}. By default what the name of the output says.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="A file to write; standard output if there is none.")] = None,
) -> None:
    """Write a saved tree in another language; each predicts exactly what the model predicts."""
    check_folders(output)
    wanted = format or (None if output is None else _BY_SUFFIX.get(output.suffix.lower()))
    if wanted is None:
        raise typer.BadParameter(f"name one of {', '.join(EXPORT_FORMATS)}", param_hint="--format")
    if wanted not in EXPORT_FORMATS:
        raise ValueError(f"format {wanted!r} is not known; use one of {', '.join(EXPORT_FORMATS)}")
    content = export_model(load(model), wanted)
    if output is None:
        if isinstance(content, bytes):
            sys.stdout.buffer.write(content)
        else:
            typer.echo(content.removesuffix("\n"))
        return
    with replacing(output, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
