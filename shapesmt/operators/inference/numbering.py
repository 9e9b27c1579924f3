"""Numbering: find tensors with the same elements, so that the sizes that depend on them are one symbol.

Two tensors have the same number if the same operator, with the same attributes, computes them from inputs with the same
numbers. Equal numbers prove that the elements are equal; different numbers prove nothing.

    >>> from shapesmt.frontends import load
    >>> from shapesmt.operators.inference import infer
    >>> from shapesmt.prover.algebra import symbol
    >>> from shapesmt.operators.rules import tensor
    >>> graph = load(b'''<ir_version: 8, opset_import: ["":18]> g (bool[n] x) => (a, b) {
    ...     y = Identity(x) z = Not(x) a = NonZero(y) b = NonZero(z) }''')
    >>> inference = infer(graph, {"x": tensor("bool", [symbol("n", 1)])})
    >>> inference.tensors["a"].dims, inference.tensors["b"].dims
    ((Dim('1'), Dim('`a.count`')), (Dim('1'), Dim('n - `a.count`')))
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

from shapesmt.network.graph import Function, Node
from shapesmt.operators.inference.makers import Makers
from shapesmt.operators.inference.operators import Operators
from shapesmt.operators.rules import FLOATS, Application, Decided, Elements, Keeps, Rule, Shape, Tensor, resolve
from shapesmt.prover.algebra import Atom, Dim, Kind, Substitution, at_least, atom_of, of_atom, symbol, twin
from shapesmt.prover.algebra.numeric import Float

WIDE = {"int32", "int64"}

Number = int
Key = tuple[Hashable, ...]


class About(NamedTuple):
    """The function of data that gives a size, such as "the number of nonzero elements of x".

    Attributes:
        key: Equal for equal functions.
        together: Equal for sizes of one node, or of one mask, which can take all their values in combination.
        sources: The tensors whose elements decide the size.
        zeros: Whether the size is the number of elements that are 0.
    """

    key: Key
    together: Key
    sources: tuple[str, ...]
    zeros: bool = False


class Named(NamedTuple):
    """The symbol for a node's data-dependent size; with `zeros` it counts the other elements: `NonZero(Not(x))`."""

    size: Atom
    zeros: bool = False


@dataclass(eq=False)
class Scope:
    """The data-dependent sizes that nodes may share: those of one graph and of the functions that it calls.

    Attributes:
        outer: The scope of the graph around a subgraph; None for the outermost.
        names: Symbols of an earlier inference of the same graph, which are reused.
        fresh: The data-dependent sizes of this graph's nodes, by name.
        named: The same by the names that they would have if no earlier node had the same size.
        numbers: A number for each key, common to all scopes.
        arbitrary: For the number of a tensor, the input that alone can give its elements any value.
        free: For each size, `About.together` and the inputs, each of which alone can give it any value in its range.
            Sizes with the same `together` can take all their values in combination.
        calls: The functions of the model.
        functions: For each function (its `id`), whether it may return different outputs for the same inputs.
    """

    outer: Scope | None = None
    names: Mapping[str, Named] = field(default_factory=dict)
    sizes: dict[Key, Dim] = field(default_factory=dict)
    fresh: dict[str, Atom] = field(default_factory=dict)
    named: dict[str, Named] = field(default_factory=dict)
    numbers: dict[Key, Number] = field(default_factory=dict)
    arbitrary: dict[Number, str] = field(default_factory=dict)
    free: dict[Atom, tuple[Key, frozenset[str]]] = field(default_factory=dict)
    calls: Mapping[tuple[str, str], Function] = field(default_factory=dict)
    functions: dict[int, bool] = field(default_factory=dict)

    def changing(self, function: Function) -> bool:
        """Whether a function may return different outputs for the same inputs."""
        if id(function) not in self.functions:
            self.functions[id(function)] = True  # a function that calls itself never returns
            versions = {(n.domain, n.op): function.opsets.get(n.domain, 1) for n in function.nodes}
            operators = [self.calls.get(name) or resolve(*name, version) for name, version in versions.items()]
            nested = any(n.attributes.graphs for n in function.nodes)
            self.functions[id(function)] = nested or any(map(self.may_differ, operators))
        return self.functions[id(function)]

    def may_differ(self, operator: Rule | Function | None) -> bool:
        """Whether an operator may return different outputs for the same inputs."""
        return self.changing(operator) if isinstance(operator, Function) else operator is None or not operator.repeats

    def within(self) -> Scope:
        """Return the scope of a subgraph; its new sizes belong to one branch, or to one iteration of a loop."""
        return replace(self, outer=self, names={}, sizes={}, fresh={}, named={})

    def number(self, *key: Hashable) -> Number:
        """Return the number of a key; a new key gets the next number."""
        return self.numbers.setdefault(key, len(self.numbers))

    def earlier_size(self, about: About, name: str = "") -> Dim | None:
        """Return the size of an earlier node by the same function of data, or else an earlier inference's size `name`.

        None if there is neither.
        """
        size, old = self.sizes.get(about.key), self.names.get(name)
        if size is None and self.outer is not None:
            return self.outer.earlier_size(about)
        there = old is not None and old.zeros == about.zeros and self.fresh.get(old.size.name) is old.size
        return of_atom(old.size) if size is None and old is not None and there else size

    def independent(self, sizes: Iterable[Atom]) -> bool:
        """Whether each of some sizes takes every value in its range, whatever the others are."""
        causes = [self.free.get(size) for size in sizes]
        names = [name for _, leaves in set(filter(None, causes)) for name in leaves]
        return None not in causes and len(set(names)) == len(names)

    def make(self, key: Key, name: str, like: Atom) -> Dim:
        """Create the symbol `name` for a key, with the range of the earlier inference's `name`, or else of `like`."""
        old = self.names.get(name)
        atom = like if old is None or (old.size.name, old.size.kind) != (name, like.kind) else old.size
        size = symbol(name, atom.lo, atom.hi, step=atom.step, kind=atom.kind, fold=False)
        self.sizes[key] = size
        self.fresh[name] = atom_of(size)
        self.named[name] = Named(self.fresh[name])
        return size


