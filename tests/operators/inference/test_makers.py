import pytest

from shapesmt import check

CONSTANT = "Constant <value = int64[3] {-1, 0, 3}> ()"
RESHAPE = (
    "Reshape <allowzero = 1> (x, s)"  # refused where the sizes -1 and 0 are in the file, run where they are computed
)
BRANCH = "(float[d, e, f] u) {{ {} u = {} }}, else_branch = i () => (float[d, e, f] v) {{ v = Identity (x) }}>"
FUNCTION = '<domain: "own", opset_import: ["":18]> F ({}) => (y) {{ {} y = {} }}'


@pytest.mark.parametrize(("sizes", "refused"), [(CONSTANT, True), (f"{CONSTANT} s = Identity (k)", False)])
@pytest.mark.parametrize(
    "text",
    [
        f"(float[2, 0, 3] x) => (float[a, b, c] y) {{ SIZES y = {RESHAPE} }}",
        "(float[2, 0, 3] x, bool t) => (float[a, b, c] y) { SIZES "
        f"y = If (t) <then_branch = h () => {BRANCH.format('', RESHAPE)} }}",
        "(float[2, 0, 3] x, bool t) => (float[a, b, c] y) { "
        f"y = If (t) <then_branch = h () => {BRANCH.format('SIZES', RESHAPE)} }}",
        f"(float[2, 0, 3] x) => (float[a, b, c] y) {{ SIZES y = own.F (x, s) }} {FUNCTION.format('x, s', '', RESHAPE)}",
        f"(float[2, 0, 3] x) => (float[a, b, c] y) {{ y = own.F (x) }} {FUNCTION.format('x', 'SIZES', RESHAPE)}",
    ],
    ids=["graph", "around a branch", "in a branch", "handed to a function", "in a function"],
)
def test_sizes_that_are_constants_of_the_file(text, sizes, refused):
    made = f"k = {sizes}" if "Identity" in sizes else f"s = {sizes}"
    report = check(
        f'<ir_version: 8, opset_import: ["":18, "own":1]> g {text.replace("SIZES", made)}'.encode(), session="file"
    )
    code = "SM408" if "If (t)" in text else "SM105"  # whether or not the branch runs, the file isn't loaded
    assert [finding.code for finding in report.findings] == [code] * refused
