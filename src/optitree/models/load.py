"""Models from files."""

from pathlib import Path

from sklearn.base import clone

from ..conditions.binarizer import binarizer_of
from ..output.model_files import SavedModel, read_model
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
    check_search(model)
    return set_fitted(model, saved.conditions, saved.solution)
