"""Elementwise operators of one operand: the shape is unchanged, and types change as PyTorch promotes them."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.math.elementwise import combine
from shapesmt.operators.ops.shared import items
from shapesmt.operators.ops.shared.follows import each
from shapesmt.operators.ops.shared.indices import free_elements
from shapesmt.operators.ops.shared.items import INTEGERS, Function
from shapesmt.operators.ops.torch.call import Call, operator
from shapesmt.operators.ops.torch.elementwise.promotion import (
    COMPLEX,
    FLOAT,
    as_float,
    cast,
    kind,
    operand,
    real_part,
    require_chance,
    require_not_negative,
    require_order,
)
from shapesmt.operators.ops.torch.layout import dense, in_place as changes, is_plain, lay_out, order_of, strides_of
from shapesmt.operators.ops.torch.schemas import overloads
from shapesmt.operators.rules import Decided, Item, Keeps, Tensor, Traits, Value, tensor
from shapesmt.prover.algebra import Dim, Kind
from shapesmt.prover.algebra.numeric import Float, root

KEPT = (
    *("bitwise_not", "ceil", "celu", "conj_physical", "_conj_physical", "elu", "fix", "floor", "frac", "gelu"),
    *("hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid"),
    *("mish", "nan_to_num", "neg", "negative", "_neg_view", "relu", "relu6"),
    *("round", "selu", "sgn", "sign", "silu", "softplus", "softshrink", "square", "threshold", "trunc", "zero"),
    *("pin_memory", "_pin_memory", "rrelu"),
)
"""Operators that keep the element type."""
OF_FLOATS = (
    *("acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "asin", "asinh", "atan"),
    *("atanh", "cos", "cosh", "deg2rad", "digamma", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "i0", "lgamma"),
    *("log", "log10", "log1p", "log2", "logit", "mvlgamma", "polygamma", "rad2deg", "reciprocal", "rsqrt", "sigmoid"),
    *("sin", "sinc", "sinh", "special_airy_ai", "special_bessel_j0", "special_bessel_j1", "special_bessel_y0"),
    *("special_bessel_y1", "special_digamma", "special_entr", "special_erf", "special_erfc", "special_erfcx"),
    *("special_erfinv", "special_exp2", "special_expit", "special_expm1", "special_gammaln", "special_i0"),
    *("special_i0e", "special_i1", "special_i1e", "special_log1p", "special_log_ndtr", "special_logit"),
    *("special_modified_bessel_i0", "special_modified_bessel_i1", "special_modified_bessel_k0"),
    *("special_modified_bessel_k1", "special_multigammaln", "special_ndtr", "special_ndtri", "special_polygamma"),
    *("special_psi", "special_scaled_modified_bessel_k0", "special_scaled_modified_bessel_k1", "special_sinc"),
    *("special_spherical_bessel_j0", "sqrt", "tan", "tanh"),
)
"""Operators that return floats for integers."""
PREDICATES = ("isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "logical_not", "signbit")
MAGNITUDES = ("abs", "absolute", "angle")
"""Operators that return real numbers for complex ones."""


def truncate(x: Dim | Float) -> Item:
    """Round towards zero."""
    return x if isinstance(x, Dim) else x.trunc()


FOLLOWED: dict[str, Function] = {
    **{name: items.UNARY[name.title()] for name in ("abs", "ceil", "floor", "log", "neg", "reciprocal", "relu")},
    **{name: items.UNARY[name.title()] for name in ("round", "sign")},
    **dict.fromkeys(("fix", "trunc"), truncate),
    "sqrt": root,
    "absolute": items.UNARY["Abs"],
    "negative": items.UNARY["Neg"],
    "sgn": items.UNARY["Sign"],
    "bitwise_not": items.UNARY["BitwiseNot"],
}
"""Functions of known elements."""
VIEWS = ("alias", "detach", "lift", "lift_fresh", "positive", "resolve_conj", "resolve_neg")
"""Operators that return a view of all elements."""


CHANNELS_LAST = {"channels_last": 4, "channels_last_3d": 5}


def base(call: Call) -> str:
    """Return the operator's name without overload and in-place suffix: "add" for `aten.add_.Tensor`."""
    name = call.ctx.node.op.split(".")[1]
    return name if name.endswith("__") else name.removesuffix("_")


def in_place(call: Call) -> bool:
    """Whether the operator changes its first tensor in place."""
    return changes(call.ctx.node.op)


def first(call: Call) -> Tensor:
    """Return the first argument that is a tensor."""
    return call.tensor(next(name for name in call.names if call.type_of(name) == "Tensor"))


def map_elements(x: Tensor, dtype: str, function: Function | None) -> Tensor:
    """Return a tensor of the shape of `x`, its elements computed by `function`; None: unknown elements."""
    return tensor(dtype, x.dims, combine(function, (x,), x.dims, dtype) if dtype else None)


