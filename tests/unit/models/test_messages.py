"""What people are told, word for word: what is proven and for which trees, and what to do with a table."""

import datetime as dt
import re
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array, csr_matrix

from optitree import (
    Binarizer,
    LimitWarning,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    compress,
    export_text,
    near_optimal_trees,
    regularization_path,
)
from optitree.models.advice import choice_message, limit_message, near_message, path_message
from optitree.models.fitted import groups_of, set_solution
from optitree.models.path import path_of_steps

ROWS = 12
X = np.column_stack([np.arange(ROWS) % 4, np.arange(ROWS) % 3])
Y = X[:, 0] * 2.0
ON = "on 5 conditions of 2 columns"
GROUPS = groups_of(X, Y, None, OptimalTreeRegressor())


def stopped(status="time_limit", depth=0, **parameters):
    """Return a model whose search is said to have been stopped."""
    model = OptimalTreeRegressor(**{"regularization": 0.05, **parameters}).fit(X, Y)
    solution = replace(
        model.solution_, status=status, objective=0.25, lower_bound=0.125, seconds=60.0, proven_depth=depth
    )
    return set_solution(model, solution)


def closing(model):
    return re.sub(r"in \d+\.\d\d s", "in 0.00 s", export_text(model).splitlines()[-1])


CLOSING = {
    "no limits": ({}, f"optimal among trees {ON}: objective 0.2000 (4 leaves), proven in 0.00 s"),
    "depth": (
        {"max_depth": 1},
        f"optimal among trees {ON}, at most 1 question deep: objective 0.3000 (2 leaves), proven in 0.00 s",
    ),
    "leaves": (
        {"max_leaves": 2},
        f"optimal among trees {ON}, of at most 2 leaves: objective 0.3000 (2 leaves), proven in 0.00 s",
    ),
    "all": (
        {"max_depth": 3, "max_leaves": 4, "min_samples_leaf": 5},
        f"optimal among trees {ON}, at most 3 questions deep, of at most 4 leaves, with at least 5 rows in a leaf: "
        "objective 0.3000 (2 leaves), proven in 0.00 s",
    ),
}


@pytest.mark.parametrize(("parameters", "line"), CLOSING.values(), ids=CLOSING)
def test_closing_line_of_a_proof(parameters, line):
    assert closing(OptimalTreeRegressor(0.05, **parameters).fit(X, Y)) == line


def test_closing_line_of_other_models():
    near = near_optimal_trees(X, Y, within=0.5, regularization=0.05)
    assert closing(near[1]) == f"near optimal among trees {ON}: objective 0.2500 (3 leaves), 0.05 above the optimum"
    optimal = f"optimal among trees {ON}: objective 0.2000 (4 leaves), proven in 0.00 s"
    assert closing(regularization_path(X, Y, min_regularization=0.01).at(0.05)) == optimal
    chosen = OptimalTreeRegressorCV(max_depth=2, cv=3, min_samples_leaf=5).fit(X, Y)
    among = f"{ON}, at most 2 questions deep, with at least 5 rows in a leaf"
    assert closing(chosen).startswith(f"optimal among trees {among}: objective ")


STOPPED = {
    "time": (
        {},
        f"time limit after 60.00 s among trees {ON}: objective 0.2500 (4 leaves). No tree is below 0.1250",
        f"the time limit came before the proof among trees {ON}: the tree's objective is 0.25. No tree is below 0.1250"
        ". To finish, use fewer thresholds with Binarizer(max_thresholds=1), set a regularization above 0.05, or raise "
        "time_limit",
    ),
    "memory, with a depth proven": (
        {"status": "memory_limit", "depth": 2},
        f"memory limit after 60.00 s among trees {ON}: objective 0.2500 (4 leaves). No tree of at most 2 questions is "
        "better; no tree at all is below 0.1250",
        f"the memory limit came before the proof among trees {ON}: the tree's objective is 0.25. No tree of at most 2 "
        "questions is better; no tree at all is below 0.1250. max_depth=2 is proven within this memory; to prove more, "
        "use fewer thresholds with Binarizer(max_thresholds=1), set a regularization above 0.05, or raise memory_limit",
    ),
    "leaves alone": (
        {"depth": 1, "regularization": 0, "max_leaves": 4, "binarizer": Binarizer("quantile", max_thresholds=1)},
        "time limit after 60.00 s among trees on 2 conditions of 2 columns, of at most 4 leaves: objective 0.2500 (2 "
        "leaves). No tree of at most 1 question is better; no tree at all is below 0.1250",
        "the time limit came before the proof among trees on 2 conditions of 2 columns, of at most 4 leaves: the "
        "tree's objective is 0.25. No tree of at most 1 question is better; no tree at all is below 0.1250. "
        "max_depth=1 is proven within this time; to prove more, set max_leaves below 4, or raise time_limit",
    ),
    "precision": (
        {"status": "precision_limit"},
        f"precision limit after 60.00 s among trees {ON}: objective 0.2500 (4 leaves). No tree is below 0.1250",
        f"the limit of floating point came before the proof among trees {ON}: the tree's objective is 0.25. No tree is "
        "below 0.1250. Bring the weights of the rows closer to each other to finish",
    ),
}


