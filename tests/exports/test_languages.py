"""Python, C, ONNX, JSON and scikit-learn: each export is run by what it is for, on the rows of every case."""

import ctypes
import json
import math
import pickle
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from optitree import OptimalTreeRegressor, OptimalTreeRegressorCV, near_optimal_trees, regularization_path
from optitree.conditions.condition import KINDS
from optitree.output.exports import EXPORT_FORMATS, export
from optitree.output.exports.c_code import c_names
from optitree.output.exports.fitted_tree import fitted_tree
from optitree.table.columns import CATEGORY, DATE

from .cases import GENERATED, Case, case, check, everything

BARE = """
import pickle, sys
names = {}
exec(pickle.load(sys.stdin.buffer), names)
sys.stdout.buffer.write(pickle.dumps([names["predict"](row) for row in pickle.load(sys.stdin.buffer)]))
assert not {"numpy", "optitree", "sklearn"} & set(sys.modules)
"""
MICROSECOND = np.timedelta64(1, "us")


def test_the_cases_have_conditions_of_every_kind():
    asked = {node.condition.kind for name in GENERATED for node in case(name).model.tree_.nodes if node.condition}
    assert asked == set(KINDS)
    between = [
        n.condition for n in case("intervals").model.tree_.nodes if n.condition and n.condition.kind == "between"
    ]
    assert any(condition.high is None for condition in between)  # where NaN, if it were above all numbers, would count


@pytest.mark.parametrize("name", GENERATED)
def test_the_rows_reach_every_leaf(name):
    model = case(name).model
    assert set(case(name).predicted) == {node.value for node in model.tree_.nodes if node.is_leaf}


def test_a_bare_python_predicts_the_same(case: Case):
    rows = case.plain_rows
    if not hasattr(case.model, "feature_names_in_"):
        width = case.model.n_features_in_
        rows = [[row.get(f"x{k}") for k in range(width)] for row in rows]
    given = pickle.dumps(case.model.to_python()) + pickle.dumps(rows)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", BARE], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    check(pickle.loads(done.stdout), case.predicted)


def in_c(value, kind):
    if kind == CATEGORY:
        return None if value is None else value.encode()
    if value is None:
        return math.nan
    return (np.datetime64(value, "us") - np.datetime64(0, "us")) / MICROSECOND if kind == DATE else float(value)


def test_c_predicts_the_same(case: Case, tmp_path: Path):
    (tmp_path / "tree.c").write_text(case.model.to_c())
    strict = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    library = tmp_path / "tree.so"
    subprocess.run(["cc", *strict, "-shared", "-fPIC", "-o", str(library), str(tmp_path / "tree.c")], check=True)
    kinds, names = case.kinds(), c_names(fitted_tree(case.model))
    fields = [
        (name, ctypes.c_char_p if kind == CATEGORY else ctypes.c_double)
        for name, kind in zip(names.values(), kinds.values(), strict=True)
    ]
    row_type = type("Row", (ctypes.Structure,), {"_fields_": fields or [("unused", ctypes.c_char)]})
    predict = ctypes.CDLL(str(library)).predict
    predict.restype, predict.argtypes = ctypes.c_double, [ctypes.POINTER(row_type)]
    found = [predict(row_type(*(in_c(value, kinds[name]) for name, value in row.items()))) for row in case.plain_rows]
    check(found, case.predicted)


def test_onnx_predicts_the_same(case: Case):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    if any("" in getattr(node.condition.values, "levels", ()) for node in case.model.tree_.nodes if node.condition):
        pytest.skip("the tree asks for the empty text, which ONNX cannot tell from a missing value")
    model = case.model.to_onnx()
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    rows = case.plain_rows
    inputs = {}
    for name, kind in case.kinds().items():
        values = [in_c(row[name], kind) for row in rows]
        if kind == CATEGORY:
            inputs[name] = np.array([["" if value is None else value.decode()] for value in values], dtype=object)
        else:
            inputs[name] = np.array(values).reshape(-1, 1)
    if not inputs:  # one leaf, which has to know how many rows there are
        inputs = {session.get_inputs()[0].name: np.zeros((len(rows), 1))}
    (found,) = session.run(["prediction"], inputs)
    check(found[:, 0], case.predicted)


