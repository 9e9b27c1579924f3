"""`python -m shapesmt`: the command line."""

import sys

from shapesmt.cli import main

if __name__ == "__main__":
    sys.exit(main())
