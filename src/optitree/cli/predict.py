"""``optitree predict``: a prediction for every row of a table."""

import csv
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from ..models.load import load
from ..table.columns import column_names
from ..table.frames import check_names, nearest
from ..writing import replacing
from .options import Model, Source, expanded
from .reading import opened
from .watching import check_folders

_PIECE = 100_000  # rows


@expanded
def predict(
    model: Model,
    source: Source,
    output: Annotated[Path | None, typer.Option(help="A CSV file to write; standard output if there is none.")] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="A column to carry through, such as an id; may be repeated.")
    ] = None,
) -> None:
    """Predict every row of a table, in the order of the rows: the columns to keep, then prediction."""
    tree = load(model)
    check_folders(output)
    names = column_names(getattr(tree, "feature_names_in_", None), tree.n_features_in_)
    asked = [names[k] for k in tree.tree_.columns]
    kept = list(dict.fromkeys(keep or ()))
    if "prediction" in kept:
        raise ValueError("the column 'prediction' cannot be kept beside the prediction; rename it")
    with opened(source, only=asked) as table:
        check_names(asked, table.columns)
        for name in kept:
            if name not in table.columns:
                raise ValueError(f"there is no column {name!r} to keep; {nearest(name, table.columns)}")
        # The file to write may be the very file that is read: it is replaced at the end.
        with nullcontext(sys.stdout) if output is None else replacing(output, "w") as out:
            write = csv.writer(out, lineterminator="\n").writerows
            head = [[*kept, "prediction"]]
            for batch in table.to_arrow_reader(_PIECE):
                if len(batch):
                    rows = _as_table(batch)
                    carried = (map(_text, rows.column(name).to_pylist()) for name in kept)
                    predicted = map(repr, tree.predict(rows).tolist())
                    write(head)  # which is not there alone where no prediction can be made
                    head = []
                    write(zip(*carried, predicted, strict=True))
            write(head)


def _text(value: Any) -> Any:
    """Return a value as a file of text has it."""
    return "" if value is None else repr(value) if isinstance(value, float) else value


def _as_table(batch: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415  (comes with the extra that reads files)

    return pa.Table.from_batches([batch])
