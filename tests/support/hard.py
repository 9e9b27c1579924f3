"""Models that are hard to decide, as texts: their conditions are number theory, or grow with every node."""

from __future__ import annotations

HEAD = '<ir_version: 8, opset_import: ["":18, "own":1]> '


def text(inputs: str, body: str, functions: str = "") -> str:
    return f"{HEAD}g ({inputs}) => (y) {{ {body} }} {functions}"


def vectors(names: str) -> str:
    """Return declarations of one-dimensional inputs: "ab" -> `float[a_] a, float[b_] b`."""
    return ", ".join(f"float[{name}_] {name}" for name in names)


def lengths(names: str) -> str:
    """Return nodes that compute the size of each one-dimensional input as a number: for "n" it is `n0`."""
    return " ".join(f"{name}s = Shape({name}) {name}0 = Squeeze({name}s)" for name in names)


def number(name: str, value: int) -> str:
    return f"{name} = Constant<value = int64 {{{value}}}>()"


def steps(count: int, step: str, first: str, names: str = "n") -> str:
    """Return nodes: `v0` is `first`, then come `count` copies of `step`, numbered from 0.

    In each copy, @ is replaced by its number, # by the next number, and $ by one of the names in turn.
    """
    rows = (
        step.replace("@", str(k)).replace("#", str(k + 1)).replace("$", names[k % len(names)]) for k in range(count)
    )
    return f"v0 = Identity({first}) {' '.join(rows)}"


def functions(levels: int, times: int, leaf: str) -> str:
    """Return functions `f0` (its body is `leaf`) to `f<levels>`; each calls the one below it `times` times."""
    made = f'<domain: "own", opset_import: ["":18]> f0 (x) => (y) {{ {leaf} }}'
    for level in range(1, levels + 1):
        calls = " ".join(f"a{k + 1} = own.f{level - 1}({f'a{k}' if k else 'x'})" for k in range(times))
        made += (
            f' <domain: "own", opset_import: ["":18, "own":1]> f{level} (x) => (y) {{ {calls} y = Identity(a{times}) }}'
        )
    return made


SQUARES = "a = Mul(n0, n0) b = Mul(m0, m0)"
PRIMES = (7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)

