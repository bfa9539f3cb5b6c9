"""One browser for the tests of a file, and pages in it."""

import pytest

from tests.web.browsing import browsing, open_page


@pytest.fixture(scope="module")
def browser():
    with browsing() as found:
        yield found


@pytest.fixture
def page(browser):
    """A page; whatever goes wrong in its scripts fails the test."""
    opened, problems = open_page(browser), []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    opened.close()
    assert problems == []
