"""The script that a page offers, as the browser gets it."""

from streamlit.runtime.media_file_manager import MediaFileManager

from tests.app.visits import page_of, rerun


class Media(MediaFileManager):
    """Streamlit's own keeper of files, which remembers itself, so that a test can press a button of the page."""

    last = None

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        Media.last = self


def script_of(app):
    """Return the script that the browser gets."""
    app.session_state[f"{page_of(app)}_keep"] = True
    rerun(app)
    (button,) = [button for button in app.download_button if button.label == "Script"]
    address = Media.last.execute_deferred(button.proto.deferred_file_id)
    return Media.last._storage.get_file(address.rpartition("/")[2]).content.decode()