INTERRUPTED = "What was found by then is kept; a second Ctrl-C would have raised KeyboardInterrupt"
FEWER = "use fewer thresholds with Binarizer(max_thresholds=1)"
STOPPED["Ctrl-C"] = (
    {"status": "interrupted", "depth": 1},
    f"interrupted after 60.00 s among trees {ON}: objective 0.2500 (4 leaves). No tree of at most 1 question is "
    "better; no tree at all is below 0.1250",
    f"an interrupt came before the proof among trees {ON}: the tree's objective is 0.25. No tree of at most 1 question "
    f"is better; no tree at all is below 0.1250. {INTERRUPTED}",
)


@pytest.mark.parametrize(("how", "line", "warning"), STOPPED.values(), ids=STOPPED)
def test_words_of_a_stopped_search(how, line, warning):
    model = stopped(**how)
    assert export_text(model).splitlines()[-1] == line
    assert limit_message(model) == warning


def stopped_path(status, depth=0):
    """Return a path of three trees, of which all but the first are said to be the best known."""
    path = regularization_path(X, Y, min_regularization=0.01)
    first, *rest = path.steps
    known = (replace(step, proven=False, status=status, depth=depth) for step in rest)
    return path_of_steps((replace(first, status=status), *known), GROUPS, path[0])


PATHS = {
    "time": (
        ("time_limit", 2),
        f"the time limit came before the whole path among trees {ON}: it is proven down to regularization 0.8, not "
        "0.01; the 2 trees below are the best known (gap 0.13 at most). With max_depth=2 the whole path is proven "
        f"within this time; to prove more, {FEWER}, set min_regularization above 0.01, or raise time_limit",
    ),
    "memory, without a depth": (
        ("memory_limit", 0),
        f"the memory limit came before the whole path among trees {ON}: it is proven down to regularization 0.8, not "
        "0.01; the 2 trees below are the best known (gap 0.13 at most). To finish, "
        f"{FEWER}, set min_regularization above 0.01, or raise memory_limit",
    ),
    "Ctrl-C": (
        ("interrupted", 3),
        f"an interrupt came before the whole path among trees {ON}: it is proven down to regularization 0.8, not 0.01; "
        f"the 2 trees below are the best known (gap 0.13 at most). {INTERRUPTED}",
    ),
}


@pytest.mark.parametrize(("how", "warning"), PATHS.values(), ids=PATHS)
def test_words_of_a_stopped_path(how, warning):
    assert path_message(stopped_path(*how), 0.01) == warning


def test_a_path_says_which_of_its_trees_are_the_best_known():
    head, _, *lines = repr(stopped_path("time_limit", 2)).splitlines()
    assert head == "<Path of 1 optimal tree, 2 best known below, stopped by the time limit>"
    assert [line.split("  ")[-1] for line in lines] == [
        "0.8 and above, perhaps below",
        "best known at 0.1 to 0.8, gap 0.13 at 0.283, proven to depth 2",
        "best known at 0.01 to 0.1, gap 0.055 at 0.0316, proven to depth 2",
    ]


@dataclass
class Near:
    """Near-optimal trees that are said to have been stopped."""

    best: OptimalTreeRegressor
    trees: int
    lower_bound: float = 0.21
    optimum: float = 0.2
    status: str = "time_limit"

    def __len__(self):
        return self.trees


