"""The command line."""

import json
import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from . import __version__
from .conditions.binarizer import Binarizer
from .demo import run_demo
from .errors import LimitWarning
from .groups.compress import compress
from .groups.engines.data_files import open_files
from .groups.groups import Groups
from .models.estimator import OptimalTreeRegressor
from .models.load import load
from .models.parameters import check_search
from .models.path import Path as TreePath
from .models.path import check_path_parameters, regularization_path
from .output.plots import check_plot, plot_path, save_plot
from .output.text import export_text
from .solver.losses import LOSSES, loss_of
from .table.columns import column_names
from .table.frames import check_names
from .verify import main as check_certificate
from .writing import replacing

app = typer.Typer(
    help="Provably optimal sparse regression trees.\n\nExit codes: 0 done, 1 the data or a file cannot be used (the "
    "reason is on standard error), 2 wrong usage, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
)

Files = Annotated[list[str], typer.Argument(help="CSV or Parquet files, or patterns such as 'part-*.parquet'.")]
Where = Annotated[str | None, typer.Option(help='Which rows to take, in SQL: "price is not null".')]
Memory = Annotated[float | None, typer.Option(help="Megabytes for reading the files; None for a quarter of memory.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, for machines.")]
Target = Annotated[str, typer.Option(help="The column to predict.")]
Weight = Annotated[str | None, typer.Option(help="The column with the weights of the rows.")]
Ignore = Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")]
Loss = Annotated[str, typer.Option(help=f"{', '.join(LOSSES[:-1])} or {LOSSES[-1]}.")]
Quantile = Annotated[float, typer.Option(help="Which quantile, for --loss quantile.")]
MaxDepth = Annotated[int | None, typer.Option(help="The most questions to a leaf.")]
MinSamplesLeaf = Annotated[int, typer.Option(help="The fewest rows of a leaf.")]
Thresholds = Annotated[str, typer.Option(help="auto, quantile, uniform, all or reference.")]
MaxThresholds = Annotated[int, typer.Option(help="The most thresholds of a column.")]
Encoding = Annotated[str, typer.Option(help="threshold or interval.")]
MaxCategories = Annotated[int, typer.Option(help="The most levels of a category that have a condition each.")]
TimeLimit = Annotated[float, typer.Option(help="Seconds for the search.")]
MemoryLimit = Annotated[float | None, typer.Option(help="Megabytes of the whole process for the search.")]
Report = Annotated[Path | None, typer.Option(help="Write a report to this HTML file, which opens anywhere.")]
Jobs = Annotated[int, typer.Option(help="Threads of the search; -1 for all processors.")]


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


