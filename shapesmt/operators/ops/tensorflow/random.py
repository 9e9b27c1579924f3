"""Random numbers: tensors whose sizes are an input, samples of distributions, shuffles and crops."""

from __future__ import annotations

from shapesmt.network import laws
from shapesmt.operators.ops.shared.require import complete_sizes, require_least, require_shape
from shapesmt.operators.ops.tensorflow.common import DOMAIN, first, numbers, require_numbers, require_order
from shapesmt.operators.rules import RuleContext, Tensor, Traits, rule
from shapesmt.prover.algebra import any_of, equal

RANDOM = ("RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal", "StatelessRandomUniform")
STATELESS = tuple(
    f"Stateless{name}{v}"
    for name in ("RandomUniform", "RandomNormal", "RandomUniformInt", "RandomUniformFullInt", "TruncatedNormal")
    for v in ("", "V2")
)


@rule(*RANDOM, *STATELESS, domain=DOMAIN, any_rank=True, random=True)
def random(ctx: RuleContext) -> Tensor:
    """Draw a tensor whose sizes are an input."""
    sizes, op = ctx.sizes(0), ctx.node.op
    require_least(ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    require_seeds(ctx)
    if op.removesuffix("V2").endswith("UniformInt"):
        _require_range(ctx, len(ctx.inputs) - 2, len(ctx.inputs) - 1)
    default = ctx.input(1).dtype if op == "RandomUniformInt" else "float32"
    dtype = ctx.text("Tout" if ctx.node.op == "RandomUniformInt" else "dtype", default)
    return ctx.tensor(None if sizes is None else complete_sizes(ctx, sizes), dtype)


KEY_ONE_NUMBER = laws.SM401.law("a key is one number")
COUNTER_HAS_NUMBER = laws.SM204.law("a counter has at least one number")
ALGORITHM_1_OR_3 = laws.SM502.law("the algorithm is 1, or 3 to choose one")


def require_seeds(ctx: RuleContext) -> None:
    """Require the shape of a stateless operator's seed, or in version 2 of its key, counter and algorithm."""
    op = ctx.node.op
    if not op.startswith("Stateless"):
        return
    if not op.endswith("V2"):
        require_shape(ctx, 2 if op == "StatelessMultinomial" else 1, (2,), laws.SEED_TWO_NUMBERS)
        return
    require_shape(ctx, 1, (1,), KEY_ONE_NUMBER)
    require_numbers(ctx, 3)
    ctx.require_at_least(ctx.input(2, rank=1)[0], 1, COUNTER_HAS_NUMBER)
    algorithm = first(ctx, 3)
    if algorithm is not None:
        ctx.require(any_of(equal(algorithm, 1), equal(algorithm, 3)), ALGORITHM_1_OR_3, algorithm)


@rule("RandomGamma", "RandomPoisson", "RandomPoissonV2", domain=DOMAIN, random=True)
def random_of(ctx: RuleContext) -> Tensor:
    """Draw, for each parameter, samples of the sizes in an input: sizes `[s]`, parameters `[p]` -> `[s, p]`."""
    sizes, parameters = ctx.sizes(0), ctx.input(1)
    require_least(ctx, sizes, 0, laws.SIZES_NOT_NEGATIVE)
    dtype = parameters.dtype if ctx.node.op != "RandomPoissonV2" else ctx.text("dtype", "int64")
    return ctx.tensor(None if sizes is None else [*complete_sizes(ctx, sizes), *parameters.dims], dtype)


DRAW_COUNT_NOT_NEGATIVE = laws.SM309.law("the number of draws isn't negative")


@rule("Multinomial", "StatelessMultinomial", domain=DOMAIN, random=True)
def multinomial(ctx: RuleContext) -> Tensor:
    """Draw `num_samples` classes for each row of logits."""
    logits, count = ctx.input(0, rank=2), first(ctx, 1)
    ctx.require_rank(ctx.input(1), 0)
    require_seeds(ctx)
    ctx.require_at_least(logits[1], 1, laws.A_CLASS)
    require_least(ctx, [count], 0, DRAW_COUNT_NOT_NEGATIVE)
    return ctx.tensor([logits[0], *complete_sizes(ctx, [count])], ctx.text("output_dtype", "int64"))


REGION_INSIDE_IMAGE = laws.SM301.law("the region is inside the image")


@rule("RandomCrop", domain=DOMAIN, traits=Traits.STATEFUL)
def random_crop(ctx: RuleContext) -> Tensor:
    """Crop an image `[h, w, c]` to a random region whose height and width are an input."""
    x, size = ctx.input(0, rank=3), complete_sizes(ctx, ctx.sizes(1, 2))
    for d, n in zip(x.dims, size, strict=False):
        ctx.require_at_least(d, n, REGION_INSIDE_IMAGE)
        ctx.require_at_least(n, 0, laws.SIZES_NOT_NEGATIVE)
    return ctx.tensor([*size, x[2]])


RANGE_OF_NUMBERS_NOT_EMPTY = laws.SM204.law("the range of numbers isn't empty")


def _require_range(ctx: RuleContext, low: int, high: int) -> None:
    """Require that the scalar inputs `low` and `high` are the bounds of a nonempty range of integers."""
    require_numbers(ctx, low, high)
    for a, b in zip(numbers(ctx, low), numbers(ctx, high), strict=False):
        require_order(ctx, a, b, RANGE_OF_NUMBERS_NOT_EMPTY, apart=True)