def follow(node, values):
    """Walk a tree of the JSON export as its schema says."""
    while "condition" in node:
        condition = node["condition"]
        value = values[condition["column"]]
        missing = value is None or (isinstance(value, float) and math.isnan(value))
        if "missing" in condition:
            holds = missing
        elif "levels" in condition:
            holds = value in condition["levels"]
        else:
            holds = not missing and any(
                (low is None or value > low) and (high is None or value <= high) for low, high in condition["intervals"]
            )
        node = node["yes" if holds else "no"]
    return node["prediction"]


def test_json_keeps_to_its_schema_and_predicts_the_same(case: Case):
    content = json.loads(case.model.to_json())
    assert content == case.model.to_dict()
    schema = json.loads((files("optitree.output.exports") / "tree.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(content)
    kinds, numbers = case.kinds(), case.model.tree_.columns
    found = []
    for row in case.plain_rows:
        values = [in_c(value, kinds[name]) if kinds[name] == DATE else value for name, value in row.items()]
        found.append(follow(content["tree"], dict(zip(numbers, values, strict=True))))
    check(found, case.predicted)


def test_json_says_nothing_of_time():
    frame, target = everything()
    one, other = (OptimalTreeRegressor(0.01, max_depth=3).fit(frame, target).to_json() for _ in range(2))
    assert one == other
    assert not any(word in one for word in ("seconds", "megabytes", "solved", "trace"))


def test_scikit_learn_predicts_the_same(case: Case):
    pipeline = case.model.to_sklearn()
    check(pipeline.predict(case.rows), case.predicted)
    tree = pipeline["tree"]
    assert (tree.get_n_leaves(), tree.get_depth()) == (case.model.n_leaves_, case.model.depth_)
    answers = pipeline["conditions"].transform(case.rows)
    nodes = case.model.tree_.nodes
    assert [tree.tree_.n_node_samples[at] for at in tree.apply(answers)] == [
        nodes[at].rows for at in case.model.apply(case.rows)
    ]


def test_members_of_paths_and_lists_and_chosen_models_are_exported_too():
    frame, target = everything()
    chosen = OptimalTreeRegressorCV(min_regularization=0.05, cv=2).fit(frame, target)
    path = regularization_path(frame, target, min_regularization=0.05)
    near = near_optimal_trees(frame, target, 0.05, 3, regularization=0.1)
    for model in (chosen, path[1], near[len(near) - 1]):
        for format in EXPORT_FORMATS:
            if format == "onnx" and "''" in "".join(map(repr, model.tree_.nodes)):
                continue
            assert export(model, format)
        assert set(model.to_frame()["prediction"]) == {node.value for node in model.tree_.nodes if node.is_leaf}
        check(model.to_sklearn().predict(frame), model.predict(frame))


def test_wrong_names_are_refused():
    model = case("one leaf").model
    with pytest.raises(ValueError, match="format='excel' is not known; use one of csv, json"):
        export(model, "excel")
    for name in ("2nd", "a b", "double", ""):
        with pytest.raises(ValueError, match="is no name for a function of C"):
            model.to_c(name)
    with pytest.raises(ValueError, match="is no name for a function"):
        model.to_python("a-b")


def test_a_level_that_onnx_has_no_text_for_is_refused():
    frame, _ = everything()
    text = frame["re.gion\\"].fillna("north")
    model = OptimalTreeRegressor(0.01).fit(text.to_frame("text"), (text == "") * 1.0)
    with pytest.raises(ValueError, match=r"cannot tell the level '' of column 'text' from a missing value"):
        model.to_onnx()


def test_a_model_without_conditions_says_what_it_predicts():
    model = OptimalTreeRegressor().fit(np.zeros((5, 1)), np.arange(5.0))
    with pytest.raises(ValueError, match=r"to_sklearn has no conditions.*predicts 2.0 for every row"):
        model.to_sklearn()
    assert model.to_frame()["rule"].tolist() == ["every row"]