NEAR = {
    "some": (
        {"trees": 7},
        f"the time limit came before the search was over among trees {ON}: no tree but the 7 found has an objective "
        f"below 0.21. All trees of within=0.0499 are found within this time; to prove more, {FEWER}, set a "
        "regularization above 0.05, or raise time_limit",
    ),
    "none": (
        {"trees": 0, "lower_bound": 0.125},
        f"the time limit came before the proof of the optimum among trees {ON}: the best tree found has objective "
        "0.25, and no tree is below 0.125. With max_depth=2 the optimum is proven within this time; to prove more, "
        f"{FEWER}, set a regularization above 0.05, or raise time_limit",
    ),
    "Ctrl-C": (
        {"trees": 7, "status": "interrupted"},
        f"an interrupt came before the search was over among trees {ON}: no tree but the 7 found has an objective "
        f"below 0.21. {INTERRUPTED}",
    ),
}


@pytest.mark.parametrize(("how", "warning"), NEAR.values(), ids=NEAR)
def test_words_of_stopped_near_optimal_trees(how, warning):
    assert near_message(Near(stopped(depth=2), **how)) == warning


KNOWN = "the choice compares the best trees known, the paths of 2 of 3 folds not being proven"
CHOSEN = "the tree at the regularization chosen, 0.05, is"
HELPS = (
    "With max_depth=3 the choice is proven within this time; to prove more, "
    f"{FEWER}, set min_regularization above 0.001, or raise time_limit"
)
CHOICES = {
    "the choice alone": (
        ("time_limit", "optimal"),
        f"the time limit came before all was proven: {KNOWN}; {CHOSEN} optimal among trees {ON}. {HELPS}",
    ),
    "both": (
        ("time_limit", "time_limit"),
        f"the time limit came before all was proven: {KNOWN}; {CHOSEN} the best known among trees {ON}: objective "
        f"0.25. No tree is below 0.1250. {HELPS}",
    ),
    "a greedy tree": (
        ("time_limit", "time_limit", True),
        f"the time limit came before all was proven: {KNOWN}; {CHOSEN} a greedy one, which predicted clearly better "
        f"than those that were searched for: objective 0.25; no tree is below 0.125. {HELPS}",
    ),
    "the tree alone": (
        ("optimal", "interrupted"),
        f"an interrupt came before all was proven: {CHOSEN} the best known among trees {ON}: objective 0.25. No tree "
        f"is below 0.1250. {INTERRUPTED}",
    ),
}


@pytest.mark.parametrize(("statuses", "warning"), CHOICES.values(), ids=CHOICES)
def test_words_of_a_stopped_cross_validation(statuses, warning):
    model = OptimalTreeRegressorCV()
    model.choice_status_, model.status_ = statuses[:2]
    model.greedy_ = len(statuses) > 2
    tree = OptimalTreeRegressor(0.05).fit(X, Y) if model.status_ == "optimal" else stopped(model.status_)
    model.best_estimator_, model.regularization_ = tree, 0.05
    model.cv_results_ = {"max_depth": np.array([None, None, 2, 3])}
    model.n_splits_, model.n_stopped_, model.min_regularization_ = 3, 2, 0.001
    assert choice_message(model) == warning


def test_a_search_that_is_stopped_warns_so():
    rng = np.random.default_rng(1)
    table, target = rng.random((500, 40)) < 0.5, rng.normal(size=500)
    with pytest.warns(LimitWarning) as caught:
        model = OptimalTreeRegressor(0.003, time_limit=0.3).fit(table, target)
    assert [str(warning.message) for warning in caught] == [limit_message(model)]
    # Booleans have no thresholds to leave out.
    assert "set a regularization above 0.003, or raise time_limit" in limit_message(model)
    assert "Binarizer" not in limit_message(model)