@app.command()
def fit(
    files: Files,
    target: Target,
    weight: Weight = None,
    ignore: Ignore = None,
    where: Where = None,
    regularization: Annotated[float, typer.Option(help="The penalty for a leaf, as a share of the root loss.")] = 0.01,
    loss: Loss = "squared_error",
    quantile: Quantile = 0.5,
    max_depth: MaxDepth = None,
    max_leaves: Annotated[int | None, typer.Option(help="The most leaves.")] = None,
    min_samples_leaf: MinSamplesLeaf = 1,
    thresholds: Thresholds = "auto",
    max_thresholds: MaxThresholds = 6,
    encoding: Encoding = "threshold",
    max_categories: MaxCategories = 10,
    time_limit: TimeLimit = 60,
    memory_limit: MemoryLimit = None,
    n_jobs: Jobs = 1,
    read_memory: Memory = None,
    save: Annotated[Path | None, typer.Option(help="Write the model to this JSON file.")] = None,
    save_groups: Annotated[Path | None, typer.Option(help="Write the groups to this file, to fit again.")] = None,
    report: Report = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the proof to this file, for optitree verify.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the best tree for a table in files, of any size: DuckDB groups the rows, the search sees only groups."""
    model = OptimalTreeRegressor(
        regularization,
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_samples_leaf=min_samples_leaf,
        loss=loss,
        quantile=quantile,
        time_limit=time_limit,
        memory_limit=memory_limit,
        n_jobs=n_jobs,
        binarizer=Binarizer(thresholds, max_thresholds, encoding=encoding, max_categories=max_categories),
        verbose=_on_terminal(),
    )
    with _plain_errors():
        needed = check_search(model).problem.minimised.needs_values
        _check_folders(save, save_groups, report, certificate)
        with _waiting("reading and grouping the rows"):
            table = open_files(files, ignore=ignore or (), where=where, megabytes=read_memory)
            groups = compress(table, target=target, weight=weight, binarizer=model.binarizer, values=needed)
        if _on_terminal():
            typer.echo(f"{groups.n_rows:,} rows, {len(groups):,} groups, {len(groups.conditions)} conditions", err=True)
        if save_groups is not None:
            groups.save(save_groups)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)  # the closing line says it
            model.fit_groups(groups)
            if certificate is not None:
                _certify(model, groups, (target, weight), certificate)
        if save is not None:
            model.save(save)
        if report is not None:
            model.report(report, target=target)
    typer.echo(json.dumps(_summary(model, groups)) if as_json else export_text(model))


def _certify(model: OptimalTreeRegressor, groups: Groups, columns: tuple[str, str | None], file: Path) -> None:
    with _waiting("writing the certificate"):
        model.certificate(groups).named(*columns).save(file)


@app.command()
def path(
    files: Files,
    target: Target,
    weight: Weight = None,
    ignore: Ignore = None,
    where: Where = None,
    min_regularization: Annotated[float, typer.Option(help="The lowest regularization: where the path ends.")] = 0.001,
    max_leaves: Annotated[int | None, typer.Option(help="End the path after trees of so many leaves.")] = None,
    loss: Loss = "squared_error",
    quantile: Quantile = 0.5,
    max_depth: MaxDepth = None,
    min_samples_leaf: MinSamplesLeaf = 1,
    thresholds: Thresholds = "auto",
    max_thresholds: MaxThresholds = 6,
    encoding: Encoding = "threshold",
    max_categories: MaxCategories = 10,
    time_limit: TimeLimit = 60,
    memory_limit: MemoryLimit = None,
    n_jobs: Jobs = 1,
    read_memory: Memory = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw loss against leaves to this file, .png, .svg or .pdf.")
    ] = None,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """List every optimal tree as the regularization falls, with the interval on which each is optimal."""
    binarizer = Binarizer(thresholds, max_thresholds, encoding=encoding, max_categories=max_categories)
    search: dict[str, Any] = {
        "min_regularization": min_regularization,
        "max_leaves": max_leaves,
        "loss": loss,
        "quantile": quantile,
        "max_depth": max_depth,
        "min_samples_leaf": min_samples_leaf,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "n_jobs": n_jobs,
        "verbose": _on_terminal(),
    }
    with _plain_errors():
        model, *_ = check_path_parameters(**search)
        needed = loss_of(model.loss, model.quantile).needs_values
        _check_folders(plot, report)
        if plot is not None:
            check_plot(plot)
        with _waiting("reading and grouping the rows"):
            table = open_files(files, ignore=ignore or (), where=where, megabytes=read_memory)
            groups = compress(table, target=target, weight=weight, binarizer=binarizer, values=needed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)  # the status says it
            found = regularization_path(groups, **search)
        if plot is not None:
            save_plot(lambda ax: plot_path(found, ax), plot)
        if report is not None:
            found.report(report, target=target)
    typer.echo(json.dumps(_path_summary(found, groups)) if as_json else _path_text(found))


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A model written by optitree fit --save.")],
    files: Files,
    output: Annotated[Path | None, typer.Option(help="A CSV file to write; None for standard output.")] = None,
    where: Where = None,
    read_memory: Memory = None,
) -> None:
    """Predict every row of a table in files: one column, prediction, in the order of the rows."""
    with _plain_errors():
        tree = load(model)
        table = open_files(files, where=where, megabytes=read_memory)
        names = column_names(getattr(tree, "feature_names_in_", None), tree.n_features_in_)
        check_names([names[k] for k in tree.tree_.columns], table.columns)
        # The file to write may be the very file that is read: it is replaced at the end.
        with nullcontext(sys.stdout) if output is None else replacing(output, "w") as out:
            out.write("prediction\n")
            for batch in table.to_arrow_reader(100_000):
                if len(batch):
                    out.writelines(f"{value!r}\n" for value in tree.predict(_as_table(batch)).tolist())


@app.command()
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
    with _plain_errors():
        given = ([str(certificate)], [str(table)] if table else [], _named("--target", target))
        options = (_named("--weight", weight), _named("--tree", None if tree is None else str(tree)))
        code = check_certificate([*chain(*given, *options)])
    raise typer.Exit(code)


def _named(option: str, value: str | None) -> list[str]:
    return [] if value is None else [option, value]


def _as_table(batch: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415  (comes with the extra that reads files)

    return pa.Table.from_batches([batch])


def _summary(model: OptimalTreeRegressor, groups: Any) -> dict[str, Any]:
    return {
        "status": model.status_,
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "gap": model.gap_,
        "proven_depth": model.proven_depth_,
        "loss": model.loss_,
        "root_loss": model.root_loss_,
        "leaves": model.n_leaves_,
        "depth": model.depth_,
        "rows": groups.n_rows,
        "groups": len(groups),
        "conditions": [str(condition) for condition in groups.conditions],
        "seconds": model.solution_.seconds,
        "tree": export_text(model).splitlines()[:-1],
    }


def _path_summary(found: TreePath, groups: Groups) -> dict[str, Any]:
    columns = found.to_dict()
    columns["regularization_to"] = [None if r == math.inf else r for r in columns["regularization_to"]]
    columns["tree"] = [export_text(model).splitlines()[:-1] for model in found]
    return {
        "status": found.status,
        "rows": groups.n_rows,
        "groups": len(groups),
        "conditions": [str(condition) for condition in groups.conditions],
        "trees": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    }


def _path_text(found: TreePath) -> str:
    many = f"{len(found)} optimal tree{'' if len(found) == 1 else 's'}"
    if found.status == "optimal":
        return f"{found.to_text()}\n{many}, proven down to regularization {found.steps[-1].low:.6g}"
    reason = found.status.replace("_", " ")
    return f"{found.to_text()}\n{many}; the {reason} came before the rest, below {found.steps[-1].low:.6g}"


def _check_folders(*paths: Path | None) -> None:
    """Notice before the work that what is found could not be saved."""
    for path in paths:
        if path is not None and not path.absolute().parent.is_dir():
            raise ValueError(f"there is no folder {path.absolute().parent} to save to; create it first")


def _on_terminal() -> bool:
    return sys.stderr.isatty()


@contextmanager
def _waiting(what: str) -> Iterator[None]:
    """Show on a terminal that something is going on."""
    if not _on_terminal():
        yield
        return
    with Console(stderr=True).status(what):
        yield


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Say what is wrong in one sentence, without a traceback."""
    try:
        yield
    except BrokenPipeError:
        raise typer.Exit(1) from None  # whoever reads the output has gone
    except (ValueError, TypeError, OSError, ImportError) as error:
        typer.echo(f"optitree: {error}", err=True)
        raise typer.Exit(1) from None
    except Exception as error:
        if "duckdb" not in type(error).__module__:
            raise
        typer.echo(f"optitree: DuckDB: {str(error).splitlines()[0]}", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo("optitree: interrupted", err=True)
        raise typer.Exit(130) from None
