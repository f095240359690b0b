"""What models, paths and sets of trees have in common: they can be read by a person."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from ..output.notebook import notebook_html
from ..output.report import About, write_report
from ..output.report.content import content_of
from ..output.summary import summary_of, summary_of_near, summary_of_path
from ..output.text import export_text


class Reported:
    """A summary in a paragraph, a report in a file, HTML in a notebook."""

    def summary(self) -> str:
        """Return one paragraph with what is shown, what is proven, and among which trees."""
        self._check_shown()
        if hasattr(self, "steps"):
            return summary_of_path(self)
        return summary_of_near(self) if hasattr(self, "condition_use") else summary_of(self._shown())

    def report(
        self,
        file: str | Path,
        *,
        title: str | None = None,
        target: str | None = None,
        units: Mapping[str, str] | None = None,
    ) -> None:
        """Write a report: one HTML file that opens in any browser, without a network.

        Parameters
        ----------
        file : str or Path
        title : str, default=None
            What stands above it.
        target : str, default=None
            What the predicted column is called.
        units : mapping of str to str, default=None
            Units by the names of columns, that of the target included: ``{"age": "years", "price": "$"}``.
        """
        self._check_shown()
        if not isinstance(units, Mapping | None):
            raise TypeError(f"units={units!r} must be a mapping from names of columns to units, or None")
        write_report(self._shown(), file, About(title, target, dict(units or {})))

    def _repr_html_(self) -> str:
        self._check_shown()
        return notebook_html(content_of(self._shown(), About()))

    def _shown(self) -> Any:
        return self

    def _check_shown(self) -> None:
        """Raise an error where there is nothing to show yet."""


class ReportedModel(Reported):
    """The same for estimators, which show their parameters until they are fitted."""

    def _check_shown(self) -> None:
        check_is_fitted(self)

    def _shown(self) -> Any:
        return getattr(self, "best_estimator_", self)

    def __str__(self) -> str:
        if not hasattr(self, "solution_"):
            return repr(self)
        return f"{self!r}\n{export_text(self._shown())}"

    def _repr_html_(self) -> str:
        if not hasattr(self, "solution_"):
            return str(estimator_html_repr(self))
        return super()._repr_html_()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {"text/plain": str(self)}
        return {**bundle, "text/html": self._repr_html_()}
