"""Models from files."""

from dataclasses import replace
from pathlib import Path

from sklearn.base import clone

from ..conditions.binarizer import binarizer_of
from ..output.model_files import SavedModel, read_model
from ..solver.scope import scope_of
from .estimator import OptimalTreeRegressor
from .fitted import set_fitted
from .parameters import check_search


def load(path: str | Path) -> OptimalTreeRegressor:
    """Read a model written by ``OptimalTreeRegressor.save``.

    Nothing in the file is executed. FileFormatError is raised when it is damaged or of another kind.
    """
    return read_model(path, _model)


def _model(saved: SavedModel) -> OptimalTreeRegressor:
    binarizer = None if saved.default_binarizer else clone(binarizer_of(saved.conditions))
    model = OptimalTreeRegressor(**saved.parameters, binarizer=binarizer)
    # A file has no scope of its own: the conditions and the parameters tell it.
    scope = scope_of(saved.conditions, check_search(model).problem)
    return set_fitted(model, saved.conditions, replace(saved.solution, scope=scope))
