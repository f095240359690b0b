"""``optitree near``: all trees that are nearly as good as the best."""

from typing import Annotated, Any

import typer

from ..models.estimator import OptimalTreeRegressor
from ..models.near_optimal import NearOptimalTrees, near_optimal_trees
from ..models.parameters import check_near, check_search
from ..output.text import export_text
from ..output.words import on_one_line
from .answers import groups_data, model_data, print_json
from .failures import interrupted
from .options import AsJson, Columns, Conditions, Effort, Regularization, Report, Source, Trees, expanded, tree_option
from .reading import groups_of
from .watching import check_folders, watched

_SHOWN = 10


@expanded
def near(
    columns: Columns,
    source: Source,
    trees: Trees,
    conditions: Conditions,
    effort: Effort,
    regularization: Regularization = 0.01,
    within: Annotated[float, tree_option("How much worse than the best trees may be, as a share of it.")] = 0.02,
    max_trees: Annotated[int, tree_option("If there are more, the best so many are found.")] = 1000,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """List all trees whose objective is within a share of the optimum, and the conditions that they ask."""
    search: dict[str, Any] = {"regularization": regularization, **vars(trees), **effort.limits()}
    model = OptimalTreeRegressor(**search)
    check_near(within, max_trees, {}, ())
    needed = check_search(model).problem.minimised.needs_values
    check_folders(report)
    with watched(effort.quiet):
        groups = groups_of(source, columns, conditions.binarizer(), values=needed)
        found = near_optimal_trees(groups, within=within, max_trees=max_trees, **search)
    if as_json:
        each = [{"rank": at + 1, **model_data(model)} for at, model in enumerate(found)]
        uses = {text: use.trees for text, use in found.condition_use.items()}
        about = {"status": found.status, "optimum": found.optimum, "lower_bound": found.lower_bound}
        print_json({**about, "count": found.count, **groups_data(groups), "condition_use": uses, "trees": each})
    else:
        typer.echo(_text(found))
    if report is not None:
        found.report(report, target=columns.target)
    if found.status == "interrupted":
        raise interrupted("no other tree has an objective below " + f"{found.lower_bound:.6g}")


def _text(found: NearOptimalTrees) -> str:
    lines = [export_text(found.best), "", repr(found).strip("<>").removeprefix("NearOptimalTrees: ")]
    if not len(found):
        return "\n".join(lines)
    lines += ["", "rank  objective  leaves  depth"]
    lines += [
        f"{at + 1:4}  {model.objective_:9.6f}  {model.n_leaves_:6}  {model.depth_:5}"
        for at, model in enumerate(found[:_SHOWN])
    ]
    if len(found) > _SHOWN:
        lines.append(f" ...  and {len(found) - _SHOWN:,} more; --json or --report shows them all")
    uses = [(on_one_line(text), use) for text, use in list(found.condition_use.items())[:_SHOWN]]
    width = max((len(text) for text, _ in uses), default=0)
    lines += ["", "conditions that they ask, most used first"]
    lines += [f"{text:{width}}  in {use.trees:,} of {len(found):,} trees" for text, use in uses]
    return "\n".join(lines)
