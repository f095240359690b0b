"""The options that commands have in common, in parts; a command takes a part as one parameter."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from ..conditions.binarizer import Binarizer
from ..groups.engines.file_format import FileFormat
from ..solver.losses import LOSSES

_TABLE, _TREES, _SEARCH = "The table", "Which trees", "The search"


def table_option(text: str, *names: str) -> Any:
    """Return an option about the table."""
    return typer.Option(*names, help=text, rich_help_panel=_TABLE)


def tree_option(text: str, *names: str) -> Any:
    """Return an option about the trees to look for."""
    return typer.Option(*names, help=text, rich_help_panel=_TREES)


def search_option(text: str, *names: str) -> Any:
    """Return an option about the search."""
    return typer.Option(*names, help=text, rich_help_panel=_SEARCH)


@dataclass(frozen=True)
class Source:
    """The files of a table, and how they are written."""

    files: Annotated[
        list[str],
        typer.Argument(help="CSV or Parquet files, patterns such as 'part-*.parquet', or - for standard input."),
    ]
    where: Annotated[str | None, table_option('Which rows to take, in SQL: "price is not null".')] = None
    delimiter: Annotated[str | None, table_option("What parts the columns, ; or \\t; by default it is seen.")] = None
    decimal: Annotated[str | None, table_option("The decimal separator, . or ,; by default it is seen.")] = None
    thousands: Annotated[str | None, table_option("What parts thousands: , or . (' and blanks are seen).")] = None
    file_encoding: Annotated[str | None, table_option("utf-8, latin-1, cp1252, ...; by default it is seen.")] = None
    missing: Annotated[
        list[str] | None, table_option("A word for a missing value, beside NA, NaN, null and nothing; may be repeated.")
    ] = None
    skip: Annotated[int, table_option("Lines to leave out before the names of the columns.")] = 0
    read_memory: Annotated[float | None, table_option("Megabytes for reading; by default a quarter of memory.")] = None

    @property
    def format(self) -> FileFormat:
        """How the files are written, as far as that was said."""
        words = tuple(self.missing or ())
        return FileFormat(self.delimiter, self.decimal, self.thousands, self.file_encoding, words, self.skip)


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are for."""

    target: Annotated[str | None, table_option("The column to predict.")] = None
    weight: Annotated[str | None, table_option("The column with the weights of the rows.")] = None
    ignore: Annotated[list[str] | None, table_option("A column to leave out; may be repeated.")] = None


@dataclass(frozen=True)
class Minimised:
    """What is minimised, over trees of which depth."""

    loss: Annotated[str, tree_option(f"{', '.join(LOSSES[:-1])} or {LOSSES[-1]}.")] = "squared_error"
    quantile: Annotated[float, tree_option("Which quantile, for --loss quantile.")] = 0.5
    max_depth: Annotated[int | None, tree_option("The most questions to a leaf.")] = None


@dataclass(frozen=True)
class Trees(Minimised):
    """Which trees are looked for, and what is minimised."""

    min_samples_leaf: Annotated[int, tree_option("The fewest rows of a leaf.")] = 1


@dataclass(frozen=True)
class ValidatedTrees(Minimised):
    """The same where trees are chosen by how they predict."""

    min_samples_leaf: Annotated[
        int | None, tree_option("The fewest rows of a leaf; by default 5, or 1 to 20 if that predicts clearly better.")
    ] = None


@dataclass(frozen=True)
class Conditions:
    """The conditions that trees may ask."""

    thresholds: Annotated[str, tree_option("auto, quantile, uniform, all or reference.")] = "auto"
    max_thresholds: Annotated[int, tree_option("The most thresholds of a column.")] = 6
    encoding: Annotated[str, tree_option("threshold (x <= 3) or interval (1 < x <= 3).")] = "threshold"
    max_categories: Annotated[int, tree_option("The most levels of a category that have a condition each.")] = 10

    def binarizer(self) -> Binarizer:
        """Return what makes them."""
        return Binarizer(
            self.thresholds, self.max_thresholds, encoding=self.encoding, max_categories=self.max_categories
        )


@dataclass(frozen=True)
class Effort:
    """When a search ends, and what is seen of it."""

    time_limit: Annotated[float, search_option("Seconds for the search.")] = 60
    memory_limit: Annotated[float | None, search_option("Megabytes of the whole process for the search.")] = None
    n_jobs: Annotated[int, search_option("Threads of the search; -1 for all processors.")] = 1
    quiet: Annotated[bool, search_option("Show no progress.", "--quiet")] = False

    def limits(self) -> dict[str, Any]:
        """Return the parameters of an estimator."""
        return {"time_limit": self.time_limit, "memory_limit": self.memory_limit, "n_jobs": self.n_jobs}


Regularization = Annotated[float, tree_option("The penalty for a leaf, as a share of the root loss.")]
LeastRegularization = Annotated[float, tree_option("The lowest regularization: where the path ends.")]
MaxLeaves = Annotated[int | None, tree_option("The most leaves.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")]
Report = Annotated[Path | None, typer.Option(help="Write a report to this HTML file, which opens anywhere.")]
Save = Annotated[Path | None, typer.Option(help="Write the model to this JSON file.")]
Model = Annotated[Path, typer.Argument(help="A model written by optitree fit --save.")]


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters that are parts of options are replaced by those options."""
    hints = get_type_hints(command, include_extras=True)
    parts: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name not in parts:
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY))
            continue
        part = parts[parameter.name]
        of_part = get_type_hints(part, include_extras=True)
        parameters += [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if each.default is MISSING else each.default,
                annotation=of_part[each.name],
            )
            for each in fields(part)
        ]

    def run(**given: Any) -> None:
        made = {
            name: part(**{each.name: given.pop(each.name) for each in fields(part)}) for name, part in parts.items()
        }
        command(**made, **given)

    # A line for each paragraph: the terminal breaks it.
    run.__doc__ = "\n\n".join(" ".join(part.split()) for part in (command.__doc__ or "").split("\n\n"))
    run.__name__ = command.__name__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
