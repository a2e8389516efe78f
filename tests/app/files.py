"""The files that a page offers, as the browser gets them, and the views of a lesson that have most pictures."""

import pytest
from streamlit.runtime.media_file_manager import MediaFileManager

from tests.app.steps import step
from tests.app.visits import rerun, visit

VIEWS = [{"step": step} for step in ("detail", "lookup", "change")]  # those with most pictures
MARKUP = "</script><script>alert('x')</script> <img src=x onerror=alert(1)> & \"cat\" <!-- sat"
each_view = pytest.mark.parametrize("view", VIEWS, ids=lambda view: view["step"])


class Media(MediaFileManager):
    """Streamlit's own keeper of files, which remembers itself, so that a test can press a button of the page."""

    last = None

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        Media.last = self


def keeping(page="qkv", **link):
    """Return a page whose pictures stand and whose files are on offer."""
    app = visit(page, ask="no", **link)
    app.session_state[f"{page}_keep"] = True
    return rerun(app)


def file_of(app, label):
    """Return the bytes that the browser gets when a student presses a button."""
    return download(app, label).content


def download(app, label):
    """Return the file that the browser gets, with its name."""
    (button,) = [button for button in app.download_button if button.label == label]
    address = button.proto.url or Media.last.execute_deferred(button.proto.deferred_file_id)
    return Media.last._storage.get_file(address.rpartition("/")[2])


def kept(link):
    """Return the charts that a view of lesson 1 keeps, also those in whose place a component draws a moving picture."""
    return step("qkv", link["step"], **link).charts
