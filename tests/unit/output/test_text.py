"""The tree as text."""

import numpy as np
import pandas as pd
import pytest

from optitree import OptimalTreeRegressor, export_text

FRAME = pd.DataFrame({"age": [20, 30, 50, 60] * 3, "smoker": [False, False, False, True] * 3})
TARGET = np.array([1.0, 1.0, 2.0, 4.0] * 3)


@pytest.fixture
def model():
    return OptimalTreeRegressor().fit(FRAME, TARGET)


def test_text_shows_conditions_counts_predictions_and_the_proof(model):
    *tree, proof = export_text(model).splitlines()
    assert tree == [
        "├─ age <= 40: predict 1.00  (6 rows)",
        "└─ age > 40:",
        "   ├─ age <= 55: predict 2.00  (3 rows)",
        "   └─ age > 55: predict 4.00  (3 rows)",
    ]
    scope = "among trees on 4 conditions of 2 columns"
    assert proof.startswith(f"optimal {scope}: objective 0.0300 (3 leaves), proven in 0.")


def test_a_single_leaf_is_one_line_and_the_proof():
    text = export_text(OptimalTreeRegressor().fit(FRAME, np.full(12, 7.0)))
    scope = "among trees on 4 conditions of 2 columns"
    assert text.startswith(f"predict 7.00  (12 rows)\noptimal {scope}: objective 0.0100 (1 leaf), proven")


def test_one_row_is_not_rows():
    assert "(1 row)" in export_text(OptimalTreeRegressor().fit([[1.0]], [3.0]))


def test_decimals_can_be_chosen(model):
    assert "predict 4  " in export_text(model, decimals=0)
    assert "predict 4.0000  " in export_text(model, decimals=4)


def test_columns_can_be_renamed_for_the_text(model):
    text = export_text(model, feature_names=["years", "smokes"])
    assert "years <= 40" in text
    assert "age" not in text
    with pytest.raises(ValueError, match="1 names for 2 columns; give one name for each"):
        export_text(model, feature_names=["years"])


def test_a_boolean_column_reads_as_true_or_false():
    model = OptimalTreeRegressor().fit(FRAME[["smoker"]], TARGET)
    text = export_text(model)
    assert "├─ smoker is true: predict 4.00" in text
    assert "└─ smoker is false: predict 1.33" in text


def test_levels_and_missing_values_are_named():
    frame = pd.DataFrame({"region": ["north", "south", "west"] * 5, "age": [20, 30, None] * 5})
    text = export_text(OptimalTreeRegressor().fit(frame[["region"]], [1.0, 2.0, 9.0] * 5))
    assert "├─ region = north: predict 1.00" in text
    assert "└─ region is not north:" in text
    text = export_text(OptimalTreeRegressor().fit(frame[["age"]], [1.0, 2.0, 9.0] * 5))
    assert "├─ age <= 25: predict 1.00" in text
    assert "└─ age > 25 or missing (10 rows, 5 of them missing):" in text
    assert "   ├─ age is missing: predict 9.00" in text


def test_missing_values_are_named_where_they_go_and_only_there():
    regions = pd.DataFrame({"region": ["north", "south", "west", None] * 5})
    text = export_text(OptimalTreeRegressor().fit(regions, [9.0, 2.0, 2.5, 1.0] * 5))
    assert text.splitlines()[:-1] == [
        "├─ region = north: predict 9.00  (5 rows)",
        "└─ region is not north, or missing (15 rows, 5 of them missing):",
        "   ├─ region is missing: predict 1.00  (5 rows)",
        "   └─ region is not missing: predict 2.25  (10 rows)",
    ]
    ages = pd.DataFrame({"age": [20, 30, 40, None] * 5})
    text = export_text(OptimalTreeRegressor(0.0001).fit(ages, [1.0, 20.0, 9.0, 100.0] * 5))
    assert text.splitlines()[:-1] == [
        "├─ age <= 35:",
        "│  ├─ age <= 25: predict 1.00  (5 rows)",
        "│  └─ age > 25: predict 20.00  (5 rows)",  # a missing value has gone the other way
        "└─ age > 35 or missing (10 rows, 5 of them missing):",
        "   ├─ age is missing: predict 100.00  (5 rows)",
        "   └─ age is not missing: predict 9.00  (5 rows)",
    ]


def test_rows_of_the_leaves_add_up(sample):
    model = OptimalTreeRegressor(max_depth=3).fit(*sample)
    leaves = [node for node in model.tree_.nodes if node.is_leaf]
    assert sum(node.rows for node in leaves) == 60
    assert export_text(model).count("predict ") == len(leaves)


def test_a_prediction_that_rounds_to_zero_has_no_sign():
    model = OptimalTreeRegressor().fit([[1.0], [2.0], [3.0]] * 3, [-0.001, -5.0, 1.0] * 3)
    assert [line.split("predict ")[1].split()[0] for line in export_text(model).splitlines() if "predict" in line] == [
        "0.00",
        "-5.00",
        "1.00",
    ]
    assert "predict -0.001  " in export_text(model, decimals=3)
    assert "predict 0  " in export_text(model, decimals=0)
