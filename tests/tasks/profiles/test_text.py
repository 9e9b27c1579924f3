from __future__ import annotations

from shapesmt.tasks.profiles.text import Axis, Layout, Root, Words, proposal_text

LAYOUT = Layout(
    {"image": [Axis("n"), 3, Axis("height", 8), Axis("width", 16, 1)], "mask": [Axis("n"), None], "scale": []},
    {"n": Root("n", 1, None, 1), "height": Root("height", 2, 64, 8), "width": Root("width", 1, 32, 16)},
)
ARGUMENTS = {"image": "image", "rest": ["mask", ("scale",), {"more": ""}]}


def test_sizes_are_multiples_of_dims() -> None:
    text = proposal_text(ARGUMENTS, LAYOUT, {}, ["runs when it\nruns"])
    assert text.splitlines() == [
        "from torch.export import Dim",
        "",
        r"# runs when it\nruns",
        'n = Dim("n")',
        '_height = Dim("_height", min=2, max=64)',
        '_width = Dim("_width", max=32)',
        "dynamic_shapes = {",
        '    "image": {0: n, 2: 8*_height, 3: 16*_width + 1},',
        '    "rest": [{0: n, 1: Dim.AUTO}, (None,), {"more": None}],',
        "}",
    ]


def test_weaker_words() -> None:
    words = {"n": Words.AUTO, "height": Words.DYNAMIC, "width": Words.DYNAMIC}
    text = proposal_text(ARGUMENTS, LAYOUT, words, [])
    assert "= Dim(" not in text
    assert "{0: Dim.AUTO, 2: Dim.DYNAMIC(min=16, max=512), 3: Dim.DYNAMIC(min=17, max=513)}" in text


def test_names_are_those_that_python_can_have() -> None:
    names = ["a.b", "a_b", "Dim", "class", "1"]
    layout = Layout({"x": [Axis(name) for name in names]}, {name: Root(name, 1, None, 1) for name in names})
    text = proposal_text({"x": "x"}, layout, {}, [])
    assert "{0: a_b, 1: a_b_, 2: Dim_, 3: _class, 4: _1}" in text
    compile(text, "<text>", "exec")
