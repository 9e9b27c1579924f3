"""The map for contributors shows the packages that there are, in the order in which they import each other."""

import re
from pathlib import Path

from tests.test_architecture import PACKAGE, ROOMS

TEXT = (Path(__file__).parents[1] / ".github" / "CONTRIBUTING.md").read_text()
MAP = TEXT.split("```")[5]


def test_the_map_has_every_room_and_its_packages_in_order():
    rooms: dict[str, list[str]] = {}
    for row in MAP.splitlines():
        if named := re.match("( {2,4})([a-z_]+)", row):
            indent, name = named.groups()
            rooms.setdefault(name if len(indent) == 2 else [*rooms][-1], []).extend([name] * (len(indent) == 4))
    assert [*rooms.items()] == [(room, [*inner]) for room, inner in ROOMS.items()]


def test_the_files_that_it_names_exist():
    named = re.findall(r"`((?:[a-z_]+/)+(?:\w+\.py)?)`", TEXT)
    assert len(named) > 10
    for name in named:
        assert (PACKAGE / name).exists() or (PACKAGE.parent / name).exists(), name


def test_the_first_tests_to_run_exist():
    (command,) = re.findall(r"bin/pytest -n 2 (.*)", TEXT)
    start, inner, rest = re.fullmatch(r"(\S*){(\S*)} (.*)", command).groups()
    paths = [*(start + each for each in inner.split(",")), *rest.split()]
    assert len(paths) == 6
    assert all((PACKAGE.parent / path).exists() for path in paths)
