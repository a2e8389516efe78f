import pytest
import streamlit.testing.v1.app_test as app_test

from attention_core.pretrained.find import SETTINGS
from pages.page.fields.controls import Controls
from pages.practice import rate_limit
from pages.server.pretrained import COMPUTER, pretrained_model
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


@pytest.fixture(autouse=True)
def _no_run_before_says_how_fast_this_machine_trains(monkeypatch):
    monkeypatch.setattr("pages.tiny_lm.train.queue.QUEUE.pace", 1.0)


@pytest.fixture(autouse=True)
def no_real(monkeypatch):
    """Be a server without a pretrained model, whatever is installed."""
    monkeypatch.setattr("attention_core.pretrained.find.PACKAGE", "no_such_package")
    for setting in SETTINGS:
        monkeypatch.delenv(setting, raising=False)
    monkeypatch.setattr("pages.server.pretrained.NICE", 0)  # a test waits for it, also on a busy machine
    COMPUTER.process.nice = 0
    pretrained_model.cache_clear()
    yield
    pretrained_model.cache_clear()


@pytest.fixture
def media(monkeypatch):
    """Let the files of a page be read, which Streamlit otherwise makes for a browser alone."""
    monkeypatch.setattr(app_test, "MediaFileManager", Media)
