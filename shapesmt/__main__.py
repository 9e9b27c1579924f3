"""`shapesmt` and `python -m shapesmt`: the command line."""

import sys

__all__ = ["run"]


def run() -> int:
    """Run the command line and return its exit status; Ctrl-C during its import prints no traceback."""
    try:
        from shapesmt.cli import main
    except KeyboardInterrupt:
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
