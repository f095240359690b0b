"""scikit-learn's own checks of an estimator: all that are for the estimators of others pass, and none is skipped."""

import os
import subprocess
import sys

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import estimator_checks_generator

from optitree import Binarizer, OptimalTreeRegressor, OptimalTreeRegressorCV

ESTIMATORS = [
    Binarizer(),
    Binarizer(thresholds="all"),
    # The checks use tables of noise with 80 conditions, where a proof without a depth limit takes
    # minutes and no check depends on the depth.
    OptimalTreeRegressor(max_depth=3),
    OptimalTreeRegressor(max_depth=2, binarizer=Binarizer(max_thresholds=3)),
    OptimalTreeRegressorCV(max_depth=2, cv=3),
    OptimalTreeRegressorCV(max_depth=2, cv=3, selection="one_standard_error"),
    OptimalTreeRegressor(max_depth=2, loss="absolute_error", binarizer=Binarizer(max_thresholds=3)),
]
# scipy reads its switch for array namespaces when it is imported: this check has its own process.
IN_OWN_PROCESS = "check_array_api_input"
# A check that scikit-learn runs on its own estimators only, and that ours are not meant to pass.
EXPECTED_FAILURES = {
    "check_dataframe_column_names_consistency": "It wants an error for columns in another order. Here columns are "
    "matched by name, as in scikit-learn's ColumnTransformer, so their order does not matter.",
}


def name_of(check):
    return getattr(check, "func", check).__name__


CHECKS = [
    pytest.param(estimator, check, id=f"{estimator}-{name_of(check)}")
    for original in ESTIMATORS
    for estimator, check in estimator_checks_generator(original)
    if name_of(check) != IN_OWN_PROCESS and name_of(check) not in EXPECTED_FAILURES
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_check_passes(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (Binarizer(), "transform"),
        (OptimalTreeRegressor(max_depth=2), "predict"),
        (OptimalTreeRegressorCV(max_depth=2, cv=3), "predict"),
    ],
)
def test_the_check_of_column_names_fails_only_at_columns_in_another_order(estimator, method):
    (name,) = EXPECTED_FAILURES
    with pytest.raises(AssertionError, match=f"^{method} did not raise$") as error:
        getattr(estimator_checks, name)(type(estimator).__name__, estimator)
    (at,) = [entry.locals for entry in error.traceback if "invalid_name" in entry.locals]
    assert list(at["invalid_name"]) == [f"col_{k}" for k in range(8)][::-1]


def test_array_api_check_passes_with_dispatch_switched_on():
    program = f"""
from sklearn.utils.estimator_checks import estimator_checks_generator
from optitree import Binarizer, OptimalTreeRegressor, OptimalTreeRegressorCV

passed = 0
for original in (Binarizer(), OptimalTreeRegressor(max_depth=3), OptimalTreeRegressorCV(max_depth=2, cv=3)):
    for estimator, check in estimator_checks_generator(original):
        if getattr(check, "func", check).__name__ == {IN_OWN_PROCESS!r}:
            check(estimator)
            passed += 1
print("passed", passed)
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "passed 3", done.stderr
