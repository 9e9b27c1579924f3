"""One module per table of what compilers get: `python -m tests.bench.compilers FOLDER --table NAME`."""
