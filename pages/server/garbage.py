"""What is loaded is not looked through for garbage again and again.

A full collection holds up everybody: a class of a hundred waited for a quarter of a second every ten seconds, and most
of what was looked through were modules, which stay as long as the server.
"""

import gc
from functools import cache


@cache
def leave_modules_alone() -> None:
    """Leave what is loaded by now out of later collections, unless the server has done so when it started.

    Once, when the first lesson has loaded nearly all: what visitors hold at that moment is left out too, for good.
    """
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()
        gc.collect()  # Python waits for a quarter more objects than it found last: now there are few
