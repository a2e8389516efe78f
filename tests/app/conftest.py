import pytest
import streamlit.testing.v1.app_test as app_test

from pages.page.fields.controls import Controls
from pages.practice import rate_limit
from tests.app.files import Media


@pytest.fixture(autouse=True)
def _every_control_is_a_word_of_links(monkeypatch):
    """See that what a page draws is listed as a word of its links, else a link could not say it of another step."""
    hold = Controls.hold

    def hold_what_is_listed(controls, name, *rest):
        assert name in controls.names, f"no step of {controls.page} lists {name} among its words"
        return hold(controls, name, *rest)

    monkeypatch.setattr(Controls, "hold", hold_what_is_listed)


@pytest.fixture(autouse=True)
def _no_moment_between_two_runs_of_a_program(monkeypatch):
    monkeypatch.setattr(rate_limit, "BETWEEN", 0.0)


@pytest.fixture
def media(monkeypatch):
    """Let the files of a page be read, which Streamlit otherwise makes for a browser alone."""
    monkeypatch.setattr(app_test, "MediaFileManager", Media)
