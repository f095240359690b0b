"""Reports in a real browser: they open from disk, stay readable, and can be used without a mouse."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from optitree import LimitWarning, OptimalTreeRegressor, near_optimal_trees, regularization_path
from optitree.solver.solution import TracePoint

from .samples import HOSTILE, HOSTILE_LEVELS, hostile, mixed, numbers, of_leaves

OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll(".node")].map((node) => node.getBoundingClientRect());
  let found = 0;
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
    const beside = a.left >= b.right - 0.5 || b.left >= a.right - 0.5;
    if (!beside && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5) found += 1;
  }));
  return [boxes.length, found];
}"""
# Answers on the edges that reach into a box or into one another, and predictions that are broken over two lines.
COVERED = """() => {
  const rects = (selector) => [...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const labels = rects(".canvas .label"), boxes = rects(".node");
  const onBoxes = labels.filter((label) => boxes.some((box) => meet(label, box))).length;
  const onLabels = labels.filter((label, k) => labels.slice(k + 1).some((other) => meet(label, other))).length;
  const values = [...document.querySelectorAll(".node .value")];
  const broken = values.filter((value) => value.getClientRects().length > 1).length;
  return [onBoxes, onLabels, broken];
}"""
CLIPPED = """() => [...document.querySelectorAll(".node, .node *")].filter((node) =>
  !node.closest("svg") && !node.matches(".what, .answer") && node.scrollWidth > node.clientWidth + 1
  && getComputedStyle(node).display !== "inline").length"""

# Texts of a chart that touch one another or a line, or reach out of its frame.
MEETINGS = """(chart) => {
  const boxes = (found) => [...chart.querySelectorAll(found)].map((each) => each.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2;
  const texts = boxes("text"), frame = chart.parentElement.getBoundingClientRect();
  const corners = [...chart.querySelectorAll("path")].flatMap((path) => {
    const matrix = path.getScreenCTM(), length = path.getTotalLength();
    return [...Array(200).keys()].map((k) => path.getPointAtLength((length * k) / 199).matrixTransform(matrix));
  });
  const on = ({ x, y }, box) => x > box.left && x < box.right && y > box.top + 2 && y < box.bottom - 2;
  const wrong = (text, k) => text.right > frame.right + 1 || corners.some((point) => on(point, text))
    || texts.slice(k + 1).some((other) => meet(text, other));
  return texts.filter(wrong).length;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Reports of three sizes, of a path and of near-optimal trees."""
    where = tmp_path_factory.mktemp("reports")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        for leaves in (3, 12, 40):
            model = of_leaves(leaves)
            assert model.n_leaves_ == leaves
            model.report(where / f"{leaves}.html", target="price", units={"price": "$", "age": "years"})
    frame, y = numbers()
    regularization_path(frame, y, max_depth=3, min_regularization=0.002).report(where / "path.html")
    near_optimal_trees(frame, y, 0.05, max_depth=3, regularization=0.01).report(where / "near.html")
    return where


