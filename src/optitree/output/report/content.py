"""What a report says, as plain values: everything that is read is worded here, the page only shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...conditions.condition import Condition
from ...conditions.values import INFINITY, Intervals, Levels
from ...solver.losses import loss_of
from ...solver.solution import Solution
from ...table.columns import column_names
from ...table.frames import nearest
from ..leaves import spread_name, spread_of
from ..summary import summary_of, summary_of_near, summary_of_path
from ..text import closing_line
from ..words import Wording, may_be_missing, or_missing, prediction_format, rules_in_words, with_unit, write_number
from .proof import proof_of

_MOST_POINTS = 150
_MOST_TREES = 24  # of a near-optimal set, side by side


@dataclass(frozen=True)
class About:
    """What only the reader knows: a title, the name of the target, units by the names of columns and of the target."""

    title: str | None = None
    target: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def target_name(self) -> str:
        """What is predicted."""
        return self.target or "target"


def content_of(shown: Any, about: About) -> dict[str, Any]:
    """Return the content of the report of a model, a path or a near-optimal set."""
    if hasattr(shown, "steps"):
        models, kind, chosen = list(shown.models), "path", max(0, len(shown) - 1)
        title, summary = f"{len(models)} {'optimal trees' if shown.proven.all() else 'trees'}", summary_of_path(shown)
    elif hasattr(shown, "condition_use"):
        models, kind, chosen = list(shown[:_MOST_TREES]) or [shown.best], "near", 0
        title, summary = f"{len(shown):,} near-optimal trees", summary_of_near(shown)
    else:
        models, kind, chosen = [shown], "tree", 0
        title, summary = "An optimal tree" if shown.status_ == "optimal" else "A tree", summary_of(shown)
    of = f" for {about.target}" if about.target else ""
    content = {
        "kind": kind,
        "title": about.title or title + of,
        "target": about.target_name,
        "summary": summary,
        "chosen": chosen,
        **_trees(models, about),
    }
    if kind == "path":
        content["steps"] = [_step(step) for step in shown.steps]
    if kind == "near":
        content["count"] = len(shown)
        uses = list(shown.condition_use.items())[:30]
        content["use"] = [{"text": text.replace("<=", "≤"), "trees": n, "share": share} for text, (n, share) in uses]
    return content


def _trees(models: list[Any], about: About) -> dict[str, Any]:
    if not models:
        return {"trees": [], "conditions": [], "columns": [], "data": []}
    first = models[0]
    _check_units(about, column_names(getattr(first, "feature_names_in_", None), first.n_features_in_))
    wording = Wording(tuple(first.binarizer_.kinds_), about.units)
    numbers: dict[Condition, int] = {}
    trees = [_tree(model, wording, about, numbers) for model in models]
    return {
        "trees": trees,
        "conditions": [_condition(condition, wording) for condition in numbers],
        "columns": _columns(first, about, numbers),
        "data": _data(first, about),
    }


def _check_units(about: About, names: Sequence[str]) -> None:
    """Notice a unit that would be nowhere."""
    for name in about.units:
        if name not in names and name != about.target_name:
            raise ValueError(
                f"units has {name!r}, which is no column; {nearest(str(name), names)}; a unit of what is predicted "
                "needs its name, target=..., too"
            )


def _condition(condition: Condition, wording: Wording) -> dict[str, Any]:
    values, sides = condition.values, wording.sides(condition)
    content: dict[str, Any] = {
        "column": condition.column,
        "text": str(condition).replace("<=", "≤"),
        "yes": sides.yes,
        "no": sides.no,
        "question": sides.question,
    }
    if isinstance(values, Intervals):
        # An infinite end is none, which JSON has a word for.
        ends = [[None if abs(end) == INFINITY else end for end in pair] for pair in values.ends]
        return {**content, "intervals": ends}
    if isinstance(values, Levels):
        return {**content, "levels": list(values.levels)}
    return {**content, "missing": True}


def _columns(model: Any, about: About, asked: Mapping[Condition, int]) -> list[dict[str, Any]]:
    names = getattr(model, "feature_names_in_", None)
    offered = model.binarizer_.conditions_
    columns = []
    for at, kind in enumerate(model.binarizer_.kinds_):
        name = f"x{at}" if names is None else str(names[at])
        mine = [condition for condition in offered if condition.column == at]
        sets = [condition.values for condition in mine]
        levels = sorted({level for values in sets if isinstance(values, Levels) for level in values.levels})
        columns.append(
            {
                "name": name,
                "kind": kind,
                "unit": about.units.get(name, ""),
                "levels": levels,
                "offered": len(mine),
                "asked": sum(condition.column == at for condition in asked),
            }
        )
    return columns


def _tree(model: Any, wording: Wording, about: About, numbers: dict[Condition, int]) -> dict[str, Any]:
    tree, loss, solution = model.tree_, loss_of(model.loss, model.quantile), model.solution_
    unit = about.units.get(about.target_name)
    digits = prediction_format([node.value for node in tree.nodes if node.is_leaf])
    here = may_be_missing(tree, model.binarizer_.conditions_)
    rules = {rule.leaf: rule.parts for rule in rules_in_words(tree, model.binarizer_.conditions_, wording)}
    nodes = []
    for at, node in enumerate(tree.nodes):
        spread = spread_of(node, loss)
        item: dict[str, Any] = {
            "rows": node.rows,
            "value": node.value,
            "shown": with_unit(write_number(node.value, digits), unit),
            "spread": None if spread is None else _on_one_line(f"± {with_unit(write_number(spread, digits), unit)}"),
        }
        if node.condition is None:
            item |= {"rule": list(rules[at]), "bins": _bins(tree, at)}
        else:
            number = numbers.setdefault(node.condition, len(numbers))
            missing = or_missing(node.condition, here[at])
            item |= {"condition": number, "yes": node.yes, "no": node.no, "missing": missing}
        nodes.append(item)
    return {
        "nodes": nodes,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "score": f"{'R²' if loss.score == 'r2' else 'D²'} {1 - solution.relative_loss:.3f}",
        "left": solution.relative_loss,
        "objective": solution.objective,
        "optimal": solution.status == "optimal",
        "near": solution.status == "near_optimal",
        "summary": summary_of(model),
        "closing": closing_line(solution),
        "proof": proof_of(model),
        "trace": _trace(solution),
        "histogram": _histogram(tree, digits, unit),
        "spread": spread_name(loss),
    }


def _on_one_line(text: str) -> str:
    """Return text that a browser does not break."""
    return text.replace(" ", "\u00a0")


def _bins(tree: Any, leaf: int) -> list[float] | None:
    if tree.targets is None:
        return None
    return [round(weight, 6) if weight % 1 else int(weight) for weight in tree.targets.weights[leaf]]


def _histogram(tree: Any, digits: int, unit: str | None) -> dict[str, Any] | None:
    if tree.targets is None:
        return None
    edges = tree.targets.edges
    shown = [with_unit(write_number(edge, digits), unit) for edge in (edges[0], edges[-1])]
    return {"from": shown[0], "to": shown[1], "exact": tree.targets.exact, "low": edges[0], "high": edges[-1]}


def _trace(solution: Solution) -> list[list[Any]]:
    """Return moments of the search, no more than a picture shows; the first and the last are always there."""
    points = solution.trace
    every = max(1, len(points) // _MOST_POINTS)
    kept = [*points[:-1:every], *points[-1:]]
    return [[round(p.seconds, 4), round(p.lower_bound, 9), round(p.upper_bound, 9), p.proven_depth] for p in kept]


def _step(step: Any) -> dict[str, Any]:
    high = f"{step.low:.3g} and above" if step.high == INFINITY else f"{step.low:.3g} to {step.high:.3g}"
    return {"regularization": high if step.proven else f"{high}, best known", "proven": step.status == "optimal"}


def _data(model: Any, about: About) -> list[list[str]]:
    """Return what is known of the table, as pairs of a name and what it is."""
    root, loss = model.tree_.nodes[0], loss_of(model.loss, model.quantile)
    unit = about.units.get(about.target_name)
    digits = prediction_format([node.value for node in model.tree_.nodes if node.is_leaf])
    facts = [["rows", f"{root.rows:,}"]]
    if root.weight != root.rows:
        facts.append(["total weight", f"{root.weight:,.6g}"])
    facts.append(
        [f"{loss.leaf.removeprefix('the ')} of {about.target_name}", with_unit(write_number(root.value, digits), unit)]
    )
    spread = spread_of(root, loss)
    if spread is not None:
        facts.append([spread_name(loss), with_unit(write_number(spread, digits), unit)])
    targets = model.tree_.targets
    if targets is not None:
        ends = [with_unit(write_number(end, digits), unit) for end in (targets.low, targets.high)]
        facts.append([f"range of {about.target_name}", f"{ends[0]} to {ends[1]}"])
    return facts
