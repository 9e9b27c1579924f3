"""Replay PyTorch programs: run each counterexample through the program, which has to fail at the named node.

Inputs are filled as for ONNX Runtime, floats with 1 and integers with 0; if the finding depends on data, also randomly.
"""

from __future__ import annotations

import importlib.util
from io import BytesIO
from typing import Any

from shapesmt.base.deadline import Deadline
from shapesmt.base.errors import ModelError, UsageError, pass_on, printable
from shapesmt.frontends import Format, OpenedModel
from shapesmt.frontends.torch.live import quiet
from shapesmt.network.graph import GUARDS, Graph
from shapesmt.reports.answers import Counterexample, Finding, FindingKind, Replay, altered
from shapesmt.tasks.replay.cut import at, bytes_of, too_large

DRAWN = 8  # number of fills for findings that depend on data
_CHECKS = ("_check_input_constraints_pre_hook", "_check_input_constraints_for_graph")


def program_of(model: OpenedModel) -> Any:
    """Return the program to run; PyTorch loads one that is in an archive.

    Raises:
        ModelError: PyTorch can't load the program.
        UsageError: PyTorch isn't installed.
    """
    if model.format is Format.PROGRAM:
        return model.content.program
    if importlib.util.find_spec("torch") is None:
        raise UsageError("--replay of a program needs PyTorch, which is not installed: pip install 'shapesmt[torch]'")
    import torch

    with quiet():
        try:
            return torch.export.load(model.content.path or BytesIO(model.content.content))
        except Exception as error:  # PyTorch may raise anything
            pass_on(error)
            reason = printable(" ".join(str(error).split()), 200)
            raise ModelError(f"{model.source}: PyTorch can't load it, so nothing is run: {reason}") from None


def replayed_program(
    program: Any, graph: Graph, findings: tuple[Finding, ...], deadline: Deadline
) -> tuple[Finding, ...]:
    """Return the findings, each with the result of running its counterexample, if there is time for it."""
    import torch

    name = f"torch {torch.__version__.partition('+')[0]}"
    stamped = []
    for f in findings:
        example = f.counterexample
        if example is None:
            stamped.append(f)
        elif deadline.expired:
            stamped.append(altered(f, replay=Replay(name, None, f.node, "there was no time left for it")))
        else:
            stamped.append(altered(f, replay=_replay(name, program, graph, f, example)))
    return tuple(stamped)


def _replay(name: str, program: Any, graph: Graph, finding: Finding, example: Counterexample) -> Replay:
    reason = too_large(sum(map(bytes_of, at(graph, example).values())))
    if reason:
        return Replay(name, None, finding.node, reason)
    by_data = finding.kind is FindingKind.DATA
    last = None
    for seed in range(DRAWN if by_data else 1):
        node, message = _run(program, example, finding.node == GUARDS, seed)
        if node == finding.node:
            return Replay(name, True, finding.node, message)
        last = last or (node, message)
    node, message = last or ("", "")
    if by_data:
        return Replay(name, None, finding.node, "runs on ones and on data drawn by chance; other data may break it")
    if node:
        return Replay(name, False, node, f"node '{printable(node)}' fails instead: {message}")
    return Replay(name, False, finding.node, "it runs there")


def _run(program: Any, example: Counterexample, guarded: bool, seed: int) -> tuple[str, str]:
    """Run the program; return the node that fails and PyTorch's message, or "" for both if everything runs.

    With `guarded`, the checks of the program's inputs run too. Inputs are filled at random unless `seed` is 0.
    """
    import torch

    torch.manual_seed(seed)
    arguments = [_argument(spec, program, example, seed) for spec in program.graph_signature.input_specs]
    with quiet(), torch.no_grad():
        if guarded:
            return _refusal(program, arguments)
        place = [""]

        class Runner(torch.fx.Interpreter):  # type: ignore[misc]  # PyTorch has no types here
            def run_node(self, n: Any) -> Any:
                place[0] = n.name
                return super().run_node(n)

        try:
            Runner(program.graph_module).run(*arguments, enable_io_processing=False)
        except Exception as error:  # any exception is a failure of the node
            pass_on(error)
            return place[0], _short(getattr(error, "__cause__", None) or error)
    return "", ""


def _refusal(program: Any, arguments: list[Any]) -> tuple[str, str]:
    """Run the whole program: return `GUARDS` and the message if a check before the run refuses the inputs.

    Return "a node" and the message if it fails later, "" for both if it runs.
    """
    import torch

    kinds = [spec.kind.name for spec in program.graph_signature.input_specs]
    flat = [value for kind, value in zip(kinds, arguments, strict=True) if kind == "USER_INPUT"]
    args, kwargs = torch.utils._pytree.tree_unflatten(flat, program.call_spec.in_spec)  # noqa: SLF001 - there is no other
    try:
        program.module()(*args, **kwargs)
    except Exception as error:  # any exception is a failure
        pass_on(error)
        frames = []
        trace = error.__traceback__
        while trace is not None:
            frames.append(trace.tb_frame.f_code.co_name)
            trace = trace.tb_next
        if str(error).startswith("Guard failed") or any(name in _CHECKS for name in frames):
            return GUARDS, _short(error)
        return "a node", _short(error)
    return "", ""


def _argument(spec: Any, program: Any, example: Counterexample, seed: int) -> Any:
    """Return the value of one graph input: a weight, a constant, or a tensor of the example's shape."""
    kind, name = spec.kind.name, getattr(spec.arg, "name", "")
    if kind != "USER_INPUT":
        value = program.state_dict.get(spec.target)
        value = program.constants.get(spec.target) if value is None else value
        return value.clone() if hasattr(value, "clone") else value
    if hasattr(spec.arg, "value"):
        return spec.arg.value
    if type(spec.arg).__name__ != "TensorArgument":
        return next(iter(example.values.get(name, (1,))), 1)
    dtype = next(node.meta["val"].dtype for node in program.graph.nodes if node.name == name)
    return _fill(dtype, example.inputs[name], example.values.get(name), seed)


def _fill(dtype: Any, shape: tuple[int, ...], values: Any, seed: int) -> Any:
    import torch

    if values is not None:
        return torch.tensor(values, dtype=dtype).reshape(shape)
    whole = not dtype.is_floating_point and not dtype.is_complex
    if seed:
        return torch.randint(0, 2, shape).to(dtype) if whole else torch.randn(shape).to(dtype)
    return torch.full(shape, 0 if whole and dtype is not torch.bool else 1, dtype=dtype)


def _short(error: BaseException) -> str:
    """Return the first line of PyTorch's message."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return printable((lines[0] if lines else type(error).__name__).rstrip("."), 240)