@pytest.mark.parametrize("name", ["3", "12", "40", "path", "near"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_opens_without_complaints_or_requests(open_report, folder, name, scheme):
    file = folder / f"{name}.html"
    opened = open_report(file, color_scheme=scheme)
    assert opened.page.locator("h1").inner_text()
    assert opened.complaints == []
    assert opened.requests == [file.as_uri()]


@pytest.mark.parametrize("width", [1200, 800, 360])
@pytest.mark.parametrize("leaves", [3, 12, 40])
def test_no_two_boxes_overlap(open_report, folder, leaves, width):
    page = open_report(folder / f"{leaves}.html", viewport={"width": width, "height": 800}).page
    assert page.evaluate(OVERLAPS) == [2 * leaves - 1, 0]
    assert page.evaluate(CLIPPED) == 0
    assert page.evaluate(COVERED) == [0, 0, 0]
    smallest = page.locator(".node").first.evaluate("(box) => box.getBoundingClientRect().width / box.offsetWidth")
    assert smallest * 13 >= 9.5, "letters of conditions, in pixels"


@pytest.mark.parametrize("name", ["12", "40", "path", "near"])
def test_a_narrow_screen_needs_no_sideways_scrolling(open_report, folder, name):
    page = open_report(folder / f"{name}.html", viewport={"width": 360, "height": 740}, is_mobile=True).page
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("leaves", [3, 12, 40])
def test_on_paper_it_is_one_card(open_report, folder, leaves):
    page = open_report(folder / f"{leaves}.html").page
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    page.emulate_media(media="print")
    assert page.locator("#card").is_visible()
    assert not page.locator("#tree").is_visible()
    assert not page.locator("#proof").is_visible()
    size = page.locator("#page-size").evaluate("(style) => style.textContent.match(/[0-9]+(?=mm)/g).map(Number)")
    millimetre = 96 / 25.4
    page.set_viewport_size(
        {key: round((each - 2 * size[2]) * millimetre) for key, each in zip(("width", "height"), size[:2], strict=True)}
    )
    ends = "(card) => [...card.querySelectorAll('.rule, .foot')].map((each) => each.getBoundingClientRect().bottom)"
    limit = page.locator("#card").evaluate("(card) => card.getBoundingClientRect().bottom")
    assert max(page.locator("#card").evaluate(ends)) <= limit + 1, "nothing is cut off"
    assert limit <= (size[1] - 2 * size[2]) * millimetre + 1
    assert page.locator("#card .rule .value").count() == leaves


def test_the_slider_changes_the_tree_and_all_that_belongs_to_it(open_report, folder):
    page = open_report(folder / "path.html").page
    slider = page.locator("#slider")
    most = int(slider.get_attribute("max"))
    seen = []
    for at in range(most + 1):
        slider.fill(str(at))
        leaves = page.locator(".node.leaf").count()
        assert page.locator("#card .rule .value").count() == leaves
        assert page.locator("#leaves tbody tr").count() == leaves
        assert page.locator(".dot.chosen").count() == 1
        assert page.locator("#step").inner_text().startswith(f"{leaves} lea")
        seen.append(leaves)
    assert seen == sorted(set(seen))
    assert len(seen) > 3


def test_near_optimal_trees_can_be_chosen(open_report, folder):
    page = open_report(folder / "near.html").page
    thumbs = page.locator("#near .thumbs button")
    assert thumbs.count() > 1
    before = page.locator("#proof").inner_text()
    thumbs.nth(1).click()
    assert thumbs.nth(1).get_attribute("aria-pressed") == "true"
    assert page.locator("#proof").inner_text() != before
    assert page.locator("#use tbody tr").count() > 0


def test_the_tree_can_be_walked_collapsed_and_zoomed_by_keys(open_report, folder):
    page = open_report(folder / "12.html").page
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.matches('.node')"):
            break
    focused = "() => Number(document.activeElement.dataset.node)"
    assert page.evaluate(focused) == 0
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == 1
    page.keyboard.press("ArrowLeft")  # collapses it, or goes back if it is a leaf
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert page.locator(".node").count() == 1
    page.keyboard.press("Enter")
    assert page.locator(".node").count() > 1
    scale = "() => document.querySelector('.canvas').getBoundingClientRect().width"
    before = page.evaluate(scale)
    page.keyboard.press("+")
    assert page.evaluate(scale) > before
    page.keyboard.press("0")
    assert page.evaluate(scale) == pytest.approx(before)


def test_the_questionnaire_and_the_slider_can_be_used_by_keys(open_report, folder):
    page = open_report(folder / "path.html").page
    page.locator("#slider").focus()
    before = page.locator("#step").inner_text()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#step").inner_text() != before
    page.locator("#questions button").first.focus()
    for _ in range(20):
        if page.locator("#questions .result").count():
            break
        page.keyboard.press("Enter")  # the focus goes on to the next question
    assert page.locator("#questions .result").count() == 1


def test_names_and_levels_stay_text(open_report, tmp_path):
    frame, y = hostile()
    model = OptimalTreeRegressor(0.001).fit(frame, y)
    model.report(tmp_path / "hostile.html", title="<i>title</i>", target="</title><script>alert(3)</script>")
    opened = open_report(tmp_path / "hostile.html")
    page = opened.page
    assert opened.complaints == []
    assert opened.dialogs == []
    assert page.locator("h1").inner_text() == "<i>title</i>"
    assert HOSTILE in page.locator("#tree").inner_text()
    assert page.locator("main i, main img, main script, main b:has-text('x')").count() == 0
    card = page.locator("#card").inner_text()
    assert any(level.split("\u2028")[0] in card for level in HOSTILE_LEVELS)


def test_axe_finds_nothing_serious(open_report, folder, axe):
    for name in ("12", "path", "near"):
        for scheme in ("light", "dark"):
            page = open_report(folder / f"{name}.html", color_scheme=scheme, bypass_csp=True).page
            page.evaluate(axe)
            found = page.evaluate("() => axe.run()")["violations"]
            serious = [
                f"{each['id']}: {each['help']} {[node['target'] for node in each['nodes']][:3]}"
                for each in found
                if each["impact"] in ("serious", "critical")
            ]
            assert not serious, (name, scheme, serious)


def test_a_mixed_table_has_all_its_parts(open_report, tmp_path):
    model = OptimalTreeRegressor(0.01).fit(*mixed())
    model.report(tmp_path / "mixed.html")
    page = open_report(tmp_path / "mixed.html").page
    for part in ("tree", "questions", "card", "proof", "leaves", "data"):
        assert page.locator(f"#{part}").is_visible(), part
    assert page.locator("#leaves tbody svg").count() == model.n_leaves_
    assert page.locator("#convergence").is_visible() == (len(model.solution_.trace) > 1)
    assert page.locator("#summary").inner_text() == model.summary()


def test_on_a_phone_words_are_whole_and_the_letters_of_charts_are_read(open_report, folder):
    page = open_report(folder / "12.html", viewport={"width": 360, "height": 740}, is_mobile=True).page
    lines = """(cells) => cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size;
    })"""
    assert set(page.locator("#proof th").evaluate_all(lines)) == {1}
    page = open_report(folder / "path.html", viewport={"width": 360, "height": 740}, is_mobile=True).page
    heights = page.locator("#path .chart text").evaluate_all(
        "(texts) => texts.map((text) => text.getBoundingClientRect().height)"
    )
    assert min(heights) >= 10


@pytest.mark.parametrize("width", [1200, 360])
def test_predictions_on_the_card_stand_below_one_another(open_report, tmp_path, width):
    x = np.repeat([0.0, 10, 20, 40], [2000, 30, 1, 2])
    OptimalTreeRegressor(0.0, max_leaves=4).fit(x[:, None], 1000 * x).report(tmp_path / "t.html")
    page = open_report(tmp_path / "t.html", viewport={"width": width, "height": 800}).page
    ends = "(values) => values.map((value) => Math.round(value.getBoundingClientRect().right))"
    assert len(set(page.locator("#card .value").evaluate_all(ends))) == 1
    assert {"1 row", "2 rows"} < set(page.locator("#card .rows").all_inner_texts())


def test_rows_and_spreads_in_boxes_are_not_broken(open_report, tmp_path):
    model = OptimalTreeRegressor(0.01, max_depth=3).fit(*numbers())
    model.report(tmp_path / "t.html", target="y", units={"y": "thousand"})
    for width in (1200, 800, 420, 360):
        page = open_report(tmp_path / "t.html", viewport={"width": width, "height": 800}).page
        whole = "(boxes) => boxes.every((box) => box.getClientRects().length === 1)"
        assert page.locator(".outline .split .detail").evaluate_all(whole)
        assert page.locator("#summary .whole").all_inner_texts() == ["1e-9"]
        assert page.locator("#summary .whole").evaluate_all(whole)
        assert page.locator("#summary").inner_text() == model.summary()
        spreads = page.locator(".leaf .detail").all_inner_texts()
        assert all("\u00a0thousand" in text for text in spreads)


@pytest.mark.parametrize("width", [1200, 360])
def test_depths_in_the_course_of_a_search_are_written_beside_its_lines(open_report, tmp_path, width):
    model = OptimalTreeRegressor(0.01, max_depth=3).fit(*numbers())
    moments = [(0.0, 0.1, 1.0, 0), (0.01, 0.2, 0.9, 1), (0.4, 0.3, 0.9, 2), (0.99, 0.4, 0.5, 3), (1.0, 0.5, 0.5, None)]
    model.solution_ = replace(
        model.solution_, trace=tuple(TracePoint(*moment[:3], 0, 0, moment[3]) for moment in moments)
    )
    model.report(tmp_path / "t.html")
    page = open_report(tmp_path / "t.html", viewport={"width": width, "height": 800}).page
    plot = page.locator("#convergence .chart")
    depths = plot.locator("text").filter(has_text="depth")
    assert depths.all_text_contents() == ["depth 1", "depth 2", "depth 3"]
    assert plot.evaluate(MEETINGS) == 0
