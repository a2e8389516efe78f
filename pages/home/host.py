"""The page of the host, who answers for the server: who uses what, what runs longest, and how to end it."""

import os
import time
from collections import Counter
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes

from markupsafe import Markup

from pages.class_room.room import OPENED, n_here, the_store
from pages.class_room.store import Closed, Unavailable
from pages.look.html import memory, table
from pages.look.style import STYLE
from pages.server import streamlit_private
from pages.server.model_cache import n_bytes
from pages.server.shares import EVERY, MODELS, network

CLOSED = "closed tabs"  # in place of the address of files whose tab is gone
SALT, MOST = token_bytes(16), 50  # of the names of addresses, which are others after a restart; lines of a table
PAGE = Markup("""<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>{}</style><body class="course">{}</html>""")
END = Markup('<form method="post" action="?end={}"><button>End</button></form>')


def name_of(address: str) -> str:
    """Return an address as the page shows it, which is no address of a person."""
    return blake2b(address.encode(), key=SALT, digest_size=4).hexdigest() if address else "this-machine"


def page() -> Markup:
    return PAGE.format(Markup(STYLE), Markup("<hr>").join((visitors(), runs(), classes(), kinds())))  # noqa: S704  ours


def visitors() -> Markup:
    """Return what each address holds and used lately, most seconds first."""
    of = {session: network(address) for session, address in streamlit_private.sessions().items()}
    tabs, used, uploads, models = Counter(of.values()), dict[str, float](), Counter[str](), MODELS.by_address()
    for shares in [*EVERY]:
        for who, seconds in shares.lately().items():
            used[who.address] = used.get(who.address, 0.0) + seconds
    for session, size in streamlit_private.uploads().items():
        uploads[of.get(session, CLOSED)] += size
    lines = []
    for each in sorted({*tabs, *used, *uploads, *models}, key=lambda one: (-used.get(one, 0.0), -tabs[one]))[:MOST]:
        name, bytes_of = name_of(each), (memory(uploads[each]), memory(models[each]))
        name, ends = (each, "") if each == CLOSED else (name, END.format(name))
        opened = str(len(OPENED.get(each, ())))
        lines.append((name, str(tabs[each]), f"{used.get(each, 0.0):.1f} s", *bytes_of, opened, ends))
    return table(("address", "tabs", "used lately", "uploads", "models", "classes opened", ""), lines)


def runs() -> Markup:
    """Return what has the turn, for how long, longest first."""
    found = sorted((run.since, run) for shares in [*EVERY] for run in [*shares.runs])
    lines = [(run.what, name_of(run.who.address), f"{time.monotonic() - since:.1f} s") for since, run in found]
    return table(("what", "for", "since"), lines[:MOST], left=2)


def classes() -> Markup:
    lines = []
    with suppress(Unavailable):
        for word in the_store().words():
            with suppress(Closed):  # since it was listed
                lines.append((word, str(n_here(the_store(), word)), END.format(word)))
    return table(("class", "here", ""), lines)


def kinds() -> Markup:
    """Return what takes the memory of this server."""
    process = Path("/proc/self/statm")  # on Linux
    found = [
        ("this process", int(process.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if process.exists() else 0),
        ("results that are kept", n_bytes()),
        ("models", MODELS.by_address().total()),
        ("uploads", streamlit_private.uploads().total()),
    ]
    return table(("memory", "bytes"), [(kind, memory(size)) for kind, size in found])


def end(what: str) -> None:
    """End all tabs of an address, or a class."""
    for session, address in streamlit_private.sessions().items():
        if name_of(network(address)) == what:
            streamlit_private.end(session)
    with suppress(Unavailable):
        if what in the_store().words():
            the_store().close(what)
