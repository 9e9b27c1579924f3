"""Many cases in one test: all are checked, and those that fail are listed, each with the lines at which it failed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from traceback import format_exception
from typing import Any, TypeVar

import pytest

Case = TypeVar("Case")
SHOWN = 5  # cases whose tracebacks are shown


def check_each(cases: Iterable[Case], check: Callable[[Case], object], name: Callable[[Case], object] = str) -> None:
    """Fail with the names of all cases that fail the check, or if there is no case."""
    cases, failed = [*cases], []
    assert cases, "there is no case"
    for case in cases:
        try:
            check(case)
        except (Exception, pytest.fail.Exception) as error:  # noqa: PERF203 - of each case
            failed.append((str(name(case)), error))
    if failed:
        shown = [f"{case}:\n{''.join(format_exception(error))}" for case, error in failed[:SHOWN]]
        names = ", ".join(case for case, _ in failed)
        pytest.fail("\n".join([*shown, f"{len(failed)} of {len(cases)} fail: {names}"]), pytrace=False)


def each(
    argument: str, cases: Iterable[Case], name: Callable[[Case], object] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of a function that checks one case; its other arguments are fixtures, which all cases share."""
    cases = [*cases]

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def checked(*instance: Any, **fixtures: Any) -> None:
            check_each(cases, lambda case: test(*instance, **fixtures, **{argument: case}), name)

        signature = inspect.signature(test)
        others = [parameter for parameter in signature.parameters.values() if parameter.name != argument]
        vars(checked)["__signature__"] = signature.replace(parameters=others)
        return checked

    return decorated
