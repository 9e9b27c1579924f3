"""Z3's child process: it reads queries from standard input and writes answers to standard output.

A query is a line of JSON, and so is its answer.
Every query has its own context, so answers don't depend on earlier queries.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import Any

MEMORY = 4096  # megabytes
LEAST = 0.01  # seconds that any query may take; 0 would stop the timer
CHAIN = ("simplify", "propagate-values", "solve-eqs", "simplify", "smt")


def answer(query: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict, with the requested values ("sat") or the core of the assumptions ("unsat")."""
    import z3

    context = z3.Context()
    solver = z3.Then(*CHAIN, ctx=context).solver() if query["chain"] else z3.Solver(ctx=context)
    solver.set("random_seed", query["seed"])
    if query["effort"]:
        solver.set("rlimit", query["effort"])
    solver.from_string(query["text"])
    if query["assume"]:
        solver.set("core.minimize", True)
    verdict = solver.check(*(z3.Bool(name, context) for name in query["assume"]))
    if verdict == z3.unsat:
        return {"verdict": "unsat", "core": [str(c.decl().name()) for c in solver.unsat_core()]}
    if verdict != z3.sat:
        return {"verdict": "unknown"}
    model = solver.model()
    values = {name: model.eval(z3.Int(name, context), model_completion=True) for name in query["values"]}
    return {"verdict": "sat", "values": {name: v.as_string() for name, v in values.items()}}


def _end_after(seconds: float) -> None:
    """End this process after so much processor time; 0 is never, as on systems without such timers (Windows)."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def serve() -> None:
    """Answer queries until standard input ends."""
    del sys.path[0]  # this file's folder, whose modules mustn't shadow others
    import z3

    z3.set_param("memory_max_size", MEMORY)
    while line := sys.stdin.buffer.readline():
        query, began = json.loads(line), time.process_time()
        _end_after(max(query["seconds"], LEAST))
        try:
            result = answer(query)
        except z3.Z3Exception as error:
            result = {"verdict": "unknown", "error": str(error)}
        _end_after(0)
        result["seconds"] = time.process_time() - began
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