@pytest.mark.alone
def test_the_depth_that_is_proven_is_proven_within_the_time():
    rng = np.random.default_rng(0)
    table, target = rng.random((300, 6)), rng.normal(size=300)
    with pytest.warns(LimitWarning, match=r"max_depth=\d is proven within this time; to prove more, "):
        model = OptimalTreeRegressor(0.001, time_limit=1).fit(table, target)
    shallow = OptimalTreeRegressor(0.001, max_depth=model.proven_depth_, time_limit=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert shallow.fit(table, target).status_ == "optimal"


def test_models_of_earlier_versions_that_know_no_scope_are_printed():
    model = OptimalTreeRegressor(0.05).fit(X, Y)
    set_solution(model, replace(model.solution_, scope=None))
    assert closing(model) == "optimal: objective 0.2000 (4 leaves), proven in 0.00 s"


NOT_THESE = "not numbers, booleans, text, categories or dates"
SECONDS = "turn it into numbers, for example seconds (.dt.total_seconds() in pandas and polars), or drop it"
HOURS = [dt.timedelta(hours=k) for k in range(ROWS)]
MONTHS = pd.period_range("2020-01", periods=ROWS, freq="M")
DENSE = "Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert to a dense numpy array."


def in_objects(values):
    table = np.empty((ROWS, 1), dtype=object)
    table[:, 0] = list(values)
    return table


REFUSED = {
    "sparse matrix": (csr_matrix(X), TypeError, DENSE),
    "sparse array": (csr_array(X), TypeError, DENSE),
    "durations in pandas": (
        pd.DataFrame({"wait": np.array(HOURS, "m8[us]")}),
        ValueError,
        f"column 'wait' has type Duration(time_unit='us'), {NOT_THESE}; {SECONDS}",
    ),
    "durations in polars": (
        pl.DataFrame({"wait": HOURS}),
        ValueError,
        f"column 'wait' has type Duration(time_unit='us'), {NOT_THESE}; {SECONDS}",
    ),
    "durations in pyarrow": (
        pa.table({"wait": HOURS}),
        ValueError,
        f"column 'wait' has type Duration(time_unit='us'), {NOT_THESE}; {SECONDS}",
    ),
    "durations in an array": (
        np.array(HOURS, "m8[us]").reshape(-1, 1),
        ValueError,
        "X has type timedelta64[us], not numbers, booleans, text or dates; convert it with X / np.timedelta64(1, 's')",
    ),
    "durations as objects": (
        in_objects(HOURS),
        ValueError,
        "column 0 has durations; turn each into a number, for example with .total_seconds()",
    ),
    "periods": (
        pd.DataFrame({"month": MONTHS}),
        ValueError,
        f"column 'month' has type period[M], {NOT_THESE}; turn it into dates, for example with .dt.to_timestamp(), or "
        "drop it",
    ),
    "periods as objects": (
        in_objects(MONTHS),
        ValueError,
        "column 0 has periods; turn each into a date, for example with .to_timestamp()",
    ),
    "intervals": (
        pd.DataFrame({"range": pd.interval_range(0, ROWS)}),
        ValueError,
        f"column 'range' has type interval[int64, right], {NOT_THESE}; turn it into one of these, or drop it",
    ),
    "names that are the same text": (
        pd.DataFrame(X, columns=pd.Index([1, "1"], dtype=object)),
        ValueError,
        "column names must differ; rename one of '1'",
    ),
}


@pytest.mark.parametrize(("table", "kind", "sentence"), REFUSED.values(), ids=REFUSED)
def test_tables_that_are_refused(table, kind, sentence):
    with pytest.raises(kind) as error:
        OptimalTreeRegressor().fit(table, Y)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("convert", "name"),
    [
        (lambda: pd.DataFrame({"wait": pd.Series(HOURS).dt.total_seconds()}), "wait"),
        (lambda: pl.DataFrame({"wait": HOURS}).select(pl.col("wait").dt.total_seconds()), "wait"),
        (lambda: np.array(HOURS, "m8[us]").reshape(-1, 1) / np.timedelta64(1, "s"), "x0"),
        (lambda: pd.DataFrame({"month": pd.Series(MONTHS).dt.to_timestamp()}), "month"),
        (lambda: csr_matrix(X).toarray(), "x0"),
    ],
)
def test_what_the_sentences_say_helps(convert, name):
    assert f"├─ {name} <= " in export_text(OptimalTreeRegressor().fit(convert(), np.arange(ROWS)))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_only_columns_that_the_tree_asks_about_are_missed(make):
    model = OptimalTreeRegressor(0.05).fit(make({"age": X[:, 0], "dose": X[:, 1]}), Y)
    assert model.predict(make({"age": X[:, 0]})).tolist() == Y.tolist()
    with pytest.raises(ValueError, match=r"^The") as error:
        model.predict(make({"dose": X[:, 1]}))
    assert str(error.value) == (
        "The feature names should match those that were passed during fit: 'age' missing (instead there are 'dose'); "
        "add or rename the columns"
    )


def test_compress_tells_what_it_takes():
    with pytest.raises(TypeError) as error:
        compress(csr_matrix(X), target="y")
    assert str(error.value) == (
        "compress takes a data frame (pandas, polars, pyarrow, DuckDB, Dask, PySpark), not csr_matrix; for an array "
        "use fit"
    )
