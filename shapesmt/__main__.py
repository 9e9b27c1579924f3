"""`shapesmt` and `python -m shapesmt`: the command line."""

import atexit
import os
import sys

__all__ = ["run"]


def run() -> int:
    """Run the command line and return its exit status; Ctrl-C during its import prints no traceback."""
    atexit.register(_end_quietly)  # the first to be registered runs last
    try:
        from shapesmt.entrypoints.cli import main
    except KeyboardInterrupt:
        return 130
    return main()


def _end_quietly() -> None:
    """Discard what PyTorch's libraries say about their own memory while the process ends."""
    if "torch" in sys.modules:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


if __name__ == "__main__":
    sys.exit(run())
