"""What stays is not looked through for garbage again and again.

A full collection holds up everybody: a class of a hundred waited for a quarter of a second every ten seconds, and most
of what was looked through were modules, which stay as long as the server.
"""

import gc
import time

EVERY = 300.0  # seconds

due = 0.0  # when to look through everything again


def collect_and_freeze() -> None:
    """Look through everything now and then, and leave what is alive out of the collections until the next time.

    What is left out stays even if it becomes garbage meanwhile, such as a session whose tab was closed, with its model.
    """
    global due
    if (now := time.monotonic()) >= due:
        due = now + EVERY
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        gc.collect()  # Python waits for a quarter more objects than it found last: now there are few
