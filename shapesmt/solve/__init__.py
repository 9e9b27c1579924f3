"""What presolve leaves open, decided by Z3: one-shot, on the cone, from SMT-LIB text."""
