"""Z3 decides the conditions that presolve can't: one query for each, from SMT-LIB text."""

from shapesmt.solve.nearby import complete, holds
from shapesmt.solve.process import Query, Reply, ask
from shapesmt.solve.smtlib import Script
from shapesmt.solve.solver import Answer, core

__all__ = ["Answer", "Query", "Reply", "Script", "ask", "complete", "core", "holds"]
