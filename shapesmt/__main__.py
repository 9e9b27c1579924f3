"""`python -m shapesmt`: the command line."""

import gc
import sys


def run() -> int:
    """The command line as a process of its own, in which Python's garbage collector finds nothing.

    At the end of a process it looks through all that there is, which takes longer than most answers.
    """
    gc.disable()
    from shapesmt.cli import main

    status = main()
    gc.freeze()
    return status


if __name__ == "__main__":
    sys.exit(run())
