"""Parameters of a binarizer that is not there yet."""

from typing import Any, Self

from ..conditions.binarizer import Binarizer


class DefaultBinarizer:
    """A mixin: ``binarizer__max_thresholds`` and its like can be set while ``binarizer`` is None, for ``Binarizer()``.

    A grid can so search over them without a binarizer to begin with. ``get_params`` and ``clone`` are scikit-learn's:
    None stays None until one of its parameters is set.
    """

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the binarizer as ``binarizer__name``."""
        binarizer = params.get("binarizer", getattr(self, "binarizer", None))
        if binarizer is None and any(name.startswith("binarizer__") for name in params):
            params["binarizer"] = Binarizer()
        done: Self = super().set_params(**params)  # type: ignore[misc]
        return done
