"""Z3 decides the conditions that presolve can't: one query for each, from SMT-LIB text."""

from shapesmt.prover.smt.nearby import complete as complete, holds as holds
from shapesmt.prover.smt.process import Query as Query, Reply as Reply, ask as ask
from shapesmt.prover.smt.smtlib import Script as Script, script as script
from shapesmt.prover.smt.solver import Answer as Answer, core as core