HARD: dict[str, str] = {
    "equal products": text("float[n,m] x, float[p,q] w", "a = Flatten<axis=0>(x) b = Flatten<axis=0>(w) y = Add(a, b)"),
    "a product that a size divides": text(
        "float[n,m] x, float[k] w",
        "s = Shape(w) o = Constant<value = int64[1] {-1}>() t = Concat<axis=0>(s, o) y = Reshape(x, t)",
    ),
    "n*n = m*m*m + 7": text(
        vectors("nmk"),
        f"{lengths('nmk')} {SQUARES} c = Mul(b, m0) {number('seven', 7)} d = Sub(a, c) e = Sub(d, seven) i = Abs(e)"
        " y = Gather(k, i)",
    ),
    "n*n = 61*m*m": text(
        vectors("nmk"),
        f"{lengths('nmk')} {SQUARES} {number('p', 61)} c = Mul(p, b) d = Sub(a, c) i = Abs(d) y = Gather(k, i)",
    ),
    "cubes": text(
        vectors("nmkj"),
        lengths("nmkj")
        + " ".join(f" {v}1 = Mul({v}0, {v}0) {v}2 = Mul({v}1, {v}0)" for v in "nmk")
        + f" a = Sub(n2, m2) b = Sub(a, k2) {number('c', 33)} d = Sub(b, c) i = Abs(d) y = Gather(j, i)",
    ),
    "remainders": text(
        vectors("nm"),
        f"{lengths('nm')} {number('v0', 0)} "
        + " ".join(
            f"{number(f'p{k}', prime)} r{k} = Mod(n0, p{k}) v{k + 1} = Add(v{k}, r{k})"
            for k, prime in enumerate(PRIMES)
        )
        + f" y = Gather(m, v{len(PRIMES)})",
    ),
    "least and greatest": text(
        vectors("nmkj"),
        f"{lengths('nmkj')} {number('five', 5)} "
        + steps(24, "a@ = Max(v@, $0) b@ = Min(a@, n0) c@ = Mod(b@, five) v# = Add(c@, v@)", "n0", "mkj")
        + " y = Gather(m, v24)",
    ),
    "choices": text(
        vectors("nmkj"),
        f"{lengths('nmkj')} {number('two', 2)} "
        + steps(20, "c@ = Less(v@, $0) a@ = Mul(v@, two) b@ = Add(v@, j0) v# = Where(c@, a@, b@)", "n0", "mkj")
        + " y = Gather(m, v20)",
    ),
    "halve or triple": text(
        vectors("nm"),
        f"{lengths('nm')} {number('zero', 0)} {number('one', 1)} {number('two', 2)} {number('three', 3)} "
        + steps(
            18,
            "r@ = Mod(v@, two) c@ = Equal(r@, zero) a@ = Div(v@, two) t@ = Mul(v@, three) b@ = Add(t@, one)"
            " v# = Where(c@, a@, b@)",
            "n0",
        )
        + " y = Gather(m, v18)",
    ),
    "broadcasts": text(
        ", ".join(f"float[n{k}, m{k}] x{k}" for k in range(60)),
        steps(59, "v# = Add(v@, x#)", "x0") + " y = Identity(v59)",
    ),
    "doubled sides": text(
        "float[n,m] x", steps(250, "u@ = Concat<axis=0>(v@, v@) v# = Transpose(u@)", "x") + " y = MatMul(v250, x)"
    ),
    "calls of calls": text("float[n,m] x", "y = own.f9(x)", functions(9, 8, "y = Concat<axis=0>(x, x)")),
    "calls of other calls": text(
        "float[n,m] x", "y = own.f14(x)", functions(14, 3, "t = Transpose(x) y = MatMul(t, t)")
    ),
    "loops in loops": text(
        "float[n,m] x, int64 t",
        "c = Constant<value = bool {1}>() y = Loop(t, c, x) <body = o (int64 i, bool q, float[u,v] w) => (q1, w3) {"
        " q1 = Identity(q) w2 = Loop(t, q, w) <body = p (int64 j, bool r, float[s,z] e) => (r1, e1) {"
        " r1 = Identity(r) e1 = Concat<axis=0>(e, e) }> w3 = Concat<axis=1>(w2, w2) }>",
    ),
    "branches": text(
        "float[n,m] x, float[k] w",
        f"{lengths('w')} "
        + steps(
            12,
            "p@ = Constant<value = int64 {#}>() r@ = Mod(w0, p@) c@ = Cast<to=9>(r@) v# = If(c@) <"
            "then_branch = g@ () => (a@) { a@ = Concat<axis=0>(v@, x) },"
            " else_branch = h@ () => (b@) { b@ = Concat<axis=1>(v@, v@) }>",
            "x",
        )
        + " y = Add(v12, x)",
    ),
    "windows": text(
        "float[1,3,n,m] x",
        steps(50, "v# = MaxPool<kernel_shape=[3,2], strides=[2,1], ceil_mode=1>(v@)", "x")
        + " y = Concat<axis=2>(v7, v8)",
    ),
    "scales": text(
        "float[1,3,n,m] x",
        "e = Constant<value = float[0] {}>() k = Constant<value = float[4] {1.0, 1.0, 0.7, 1.3}>() "
        + steps(9, "v# = Resize(v@, e, k)", "x")
        + " y = Add(v9, x)",
    ),
    "a long sum": text(
        "float[n,m] x",
        f"s = Shape(x) {number('i', 0)} n0 = Gather(s, i) {number('k', 7)} "
        + steps(400, "a@ = Add(v@, k) b@ = Mul(a@, k) c@ = Div(b@, n0) v# = Mod(c@, k)", "n0")
        + " y = Gather(x, v400)",
    ),
    "a root": text(
        vectors("nm"),
        f"{lengths('nm')} f = Cast<to=1>(n0) r = Sqrt(f) q = Cast<to=7>(r) p = Mul(q, q) i = Sub(n0, p)"
        " y = Gather(m, i)",
    ),
}
