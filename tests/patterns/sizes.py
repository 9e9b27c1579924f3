"""Patterns 18 to 35: axes, ranks and sizes that a graph computes; and correct ones that are hard to see through."""

from __future__ import annotations

from tests.patterns.pattern import Pattern, fails

PADDED = """
    h = Shape <start = 2, end = 3> (x) w = Shape <start = 3, end = 4> (x)
    hr = Mod (h, k) hs = Sub (k, hr) hp = Mod (hs, k) wr = Mod (w, k) ws = Sub (k, wr) wp = Mod (ws, k)
    pads = Concat <axis = 0> (zeros, hp, wp) p = Pad (x, pads)
"""  # `p` is `x` padded at its ends to multiples of `k`
ANCHORS = "(height == 512 and width == 800) or (height == 640 and width == 640) or (height == 800 and width == 512)"
SQUARE = {"height": "1..200", "width": "1..200"}


def ints(**named: tuple[int, ...]) -> str:
    """Vectors of int64 as the text's own constants."""
    return ", ".join(f"int64[{len(v)}] {name} = {{{', '.join(map(str, v))}}}" for name, v in named.items())


SIZES = [
    fails(
        "18", "joined along the wrong axis",
        "(float[n, 64, h] x, float[n, 32, h] y) => (z) { [join] z = Concat <axis = 2> (x, y) }",
        "join", {"n": 1, "h": 1},
    ),
    Pattern(
        "18b", "branches with strides 1 and 2 joined",
        """(float[1, 3, h, 8] x) => (y) {
            a = Conv (x, w) b = MaxPool <kernel_shape = [1, 1]> (x)
            c = Conv <strides = [2, 1]> (x, w) [join] y = Concat <axis = 1> (a, b, c)
        }""",
        dims={"h": "1..32"}, weights={"w": (4, 3, 1, 1)}, region=("h == 1",), node="join",
        broken={"h": 2}, fine={"h": 1},
    ),
    Pattern(
        "19", "three equal parts",
        "(float[n, c] x) => (a, b, d) { [parts] a, b, d = Split <axis = 1> (x) }", opset=13,
        dims={"c": "3..32"}, region=("c % 3 == 0",), node="parts", broken={"n": 1, "c": 4}, fine={"n": 1, "c": 3},
    ),
    Pattern(
        "19b", "parts that don't add up",
        f"(float[n, c] x) => (a, b) <{ints(sizes=(2, 3))}> {{ [parts] a, b = Split <axis = 1> (x, sizes) }}",
        dims={"c": "1..9"}, region=("c == 5",), node="parts", broken={"n": 1, "c": 1}, fine={"n": 1, "c": 5},
    ),
    Pattern(
        "20", "squeezing an axis that may be longer",
        f"(float[n, c, h] x) => (y) <{ints(axes=(2,))}> {{ [squeeze] y = Squeeze (x, axes) }}",
        region=("h == 1",), node="squeeze", broken={"n": 1, "c": 1, "h": 2}, fine={"n": 1, "c": 1, "h": 1},
    ),
    fails(
        "20b", "an axis put in past the rank",
        f"(float[n, c] x) => (y) <{ints(axes=(4,))}> {{ [unsqueeze] y = Unsqueeze (x, axes) }}",
        "unsqueeze", {"n": 1, "c": 1},
    ),
    fails(
        "20c", "LogSoftmax along the rank",
        "(float[n, c] x) => (y) { [softmax] y = LogSoftmax <axis = 2> (x) }", "softmax", {"n": 1, "c": 1},
    ),
    fails(
        "20d", "a transposition of too many axes",
        "(float[n, c] x) => (y) { [swap] y = Transpose <perm = [0, 2, 1]> (x) }", "swap", {"n": 1, "c": 1},
    ),
    fails(
        "21", "a Conv of an image without its batch", "(float[3, h, w] x) => (y) { [conv] y = Conv (x, k) }",
        "conv", {"h": 3, "w": 3}, dims={"h": "3..9", "w": "3..9"}, weights={"k": (8, 3, 3, 3)},
    ),
    *(
        fails(
            number, f"a square window over {title}",
            f"(float[{shape}] x) => (y) {{ [pool] y = MaxPool <kernel_shape = [2, 2]> (x) }}", "pool", {"n": 1},
        )
        for number, title, shape in (("21b", "rows", "n, 8"), ("21c", "volumes", "n, 3, 8, 8, 8"))
    ),
    fails(
        "21d", "flattened past the rank", "(float[n, 8] x) => (y) { [flat] y = Flatten <axis = 3> (x) }",
        "flat", {"n": 1},
    ),
    Pattern(
        "22", "rows added to images: the right ends meet",
        "(float[b, c] x, float[b, h, w] y) => (z) { [add] z = Add (x, y) }",
        dims=dict.fromkeys("bchw", "2..6"), region=("b == h", "c == w"), node="add",
        broken={"b": 2, "c": 2, "h": 2, "w": 3}, fine={"b": 2, "c": 3, "h": 2, "w": 3},
    ),
    Pattern(
        "23", "a grey image where colours are meant",
        "(float[b, c, h, w] x) => (y) { [first] y = Conv (x, k) }",
        dims={"b": 1, "c": "1..3:2", "h": "3..9", "w": "3..9"}, weights={"k": (8, 3, 3, 3)}, region=("c == 3",),
        node="first", broken={"b": 1, "c": 1, "h": 3, "w": 3}, fine={"b": 1, "c": 3, "h": 3, "w": 3},
    ),
    Pattern(
        "23b", "a grey image made of three colours by a mean",
        "(float[b, c, h, w] x) => (y) { [normalize] z = Sub (x, mean) y = Conv (z, k) }",
        dims={"b": 1, "c": "1..3:2", "h": "3..9", "w": "3..9"}, weights={"k": (8, 3, 3, 3), "mean": (3, 1, 1)},
        fine={"b": 1, "c": 1, "h": 3, "w": 3}, warnings=("broadcast",),
    ),
    Pattern(
        "24", "height and width swapped",
        """(float[n, 3, height, width] x) => (y) {
            t = Transpose <perm = [0, 1, 3, 2]> (x) [mix] y = Add (x, t)
        }""",
        dims={"height": "2..32", "width": "2..32"}, region=("width == height",), node="mix",
        broken={"n": 1, "height": 2, "width": 3}, fine={"n": 1, "height": 3, "width": 3},
    ),
    Pattern(
        "24b", "channels last",
        "(float[n, h, w, 3] x) => (y) { [first] y = Conv (x, k) }",
        dims={"h": "3..32", "w": "3..32"}, weights={"k": (8, 3, 3, 3)}, region=("h == 3",), node="first",
        broken={"n": 1, "h": 4, "w": 3}, fine={"n": 1, "h": 3, "w": 3},
    ),
    Pattern(
        "25", "the eighth of fewer", "(float[n, 4] x) => (y) <int64 eighth = {7}> { [pick] y = Gather (x, eighth) }",
        dims={"n": "1..16"}, region=("n >= 8",), node="pick", broken={"n": 1}, fine={"n": 8},
    ),
    Pattern(
        "25b", "the last eight of fewer",
        f"""(float[n] x) => (y) <{ints(start=(-8,), end=(1 << 40,), eight=(8,))}> {{
            s = Slice (x, start, end) [rows] y = Reshape (s, eight)
        }}""",
        dims={"n": "1..16"}, region=("n >= 8",), node="rows", broken={"n": 1}, fine={"n": 8},
    ),
    Pattern(
        "25c", "the best ten of fewer", f"(float[n] x) => (v, i) <{ints(k=(10,))}> {{ [best] v, i = TopK (x, k) }}",
        dims={"n": "1..100"}, region=("n >= 10",), node="best", broken={"n": 1}, fine={"n": 10},
    ),
    fails(
        "25d", "one-hot rows of another depth",
        """(int64[n] ids) => (y) <int64 depth = {10}, float[2] values = {0, 1}> {
            o = OneHot (ids, depth, values) [embed] y = MatMul (o, w)
        }""",
        "embed", {"n": 1}, weights={"w": (12, 4)},
    ),
    fails(
        "26", "a target of 7 times 7 for scores of 6 times 6",
        "(float[n, 4, 6, 6] x, int64[n, 7, 7] t) => (y) { [loss] y = SoftmaxCrossEntropyLoss (x, t) }",
        "loss", {"n": 1},
    ),
    Pattern(
        "26a", "a target of 5 times 5 for scores of 6 times 6, which ONNX Runtime doesn't compare",
        "(float[n, 4, 6, 6] x, int64[n, 5, 5] t) => (y) { [loss] y = SoftmaxCrossEntropyLoss (x, t) }",
        fine={"n": 1},
    ),
    Pattern(
        "26b", "targets for a batch of 3, scores for one of 2",
        "(float[n, 4] x, int64[m] t) => (y) { [loss] y = NegativeLogLikelihoodLoss (x, t) }",
        dims={"n": 2, "m": "2..3"}, region=("m == 2",), node="loss", broken={"n": 2, "m": 3}, fine={"n": 2, "m": 2},
    ),
    Pattern(
        "26c", "weights of 9 classes for 10, which ONNX Runtime doesn't compare",
        "(float[n, 10] x, int64[n] t) => (y) { [loss] y = NegativeLogLikelihoodLoss (x, t, w) }",
        weights={"w": (9,)}, fine={"n": 1},
    ),
    Pattern(
        "27", "channels that aren't blocks",
        "(float[n, c, 4, 4] x) => (y) { [shuffle] y = DepthToSpace <blocksize = 2> (x) }",
        dims={"c": "1..16"}, region=("c % 4 == 0",), node="shuffle", broken={"n": 1, "c": 1}, fine={"n": 1, "c": 4},
    ),
    Pattern(
        "27b", "rows that aren't blocks",
        "(float[n, 3, h, 4] x) => (y) { [unshuffle] y = SpaceToDepth <blocksize = 2> (x) }",
        dims={"h": "1..16"}, region=("h % 2 == 0",), node="unshuffle", broken={"n": 1, "h": 1}, fine={"n": 1, "h": 2},
    ),
    Pattern(
        "27c", "an enlarged image against a target of another size",
        """(float[1, 4, h, 8] x, float[1, 1, t, 16] target) => (y) {
            u = DepthToSpace <blocksize = 2> (x) [error] e = Sub (u, target) y = ReduceMean (e)
        }""",
        dims={"h": "1..16", "t": "2..40"}, region=("t == 2*h",), node="error", broken={"h": 1, "t": 3},
        fine={"h": 2, "t": 4},
    ),
    Pattern(
        "28", "predicted and true durations",
        "(float[n, 80, t] expanded, float[n, 80, m] mel) => (y) { [error] y = Sub (expanded, mel) }",
        dims={"t": "100..300", "m": "100..300"}, region=("m == t",), node="error",
        broken={"n": 1, "t": 100, "m": 101}, fine={"n": 1, "t": 101, "m": 101},
    ),
    Pattern(
        "28b", "a vocoder that gives back what frames took",
        """(float[1, 1, t] audio) => (y) {
            f = Conv <strides = [2], pads = [1, 1]> (audio, w) u = ConvTranspose <strides = [2], pads = [1, 1]> (f, w)
            [error] y = Sub (audio, u)
        }""",
        dims={"t": "2..202"}, weights={"w": (1, 1, 4)}, region=("t % 2 == 0",), node="error",
        broken={"t": 3}, fine={"t": 194},
    ),
    *(
        Pattern(
            number, "anchors for 640 times 640",
            f"""(float[1, 1, height, width] x) => (y) <{ints(flat=(1, 1, -1))}> {{
                a = MaxPool <kernel_shape = [8, 8], strides = [8, 8]> (x) r = Reshape (a, flat)
                b = MaxPool <kernel_shape = [16, 16], strides = [16, 16]> (x) s = Reshape (b, flat)
                c = MaxPool <kernel_shape = [32, 32], strides = [32, 32]> (x) t = Reshape (c, flat)
                all = Concat <axis = 2> (r, s, t) [decode] y = Add (all, anchors)
            }}""",
            dims={"height": sizes, "width": sizes}, weights={"anchors": (8400,)}, region=region,
            node="decode" if region else "", broken=broken, fine=fine,
        )
        for number, sizes, region, broken, fine in (
            ("29", "320..960:32", (ANCHORS,), {"height": 320, "width": 320},
             {"height": 512, "width": 800}),
            ("29b", 640, (), {}, {"height": 640, "width": 640}),
        )
    ),
    Pattern(
        "30", "patches of 14 for 257 positions",
        f"""(float[n, 3, height, width] x) => (y) <{ints(flat=(0, 0, -1))}> {{
            c = Conv <strides = [14, 14]> (x, w) r = Reshape (c, flat) t = Transpose <perm = [0, 2, 1]> (r)
            p = Pad (t, front) [embed] y = Add (p, table)
        }}""".replace("int64[3] flat = {0, 0, -1}", ints(flat=(0, 0, -1), front=(0, 1, 0, 0, 0, 0))),
        dims={"n": 1, "height": "210..252", "width": "210..252"}, weights={"w": (8, 3, 14, 14), "table": (257, 8)},
        region=("224 <= height <= 237", "224 <= width <= 237"), node="embed",
        broken={"n": 1, "height": 210, "width": 210}, fine={"n": 1, "height": 224, "width": 237},
    ),
    Pattern(
        "31", "a label of two sizes",
        '(float[b, i, j] x, float[b, l, k] y) => (z) { [sum] z = Einsum <equation = "bij,bjk->bik"> (x, y) }',
        dims={"j": "2..8", "l": "2..8"}, region=("j == l",), node="sum",
        broken={"b": 1, "i": 1, "j": 2, "l": 3, "k": 1}, fine={"b": 1, "i": 1, "j": 3, "l": 3, "k": 1},
    ),
    Pattern(
        "31b", "batches that stretch each other",
        "(float[b, 1, 3, 4] x, float[1, k, 4, 5] y) => (z) { z = MatMul (x, y) }", fine={"b": 2, "k": 3},
    ),
    Pattern(
        "31c", "batches that don't",
        "(float[b, 3, 4] x, float[c, 4, 5] y) => (z) { [product] z = MatMul (x, y) }",
        dims={"b": "2..8", "c": "2..8"}, region=("b == c",), node="product", broken={"b": 2, "c": 3},
        fine={"b": 3, "c": 3},
    ),
    Pattern(
        "32", "the place of the greatest of none",
        "(float[n, s] x) => (y) { [most] y = ArgMax <axis = 1> (x) }",
        dims={"s": "0..8"}, region=("s >= 1",), node="most", broken={"n": 1, "s": 0}, fine={"n": 1, "s": 1},
    ),
    Pattern(
        "32b", "an empty cache to begin with",
        "(float[b, p, 4] past, float[b, s, 4] new) => (y) { y = Concat <axis = 1> (past, new) }",
        dims={"p": "0..8"}, fine={"b": 1, "p": 0, "s": 1},
    ),
    Pattern(
        "33", "repeated more often than 64 bits count",
        f"(float[n] x) => (y) <{ints(many=(1 << 62,))}> {{ [tile] y = Tile (x, many) }}",
        dims={"n": "1..8"}, region=("False",), node="tile", broken={"n": 1},
    ),
    *(
        Pattern(number, title, f"(float[n] x) => (y) <{ints(many=many)}, int64 none = {{0}}, int64 one = {{1}}, "
                f"int64 end = {{{many[0]}}}> {{ {made} }}", dims={"n": "1..8"}, warnings=("size",), huge=True)
        for number, title, many, made in (
            ("33b", "stretched beyond 64 bits", (1 << 40, 1 << 40, 1), "y = Expand (x, many)"),
            ("33c", "a range beyond 32 bits", (1 << 40,), "r = Range (none, end, one) y = Relu (x)"),
        )
    ),
    Pattern(
        "34", "half of an odd size computed in the graph",
        f"""(float[n, h] x) => (y) <{ints(zero=(0,), two=(2,))}> {{
            h = Shape <start = 1, end = 2> (x) half = Div (h, two) t = Concat <axis = 0> (zero, half, two)
            [pairs] y = Reshape (x, t)
        }}""",
        dims={"h": "2..64"}, region=("h % 2 == 0",), node="pairs", broken={"n": 1, "h": 3}, fine={"n": 1, "h": 2},
    ),
    Pattern(
        "35", "padded to a multiple of 64, halved six times and doubled again",
        f"""(float[1, 1, height, width] x) => (y) <{ints(zeros=(0,) * 6, k=(64,))}, float[4] back = {{1, 1, 64, 64}}> {{
            {PADDED} d = MaxPool <kernel_shape = [64, 64], strides = [64, 64]> (p)
            u = Resize (d, , back) y = Concat <axis = 1> (p, u)
        }}""",
        dims=SQUARE, fine={"height": 65, "width": 127},
    ),
    Pattern(
        "35b", "windows of a padded image, shifted, put back and cropped",
        f"""(float[1, 1, height, width] x) => (y) <
            {ints(zeros=(0,) * 6, k=(7,), one=(1,), seven=(7,), all=(-1, 7, 7, 1), begin=(0, 0), axes=(2, 3))},
            {ints(three=(3,), end=(1 << 40,), two=(2,), start=(0,))}
        > {{
            {PADDED} ph = Shape <start = 2, end = 3> (p) pw = Shape <start = 3, end = 4> (p)
            low = Slice (p, start, three, two) high = Slice (p, three, end, two) rolled = Concat <axis = 2> (high, low)
            m = Div (ph, seven) j = Div (pw, seven)
            t = Concat <axis = 0> (one, m, seven, j, seven, one) r = Reshape (rolled, t)
            c = Transpose <perm = [0, 1, 3, 2, 4, 5]> (r) windows = Reshape (c, all)
            b = Concat <axis = 0> (one, m, j, seven, seven, one) q = Reshape (windows, b)
            e = Transpose <perm = [0, 1, 3, 2, 4, 5]> (q) f = Concat <axis = 0> (one, one, ph, pw)
            g = Reshape (e, f) ends = Concat <axis = 0> (h, w) crop = Slice (g, begin, ends, axes) y = Add (x, crop)
        }}""",
        dims=SQUARE, fine={"height": 8, "width": 13},
    ),
    Pattern(
        "35c", "padded to a square",
        f"""(float[1, 1, height, width] x) => (y) <{ints(zeros=(0,) * 6)}> {{
            h = Shape <start = 2, end = 3> (x) w = Shape <start = 3, end = 4> (x) m = Max (h, w)
            hp = Sub (m, h) wp = Sub (m, w) pads = Concat <axis = 0> (zeros, hp, wp) p = Pad (x, pads)
            t = Transpose <perm = [0, 1, 3, 2]> (p) y = Add (p, t)
        }}""",
        fine={"height": 3, "width": 5},
    ),
    Pattern(
        "35d", "groups of windows, counted over a batch, at two scales",
        f"""(float[batch, 1, height, width] x) => (y, z) <
            {ints(start=(0, 0), end=((1 << 63) - 1,) * 2, axes=(2, 3), by=(28, 28), two=(2, 2), flat=(-1,))},
            {ints(k=(64,), m=(16,))}
        > {{
            a = Slice (x, start, end, axes, by) b = Reshape (a, flat) n = Shape (b) g = Div (n, k)
            t = Concat <axis = 0> (g, k) [groups] y = Reshape (b, t)
            c = Slice (a, start, end, axes, two) d = Reshape (c, flat) i = Shape (d) j = Div (i, m)
            u = Concat <axis = 0> (j, m) z = Reshape (d, u)
        }}""",
        region=("(batch*((width + 27)//28)*((height + 27)//28)) % 64 == 0",), node="groups",
        broken={"batch": 1, "height": 1, "width": 1}, fine={"batch": 2, "height": 85, "width": 197},
    ),
]  # fmt: skip
