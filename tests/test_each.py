"""A test of many cases tries all of them, and lists each that fails."""

import pytest

from tests.support.each import check_each, each


@pytest.fixture
def limit():
    return 2


@each("number", [0, 1, 2])
def test_fixtures_are_passed_to_each_case(number, limit):
    assert number <= limit


def test_all_cases_that_fail_are_listed():
    tried = []

    @each("number", [3, 0, 1, 0], "number {}".format)
    def divides(number):
        tried.append(number)
        assert 6 / number

    with pytest.raises(pytest.fail.Exception, match=r"(?s)ZeroDivisionError.*2 of 4 fail: number 0, number 0$"):
        divides()
    assert tried == [3, 0, 1, 0]


def test_to_check_nothing_is_a_failure():
    with pytest.raises(AssertionError, match="there is no case"):
        check_each([], print)
