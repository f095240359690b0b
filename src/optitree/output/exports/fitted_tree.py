"""What every export reads of a fitted model, and how it walks the tree."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sklearn.utils.validation import check_is_fitted

from ...conditions.condition import Condition
from ...solver.losses import Loss, loss_of
from ...solver.solution import Solution
from ...solver.tree import Node, Tree
from ...table.columns import column_names
from ..words import Wording

Rendered = TypeVar("Rendered")


@dataclass(frozen=True)
class FittedTree:
    """A tree with what is to be known of the table that it was fitted to.

    ``kinds`` and ``names`` are those of its columns; ``has_names`` is False where the names x0, x1 ... are ours.
    """

    solution: Solution
    conditions: tuple[Condition, ...]
    kinds: tuple[str, ...]
    names: tuple[str, ...]
    has_names: bool
    loss: Loss
    regularization: float

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.solution.tree

    @property
    def wording(self) -> Wording:
        """How rules are said, nothing left out."""
        return Wording(self.kinds, in_full=True)

    def fold(
        self, leaf: Callable[[Node], Rendered], split: Callable[[Node, Condition, Rendered, Rendered], Rendered]
    ) -> Rendered:
        """Render the tree from its leaves up: ``split`` is given what became of the yes and of the no side.

        Not by recursion, so that a tree may have any depth: children stand after their parents.
        """
        rendered: dict[int, Rendered] = {}
        for at in reversed(range(len(self.tree))):
            node = self.tree.nodes[at]
            if node.condition is None:
                rendered[at] = leaf(node)
            else:
                rendered[at] = split(node, node.condition, rendered.pop(node.yes), rendered.pop(node.no))
        return rendered[0]


def fitted_tree(model: Any) -> FittedTree:
    """Return what exports read of a model; of a cross-validated one, of its best estimator."""
    check_is_fitted(model)
    model = getattr(model, "best_estimator_", model)
    binarizer = model.binarizer_
    names = getattr(binarizer, "feature_names_in_", None)
    known = None if names is None else tuple(str(name) for name in names)
    return FittedTree(
        model.solution_,
        binarizer.conditions_,
        binarizer.kinds_,
        column_names(known, len(binarizer.kinds_)),
        known is not None,
        loss_of(model.loss, model.quantile),
        float(model.regularization),
    )
