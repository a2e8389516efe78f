import pytest
import streamlit.testing.v1.app_test as app_test

from tests.app.files import Media


@pytest.fixture
def media(monkeypatch):
    """Let the files of a page be read, which Streamlit otherwise makes for a browser alone."""
    monkeypatch.setattr(app_test, "MediaFileManager", Media)
