"""Blocks of a large graph: every node is in one of them, by the scopes of its name, else by runs of equal length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from onnx import TensorProto, helper

import shapesmt
from shapesmt.reports.render.page.graph.blocks import MOST_LISTED, Block, blocks_of
from shapesmt.reports.render.page.graph.section import MOST_DRAWN
from tests.reports.render.page.test_html import Elements, embedded
from tests.support.hang import PATIENCE


def leaves(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield from leaves(block.parts) if block.parts else [block]


def labels(blocks: Sequence[Block]) -> list[str]:
    return [block.label for block in blocks]


@pytest.mark.parametrize("number", [101, 300, 4000, 20_000])
def test_every_node_is_in_one_block_that_is_small(number: int) -> None:
    r = Random(f"blocks {number}")
    scopes = [*("abcdef"), "layers.0", "layers.1", "x" * 30, ""]
    for deep in range(4):
        names = ["/".join([*r.choices(scopes, k=r.randint(0, deep)), f"Add_{n}"]) for n in range(number)]
        blocks = blocks_of(names)
        listed = [*leaves(blocks)]
        assert sorted(node for block in listed for node in block.nodes) == [*range(number)]
        assert all(len(block.nodes) <= MOST_LISTED for block in listed)
        assert sorted(node for block in blocks for node in block.nodes) == [*range(number)]
        assert len(blocks) <= 100


def test_the_scope_of_most_nodes_is_open_and_numbers_belong_to_their_scope() -> None:
    names = [f"/m/encoder/layers.{n}/{part}/Add" for n in range(12) for part in ("attn", "mlp") for _ in range(60)]
    names += ["/m/encoder/Shape", "/m/head/Gemm"]
    blocks = blocks_of(["Identity_0", *names])
    layers = [f"/m/encoder/layers.{n}" for n in range(12)]
    assert labels(blocks) == ["other nodes", *layers, "/m/encoder: other nodes", "/m/head"]
    assert labels(blocks[1].parts) == ["attn", "mlp"]


def test_dots_are_scopes_too() -> None:
    names = [f"__module.encoder.layers.{n}.self_attn/aten::add/Add_{k}" for n in range(9) for k in range(50)]
    assert labels(blocks_of(names)) == [f"__module.encoder.layers.{n}" for n in range(9)]


def test_names_without_scopes_are_in_runs_of_equal_length() -> None:
    blocks = blocks_of([f"node_Add_{n}" for n in range(320)])
    assert labels(blocks)[:2] == ["nodes 0 to 49", "nodes 50 to 99"]
    assert [len(block.nodes) for block in blocks] == [50] * 6 + [20]
    names = [f"layer_{n}/Conv" for n in range(400)]  # a scope for each node says nothing
    assert labels(blocks_of(names))[0] == "nodes 0 to 49"


def test_names_of_many_scopes_end() -> None:
    assert len([*leaves(blocks_of(["a/" * 5000 + "b"] * 400))]) == 8


def graph(number: int) -> bytes:
    """A chain of nodes in the scopes of two blocks; one of its last nodes depends on the input."""
    nodes = [
        helper.make_node("Relu", [f"t{i}"], [f"t{i + 1}"], name=f"/block{2 * i // number}/n{i}") for i in range(number)
    ]
    nodes.append(helper.make_node("Add", [f"t{number}", "y"], ["u"], name="/end/add"))
    x, y, u = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [size])
        for name, size in (("t0", "n"), ("y", "m"), ("u", "k"))
    )
    opsets = [helper.make_opsetid("", 18)]
    model = helper.make_model(helper.make_graph(nodes, "g", [x, y], [u]), opset_imports=opsets, ir_version=8)
    return model.SerializeToString()


def test_a_small_graph_is_a_map_and_a_large_one_a_list_that_needs_no_script() -> None:
    small, large = (shapesmt.page(graph(number)) for number in (MOST_DRAWN - 1, MOST_DRAWN))
    assert "canvas" in {tag for tag, _ in Elements(small).found}
    assert "class GraphMap" not in large
    assert "canvas" not in {tag for tag, _ in Elements(large).found}
    told = "".join(Elements(large).texts)
    assert "/block0150 nodes/block1150 nodes/end1 node, 1 depending on the input" in told
    assert embedded(large, "block-data")[2] == ["/end", 300, 300]


def found(browser, selector: str) -> list:
    """The elements, once a block that was opened has them."""
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(browser, PATIENCE).until(lambda _: browser.find_elements("css selector", selector))


def test_blocks_open_and_count_what_does_not_run(shown) -> None:
    browser = shown(shapesmt.page(graph(420), dims={"n": "2..9", "m": "2..9"}))
    tops = """return [...document.querySelectorAll('#blocks > li > details > summary')].map(
        (each) => each.innerText.replace(/\\s+/g, ' '))"""
    assert browser.execute_script(tops) == [
        "/block0 210 nodes",
        "/block1 210 nodes",
        "/end 1 node 1 depending on the input",
    ]
    browser.find_elements("css selector", "#blocks summary")[0].send_keys("\n")  # the keyboard opens it
    inner = found(browser, "#blocks details details > summary")
    assert [each.text for each in inner] == [
        f"nodes {n} to {min(n + 49, 209)} {min(50, 210 - n)} nodes" for n in range(0, 210, 50)
    ]
    inner[4].send_keys("\n")
    nodes = found(browser, "#blocks details details[open] li")
    assert [each.text for each in nodes][:2] == ["/block0/n200 Relu · node 200", "/block0/n201 Relu · node 201"]
    browser.find_element("id", "map-here").click()
    assert browser.execute_script(tops)[2] == "/end 1 node"
    browser.find_element("css selector", "[data-sizes]").click()
    assert browser.execute_script(tops)[2] == "/end 1 node 1 failing"
    browser.find_elements("css selector", "#blocks > li > details > summary")[2].send_keys("\n")
    last = found(browser, "#blocks > li:last-child li")
    assert [each.text for each in last] == ["/end/add Add · node 420 failing"]
