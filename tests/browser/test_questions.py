"""The questionnaire leads every row to the prediction of ``predict``: missing values and unseen levels included."""

import warnings

import numpy as np
import pandas as pd
import pytest
from benchmarks.data.cells import DataMissingError
from benchmarks.data.real import read

from optitree import LimitWarning, OptimalTreeRegressor

from .samples import hostile, mixed, numbers

# Answers the questions of each row as a person would, by the elements of the page, and returns the predictions.
ANSWER = """(rows) => rows.map((row) => {
  const panel = document.querySelector("#questions");
  panel.querySelector("[data-answer=restart]")?.click();
  for (let k = 0; k < 50 && !panel.querySelector(".result"); ++k) {
    const value = row[Number(panel.querySelector(".question").dataset.column)];
    const select = panel.querySelector("select"), input = panel.querySelector("input");
    const press = (answer) => panel.querySelector(`[data-answer="${answer}"]`).click();
    if (value === null) press("unknown");
    else if (value === true) press("Yes");
    else if (value === false) press("No");
    else if (select) {
      const option = [...select.options].slice(1).find((each) => each.textContent === value);
      select.value = option ? option.value : "-1";
      select.form.requestSubmit();
    } else {
      input.value = value;
      input.form.requestSubmit();
    }
  }
  return Number(panel.querySelector(".result").dataset.value);
})"""


def as_answers(frame: pd.DataFrame) -> list[list[object]]:
    def answer(value: object) -> object:
        if pd.isna(value):
            return None
        if isinstance(value, pd.Timestamp):
            return str(value)
        return (
            value
            if isinstance(value, str)
            else bool(value)
            if isinstance(value, bool | np.bool_)
            else repr(float(value))
        )

    return [[answer(value) for value in row] for row in frame.astype(object).itertuples(index=False)]


def random_rows(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return 500 rows whose values are drawn column by column, some of them missing, some levels never seen."""
    drawn = {}
    for name in frame:
        column = frame[name].sample(500, replace=True, random_state=int(rng.integers(1 << 31))).reset_index(drop=True)
        if column.dtype == bool:
            drawn[name] = column
            continue
        if pd.api.types.is_string_dtype(column) or column.dtype == object:
            column = column.astype(object).mask(rng.random(500) < 0.1, "never seen")
        drawn[name] = column.mask(rng.random(500) < 0.1)
    return pd.DataFrame(drawn)


@pytest.mark.parametrize("table", [numbers, mixed, hostile])
def test_answers_lead_where_predict_leads(open_report, tmp_path, table):
    frame, y = table()
    model = OptimalTreeRegressor(0.002, max_depth=5).fit(frame, y)
    assert model.n_leaves_ > 4
    model.report(tmp_path / "tree.html")
    rows = random_rows(frame, np.random.default_rng(5))
    page = open_report(tmp_path / "tree.html").page
    found = page.evaluate(ANSWER, as_answers(rows))
    np.testing.assert_array_equal(found, model.predict(rows))


@pytest.mark.parametrize("table", ["autos-imports85", "house-prices", "taxis"])
def test_answers_lead_where_predict_leads_on_real_tables(open_report, tmp_path, table):
    try:
        frame, y = read(table)
    except DataMissingError as missing:  # other people's tables are not part of the project
        pytest.skip(str(missing))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = OptimalTreeRegressor(0.0, max_leaves=12, max_depth=5, time_limit=1).fit(frame, y)
    model.report(tmp_path / "tree.html")
    rows = random_rows(frame, np.random.default_rng(6))
    page = open_report(tmp_path / "tree.html").page
    np.testing.assert_array_equal(page.evaluate(ANSWER, as_answers(rows)), model.predict(rows))


def test_all_fields_can_be_used_by_keys_alone(open_report, tmp_path):
    """Tab, arrows, letters and Enter: a level from the list, numbers, and the way back."""
    frame = pd.DataFrame({"region": ["north", "south", "west"] * 40, "size": np.tile([1.5, 2.5, 3.5, 4.5], 30)})
    model = OptimalTreeRegressor(0.001).fit(frame, 100.0 * (frame["region"] == "west") + 20 * frame["size"])
    model.report(tmp_path / "tree.html")
    page = open_report(tmp_path / "tree.html").page

    def tab_to(selector: str) -> None:
        for _ in range(60):
            if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"no key leads to {selector}")

    tab_to("#questions select")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    assert page.locator("#questions .question").inner_text().startswith("Is region"), "the list is only passed through"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    tab_to("#questions input")
    page.keyboard.type("2,5")
    page.keyboard.press("Enter")
    assert "Write a number" in page.locator("#questions [role=alert]").inner_text()
    page.keyboard.press("Control+A")
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    expected = model.predict(pd.DataFrame({"region": ["west"], "size": [2.5]}))[0]
    assert float(page.locator("#questions .result").get_attribute("data-value")) == expected
    assert page.evaluate("() => document.activeElement.dataset.answer") == "back"
    page.keyboard.press("Enter")
    assert page.locator("#questions .question").count() == 1
    assert page.evaluate("() => document.activeElement.closest('#questions') !== null"), "the focus is not lost"


def test_yes_and_no_lead_to_the_leaf_that_they_name(open_report, tmp_path):
    frame, y = numbers()
    model = OptimalTreeRegressor(0.01, max_depth=3).fit(frame, y)
    model.report(tmp_path / "tree.html")
    page = open_report(tmp_path / "tree.html").page
    while not page.locator("#questions .result").count():
        page.get_by_role("button", name="Yes", exact=True).click()
    at = 0
    while not model.tree_.nodes[at].is_leaf:
        at = model.tree_.nodes[at].yes
    assert float(page.locator("#questions .result").get_attribute("data-value")) == model.tree_.nodes[at].value
    marked = page.locator(".node.on").evaluate_all("(nodes) => nodes.map((node) => Number(node.dataset.node))")
    assert at in marked
    page.get_by_role("button", name="Back").click()
    assert page.locator("#questions .question").count() == 1
