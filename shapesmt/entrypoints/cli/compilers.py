"""The commands that write models, sizes and memory figures for compilers, and modules of PyTorch as their model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import click

from shapesmt.base.errors import printable
from shapesmt.entrypoints.cli.options import (
    load_config,
    model_command,
    model_text,
    opened,
    sizes,
)
from shapesmt.entrypoints.cli.output import BOUNDS_STATUS, STATUS, put, show, waiting
from shapesmt.reports.render import Form

_TARGETS = ("ort", "openvino", "iree", "tensorrt")
_WRITE_STATUS = STATUS.format("0 written, 1 some input fails, so that nothing is written")
_MEMORY_STATUS = STATUS.format("0 exact, 1 no valid input or some beyond the budget, 3 not exact")
_REPAIR_STATUS = STATUS.format("0 proposed, 1 no change found, 3 out of time")
_PROFILE_STATUS = STATUS.format("0 written, 1 not written, 3 some point not proven")

_trust_ranges = click.option("--trust-ranges", is_flag=True, help="Write a file that is right only in these ranges and "
                             "relations, which its metadata then state.")  # fmt: skip
_DYNAMIC_STATUS = STATUS.format("0 written, 1 not written, 3 not proven")


@click.command(
    short_help="Find the single changes that make a model run",
    epilog=f"{_REPAIR_STATUS}. Example: shapesmt repair unet.onnx -o fixed.onnx",
)
@model_command
@click.option("-o", "--output", metavar="OUT.onnx", help="Where to write the model with a change made.")
@click.option("--take", type=click.IntRange(1), metavar="N",
              help="The proposal that is written; by default the first, if it is proved.")  # fmt: skip
@click.option("--as-declared", is_flag=True, help="Write it even if an output that isn't as the file declares gets "
                                                  "another shape at a size at which the model runs.")  # fmt: skip
def repair(form: Form, model: str, output: str | None, take: int | None, as_declared: bool, **options: Any) -> int:
    """Which single change makes the model run for every input?

    Proposals are proved, or say that they leave findings. Only a person knows which was meant: read them first.
    """
    from shapesmt.tasks.repair import find_repairs

    asked = opened(model, *load_config(options))
    ask = partial(find_repairs, asked.model, asked.ask(), output, take=take, as_declared=as_declared)
    return show(waiting(f"repairing {model}", asked, ask), form)


@click.command(
    short_help="Find the bytes of activations, and what fits a budget",
    epilog=f"{_MEMORY_STATUS}. Example: shapesmt memory unet.onnx --budget 2GB --max batch",
)
@model_command
@click.option("--mode", type=click.Choice(["live", "alias", "inplace"]), default="live", show_default=True,
              help="Which tensors share a buffer: none, views, results over an operand as well.")  # fmt: skip
@click.option("--budget", metavar="BYTES", help="Say which inputs fit: 2GB, 512MiB, 100000.")
@click.option("--max", "greatest", type=model_text, metavar="NAME",
              help="The greatest value of a dimension in the budget.")  # fmt: skip
@click.option("--at", multiple=True, type=model_text, metavar="NAME=SIZE", callback=sizes,
              help="The bytes at this size; --max looks there only.")  # fmt: skip
@click.option("--html", metavar="FILE", help="Write a page as well, with the bytes over the ranges drawn.")
def memory(
    form: Form,
    model: str,
    mode: str,
    budget: str | None,
    greatest: str | None,
    at: Mapping[str, int],
    html: str | None,
    **options: Any,
) -> int:
    """How many bytes do activations take at most, at which input and node, and which inputs fit a budget?"""
    from shapesmt.tasks.memory import Wanted, measure

    asked, wanted = opened(model, *load_config(options)), Wanted(mode, budget, greatest, at, charts=html is not None)
    answer = waiting(f"measuring {model}", asked, lambda: measure(asked.model, asked.ask(), wanted))
    if html is not None:
        from shapesmt.reports.export import write_whole
        from shapesmt.reports.render import memory_page

        write_whole(html, memory_page(answer).encode())
    return show(answer, form)


@click.command(
    short_help="Write the model with the shapes of its tensors in it",
    epilog=f"{BOUNDS_STATUS}. Example: shapesmt tighten unet.onnx -o tight.onnx",
)
@model_command
@click.option("-o", "--output", required=True, metavar="OUT.onnx", help="Where to write the annotated model.")
@click.option("--valid-only", is_flag=True, help="Write shapes that hold for valid inputs only, if others fail.")
@click.option("--simplify", is_flag=True, help="Leave out the nodes that proofs make superfluous, as `simplify` does.")
@click.option("--for", "target", type=click.Choice(_TARGETS),
              help="The runtime that it is for, which decides its form and whose shapes are written.")  # fmt: skip
@click.option("--shapes", "written", type=click.Choice(["all", "outputs", "none"]),
              help="Whose shapes are written: all tensors', by default, or for ort those of the outputs.")  # fmt: skip
@_trust_ranges
def tighten(
    form: Form, model: str, output: str, valid_only: bool, simplify: bool, trust_ranges: bool, **options: Any
) -> int:
    """Write the model with the shape of every tensor in it, if it runs for every input."""
    from shapesmt.tasks.simplify import write_tightened

    asked = opened(model, *load_config(options))
    more: dict[str, Any] = {"valid_only": valid_only, "simplify": simplify, "trust_ranges": trust_ranges}
    ask = partial(write_tightened, asked.model, asked.ask(declared="check"), output, **more)
    return show(waiting(f"bounding {model}", asked, ask)[1], form)


@click.command(
    short_help="Write the model without superfluous nodes",
    epilog=f"{_WRITE_STATUS}. Example: shapesmt simplify unet.onnx -o small.onnx",
)
@model_command
@click.option("-o", "--output", required=True, metavar="OUT.onnx", help="Where to write the smaller model.")
@click.option("--valid-only", is_flag=True, help="Write a model for valid inputs only, if others fail.")
@click.option(
    "--for", "target", type=click.Choice(_TARGETS), help="The runtime that it is for, which decides its form."
)
@click.option("--explain", "everything", is_flag=True, help="List every node that is removed or changed, and why.")
@click.option("--check-runs", type=click.IntRange(0), default=0, metavar="N",
              help="Run both files on ONNX Runtime at N sizes, the ends of the ranges first.")  # fmt: skip
@_trust_ranges
def simplify(form: Form, model: str, output: str, everything: bool, **options: Any) -> int:
    """Write the model without the nodes that proofs make superfluous, if it runs for every input."""
    from shapesmt.tasks.simplify import write_simplified

    more = {name: options.pop(name) for name in ("valid_only", "check_runs", "trust_ranges")}
    asked = opened(model, *load_config(options))
    ask = partial(write_simplified, asked.model, asked.ask(), output, **more)
    answer = waiting(f"simplifying {model}", asked, ask)[1]
    return show(answer, "all" if everything and form == "text" else form)


@click.command(
    short_help="Write sizes for TensorRT, ONNX Runtime and others",
    epilog=f"{_PROFILE_STATUS}. Example: shapesmt profile unet.onnx --for trtexec --dim batch=1..32",
)
@model_command
@click.option("--for", "target", default="json", show_default=True, metavar="FORMAT",
              help="trtexec, polygraphy, ort-trt, torch-trt, torch-export, openvino, ovms, ort, tvm, stablehlo, "
              "coreml, triton or json.")  # fmt: skip
@click.option("--opt", multiple=True, type=model_text, metavar="NAME=VALUE", callback=sizes,
              help="A size of the usual input; by default the middle of its range.")  # fmt: skip
@click.option("--profiles", type=click.IntRange(1, 1000), default=1, show_default=True, metavar="K",
              help="Cover the valid inputs by at most K boxes.")  # fmt: skip
@click.option(
    "--inner", multiple=True, type=model_text, metavar="TENSOR", help="Sizes of this tensor inside the model, too."
)
@click.option("--valid-only", is_flag=True, help="Write the sizes of valid inputs only, if others fail.")
@click.option("--hull", is_flag=True, help="With --valid-only, let a format that holds one box have all valid inputs, "
              "though some inside fail.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Where to write it; standard output by default.")
def profile(form: Form, model: str, output: str | None, **options: Any) -> int:
    """Write the least, the usual and the greatest size of every input as a compiler takes them: proven to run."""
    about = {name: options.pop(name) for name in ("target", "opt", "profiles", "inner", "valid_only", "hull")}
    asked = opened(model, *load_config(options))
    answer = waiting(f"bounding {model}", asked, lambda: asked.profile(**about))
    if not answer.boxes:
        return show(answer, form)
    put(answer.content, output, form, answer.to_dict())
    for note in answer.notes:
        click.echo(f"note: {printable(note, 1000)}", err=True)
    return answer.exit_status


@click.command(
    "dynamic-shapes",
    short_help="Write what may vary in a torch.export",
    epilog=f"{_DYNAMIC_STATUS}. Example: shapesmt dynamic-shapes model.pt2",
)
@model_command
@click.option("-o", "--output", metavar="FILE", help="Where to write it; standard output by default.")
def dynamic_shapes(form: Form, model: str, output: str | None, **options: Any) -> int:
    """Write the dynamic_shapes for torch.export of the largest sizes that are proven to run.

    MODEL is a .pt2 file. Of `model.py:example`, a function that returns a module and a tuple of its arguments, what is
    written is tried with PyTorch until it is accepted.
    """
    answer = waiting(f"looking at {model}", asked := opened(model, *load_config(options)), asked.dynamic_shapes)
    if not answer.content:
        return show(answer, form)
    put(answer.content, output, form, answer.to_dict())
    for axis in answer.static:
        click.echo(f"{axis.word}: {printable(axis.words, 400)}", err=True)
    return answer.exit_status
