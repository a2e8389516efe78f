"""The worker without a part of its defence, for tests alone.

`bare` has no first layer, `nobody` has no rights; `prctl 22` is refused that option, `limit AS` that limit.
`starved` gets less computing in its time than a run may have. `arm` is a processor whose products set false flags.
"""

import builtins
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "pages" / "exercises" / "sandbox"))

import allowlist
import lockdown
import namespace
import numpy
import worker


def full_globals(printed):
    return {
        "__builtins__": vars(builtins) | {"print": printed.print},
        "__name__": "__main__",
        "np": numpy,
        "os": os,
        "sys": sys,
    }


def become_nobody():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def refuse_option(number):
    call = lockdown.c_prctl()
    lockdown.c_prctl = lambda: lambda option, *more: -1 if option == number else call(option, *more)


def refuse_limit(name):
    which, set_limit = getattr(lockdown.resource, f"RLIMIT_{name}"), lockdown.resource.setrlimit
    lockdown.resource.setrlimit = lambda kind, pair: None if kind == which else set_limit(kind, pair)


if __name__ == "__main__":
    oddities, *arguments = sys.argv[1:]
    if oddities.startswith("prctl "):
        refuse_option(int(oddities.split()[1]))
    if oddities.startswith("limit "):
        refuse_limit(oddities.split()[1])
    if oddities == "arm":
        worker.MISREADS_FLAGS = True
    lockdown.CPU_SECONDS = 0.1  # there are many endless loops
    if oddities == "starved":
        lockdown.CPU_SECONDS, lockdown.WALL_SECONDS = 9, 0.2
    if "bare" in oddities:
        import asyncio  # noqa: F401
        import shutil  # noqa: F401

        allowlist.prepare = lambda source: compile(source, allowlist.FILE, "exec", dont_inherit=True)
        namespace.fresh = full_globals
    if "nobody" in oddities:
        become_nobody()
    worker.main(arguments)
