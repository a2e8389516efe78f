"""The browser of this machine."""

import os
import shutil

NAMES = ["chromium", "chromium-browser", "google-chrome"]
QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"]
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", *QUIET]


def names() -> list[str]:
    """Return what the browser may be called: what the environment says, else what it usually is."""
    return [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else NAMES


def find() -> str | None:
    return next(filter(None, map(shutil.which, names())), None)
