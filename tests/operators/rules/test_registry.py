"""Rules of one's own, by decorator and by entry point."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict

import pytest

import shapesmt
from shapesmt.base.errors import InternalError
from shapesmt.entrypoints.cli.main import main
from shapesmt.operators.ops.modules import DOMAINS
from shapesmt.operators.rules import registry

MODEL = b"""<ir_version: 8, opset_import: ["": 18, "com.example.plugin": 1]>
g (float[n, 3] x) => (float[a, b] y) { y = com.example.plugin.Double (x) }"""
RULE = """
import shapesmt

@shapesmt.rule("Double", domain="com.example.plugin")
def double(ctx):
    return ctx.input(0).replace(-1, 2 * ctx.input(0)[-1])
"""


def own_rules(monkeypatch):
    """A copy of every rule there is, so that what a test adds is forgotten afterwards."""
    registry.load_everything()
    monkeypatch.setattr(registry, "_RULES", {key: list(found) for key, found in registry._RULES.items()})


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package put on the path with its metadata; its rules and its module are forgotten afterwards."""

    def install(code: str, module: str) -> None:
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nmine = {module}\n")
        registry.load_plugins.cache_clear()

    monkeypatch.syspath_prepend(tmp_path)
    own_rules(monkeypatch)
    before = set(sys.modules)
    yield install
    registry.load_plugins.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("shapesmt_test_"):
            del sys.modules[name]


def test_an_entry_point_adds_rules(installed):
    assert shapesmt.check(MODEL).findings[0].kind == "unsupported"
    installed(RULE, "shapesmt_test_plugin")
    assert shapesmt.check(MODEL).verdict.value == "PROVED"
    assert shapesmt.bounds(MODEL).tensors["y"].shape[1].max == 6
    assert "com.example.plugin.Double" in [o.qualified for o in shapesmt.supported_ops().operators]


def test_a_broken_plugin_is_one_line(installed):
    installed("raise RuntimeError('no\\nluck')", "shapesmt_test_broken")
    with pytest.raises(shapesmt.UsageError) as caught:
        shapesmt.check(MODEL)
    assert str(caught.value).startswith(
        "the plugin 'mine' (shapesmt_test_broken) of the group shapesmt.rules can't be "
    )
    assert "\n" not in str(caught.value)


def test_a_rule_replaces_an_earlier_one(monkeypatch):
    own_rules(monkeypatch)
    model = b"""<ir_version: 8, opset_import: ["": 18]> g (float[n] x) => (float[a] y) { y = Relu (x) }"""
    assert str(shapesmt.bounds(model).tensors["y"].shape[0].expr) == "n"

    @shapesmt.rule("Relu", domain="ai.onnx")
    def relu(ctx):
        return ctx.input(0).replace(0, 7)

    assert shapesmt.bounds(model).tensors["y"].shape[0].max == 7


def test_no_operator_has_two_rules_of_the_package() -> None:
    counting = """
from collections import defaultdict
from shapesmt.operators.rules import registry
added, add = defaultdict(set), registry._add
def noted(new):
    added[new.domain, new.name, new.since].add(f"{new.apply.__module__}.{new.apply.__qualname__}")
    add(new)
registry._add = noted
registry.load_everything()
assert len(added) > 2000
print({rule: functions for rule, functions in added.items() if len(functions) > 1})
"""
    ran = subprocess.run([sys.executable, "-c", counting], capture_output=True, text=True, check=True)
    assert ran.stdout == "{}\n"


def test_all_rules_of_an_operator_are_in_one_module() -> None:
    """Then the domain's other modules need not be imported for it."""
    modules = defaultdict(set)
    for own in registry.rules():
        if not own.plugin and own.domain in DOMAINS:
            modules[own.domain, own.name].add(own.apply.__module__)
    assert len(modules) > 1000
    assert not {operator: names for operator, names in modules.items() if len(names) > 1}


def test_domains_list_the_modules_of_their_rules() -> None:
    """Rules that a bridge's table registers are functions of another module, so bridges are exempt."""
    listed = {domain: {f"shapesmt.operators.ops.{name}" for name in names} for domain, names in DOMAINS.items()}
    bridges = {"shapesmt.operators.ops.shared.bridge", "shapesmt.operators.ops.contrib.common"}
    own = {(r.domain, r.apply.__module__) for r in registry.rules() if not r.plugin}
    assert not {(domain, module) for domain, module in own if module not in listed[domain] | bridges}