@operator(*overloads(*VIEWS), total=True, memory="view", traits=Traits(Keeps.ALL))
@operator(*overloads("conj", "_conj"), total=True, memory="view", follows=each)
def alias(call: Call) -> Tensor:
    """Return the tensor itself."""
    return first(call)


@operator("clone.default", "contiguous.default", "alias_copy.default", memory="view", traits=Traits(Keeps.ALL))
@operator("detach_copy.default", "lift_fresh_copy.default", memory="view", traits=Traits(Keeps.ALL), follows=each)
def clone(call: Call) -> Tensor:
    """Copy a tensor in the requested memory format; the copy of `contiguous` is contiguous."""
    x = first(call)
    plain = "contiguous.default" in call.ctx.node.op
    return with_memory_format(call, x, "contiguous_format" if plain else "preserve_format")


def with_memory_format(call: Call, x: Tensor, default: str) -> Tensor:
    """Return `x` in the memory format that the node requests, or in `default` if it requests none."""
    name = (call.text("memory_format") if "memory_format" in call.names else "") or default
    if name in CHANNELS_LAST:
        call.ctx.require_rank(x, CHANNELS_LAST[name])
        return dense(x, (0, *range(2, x.rank), 1))
    if name == "contiguous_format":
        return x if is_plain(x) else tensor(x.dtype, x.dims, x.value)
    return x if x.layout is None else dense(x, order_of(x))


@operator(
    *overloads("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"), memory="dense", follows=each
)
def dropout(call: Call) -> Tensor:
    """Drop elements or whole features at random; outside of training return the tensor itself."""
    x, chance = first(call), call.number("p") or 0
    require_chance(call)
    if not call.flag("train") or chance == 0:
        return x
    if base(call).startswith("feature"):
        call.ctx.require_rank(x, 2, least=True)
    return tensor(x.dtype, x.dims)


@operator(*overloads(*KEPT, *OF_FLOATS, *MAGNITUDES), total=True, memory="dense", follows=each)
def unary(call: Call) -> Tensor:
    """Apply a function to every element; the shape is unchanged."""
    x, name = first(call), base(call)
    _require_numbers(call, x, name)
    dtype = as_float(x.dtype) if name in (*OF_FLOATS, "angle") else x.dtype
    dtype = "int64" if name == "square" and dtype == "bool" else dtype
    dtype = real_part(dtype) if name in MAGNITUDES else dtype
    result = map_elements(cast(x, dtype), dtype, _function(call, dtype))
    return store_in_place(call, x, result) if in_place(call) else result


def _function(call: Call, dtype: str) -> Function | None:
    if not call.ctx.node.op.endswith(".default"):
        return None
    negated = base(call) == "bitwise_not" and dtype == "bool"
    return items.PREDICATES["Not"] if negated else FOLLOWED.get(base(call))


NOT_NEGATIVE = {"softshrink": "lambd", "polygamma": "n", "special_polygamma": "n"}
"""The argument of an operator that isn't negative."""

NEGATED_NOT_BOOLEAN = laws.SM501.law("what is negated isn't boolean")


def _require_numbers(call: Call, x: Tensor, name: str) -> None:
    """Require the element type and the parameters that the operator `name` accepts."""
    check = call.ctx.check
    if name == "gelu":
        how = call.text("approximate")
        names = {"name": "approximate", "values": "none or tanh", "value": how}
        check(how in ("none", "tanh"), laws.ATTRIBUTE_ONE_OF_TEXTS.of(**names))
    if name in ("neg", "negative"):
        check(x.dtype != "bool", NEGATED_NOT_BOOLEAN)
    if name in ("abs", "absolute") and in_place(call):
        check(real_part(x.dtype) == x.dtype, laws.CHANGED_HOLDS_RESULTS.of(dtype=x.dtype, result=real_part(x.dtype)))
    if name == "rrelu":
        require_order(call, "lower", "upper", laws.RANGE_ENDS_NO_LOWER)
    if name in NOT_NEGATIVE:
        require_not_negative(call, NOT_NEGATIVE[name])
    if name in ("mvlgamma", "special_multigammaln"):
        require_order(call, 0, "p", laws.PARAMETER_POSITIVE.of(name="p"), apart=True)
    if name == "celu":
        check(call.number("alpha") != 0, laws.DIVISOR_NOT_0)


def store_in_place(call: Call, own: Tensor, result: Tensor) -> Tensor:
    """Return `result` as stored in `own`, the tensor changed in place; require that its type can hold the result."""
    holds = not result.dtype or not own.dtype or kind(result.dtype) <= kind(own.dtype)
    call.ctx.check(holds, laws.CHANGED_HOLDS_RESULTS.of(dtype=own.dtype, result=result.dtype))
    return tensor(own.dtype, own.dims, cast(result, own.dtype).value if own.dtype else None)


