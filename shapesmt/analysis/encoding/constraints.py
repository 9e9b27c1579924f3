"""The system of a graph as Z3 objects, for callers who add their own constraints and solve.

    >>> from shapesmt import GraphBuilder, encoding
    >>> g = GraphBuilder()
    >>> x = g.input("x", "[1..8,3,?,400]")
    >>> y = g.output(g.op("Flatten", x, axis=2), "y")
    >>> enc = encoding(g.build())
    >>> enc.dim("x", 0), enc.dim("y", 1), enc.bounds["x_dim0"]
    (x_dim0, y[1], And(1 <= x_dim0, x_dim0 <= 8))
    >>> enc.definitions["y[1]"]
    y[1] == 400*x_dim2
    >>> solver = enc.solver()
    >>> solver.add(enc.dim("y", 0) == 6, enc.dim("y", 1) > 1000)
    >>> solver.check(), enc.shapes(solver.model())["x"]
    (sat, (2, 3, 3, 400))

Every size is an integer variable named `tensor[axis]`, or named after its symbol; a constant size is a number. A
tensor's sizes are defined by the sizes of its node's inputs, so no expression spans two nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import z3

from shapesmt.analysis.encoding.encode import variables, with_variables
from shapesmt.base.errors import UsageError
from shapesmt.network.declarations import quote, unknown_name
from shapesmt.network.graph import Graph
from shapesmt.operators.inference import infer
from shapesmt.operators.rules import Requirement, Tensor, held, in_each_case, tensor
from shapesmt.prover.algebra import TRUE, Atom, Dim, Evaluator, Formula, define_symbol, one_call
from shapesmt.prover.smt import Script


class Constraints:
    """The variables and constraints of a graph by name.

    Attributes:
        bounds: The admissible interval of each free symbol.
        definitions: The equation for each size and each listed element, by its name: `y[1] == 400*x_dim2`.
        assumptions: The conditions assumed of the symbols.
        requirements: The requirements of each node, by law; those that hold for all inputs are left out.
        facts: Facts about data-dependent sizes, which hold if all earlier nodes run.
        approximate: Sizes from float arithmetic, for which Z3 has only bounds; `shapes` has the exact values.
        unsupported: The nodes without a rule, for which there are no requirements.
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Mapping[str, Tensor],
        dims: Mapping[str, Dim],
        facts: Iterable[Formula] = (),
        assumed: Iterable[tuple[int, Requirement]] = (),
    ) -> None:
        self._graph = graph
        input_variables = {name: _with_variables(name, t) for name, t in inputs.items()}
        sizes = infer(graph, input_variables).scope.named
        self._inference = infer(
            graph, input_variables, rename=lambda name, t: _with_variables(name, with_variables(name, t)), sizes=sizes
        )
        self._dims = {name: _variable(d, name) for name, d in dims.items()}
        script = _Declaring()
        for d in (*self._dims.values(), *(d for t in self._inference.tensors.values() for d in variables(t))):
            script.dim(d)
        script.note("assumption", "", facts)
        self.unsupported: tuple[str, ...] = ()
        ranks = [*assumed]  # the requirements on ranks that the inputs are assumed to have
        for index, (node, application) in enumerate(zip(graph.nodes, self._inference.applications, strict=True)):
            for r in (*(r for i, r in ranks if i == index), *application.requirements):
                path = f"{node.name}/{r.within}" if r.within else node.name
                script.note("requirement", (path, str(r.law)), [r.formula] if r.formula is not TRUE else [])
            script.note("fact", sum(kind == "requirement" for kind, _ in script.kinds), application.facts)
            self.unsupported += tuple(f"{node.name}/{u.path}" if u.path else node.name for u in application.unjudged)
        self.approximate = tuple(name[1:-1] for name in script.opaque.values())
        names = {**script.names, **script.symbols}
        self._variables = {atom: z3.Int(name[1:-1]) for atom, name in names.items()}
        self._take(z3.parse_smt2_string(str(script)), script.kinds)

    def _take(self, conditions: Iterable[Any], kinds: Iterable[tuple[str, Any]]) -> None:
        """Add each condition to the attribute for its kind, such as `bounds`; `kinds` has each one's kind and name."""
        self.bounds: dict[str, Any] = {}
        self.definitions: dict[str, Any] = {}
        assumptions, facts, every = [], [], []
        needs: dict[str, dict[str, Any]] = {}
        for (kind, name), condition in zip(kinds, conditions, strict=True):
            if kind == "bound":
                self.bounds[name] = z3.And(self.bounds[name], condition) if name in self.bounds else condition
            elif kind == "definition":
                self.definitions[name] = condition
            elif kind == "assumption":
                assumptions.append(condition)
            elif kind == "fact":
                facts.append((name, condition))
            else:
                node, law = name
                laws = needs.setdefault(node, {})
                laws[law] = z3.And(laws[law], condition) if law in laws else condition
                every.append(condition)
        self.assumptions = tuple(assumptions)
        self.facts = tuple(z3.Implies(z3.And(every[:n]), condition) for n, condition in facts)
        self.requirements = _Requirements(self._graph, needs)

    @one_call()
    def dim(self, tensor: str, axis: int) -> Any:
        """Return the size of a tensor along an axis: a variable, or a number.

        Raises:
            UsageError: There is no such tensor or axis, or its rank is unknown.
        """
        if tensor not in self._inference.tensors:
            raise unknown_name("tensor", tensor, self._inference.tensors, self._graph.source)
        shape = self._inference.tensors[tensor].shape
        if shape is None:
            raise UsageError(f"tensor {quote(tensor)} is of unknown rank; declare the shapes of the inputs")
        if not -len(shape) <= axis < len(shape):
            raise UsageError(f"tensor {quote(tensor)} has the axes 0 to {len(shape) - 1}, not {axis}")
        return self._expression(shape[axis])

    @one_call()
    def symbol(self, name: str) -> Any:
        """Return a named size of the inputs: a variable, or a number.

        Raises:
            UsageError: No input has such a size.
        """
        if name not in self._dims:
            raise unknown_name("input dimension", name, self._dims, self._graph.source)
        return self._expression(self._dims[name])

    def running(self) -> Any:
        """Return the condition that every node runs."""
        return z3.And([condition for laws in self.requirements.values() for condition in laws.values()])

    def failing(self) -> Any:
        """Return the condition that some node fails."""
        return z3.Not(self.running())

    def admissible(self) -> Any:
        """Return the conditions on admissible inputs (bounds and assumptions), with the definition of each size."""
        return z3.And(self._every_constraint())

    def solver(self) -> Any:
        """Return a `z3.Solver` with the conditions of `admissible`; it doesn't assume that the nodes run."""
        solver = z3.Solver()
        solver.add(self._every_constraint())
        return solver

    def _every_constraint(self) -> list[Any]:
        return [*self.bounds.values(), *self.assumptions, *self.definitions.values(), *self.facts]

    @one_call()
    def shapes(self, model: Any) -> dict[str, tuple[int, ...]]:
        """Return the concrete shape of each tensor of known rank, at the values that a Z3 model gives the symbols."""
        free = {atom: v for atom, v in self._variables.items() if atom.definition is None}
        values = {atom: model.eval(v, model_completion=True).as_long() for atom, v in free.items()}
        evaluator = Evaluator(values)
        known = {name: held(t, values).shape for name, t in self._inference.tensors.items()}
        return {name: tuple(int(evaluator.dim(d)) for d in s) for name, s in known.items() if s is not None}

    def _expression(self, d: Dim) -> Any:
        if d.constant is not None:
            return z3.IntVal(d.constant)
        atom = d.as_symbol()
        assert atom is not None
        return self._variables[atom]