def test_an_operator_without_a_row_fails_at_import() -> None:
    def added(ctx: object) -> None: ...

    added.__module__ = "shapesmt.operators.ops.math.added"
    with pytest.raises(AssertionError, match="Unlisted isn't in"):
        shapesmt.rule("Unlisted")(added)


def test_two_rules_for_one_operator_name_their_modules(installed):
    installed(RULE, "shapesmt_test_first")
    shapesmt.check(MODEL)
    with pytest.raises(shapesmt.UsageError) as caught:
        shapesmt.rule("Double", domain="com.example.plugin")(test_a_broken_plugin_is_one_line)
    assert str(caught.value) == (
        "operator com.example.plugin.Double has two rules since version 1, in shapesmt_test_first and "
        "tests.operators.rules.test_registry: keep one of them"
    )


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return 'x'", "TypeError: it returns 'x', not tensors such as ctx.tensor(dims) makes"),
        ("return [ctx.input(0), 2]", "TypeError: it returns '[Tensor(float32[n, 3]), 2]', not tensors"),
        ("raise RuntimeError('no\\nluck')", "RuntimeError: no\\nluck"),
        ("return ctx.shap", "AttributeError: 'InferenceContext' object has no attribute 'shap'"),
    ],
)
def test_a_rule_that_breaks_is_one_line_that_names_its_module(installed, body, told):
    installed(f"{RULE.rsplit('    return', 1)[0]}    {body}", "shapesmt_test_breaking")
    with pytest.raises(shapesmt.UsageError) as caught:
        shapesmt.check(MODEL)
    assert str(caught.value).startswith(f"the rule of Double broke at node 'Double_0': {told}")
    assert str(caught.value).endswith("(in shapesmt_test_breaking)")
    assert "\n" not in str(caught.value)


def test_the_list_says_where_a_rule_comes_from(installed):
    installed(RULE, "shapesmt_test_listed")
    (double,) = [o for o in shapesmt.supported_ops().operators if o.name == "Double"]
    assert double.plugin == "shapesmt_test_listed"
    (relu, *_) = [o for o in shapesmt.supported_ops().operators if o.name == "Relu"]
    assert relu.plugin == ""


def test_a_model_s_operators_are_told_with_what_to_do(installed, capsys, tmp_path):
    installed(RULE, "shapesmt_test_told")
    path = tmp_path / "m.onnxtxt"
    path.write_bytes(MODEL.replace(b"}", b" z = com.example.plugin.Halve (y) }"))
    assert main(["ops", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "m.onnxtxt: 1 of 2 operators with a rule",
        "",
        "com.example.plugin.Double  since 1   1 node  from shapesmt_test_told",
        "com.example.plugin.Halve   no rule   1 node",
        "",
        "an operator without a rule leaves its nodes undecided: shapesmt explain SM601 says what helps",
    ]
    main(["ops"])
    assert re.search(r"\nAdd +since 1, 7\n", capsys.readouterr().out)


@pytest.mark.parametrize("size", [2, 3])
def test_a_rule_that_breaks_is_at_fault_only_where_its_laws_hold(monkeypatch, size):
    own_rules(monkeypatch)

    @shapesmt.rule("Relu", domain="ai.onnx")
    def relu(ctx):
        ctx.require_equal(ctx.input(0)[0], 3, "there are three rows")
        raise ValueError

    model = b'<ir_version: 8, opset_import: ["": 18]> g (float[n, 5] x) => (y) { y = Relu(x) z = Abs(y) }'
    if size == 3:
        with pytest.raises((shapesmt.UsageError, InternalError), match="the rule of Relu broke"):
            shapesmt.check(model, dims={"n": size})
    else:
        assert [f.law for f in shapesmt.check(model, dims={"n": size}).findings] == ["there are three rows"]


@pytest.mark.parametrize("size", ["-1", "-ctx.input(0)[0]", "1 - 4 * ctx.input(0)[1]"])
def test_a_size_below_0_is_never_proved(installed, size):
    installed(RULE.replace("2 * ctx.input(0)[-1]", size), "shapesmt_test_plugin")
    (found,) = shapesmt.check(MODEL).findings
    assert (found.verdict.value, found.law) == ("UNKNOWN", "sizes are not negative")


def test_an_unknown_operator_loads_no_rules_of_other_formats() -> None:
    code = f"import sys, shapesmt; print(shapesmt.check({MODEL!r}).verdict, *sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    verdict, *modules = ran.stdout.split()
    assert verdict == "UNKNOWN"
    assert not {
        "shapesmt.operators.ops.torch",
        "shapesmt.operators.ops.tensorflow",
        "shapesmt.operators.ops.openvino",
    } & {*modules}
