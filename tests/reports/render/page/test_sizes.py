"""Sizes chosen on a page: the verdict and every shape are those that `check` and `bounds` give for these sizes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import shapesmt
from shapesmt.analysis.verify import Question
from shapesmt.base.errors import UsageError
from shapesmt.entrypoints.api import Opened
from shapesmt.frontends import ModelSource
from shapesmt.prover.algebra import Dim, evaluate, maximum, minimum, select
from shapesmt.prover.algebra.numeric import float_greatest, float_least
from shapesmt.prover.algebra.numeric.floats import Float, from_dim, literal
from shapesmt.prover.algebra.numeric.steps import SQRT
from shapesmt.prover.expression_trees import Trees
from shapesmt.reports.answers import PageData
from shapesmt.reports.render.page.html import html_page
from tests.prover.presolve.sets import ATOMS, FREE, H, W, condition, everything, expression
from tests.reports.render.page.test_html import KV_CACHE, UNET, text

EXAMPLES = Path(__file__).parents[4] / "examples"
VERDICTS = {"PROVED": "runs", "FAILS": "fails", "UNKNOWN": "unknown"}
MODELS: dict[str, tuple[object, dict]] = {
    "unet": (UNET, {}),
    "kv cache": (KV_CACHE, {}),
    "kv cache with a relation": (KV_CACHE, {"dims": {"seq": "1..9:2"}, "assume": ["total == seq + past", "past >= 2"]}),
    "position table": (EXAMPLES / "position_table" / "position_table.onnx", {"dims": {"seq": "1..1024"}}),
    "window partition": (EXAMPLES / "window_partition" / "tiles.onnx", {}),
    "baked batch": (EXAMPLES / "baked_batch" / "baked_batch.onnx", {"dims": {"batch": "1..3"}}),
    "upsample and concat": (EXAMPLES / "upsample_concat" / "upsample_concat.onnx", {}),
    "floats": (
        text("""g (float[1, 2, h, w] x) => (float[1, 2, a, b] y) <float[4] s = {1, 1, 0.7, 1.3}>
            { y = Resize<mode="nearest">(x, , s) }"""),
        {},
    ),
    "cases": (
        text("""g (float[n, m] x, float[m, n] y) => (float[a, b] z) <int64[2] s = {2, -1}>
            { r = Reshape(x, s) t = Concat<axis=0>(x, x) u = MatMul(t, y) z = MatMul(r, y) }"""),
        {},
    ),
    "data": (
        text("""g (float[n] x, float[m] y) => (float[k, l] z) <int64[1] s = {-1}>
            { i = NonZero(x) f = Reshape(i, s) z = Add(y, x) }"""),
        {},
    ),
    "no rule": (text("g (float[n] x, float[m] y) => (float[n] z) { u = com.unheard.Of(x) z = Add(x, y) }"), {}),
}
AT = """
    const { model, table } = shapesmt;
    return arguments[0].map((sizes) => {
        const result = model.at(sizes.map(BigInt));
        const shapes = table.rows.map(({ kind, maker }) => {
            const gone = typeof maker === 'number' && result.states[maker] >= 2;
            const shape = gone ? null : model.shape(kind.shapes, result.values);
            return shape && shape.map((size) => (size === null ? null : String(size)));
        });
        return [result.verdict, shapes, (model.nearest(sizes.map(BigInt)) ?? []).map(String)];
    });