@operator(*overloads(*PREDICATES), total=True, memory="dense", follows=each)
def predicate(call: Call) -> Tensor:
    """Test every element; the result is boolean, or in place has the input's type."""
    x = first(call)
    dtype = x.dtype if in_place(call) else "bool"
    negated = base(call) == "logical_not" and x.dtype == "bool"
    return map_elements(x, dtype, items.PREDICATES["Not"] if negated else None)


@operator("frexp.Tensor", follows=each)
def mantissa_and_exponent(call: Call) -> list[Tensor]:
    """Return a fraction and a power of 2 for each number."""
    x = call.tensor("self")
    call.ctx.check(not x.dtype or kind(x.dtype) == FLOAT, laws.FOLDS_FLOATS)
    return [tensor(x.dtype, x.dims), tensor("int32", x.dims)]


@operator("log_sigmoid_forward.default", follows=each)
def log_sigmoid_and_buffer(call: Call) -> list[Tensor]:
    """Return the logarithm of the sigmoid and a buffer of the same shape for the gradient."""
    x = call.tensor("self")
    return [tensor(x.dtype, x.dims)] * 2


@operator(*overloads("rrelu_with_noise"), follows=each)
def rrelu_with_noise(call: Call) -> Tensor:
    """Apply a leaky ReLU with random slopes; `noise` has the input's shape.

    In training the bounds of the slopes have to be in order, unless all elements are positive: no slope is drawn then.
    """
    x = call.tensor("self")
    if call.flag("training") and (call.number("lower") or 0) > (call.number("upper") or 0):
        call.ctx.leave("elements", f"{laws.RANGE_ENDS_NO_LOWER}, or all elements are positive")
    call.ctx.require_agree(x, call.tensor("noise"), law=laws.OPERANDS_SAME_SHAPE)
    return tensor(x.dtype, x.dims)


@operator(*overloads("real", "imag"), total=True, memory="view", follows=each)
def part(call: Call) -> Tensor:
    """View the real or imaginary parts of complex numbers; real tensors stay."""
    x, strides = call.tensor("self"), strides_of(call.tensor("self"))
    if kind(x.dtype) < COMPLEX:
        return x
    result = tensor(real_part(x.dtype), x.dims)
    return lay_out(result, None if strides is None else [2 * d for d in strides], order_of(x))


@operator(*overloads("fill"), memory="dense", follows=each)
def fill(call: Call) -> Tensor:
    """Fill a tensor with one number."""
    x, value = call.tensor("self"), operand(call, "value")
    call.ctx.require_rank(value, 0)
    return tensor(x.dtype, x.dims, combine(_second, (x, cast(value, x.dtype)), x.dims, x.dtype))


@operator("fill_diagonal_.default")
def fill_diagonal(call: Call) -> Tensor:
    """Fill the diagonal; a tensor of more than two axes must have equal sizes."""
    x, ctx = call.tensor("self", least=2), call.ctx
    for d in x.dims[1:] if x.rank > 2 else ():
        ctx.require_equal(d, x[0], laws.DIAGONAL_SIZES_EQUAL)
    return tensor(x.dtype, x.dims)


def _second(_: object, value: object) -> object:
    return value


# Types


@operator(
    *overloads("to", "_to_copy", "type_as", "_autocast_to_full_precision", "_autocast_to_reduced_precision"),
    memory="view",
    traits=Traits(Keeps.CONVERTED),
    follows=each,
)
def to(call: Call) -> Tensor:
    """Convert to the named element type, or to that of another tensor; the shape is unchanged."""
    x, other = call.tensor("self"), call.optional("other")
    dtype = other.dtype if other is not None else call.text("dtype") or x.dtype
    if dtype == x.dtype and base(call) != "_to_copy" and "memory_format" not in call:
        return x
    copied = with_memory_format(call, x, "preserve_format")
    value = flags(call, x) if x.dtype == "bool" and dtype in INTEGERS else None
    return tensor(dtype, x.dims, value or cast(x, dtype).value, layout=copied.layout)


def flags(call: Call, x: Tensor) -> Value | None:
    """Return the elements of an unknown boolean tensor as numbers, each 0 or 1; None for known elements or a scalar."""
    if x.value is not None or x.rank == 0:
        return None
    one = call.ctx.fresh("flag", 0, 1, Kind.PLACE, Decided((0,), free=True, flag=True))
    return free_elements(x, one)


@operator("chalf.default", total=True, memory="dense", follows=each)
def to_complex(call: Call) -> Tensor:
    """Convert to complex32; the shape is unchanged."""
    return tensor("complex32", call.tensor("self").dims)
