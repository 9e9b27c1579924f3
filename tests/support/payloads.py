"""Names that try to be run as code (in shells, Python, pages, CI logs), and models that have them everywhere."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper, numpy_helper

PAYLOADS = (
    # shells
    *("$(pwned)", "`pwned`", ";pwned;", "|pwned", "&& pwned", "\npwned\n", "'$(pwned)'", '"$(pwned)"', "'; pwned #"),
    *('"; pwned #', "'\\''$(pwned)", "\\'$(pwned)", '\\"$(pwned)', "a\\", "<(pwned)", "a b\tpwned", "$'\\n'pwned"),
    *("\\\n;pwned", "-x $(pwned)", "{pwned,}", "~pwned", "!pwned", "a'b\"c`d"),
    # Python
    *('";pwned();"', "';pwned();'", '"""\npwned()\n"""', "'''\npwned()\n'''", "\npwned()\n#", "\rpwned()\r#"),
    *("\x0cpwned()", '\\" + pwned() + "', "\\' + pwned() + '", "{pwned()}", "\u2028pwned()", '\\u0022+pwned()+"'),
    *("\\N{DIGIT ONE}", "\U0001f600", "class", "2²"),
    # SMT-LIB, pages, protobuf, MLIR
    *("|(assert false)|(", "|)(assert false)(declare-const |y", "\n(assert false)\n", "x|y\\z"),
    *("</script><script>pwned()</script>", '"><img src=x onerror=pwned()>', "<!--<script>", "]]>`${pwned()}`"),
    *('" } pwned { "', '", "pwned": "', "x: tensor<1xf32>\n%y"),
    # those who run jobs
    *("::set-output name=p::1", "  ::add-mask::e", "%0A::error::x", "\r::error::x", "\u0085::error::x", ":"),
    *("##vso[task.setvariable variable=p]1", "##[set-output name=p;]1", "##teamcity[buildStatus]", "x###vso[a]", "##"),
    # terminals
    *("\x1b[2J\x1b]0;t\x07", "\u202egnp\u2066", "\x9b2J\x7f\u200f", "section_start:1:x\r\x1b[0K", "\ufeffx"),
)
ROLES = ("input", "output", "node", "dim", "initializer", "op", "producer")


def names(number: int) -> dict[str, str]:
    """Return a payload for each role; over all numbers, each role gets each payload once."""
    return {role: PAYLOADS[(number + 9 * place) % len(PAYLOADS)] for place, role in enumerate(ROLES)}


def hostile_model(called: dict[str, str], known: bool = True) -> onnx.ModelProto:
    """Return a model whose names are payloads, by role; it runs if sizes are equal or 1.

    Unless `known`, one of its nodes has no rule.
    """
    x, y, op, who = called["input"], called["output"], called["op"], called["producer"]
    domain = f"d{op}"
    nodes = [
        helper.make_node("Add", [x, called["initializer"]], ["r"], name="first"),
        helper.make_node(op, ["r"], ["s"], name="call", domain=domain),
        helper.make_node("Add", ["s", "b"], [y], name=called["node"]),
    ]
    nodes[2].metadata_props.add(key="pkg.torch.onnx.stack_trace", value=f'File "{who}.py", line 3, in {who}\n  {who}')
    graph = helper.make_graph(
        nodes,
        who,
        [helper.make_tensor_value_info(name, 1, [dim, 4]) for name, dim in ((x, called["dim"]), ("b", "m"))],
        [onnx.ValueInfoProto(name=y)],
        [numpy_helper.from_array(np.zeros(4, np.float32), called["initializer"])],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(domain, 1)]
    body = [helper.make_node("Relu", ["p"], ["q"])]
    functions = [helper.make_function(domain, op, ["p"], ["q"], body, opsets[:1])] if known else []
    model = helper.make_model(
        graph, opset_imports=opsets, ir_version=10, functions=functions, producer_name=who, doc_string=who
    )
    model.metadata_props.add(key=who, value=who)
    return model
