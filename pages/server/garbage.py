"""The modules of a page are not looked through for garbage again and again.

A full collection holds up everybody: a class of a hundred waited for a quarter of a second every ten seconds, and most
of what was looked through were modules, which stay as long as the server.
"""

import gc
from functools import cache


@cache
def leave_modules_alone(page: str) -> None:
    """Leave what a page has imported out of later collections, when it is opened for the first time."""
    gc.freeze()
