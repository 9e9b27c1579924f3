"""Operators that draw random numbers."""

from __future__ import annotations

from collections.abc import Sequence

from shapesmt.network import laws
from shapesmt.operators.ops.shared.indices import any_places
from shapesmt.operators.ops.shared.require import complete_sizes, require_least
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import FLOAT, kind, require_chance, require_order
from shapesmt.operators.ops.torch.elementwise.single import base
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Tensor, Value, tensor
from shapesmt.prover.algebra import FALSE, ZERO, Dim, any_of, as_dim, at_least, equal

MOST_CLASSES = as_dim(1 << 24)
LIKE = ("rand_like", "randn_like", "randint_like")
DRAWN = (
    *("bernoulli", "cauchy", "exponential", "geometric", "log_normal", "random", "uniform", "normal_functional"),
    "poisson",
)
POSITIVE = {"cauchy": "sigma", "exponential": "lambd", "log_normal": "std"}
"""The parameter of a distribution that has to be positive."""

DEVIATION_NOT_NEGATIVE = laws.SM502.law("the deviation isn't negative")
A_NUMBER_TO_DRAW = laws.SM204.law("there is at least one number to draw")


def require_parameters(call: Call) -> None:
    """Require that the distribution's parameters are valid."""
    name = base(call)
    positive = POSITIVE.get(name, "")
    require_order(call, 0, positive, laws.PARAMETER_POSITIVE.of(name=positive), apart=True)
    require_order(call, 0, "std", DEVIATION_NOT_NEGATIVE)
    require_chance(call, sure=name != "geometric")
    if name == "uniform":
        require_order(call, "from", "to", laws.RANGE_ENDS_NO_LOWER)
    if name in ("random", "randint", "randint_like"):
        low = next((call.size(n) for n in ("low", "from") if n in call), ZERO)
        high = next((call.size(n) for n in ("high", "to") if n in call), None)
        if low is not None and high is not None:
            call.ctx.require_at_least(high, low + 1, A_NUMBER_TO_DRAW)


def drawn_integers(call: Call, dims: Sequence[Dim]) -> Value | None:
    """Return data-dependent integers of shape `dims`, from `low` up to `high` (exclusive); None if they are unknown."""
    low, high = call.size("low") if "low" in call else ZERO, call.size("high")
    return None if low is None or high is None else any_places(call.ctx, dims, high - low, low)


@operator("rand.default", "rand.generator", "randn.default", "randn.generator", "normal.float_float", random=True)
@operator("randint.default", "randint.generator", "randint.low", "randint.low_generator", random=True)
def drawn(call: Call) -> Tensor:
    """Draw a tensor of the listed sizes."""
    require_parameters(call)
    sizes = complete_sizes(call.ctx, call.sizes("size"))
    require_least(call.ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    if "randint" in call.ctx.node.op:
        dtype = call.text("dtype") or "int64"
        return tensor(dtype, sizes, drawn_integers(call, sizes) if dtype in ("int32", "int64") else None)
    return tensor(call.text("dtype") or "float32", sizes)


@operator("randperm.default", "randperm.generator", random=True)
def permutation(call: Call) -> Tensor:
    """Return the numbers below `n` in random order."""
    sizes: list[Dim] = complete_sizes(call.ctx, [call.size("n")])
    require_least(call.ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    return tensor(call.text("dtype") or "int64", sizes, any_places(call.ctx, sizes, sizes[0]))


@operator(*overloads(*LIKE, *DRAWN), "normal_.default", random=True)
def drawn_like(call: Call) -> Tensor:
    """Draw a tensor of the input's shape."""
    x, chances = call.tensor("self"), call.optional("p")
    require_parameters(call)
    if call.ctx.node.op == "aten.bernoulli.default":  # elements are probabilities
        call.ctx.assume_valid(0)
    if chances is not None and call.ctx.node.op.split(".")[1].endswith("_"):
        call.ctx.broadcast(x.dims, chances.dims)
    return tensor((call.text("dtype") if "dtype" in call else "") or x.dtype, x.dims)


@operator("normal.Tensor_Tensor", "normal.Tensor_float", "normal.float_Tensor", "binomial.default", random=True)
def drawn_by(call: Call) -> Tensor:
    """Draw a number for each pair of parameters, which broadcast."""
    require_parameters(call)
    given = [x for x in call.ctx.inputs if x is not None]
    return tensor(given[-1].dtype, call.ctx.broadcast(*(x.dims for x in given)))


CLASSES_TO_DRAW_FROM = laws.SM204.law("there are at most {most} classes to draw from")


@operator("multinomial.default", random=True)
def multinomial(call: Call) -> Tensor:
    """Draw class indices: `[n, classes]` or `[classes]`; at most as many as classes unless drawn with replacement."""
    ctx, x, [count] = call.ctx, call.tensor("self"), complete_sizes(call.ctx, [call.size("num_samples")])
    ctx.check(x.rank in (1, 2), laws.RANK_1_OR_2.of(rank=x.rank))
    ctx.check(not x.dtype or kind(x.dtype) == FLOAT, laws.ELEMENT_TYPE.of(expected="a float", dtype=x.dtype))
    ctx.require_at_least(MOST_CLASSES, x[-1], CLASSES_TO_DRAW_FROM.of(most=MOST_CLASSES))
    ctx.require_at_least(count, 1, laws.A_NUMBER)
    if not call.flag("replacement"):
        ctx.require_at_least(x[-1], count, laws.K_AT_MOST_AXIS)
    ctx.require(any_of(at_least(x[-1], 1), equal(x[0], 0) if x.rank > 1 else FALSE), laws.A_CLASS_TO_DRAW, x[-1], 1)
    dims = (*x.dims[:-1], count)
    return tensor("int64", dims, any_places(ctx, dims, x[-1]))


@operator("native_dropout.default", random=True)
def native_dropout(call: Call) -> list[Tensor]:
    """Return the elements, some set to 0, and the mask of the others."""
    x = call.tensor("input")
    require_chance(call)
    return [tensor(x.dtype, x.dims), tensor("bool" if x.numel.lo > 0 else "", x.dims)]
