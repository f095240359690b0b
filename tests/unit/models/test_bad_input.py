"""Bad input is answered with one clear sentence, before any work starts."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

from optitree import Binarizer, OptimalTreeRegressor, export_text

ROWS = 20
X = np.random.default_rng(0).normal(size=(ROWS, 2))
Y = np.random.default_rng(1).normal(size=ROWS)
ONES = np.ones(ROWS)
DATES = [dt.date(2020, 1, 1) + dt.timedelta(days=k) for k in range(ROWS)]
PANDAS = pd.DataFrame(X, columns=["age", "dose"])
POLARS = pl.DataFrame(X, schema=["age", "dose"])


def changed(array, value):
    """Return a copy with another value in row 3, last column."""
    copy = array.copy()
    copy[(3, -1)[: copy.ndim]] = value
    return copy


def fit(table=X, target=Y, weight=None, **parameters):
    return OptimalTreeRegressor(**{"max_depth": 2, **parameters}).fit(table, target, weight)


def column(values):
    return pd.DataFrame({"age": values, "dose": np.arange(ROWS)})


TABLES = [
    ("no rows", lambda: fit(np.empty((0, 2)), []), "0 sample minimum 1"),
    ("no rows in a frame", lambda: fit(PANDAS[:0], []), "0 rows minimum 1"),
    ("no columns", lambda: fit(np.empty((ROWS, 0))), "0 feature minimum 1"),
    ("no columns in a frame", lambda: fit(PANDAS[[]]), "0 feature minimum 1"),
    ("a single column", lambda: fit(X[:, 0]), "2D 1D Reshape"),
    ("a pandas series", lambda: fit(PANDAS["age"]), "2D 1D column table"),
    ("a polars series", lambda: fit(POLARS["age"]), "2D 1D column table"),
    ("nothing", lambda: fit(None), "2D X"),
    ("the name of a file", lambda: fit("train.csv"), "2D X"),
    ("infinity", lambda: fit(changed(X, np.inf)), "X infinity row 3 column 1 replace missing"),
    ("infinity in a frame", lambda: fit(column(changed(ONES, -np.inf))), "infinity 'age' replace"),
    ("complex numbers", lambda: fit(X + 1j), "Complex not supported real"),
    ("complex column", lambda: fit(column(ONES + 1j)), "'age' not numbers"),
    ("long doubles", lambda: fit(X.astype(np.longdouble)), "extended-precision astype(float)"),
    ("text beside numbers", lambda: fit(changed(X.astype(object), "b")), "column 1 'b' numbers text"),
    ("mixed objects", lambda: fit(column(pd.Series([1, "b"] * 10, dtype=object))), "'age' 'b' numbers text"),
    ("bytes", lambda: fit(X.astype("S")), "X not numbers text convert"),
    ("durations", lambda: fit(X.astype("timedelta64[D]")), "X not numbers text dates convert"),
    ("durations in polars", lambda: fit(pl.DataFrame({"a": [dt.timedelta(1)] * ROWS})), "'a' Duration numbers drop"),
    ("lists", lambda: fit(pl.DataFrame({"a": [[1, 2]] * ROWS})), "'a' List numbers text drop"),
    ("repeated names", lambda: fit(pd.DataFrame(X, columns=["a", "a"])), "names differ rename 'a'"),
    ("repeated names in pyarrow", lambda: fit(pa.table([Y, Y], ["b", "b"])), "differ rename 'b'"),
]
TARGETS = [
    ("missing", lambda: fit(target=None), "requires y None"),
    ("too short", lambda: fit(target=Y[:-1]), "X 20 y 19 one per row"),
    ("too short for a frame", lambda: fit(POLARS, Y[:-1]), "X 20 y 19 one per row"),
    ("NaN", lambda: fit(target=changed(Y, np.nan)), "y NaN row 3 drop"),
    ("infinity", lambda: fit(target=changed(Y, np.inf)), "y infinity row 3 drop"),
    ("None values", lambda: fit(target=[None] * ROWS), "y NaN row 0 drop"),
    ("text", lambda: fit(target=["a"] * ROWS), "y not numbers convert"),
    ("numbers as text", lambda: fit(target=["1"] * ROWS), "y not numbers convert"),
    ("dates", lambda: fit(target=np.array(DATES, "datetime64[D]")), "y not numbers convert"),
    ("two columns", lambda: fit(target=np.c_[Y, Y]), "y 2 columns one"),
    ("complex", lambda: fit(target=Y + 1j), "Complex y real"),
    ("huge", lambda: fit(target=Y * 1e200), "y 1e+100 divide"),
    ("tiny", lambda: fit(target=Y * 1e-200), "y 1e-100 multiply"),
]
WEIGHTS = [
    ("too short", lambda: fit(weight=ONES[:-1]), "X 20 sample_weight 19 one per row"),
    ("two columns", lambda: fit(weight=np.ones((ROWS, 2))), "sample_weight (20, 2) one per row"),
    ("negative", lambda: fit(weight=changed(ONES, -1)), "sample_weight row 3 -1 0 or more"),
    ("all zero", lambda: fit(weight=0 * ONES), "sample_weight zero every positive"),
    ("NaN", lambda: fit(weight=changed(ONES, np.nan)), "sample_weight NaN row 3"),
    ("infinity", lambda: fit(weight=changed(ONES, np.inf)), "sample_weight infinity row 3"),
    ("text", lambda: fit(weight=["a"] * ROWS), "sample_weight not numbers"),
    ("huge", lambda: fit(weight=1e308 * ONES), "sample_weight 1e+308 scale"),
    ("tiny", lambda: fit(weight=1e-300 * ONES), "sample_weight 1e-300 scale"),
    ("too light", lambda: fit(weight=changed(ONES, 9e-10)), "sample_weight below 1e-09 largest set 0"),
    ("binarizer: negative", lambda: Binarizer().fit(X, None, -ONES), "sample_weight row 0 0 or more"),
]
OTHER_TABLES = [
    ("fewer columns", lambda: fit().predict(X[:, :1]), "1 features expecting 2"),
    ("more columns", lambda: fit().predict(np.c_[X, X]), "4 features expecting 2"),
    ("a column less in pandas", lambda: fit(PANDAS).predict(PANDAS[["age"]]), "names 'dose' missing add"),
    ("a column less in polars", lambda: fit(POLARS).apply(POLARS[["age"]]), "names 'dose' missing add"),
    (
        "a renamed column in pandas",
        lambda: fit(PANDAS).predict(PANDAS.rename(columns={"dose": "mg"})),
        "names 'dose' missing instead 'mg' rename",
    ),
    (
        "a renamed column in polars",
        lambda: fit(POLARS).predict(POLARS.rename({"dose": "mg"})),
        "names 'dose' missing instead 'mg' rename",
    ),
    (
        "many missing columns",
        lambda: Binarizer().fit(pd.DataFrame(np.c_[(X,) * 4]).add_prefix("c")).transform(PANDAS),
        "'c4' and 3 more missing instead 'age', 'dose'",
    ),
    ("text for numbers", lambda: fit(PANDAS).predict(PANDAS.astype(str)), "'age' has text had numbers convert"),
    ("text for numbers in an array", lambda: fit().predict(X.astype(str)), "column 0 has text had numbers convert"),
    (
        "numbers for text",
        lambda: fit(PANDAS.round(-1).astype(str)).predict(PANDAS),
        "'age' has numbers had text convert",
    ),
    ("dates for numbers", lambda: fit().predict(X.astype("M8[D]")), "column 0 has dates had numbers convert"),
    ("infinity", lambda: fit().predict(changed(X, np.inf)), "X infinity row 3"),
    ("no rows", lambda: fit().predict(X[:0]), "0 sample minimum 1"),
    ("no rows in a frame", lambda: fit(PANDAS).predict(PANDAS[:0]), "0 rows minimum 1"),
    ("binarizer", lambda: Binarizer().fit(X).transform(X[:, :1]), "1 features expecting 2"),
    ("binarizer: text", lambda: Binarizer().fit(X).transform(X.astype(str)), "column 0 has text had numbers convert"),
]
VALUES = [
    ("regularization", -0.1, ValueError, "at least 0"),
    ("regularization", np.nan, ValueError, "finite at least 0"),
    ("regularization", np.inf, ValueError, "finite at least 0"),
    ("regularization", "0.1", TypeError, "number at least 0"),
    ("regularization", None, TypeError, "number at least 0"),
    ("regularization", True, TypeError, "number at least 0"),
    ("max_depth", -1, ValueError, "whole number at least 0 None"),
    ("max_depth", 1.5, TypeError, "whole number at least 0 None"),
    ("max_depth", True, TypeError, "whole number at least 0 None"),
    ("min_samples_leaf", 0, ValueError, "whole number at least 1"),
    ("min_samples_leaf", 1.5, TypeError, "whole number at least 1"),
    ("min_samples_leaf", None, TypeError, "whole number at least 1"),
    ("time_limit", -1, ValueError, "at least 0 None"),
    ("time_limit", 10**310, ValueError, "finite None"),
    ("time_limit", "60", TypeError, "number at least 0 None"),
    ("memory_limit", 0, ValueError, "at least 1 megabytes None"),
    ("memory_limit", "1G", TypeError, "at least 1 megabytes None"),
    ("max_leaves", 0, ValueError, "whole number at least 1 None"),
    ("max_leaves", 2.5, TypeError, "whole number at least 1 None"),
    ("loss", "huber", ValueError, "squared_error absolute_error quantile"),
    ("quantile", 0, ValueError, "between 0 and 1"),
    ("quantile", 1.0, ValueError, "between 0 and 1"),
    ("quantile", 1e-310, ValueError, "1e-310 too small at least 1e-100"),
    ("quantile", "0.5", TypeError, "number"),
    ("loss", np.ones(2), ValueError, "squared_error"),
    ("n_jobs", 0, ValueError, "1 or more None"),
    ("n_jobs", "all", TypeError, "whole number"),
    ("binarizer", "all", TypeError, "Binarizer None"),
    ("binarizer", Binarizer, TypeError, "Binarizer None"),
    ("binarizer", Binarizer(thresholds="nope"), ValueError, "thresholds nope auto quantile uniform all reference"),
]
BINARIZER_VALUES = [
    ("thresholds", "nope", ValueError, "nope auto quantile uniform all reference"),
    ("thresholds", np.array([1.0, 2.0]), ValueError, "auto quantile uniform all reference"),
    ("thresholds", None, ValueError, "auto quantile uniform all reference"),
    ("encoding", "one-hot", ValueError, "one-hot threshold interval"),
    ("encoding", None, ValueError, "threshold interval"),
    ("drop", "last", ValueError, "last None first"),
    ("drop", True, ValueError, "None first"),
    ("max_thresholds", 0, ValueError, "whole number at least 1"),
    ("max_thresholds", 2.5, TypeError, "whole number at least 1"),
    ("max_thresholds", True, TypeError, "whole number at least 1"),
    ("max_categories", 1, ValueError, "whole number at least 2"),
    ("max_categories", "10", TypeError, "whole number at least 2"),
]


def assert_sentence(error, words):
    message = str(error.value)
    for word in words.split():
        assert word in message
    assert len(message.splitlines()) == 1
    assert len(message) < 450


def table_of(cases):
    return pytest.mark.parametrize(("call", "words"), [pytest.param(*rest, id=name) for name, *rest in cases])


def assert_refused(call, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011  (the words are checked below)
        call()
    assert_sentence(error, words)


@table_of(TABLES)
def test_unusable_table(call, words):
    assert_refused(call, words)


@table_of(TARGETS)
def test_unusable_target(call, words):
    assert_refused(call, words)


@table_of(WEIGHTS)
def test_unusable_weights(call, words):
    assert_refused(call, words)


@table_of(OTHER_TABLES)
def test_table_unlike_the_fitted_one(call, words):
    assert_refused(call, words)


@pytest.mark.parametrize(
    ("name", "value", "kind", "words"),
    [pytest.param(*case, id=f"{case[0]}={str(case[1])[:40]}") for case in VALUES],
)
def test_unusable_parameter(name, value, kind, words):
    with pytest.raises(kind) as error:
        fit(**{name: value})
    assert_sentence(error, f"{'' if isinstance(value, Binarizer) else name} {words}")


@pytest.mark.parametrize(("name", "value", "kind", "words"), BINARIZER_VALUES)
def test_unusable_parameter_of_the_binarizer(name, value, kind, words):
    with pytest.raises(kind) as error:
        Binarizer(**{name: value}).fit(X)
    assert_sentence(error, f"{name} {words}")


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, DATES[0], object()], ids=["list", "dict", "date", "object"])
def test_objects_of_unknown_kinds_are_refused(value):
    with pytest.raises(TypeError) as error:
        fit(column(pd.Series([1, value] * 10, dtype=object)))
    assert_sentence(error, "'age' kinds numbers text")


def test_sparse_table_is_told_to_become_dense():
    with pytest.raises(TypeError, match=re.escape(".toarray()")):
        fit(scipy.sparse.csr_matrix(X))


@pytest.mark.parametrize("use", [fit, Binarizer().fit, lambda X: fit(POLARS).apply(X)])
def test_lazy_frame_is_told_to_be_compressed(use):
    with pytest.raises(TypeError) as error:
        use(POLARS.lazy())
    assert_sentence(error, "lazy polars compress fit_groups")


def test_fit_groups_takes_groups_only():
    with pytest.raises(TypeError) as error:
        OptimalTreeRegressor().fit_groups(PANDAS)
    assert_sentence(error, "Groups compress DataFrame")


def test_guessing_thresholds_needs_a_target():
    assert_refused(lambda: Binarizer(thresholds="reference").fit(X), "thresholds='reference' target y")


@pytest.mark.parametrize(
    "use",
    [
        lambda model: model.predict(X),
        lambda model: model.apply(X),
        lambda model: model.decision_path(X),
        lambda model: model.score(X, Y),
        lambda model: model.get_depth(),
        lambda model: model.get_n_leaves(),
        lambda model: model.feature_importances_,
        lambda model: model.save("never-written.json"),
        export_text,
        lambda model: Binarizer().transform(X),
        lambda model: Binarizer().get_feature_names_out(),
        lambda model: Binarizer().inverse(0),
    ],
)
def test_use_before_fit_says_to_call_fit(use):
    with pytest.raises(NotFittedError, match=r"not fitted yet\. Call 'fit'"):
        use(OptimalTreeRegressor())


def test_parameters_are_checked_before_the_table_is_read():
    with pytest.raises(ValueError, match="regularization"):
        fit(np.empty((0, 0)), regularization=-1)
