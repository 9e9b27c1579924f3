"""Patterns 1 to 17: layers that don't fit each other, or fit at the sizes that were tried."""

from __future__ import annotations

from tests.patterns.pattern import Pattern, fails

IMAGE = {"height": "8..64", "width": "8..64"}


def unet(depth: int) -> str:
    """Halve `depth` times, then double again, joining what had the same size on the way down."""
    down = [f"d{i + 1} = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (d{i})" for i in range(depth)]
    up = [f"u{i} = Resize (j{i + 1}, , twice) [join{i}] j{i} = Concat <axis = 1> (d{i}, u{i})" for i in range(depth)]
    return f"""(float[1, 1, height, width] d0) => (j0) <float[4] twice = {{1, 1, 2, 2}}> {{
        {" ".join(down)} j{depth} = Identity (d{depth}) {" ".join(reversed(up))}
    }}"""


LAYERS = [
    fails(
        "1", "a Gemm of 1024 columns by 1023 rows", "(float[n, 1024] x) => (y) { [fc] y = Gemm (x, w) }",
        "fc", {"n": 1}, weights={"w": (1023, 10)},
    ),
    fails(
        "1b", "a MatMul of the same", "(float[n, 1024] x) => (y) { [fc] y = MatMul (x, w) }",
        "fc", {"n": 1}, weights={"w": (1023, 10)},
    ),
    fails(
        "2", "64 and 32 channels swapped",
        "(float[n, 3, height, width] x) => (y) { c = Conv (x, w) [deep] y = Conv (c, v) }",
        "deep", {"n": 1, "height": 8, "width": 8}, dims=IMAGE, weights={"w": (32, 3, 3, 3), "v": (32, 64, 3, 3)},
    ),
    fails(
        "2b", "channels that groups don't divide", "(float[n, 6, 8, 8] x) => (y) { [c] y = Conv <group = 4> (x, w) }",
        "c", {"n": 1}, weights={"w": (8, 1, 3, 3)},
    ),
    fails(
        "2c", "filters that groups don't divide", "(float[n, 8, 8, 8] x) => (y) { [c] y = Conv <group = 4> (x, w) }",
        "c", {"n": 1}, weights={"w": (6, 2, 3, 3)},
    ),
    *(
        Pattern(
            number, "a head for 7 times 7 behind a backbone that divides by 32",
            """(float[n, 3, height, width] image) => (y) {
                p = AveragePool <kernel_shape = [32, 32], strides = [32, 32]> (image)
                c = Conv (p, w) f = Flatten (c) [head] y = Gemm (f, v)
            }""",
            dims={"n": 1, "height": sizes, "width": sizes}, weights={"w": (512, 3, 1, 1), "v": (25088, 10)},
            region=region, node="head" if region else "", broken=broken, fine=fine,
        )
        for number, sizes, region, broken, fine in (
            ("3", "192..255", ("height >= 224", "width >= 224"), {"n": 1, "height": 192, "width": 192},
             {"n": 1, "height": 224, "width": 224}),
            ("3b", "32..1599", ("(width//32)*(height//32) == 49",), {"n": 1, "height": 32, "width": 32},
             {"n": 1, "height": 32, "width": 1568}),
            ("3c", "224..255", (), {}, {"n": 1, "height": 255, "width": 224}),
        )
    ),
    Pattern(
        "4", "a U-Net five levels deep", unet(5), dims={"height": "32..512", "width": "32..512"},
        region=("height % 32 == 0", "width % 32 == 0"), node="join4", broken={"height": 32, "width": 48},
        fine={"height": 32, "width": 64},
    ),
    Pattern(
        "4b", "two strided convolutions and one doubling",
        """(float[1, 1, height, 64] image) => (y) <float[4] twice = {1, 1, 2, 2}> {
            a = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (image, w)
            b = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (a, w)
            u = Resize (b, , twice) [join] y = Concat <axis = 1> (a, u)
        }""",
        dims={"height": "61..128"}, weights={"w": (1, 1, 3, 3)}, region=("(height + 1) % 4 <= 1",),
        node="join", broken={"height": 61}, fine={"height": 63},
    ),
    Pattern(
        "5", "rows of 32", "(float[n] x) => (y) <int64[2] rows = {-1, 32}> { [rows] y = Reshape (x, rows) }",
        dims={"n": "1..256"}, region=("n % 32 == 0",), node="rows", broken={"n": 1}, fine={"n": 32},
    ),
    Pattern(
        "5b", "windows of 8 times 8",
        """(float[b, height, width, 4] x) => (y) <int64[1] zero = {0}, int64[1] eight = {8}, int64[1] four = {4}> {
            h = Shape <start = 1, end = 2> (x) w = Shape <start = 2, end = 3> (x) m = Div (h, eight) k = Div (w, eight)
            t = Concat <axis = 0> (zero, m, eight, k, eight, four) [windows] y = Reshape (x, t)
        }""",
        dims={"height": "8..64", "width": "8..64"}, region=("height % 8 == 0", "width % 8 == 0"),
        node="windows", broken={"b": 1, "height": 8, "width": 9}, fine={"b": 1, "height": 8, "width": 16},
    ),
    Pattern(
        "5c", "a decoder that multiplies by 16 what an encoder divided",
        """(float[1, 4, height, width] x) => (y) <float[4] back = {1, 1, 16, 16}> {
            p = AveragePool <kernel_shape = [16, 16], strides = [16, 16]> (x)
            u = Resize (p, , back) [error] y = Sub (x, u)
        }""",
        dims={"height": "16..128", "width": "16..128"}, region=("height % 16 == 0", "width % 16 == 0"),
        node="error", broken={"height": 16, "width": 17}, fine={"height": 16, "width": 32},
    ),
    Pattern(
        "6", "rows of 2560 from a product of two sizes",
        "(float[a, b] x) => (y) <int64[2] rows = {-1, 2560}> { [rows] y = Reshape (x, rows) }",
        dims={"a": "1..80", "b": "1..64"}, region=("(a*b) % 2560 == 0",), node="rows", broken={"a": 1, "b": 1},
        fine={"a": 40, "b": 64},
    ),
    Pattern(
        "6b", "seven rows from a product",
        "(float[batch, seq] x) => (y) <int64[2] rows = {7, -1}> { [rows] y = Reshape (x, rows) }",
        dims={"batch": "1..16", "seq": "1..64"}, region=("(seq*batch) % 7 == 0",), node="rows",
        broken={"batch": 1, "seq": 1}, fine={"batch": 1, "seq": 7}, warnings=("reshaped",),
    ),
    fails(
        "7", "heads merged without their width",
        """(float[b, s, 64] x) => (y) <int64[4] split = {0, 0, 8, 8}, int64[3] merged = {0, 0, 8}> {
            h = Reshape (x, split) t = Transpose <perm = [0, 2, 1, 3]> (h)
            k = Transpose <perm = [0, 2, 3, 1]> (h) a = MatMul (t, k) c = MatMul (a, t)
            o = Transpose <perm = [0, 2, 1, 3]> (c) [merge] y = Reshape (o, merged)
        }""",
        "merge", {"b": 1, "s": 1},
    ),
    Pattern(
        "7b", "a width that the heads don't divide",
        "(float[b, s, d] x) => (y) <int64[4] split = {0, 0, 12, -1}> { [split] y = Reshape (x, split) }",
        dims={"d": "1..768"}, region=("d % 12 == 0",), node="split", broken={"b": 1, "s": 1, "d": 1},
        fine={"b": 1, "s": 1, "d": 12},
    ),
    Pattern(
        "8", "a mask as long as the keys, or of 1",
        "(float[b, 2, s, t] scores, float[b, 1, 1, m] mask) => (y) { [masked] y = Add (scores, mask) }",
        dims={"b": "1..4", "s": "1..8", "t": "1..8", "m": "1..8"}, region=("m == 1 or m == t or t == 1",),
        node="masked", broken={"b": 1, "s": 1, "t": 2, "m": 3}, fine={"b": 1, "s": 1, "t": 2, "m": 1},
        warnings=("broadcast",),
    ),
    Pattern(
        "9", "a mask for the new tokens only",
        """(float[1, 2, s, 4] q, float[1, 2, p, 4] past, float[1, 2, s, 4] new, float[1, 1, 1, m] mask) => (y) {
            k = Concat <axis = 2> (past, new) t = Transpose <perm = [0, 1, 3, 2]> (k)
            scores = MatMul (q, t) [masked] y = Add (scores, mask)
        }""",
        dims={"s": "1..16", "p": "1..64", "m": "2..80"}, region=("m == p + s",), node="masked",
        broken={"s": 1, "p": 1, "m": 3}, fine={"s": 1, "p": 1, "m": 2},
    ),
    Pattern(
        "9b", "the mask and the length that the cache gives it",
        """(float[1, 2, s, 4] q, float[1, 2, p, 4] past, float[1, 2, s, 4] new, float[1, 1, 1, m] mask) => (y) {
            k = Concat <axis = 2> (past, new) t = Transpose <perm = [0, 1, 3, 2]> (k)
            scores = MatMul (q, t) [masked] y = Add (scores, mask)
        }""",
        assume=("m == p + s",), fine={"s": 2, "p": 3, "m": 5},
    ),
    Pattern(
        "10", "more tokens than positions",
        """(float[b, s, 16] x) => (y) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}> {
            all = Shape (x) end = Slice (all, one, two) p = Slice (table, zero, end) [add] y = Add (x, p)
        }""",
        dims={"s": "1..1024"}, weights={"table": (512, 16)}, region=("s <= 512",), node="add",
        broken={"b": 1, "s": 513}, fine={"b": 1, "s": 512},
    ),
    Pattern(
        "11", "two batches that were always 1",
        "(float[n, 128] x, float[m, 128] y) => (z) { [pair] z = Sub (x, y) }",
        dims={"n": "1..8", "m": "1..8"}, region=("m == 1 or m == n or n == 1",), node="pair",
        broken={"n": 2, "m": 3}, fine={"n": 3, "m": 3}, warnings=("broadcast",),
    ),
    Pattern(
        "12", "a batch of 1 written into a shape",
        "(float[n, 3, 8, 8] x) => (y) <int64[2] flat = {1, 192}> { [flat] y = Reshape (x, flat) }",
        region=("n == 1",), node="flat", broken={"n": 2}, fine={"n": 1},
    ),
    Pattern(
        "12b", "a batch of 128 written into a shape",
        "(float[n, 3, 8] x) => (y) <int64[2] flat = {128, 24}> { [flat] f = Reshape (x, flat) y = MatMul (f, w) }",
        dims={"n": "1..512"}, weights={"w": (24, 10)}, region=("n == 128",), node="flat",
        broken={"n": 1}, fine={"n": 128},
    ),
    Pattern(
        "12c", "a class token for a batch of 8",
        """(float[n, s, 16] x) => (y) <int64[3] frozen = {8, 1, 16}> {
            c = Expand (token, frozen) [join] y = Concat <axis = 1> (c, x)
        }""",
        weights={"token": (1, 1, 16)}, region=("n == 8",), node="join", broken={"n": 1, "s": 1},
        fine={"n": 8, "s": 1},
    ),
    Pattern(
        "12d", "a causal mask of a frozen size",
        """(float[s, s] scores) => (y) <
            bool[4, 4] causal = {1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, float low = {-9.0}
        > { [masked] y = Where (causal, scores, low) }""",
        dims={"s": "1..16"}, region=("s == 1 or s == 4",), node="masked", broken={"s": 2}, fine={"s": 4},
        warnings=("broadcast",),
    ),
    Pattern(
        "13", "a scale of 1 where one per channel is meant",
        "(float[n, 4] x, float[c] scale) => (y) { [scaled] y = Mul (x, scale) }",
        dims={"c": "1..4:3"}, fine={"n": 2, "c": 1}, warnings=("broadcast",),
    ),
    Pattern(
        "13b", "a batch that is 1", "(float[b, 4] x, float[1, 4] y) => (z) { z = Add (x, y) }", dims={"b": 1},
        fine={"b": 1},
    ),
    fails(
        "14", "a window of 29 over 28", "(float[n, 1, 28, 28] x) => (y) { [conv] y = Conv (x, w) }",
        "conv", {"n": 1}, weights={"w": (1, 1, 29, 29)},
    ),
    Pattern(
        "14b", "the same window as a pool, which the runtime cuts",
        "(float[n, 1, 28, 28] x) => (y) { y = MaxPool <kernel_shape = [29, 29]> (x) }",
        fine={"n": 1},
    ),
    Pattern(
        "14c", "more halvings than there is height",
        "(float[1, 1, height, 32] d0) => (d5) { "
        + " ".join(f"[c{i}] d{i + 1} = Conv <strides = [2, 2]> (d{i}, w)" for i in range(5))
        + " }",
        dims={"height": "16..64"}, weights={"w": (1, 1, 2, 2)}, region=("height >= 32",), node="c4",
        broken={"height": 16}, fine={"height": 32},
    ),
    fails(
        "15", "more padding than window",
        "(float[n, 1, 8, 8] x) => (y) { [pool] y = MaxPool <kernel_shape = [3, 3], pads = [3, 3, 3, 3]> (x) }",
        "pool", {"n": 1},
    ),
    Pattern(
        "15b", "32 times 40 pooled to 9 times 12, rounding up",
        """(float[n, 12, 32, 40] x) => (s) {
            p = MaxPool <kernel_shape = [8, 8], strides = [3, 3], ceil_mode = 1> (x) s = Add (p, golden)
        }""",
        weights={"golden": (12, 9, 12)}, fine={"n": 2},
    ),
    fails(
        "15c", "the same, rounding down",
        """(float[n, 12, 32, 40] x) => (s) {
            p = MaxPool <kernel_shape = [8, 8], strides = [3, 3]> (x) [same] s = Add (p, golden)
        }""",
        "same", {"n": 1}, weights={"golden": (12, 9, 12)},
    ),
    Pattern(
        "15d", "one pool rounds up, the other down",
        """(float[1, 1, h, 8] x) => (y) {
            up = MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (x)
            down = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) [join] y = Concat <axis = 1> (up, down)
        }""",
        dims={"h": "2..64"}, region=("h % 2 == 0",), node="join", broken={"h": 3}, fine={"h": 2},
    ),
    Pattern(
        "15e", "padding on either side to the same size",
        """(float[1, 1, h, w] x) => (y) {
            up = MaxPool <kernel_shape = [3, 3], strides = [2, 2], auto_pad = "SAME_UPPER"> (x)
            low = MaxPool <kernel_shape = [3, 3], strides = [2, 2], auto_pad = "SAME_LOWER"> (x)
            y = Concat <axis = 1> (up, low)
        }""",
        fine={"h": 5, "w": 6},
    ),
    Pattern(
        "16", "a transposed convolution without output padding",
        """(float[1, 1, h, 9] x) => (y) {
            d = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)
            u = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1]> (d, w) [skip] y = Add (x, u)
        }""",
        dims={"h": "3..64"}, weights={"w": (1, 1, 3, 3)}, region=("h % 2 == 1",), node="skip",
        broken={"h": 4}, fine={"h": 3},
    ),
    Pattern(
        "16b", "the same with one row of output padding",
        """(float[1, 1, h, 8] x) => (y) {
            d = Conv <strides = [2, 2], pads = [1, 1, 1, 1]> (x, w)
            u = ConvTranspose <strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 1]> (d, w)
            [skip] y = Add (x, u)
        }""",
        dims={"h": "2..64"}, weights={"w": (1, 1, 3, 3)}, region=("h % 2 == 0",), node="skip",
        broken={"h": 3}, fine={"h": 4},
    ),
    Pattern(
        "17", "half by a factor, then twice",
        """(float[1, 1, h, 8] x) => (y) <float[4] half = {1, 1, 0.5, 1}, float[4] twice = {1, 1, 2, 1}> {
            a = Resize (x, , half) b = Resize (a, , twice) [skip] y = Add (x, b)
        }""",
        dims={"h": "2..64"}, region=("h % 2 == 0",), node="skip", broken={"h": 3}, fine={"h": 2},
    ),
    Pattern(
        "17b", "back to the size that was",
        """(float[1, 1, h, 8] x) => (y) <float[4] half = {1, 1, 0.5, 1}> {
            a = Resize (x, , half) s = Shape (x) b = Resize (a, , , s) y = Add (x, b)
        }""",
        dims={"h": "2..64"}, fine={"h": 7},
    ),
]  # fmt: skip