class _Requirements(dict[str, dict[str, Any]]):
    """The requirements by node and law; a node without any has an empty dictionary, an unknown node is a UsageError."""

    def __init__(self, graph: Graph, needs: Mapping[str, dict[str, Any]]) -> None:
        super().__init__(needs)
        self._graph = graph

    def __missing__(self, node: str) -> dict[str, Any]:
        names = [n.name for n in self._graph.nodes]
        if node in names:
            return {}
        raise unknown_name("node", node, names, self._graph.source)


class _Declaring(Script):
    """A script in which each definition is a variable, and which records the kind of each assertion."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: list[tuple[str, Any]] = []
        self.names: dict[Atom, str] = {}
        self._noted = 0  # number of lines at the last note

    def note(self, kind: str, name: Any, formulas: Iterable[Formula] = ()) -> None:
        """Assert conditions, and record `kind` and `name` for each assertion written since the last note."""
        self.state(*formulas)
        self.kinds += [(kind, name) for line in self.lines[self._noted :] if line.startswith("(assert")]
        self._noted = len(self.lines)

    def declare(self, atom: Atom) -> str:
        name = super().declare(atom)
        self.note("bound", name[1:-1])
        return name

    def declare_bounded(self, atom: Atom) -> str:
        name = super().declare_bounded(atom)
        self.note("bound", name[1:-1])
        return name

    def define_symbol(self, atom: Atom, text: str) -> str:
        name = self.names[atom] = self.name(atom.name)
        self.lines += [f"(declare-const {name} Int)", f"(assert (= {name} {text}))"]
        self.note("definition", name[1:-1])
        return name


def _variable(d: Dim, name: str) -> Dim:
    """Return a size as a variable or a number; a formula becomes a variable called `name`."""
    return d if d.constant is not None or d.as_symbol() is not None else define_symbol(d, name)


def _with_variables(name: str, t: Tensor) -> Tensor:
    """Return the tensor with a variable or a number for each size."""
    cases = in_each_case(t, lambda i, each: _with_variables(f"{name} in case {i}", each))
    if t.shape is None:
        return tensor(t.dtype, None, cases=cases) if cases else t
    dims = [_variable(d, f"{name}[{i}]") for i, d in enumerate(t.shape)]
    return tensor(t.dtype, dims, t.value, cases=cases, layout=t.layout)