class Numbers:
    """The numbers of the tensors of one graph.

    Args:
        makers: The nodes that compute the tensors.
        tensors: The tensors known so far.
        rules: The rules of the nodes' operators, by domain and name.
        opsets: The versions of the operator sets.
        scope: Stores the data-dependent sizes.
        outside: Returns the number of a tensor that no node of the graph computes; None for a new number.
        prefix: The beginning of the names of new sizes.
    """

    def __init__(
        self,
        makers: Makers,
        tensors: Mapping[str, Tensor],
        rules: Operators,
        opsets: Mapping[str, int],
        scope: Scope,
        outside: Callable[[str], Number | None],
        prefix: str = "",
    ) -> None:
        self._makers, self._tensors, self._rules, self._opsets = makers, tensors, rules, opsets
        self._outside = outside
        self.scope, self.prefix = scope, prefix
        self._numbers: dict[str, Number] = {}
        self._token = object()

    def of(self, name: str) -> Number:
        """Return the number of a tensor."""
        numbers, stack = self._numbers, [(name, False)]
        while stack:
            top, ready = stack.pop()
            if top in numbers:
                continue
            missing = [] if ready else [(n, False) for n in self._read(top) if n not in numbers]
            if missing:
                stack += [(top, True), *missing]
            else:
                numbers[top] = self._number_of(top)
        return numbers[name]

    def _read(self, name: str) -> list[str]:
        """Return the tensors from which the unknown elements of a tensor are computed."""
        maker = self._makers.get(name)
        if maker is None or self._is_followed(name) or self._changing(maker):
            return []
        return [n for n in maker.inputs if n]

    def _is_followed(self, name: str) -> bool:
        known = self._tensors.get(name)
        return known is not None and known.followed

    def _changing(self, node: Node) -> bool:
        """Whether a node may return different outputs for the same inputs."""
        return bool(node.attributes.graphs) or self.scope.may_differ(self._rules[node.domain, node.op])

    def _number_of(self, name: str) -> Number:
        scope = self.scope
        if self._is_followed(name):
            return scope.number("known", self._tensors[name])
        node = self._makers.get(name)
        if node is None:
            number = self._outside(name)
            return scope.number(self._token, name) if number is None else number
        if self._changing(node):
            return scope.number(self._token, name)
        read = [self._numbers[n] if n else -1 for n in node.inputs]
        keeps = self._rules.traits(node).keeps
        if keeps is Keeps.ALL:
            return read[0]
        version, place = self._opsets.get(node.domain), [*node.outputs].index(name)
        number = scope.number(node.domain, node.op, version, node.attributes, len(node.outputs), place, *read)
        if keeps is Keeps.COMPARED:
            self._note_comparison(node, number)
        return number

    def _note_comparison(self, node: Node, number: Number) -> None:
        """Record that the results of `x > 0.5` are arbitrary if the elements of x are."""
        free_inputs = [n for n in node.inputs if self.scope.arbitrary.get(self._numbers[n]) is not None]
        single = [n for n in node.inputs if self._finite(n)]
        if len(free_inputs) == len(single) == 1 and self._tensors[free_inputs[0]].dtype in FLOATS:
            self.scope.arbitrary.setdefault(number, self.scope.arbitrary[self._numbers[free_inputs[0]]])

    def _finite(self, name: str) -> bool:
        """Whether a tensor is one known, finite float."""
        value = self._tensors[name].value if name in self._tensors else None
        item = value.items[0] if isinstance(value, Elements) and len(value.items) == 1 else None
        return isinstance(item, Float) and -inf < item.lo <= item.hi < inf

    def truths(self, name: str) -> tuple[str, bool]:
        """Return an upstream tensor with as many nonzero elements or, with True, zeros: (x, True) for `Not(x)`."""
        zeros = False
        while (node := self._makers.get(name)) is not None:
            traits = self._rules.traits(node)
            same_shape = traits.keeps is Keeps.REPEATED and self._shape(node.inputs[0]) == self._shape(name) is not None
            converted = traits.keeps is Keeps.CONVERTED and self._keeps_zeros(node.inputs[0], name)
            if not (same_shape or converted or traits.in_any_order or traits.keeps is Keeps.NEGATED):
                break
            zeros ^= traits.keeps is Keeps.NEGATED
            name = node.inputs[0]
        return name, zeros

    def _keeps_zeros(self, source: str, target: str) -> bool:
        """Whether a conversion maps 0 to 0 and every other value to one that isn't 0."""
        before, after = self._dtype(source), self._dtype(target)
        widened = after in FLOATS or (before in WIDE and after == "int64")
        return before == "bool" or after == "bool" or (before.startswith(("int", "uint")) and widened)

    def _element(self, name: str, place: int) -> tuple[str, int]:
        """Return the tensor from which an element is copied, and the element's index in it, in row-major order."""
        while (node := self._makers.get(name)) is not None and not self._is_followed(name):
            traits = self._rules.traits(node)
            widened = traits.keeps is Keeps.CONVERTED and self._is_widened(node.inputs[0], name)
            if traits.in_order or widened:
                name = node.inputs[0]
                continue
            shapes = [self._shape(n) for n in node.inputs]
            lengths = [s[0].constant if s is not None and len(s) == 1 else None for s in shapes]
            if traits.keeps is not Keeps.CONCATENATED or None in lengths:
                break
            for part, length in zip(node.inputs, lengths, strict=True):
                name = part
                if length is not None and place < length:
                    break
                place -= length or 0
        return name, place

    def _is_widened(self, source: str, target: str) -> bool:
        return self._dtype(source) in WIDE and self._dtype(target) == "int64"

    def boolean(self, name: str) -> bool:
        """Whether the elements of a tensor are 0 or 1 for all data."""
        while (node := self._makers.get(name)) is not None:
            traits = self._rules.traits(node)
            if not (traits.in_any_order or traits.keeps is Keeps.CONVERTED) or self._dtype(name) == "bool":
                break
            name = node.inputs[0]
        return self._dtype(name) == "bool"

    def _shape(self, name: str) -> Shape | None:
        return self._tensors[name].shape if name in self._tensors else None

    def _dtype(self, name: str) -> str:
        return self._tensors[name].dtype if name in self._tensors else ""

    # Sizes

    def unify_sizes(self, application: Application, node: Node) -> Application:
        """Return the application with its data-dependent sizes replaced by equal sizes of earlier nodes."""
        change: dict[Atom, Dim] = {}
        kept: list[Dim] = []
        for own in application.fresh_symbols:
            atom = own.as_symbol()
            if atom is None or self.scope.fresh.get(atom.name) is atom:  # made inside the function that the node calls
                kept.append(own)
                continue
            size, known, meaning = self._size(atom, application.decided.get(own), node)
            kept += [] if known else [size]
            if meaning is not own:
                change[atom] = meaning
                change[atom_of(twin(own, Kind.ENTRY))] = twin(size, Kind.ENTRY)
        return _substitute(application, change, tuple(kept)) if change else application

    def _size(self, atom: Atom, how: Decided | None, node: Node) -> tuple[Dim, bool, Dim]:
        """Return the symbol for a size, whether an earlier node has it too, and the size in terms of that symbol.

        `atom` is the symbol that the node's rule made for the size, and `how` says which data decide it.
        """
        name, scope = self.prefix + atom.name, self.scope
        of_one = how is not None and (how.place is not None or how.total is not None)  # even if the node is random
        if how is None or not atom.by_data or (self._changing(node) and not of_one):
            size = scope.make((self._token, name), name, atom)
            return size, False, size
        about = self._about(atom, how, node)
        earlier = scope.earlier_size(about, name)
        size = scope.make(about.key, f"{name}.zeros" if about.zeros else name, atom) if earlier is None else earlier
        scope.named[name] = Named(atom_of(size), about.zeros)
        if earlier is None and how.free:
            self._take_free(size, about)
        return size, earlier is not None, how.total - size if about.zeros and how.total is not None else size

    def _about(self, atom: Atom, how: Decided, node: Node) -> About:
        """Return the function of data that gives the size `atom` of a node; `how` says which data decide it."""
        by = tuple(range(len(node.inputs))) if how.by is None else how.by
        if any(i >= len(node.inputs) for i in by):  # a call may pass fewer inputs than the function has
            how, by = Decided(), tuple(range(len(node.inputs)))
        ends = atom.lo, atom.hi
        if how.total is not None:
            source, zeros = self.truths(node.inputs[by[0]])
            mask = ("truths", self.of(source))
            return About((*mask, *ends), mask, (source,), zeros)
        if how.flag:
            source, zeros = self.truths(node.inputs[by[0]])
            mask = ("truths", self.of(source))
            return About((*mask, "flag", zeros), mask, (source,))
        if how.place is not None:
            source, place = self._element(node.inputs[by[0]], how.place)
            listed = ("element", self.of(source))
            return About((*listed, place, *ends), listed, (source,))
        parts = [self._part(n, decides=i in by) for i, n in enumerate(node.inputs)]
        whole = (node.domain, node.op, self._opsets.get(node.domain), node.attributes, len(node.outputs), *parts)
        sources = tuple(n for i, n in enumerate(node.inputs) if i in by and n and not self._is_followed(n))
        together = ("truths", self.of(self.truths(sources[0])[0])) if how.row and sources else whole
        return About((*whole, atom.name.removeprefix(node.outputs[0]), *ends), together, sources)

    def _part(self, name: str, *, decides: bool) -> Hashable:
        """Return the part of an input that decides a size: the number of its elements, or only its type and shape."""
        if decides:
            return self.of(name) if name else -1
        known = self._tensors.get(name)
        return known if known is None else (known.dtype, known.shape, known.ndim)

    def _take_free(self, size: Dim, about: About) -> None:
        """Record the inputs that alone can give a size any value, if its sources are distinct inputs."""
        names = [self.scope.arbitrary.get(self.of(n)) for n in about.sources]
        if names and None not in names and len(set(names)) == len(names):
            self.scope.free[atom_of(size)] = (about.together, frozenset(n for n in names if n is not None))


def _substitute(application: Application, change: Mapping[Atom, Dim], kept: tuple[Dim, ...]) -> Application:
    """Return the application with symbols replaced, and with facts that the replacements aren't negative.

    `kept` has the data-dependent sizes that are new at this node.
    """
    substitution = Substitution(change)
    limits = [at_least(d, 0) for d in change.values() if d.as_symbol() is None]
    changed = application.rewrite(substitution)
    return replace(changed, facts=(*changed.facts, *limits), fresh_symbols=kept)
