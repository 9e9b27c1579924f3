"""Z3 decides the conditions that presolve can't: one query for each, from SMT-LIB text."""

from shapesmt.solve.nearby import complete as complete, holds as holds
from shapesmt.solve.process import Query as Query, Reply as Reply, ask as ask
from shapesmt.solve.smtlib import Script as Script
from shapesmt.solve.solver import Answer as Answer, core as core
