"""The map for contributors shows the packages that there are, in the order in which they import each other."""

import re
from pathlib import Path

from tests.test_architecture import FILES, ORDER, PACKAGE, own

TEXT = (Path(__file__).parents[1] / ".github" / "CONTRIBUTING.md").read_text()
MAP = TEXT.split("```")[3]


def test_the_map_has_every_package_in_order():
    cells = [cell.rstrip("/") for row in MAP.splitlines() for cell in re.split(" {2,}", row)]
    there = {own(file) for file in FILES} - {"version", "__init__", "__main__"}
    assert [name for name in cells if name in ORDER] == [name for name in ORDER if name in there]


def test_the_files_that_it_names_exist():
    named = re.findall(r"`((?:[a-z_]+/)+(?:\w+\.py)?)`", TEXT)
    assert len(named) > 10
    for name in named:
        assert (PACKAGE / name).exists() or (PACKAGE.parent / name).exists(), name