"""


def chosen(page: PageData, r: Random) -> list[int]:
    """Sizes at random, near the least ones more often than far from them."""
    ends = [s.first + r.choice([3, 40, 700]) if s.last is None else s.last for s in page.calculator.sliders]
    return [r.randrange(s.first, end + 1, s.step) for s, end in zip(page.calculator.sliders, ends, strict=True)]


@pytest.mark.parametrize("name", MODELS)
def test_the_page_says_what_check_and_bounds_say(shown, name: str, full: bool) -> None:
    (model, options), r = MODELS[name], Random(f"sizes {name}")
    page = Opened(ModelSource(model), Question(**options)).page_data()
    names = [slider.name for slider in page.calculator.sliders]
    browser = shown(html_page(page))
    tried = [chosen(page, r) for _ in range(100 if full else 8)]
    near = [list(map(int, sizes)) for _, _, sizes in browser.execute_script(AT, tried)]
    tried += [sizes for sizes in near if sizes]
    for sizes, (verdict, shapes, _) in zip(tried, browser.execute_script(AT, tried), strict=True):
        question = Question(**{**options, "dims": dict(zip(names, sizes, strict=True))})
        if verdict == "not admissible":
            with pytest.raises(UsageError):
                Opened(ModelSource(model), question).check()
            continue
        report, bounds = Opened(ModelSource(model), question).check(), Opened(ModelSource(model), question).bounds()
        assert verdict == VERDICTS.get(report.verdict.value, "unknown"), sizes
        for tensor, shape in zip(page.bounds.tensors, shapes, strict=True) if bounds.valid else ():
            known = bounds.tensors[tensor].shape
            expected = known and [str(d.min) if d.min == d.max else None for d in known]
            assert shape == (list(expected) if expected is not None else None), (sizes, tensor)


def test_the_nearest_sizes_that_run_are_offered(shown) -> None:
    browser = shown(html_page(shapesmt.open(UNET).where(height="64..512", width="64..512").page_data()))
    for place, size in ((1, 65), (2, 121)):
        field = browser.find_element("id", f"size-{place}")
        field.clear()
        field.send_keys(str(size))
    told = browser.find_element("id", "outcome").text
    assert "Fails at these sizes" in told
    assert "/up4/Concat" in told
    (button,) = browser.find_elements("css selector", ".nearby button")
    assert button.text == "Go to the nearest size that runs: height = 64, width = 128"
    button.click()
    assert "Every node runs at these sizes" in browser.find_element("id", "outcome").text
    assert browser.find_element("id", "size-1").get_attribute("value") == "64"
    here = browser.execute_script(
        "return [...document.querySelectorAll('.line .here')].map((each) => each.dataset.here)"
    )
    assert here == ["64", "128"]


def field_of(browser, place: int):
    return browser.find_element("id", f"size-{place}")


def values(browser) -> list[str]:
    return browser.execute_script("return shapesmt.sizes.fields.map((field) => field.value)")


ONE_PATCH = """g (float[1, 3, height, width] x, float[3, 3, 16, 16] w) => (float[1, 196, 3] z)
    <int64[3] s = {1, 3, 196}> { c = Conv<strides = [16, 16]>(x, w) y = Reshape(c, s)
      z = Transpose<perm = [0, 2, 1]>(y) }"""


def test_a_page_starts_at_sizes_that_run_however_far_they_are(shown) -> None:
    page = Opened(ModelSource(text(ONE_PATCH)), Question({"height": "16..512", "width": "16..512"})).page_data()
    assert [slider.start for slider in page.calculator.sliders] == [16, 16]  # the counterexample
    browser = shown(html_page(page))
    assert browser.find_element("css selector", "#outcome .told").text == "✓ Every node runs at these sizes"
    browser.find_element("css selector", "[data-sizes]").click()
    assert values(browser) == ["16", "16"]
    assert "No sizes" not in browser.find_element("id", "outcome").text
    browser.find_element("css selector", ".nearby button").click()
    assert browser.find_element("css selector", "#outcome .told").text == "✓ Every node runs at these sizes"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("9999", "height = 9999 isn't in 64..512:8"),
        ("8", "height = 8 isn't in 64..512:8"),
        ("65", "height = 65 isn't in 64..512:8"),
        ("-", "height needs a whole number in 64..512:8"),
        ("", "height needs a whole number in 64..512:8"),
    ],
)
def test_a_size_that_is_not_allowed_is_said_and_nothing_is_shown_of_it(shown, typed: str, told: str) -> None:
    browser = shown(html_page(shapesmt.open(UNET).where(height="64..512:8", width="64..512").page_data()))
    field = field_of(browser, 1)
    field.send_keys("\ue009a\ue009\ue003", typed)  # Ctrl-A, Backspace
    shown_as = "return getComputedStyle(document.querySelector('#outcome .summary')).opacity"
    assert browser.find_element("css selector", "#outcome .refused").text == told
    assert len(browser.find_elements("css selector", ".refused")) == 1
    assert field.get_attribute("aria-invalid") == "true"
    assert browser.find_element("id", field.get_attribute("aria-describedby")).text == "64..512:8"
    assert float(browser.execute_script(shown_as)) < 0.5
    field.clear()
    field.send_keys("72")
    assert field.get_attribute("aria-invalid") is None
    assert browser.find_elements("css selector", ".refused") == []
    assert float(browser.execute_script(shown_as)) == 1
    assert "image 1 x 3 x 72 x 64" in browser.find_element("id", "outcome").text.replace("\u00d7", "x")


def test_another_size_replaces_one_that_is_not_allowed(shown) -> None:
    browser = shown(html_page(shapesmt.open(UNET).where(height="64..512", width="64..512").page_data()))
    field_of(browser, 1).clear()
    field_of(browser, 1).send_keys("640")
    assert values(browser) == ["1", "640", "64"]
    field_of(browser, 0).send_keys("2")
    assert values(browser) == ["21", "64", "64"]
    assert browser.find_elements("css selector", "[aria-invalid], .refused, body.stale") == []


def test_arrow_keys_move_the_sliders_which_tab_reaches(shown) -> None:
    browser = shown(html_page(shapesmt.open(UNET).where(height="64..512:16", width="64..512:16").page_data()))
    field_of(browser, 0).send_keys("\t")
    focused = browser.switch_to.active_element
    assert focused.get_attribute("id") == "range-1"
    focused.send_keys("\ue014")  # right
    assert values(browser) == ["1", "304", "288"]
    assert browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_counterexample_can_be_tried(shown) -> None:
    browser = shown(html_page(shapesmt.open(UNET).where(height="64..512", width="64..512").page_data()))
    browser.find_element("css selector", "[data-sizes]").click()
    assert [browser.find_element("id", f"size-{i}").get_attribute("value") for i in range(3)] == ["1", "64", "72"]
    told = browser.find_element("id", "outcome").text
    assert "not reached" in told
    assert "width = 64" in told
    browser.find_element("id", "map-here").click()
    label = browser.execute_script("return document.getElementById('map').getAttribute('aria-label')")
    assert label == "map of the graph: 1 failing, 16 not reached, 14 running"


def test_bytes_are_written_with_three_digits(shown) -> None:
    browser = shown(html_page(Opened(ModelSource(UNET), Question()).page_data()))
    sizes = [0, 512, 1023, 1024, 409600, 1_500_000, 1023 << 20, (1 << 30) - 1, 10**25]
    told = browser.execute_script("return arguments[0].map((text) => bytesText(BigInt(text)))", list(map(str, sizes)))
    assert told == ["0 B", "512 B", "1023 B", "1 KiB", "400 KiB", "1.43 MiB", "1020 MiB", "1 GiB", "8.88e+9 PiB"]


def test_elements_of_any_integer_can_be_typed(shown) -> None:
    model = text("g (int64 stop) => (int64[k] y) <int64 a = {0}, int64 b = {1}> { y = Range(a, stop, b) }")
    page = Opened(ModelSource(model), Question()).page_data()
    assert [slider.first for slider in page.calculator.sliders] == [-(1 << 63)]
    browser = shown(html_page(page))
    assert browser.find_elements("css selector", "input[type=range]") == []
    for typed, told in (
        ("7", "y 7"),
        ("-9223372036854775808", "y 0"),
        ("9223372036854775807", "y 9223372036854775807"),
    ):
        field = browser.find_element("id", "size-0")
        field.clear()
        field.send_keys(typed)
        assert told in browser.find_element("id", "outcome").text


def random_float(r: Random) -> Float:
    """A tree of float operations over a symbol without end, which stays a tree."""
    dtype = r.choice(["float32", "float64"])
    factor, shift = r.choice([0.1, 0.7, 1.5, 3.3]), r.choice([0.0, 0.25])
    number = from_dim(FREE, dtype) * literal(factor, dtype) + literal(shift, dtype)
    for _ in range(3):
        other = literal(r.choice([0.3, 1.7, 12.5]), dtype)
        step = r.choice(["floor", "ceil", "round", "trunc", "sqrt", "add", "div", "least", "greatest"])
        if step in ("floor", "ceil", "round", "trunc"):
            number = getattr(number, step)() * other
        elif step == "sqrt":
            number = number.unary(SQRT)
        elif step in ("add", "div"):
            number = number + other if step == "add" else number / other
        else:
            number = (float_least if step == "least" else float_greatest)(number, other) or number
    return number


def test_random_formulas_have_the_values_that_they_have_here(shown, seeds: range) -> None:
    trees, formulas = Trees(ATOMS), []
    for seed in seeds:
        r = Random(f"formulas {seed}")
        size = select(condition(r), maximum(expression(r), 3), minimum(expression(r), expression(r) - H * W))
        formulas += [size, r.choice([size // 3, size % 5, -size]), random_float(r).to_int(), condition(r)]
    places = [trees.dim(f) if isinstance(f, Dim) else trees.formula(f) for f in formulas]
    points = [{**values, ATOMS[2]: 1 + 97 * i % 5003} for i, values in enumerate(everything())]
    sizes = [[values[a] for a in ATOMS] for values in points]
    assert {"float", "int"} <= {entry[0] for entry in trees.entries if isinstance(entry, list)}
    browser = shown(html_page(Opened(ModelSource(UNET), Question()).page_data()))
    script = """
        const plan = new Plan(arguments[0], arguments[1]);
        return arguments[2].map((sizes) => {
            const values = plan.at(sizes.map(BigInt));
            return arguments[1].map((place) => String(values[place]));
        });
    """
    told = browser.execute_script(script, trees.entries, places, sizes)
    for values, row in zip(points, told, strict=True):
        assert row == [str(evaluate(f, values)).lower() for f in formulas]


def test_a_search_ends_where_nothing_runs(shown) -> None:
    model = text("g (float[n] x, float[m] y) => (float[k] z) { c = Concat<axis=0>(y, y) z = Add(x, c) }")
    browser = shown(html_page(Opened(ModelSource(model), Question({"n": "3..9:2", "m": "2..4"})).page_data()))
    told = browser.find_element("id", "outcome").text
    assert "Fails at these sizes" in told
    assert "No sizes" in told
    groups = browser.execute_script("return shapesmt.model.groups.map((group) => group.sliders.length)")
    assert groups == [2]  # the condition isn't false by itself: the search has to end
