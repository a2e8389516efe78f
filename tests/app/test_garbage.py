import gc

import pytest

from pages.server.garbage import leave_modules_alone
from tests.app.visits import visit


@pytest.mark.parametrize("frozen_by_the_server", [False, True])
def test_what_the_first_lesson_has_loaded_leaves_the_search_for_garbage_once(frozen_by_the_server, monkeypatch):
    done = []
    monkeypatch.setattr("pages.server.garbage.gc.freeze", lambda: done.append("freeze"))
    monkeypatch.setattr("pages.server.garbage.gc.collect", lambda: done.append("collect"))
    monkeypatch.setattr("pages.server.garbage.gc.get_freeze_count", lambda: 1000 * frozen_by_the_server)
    leave_modules_alone.cache_clear()
    visit("home")
    assert done == []
    for page in ("scaling", "scaling", "qkv"):
        visit(page)
    assert done == ([] if frozen_by_the_server else ["collect", "freeze", "collect"])
    assert gc.isenabled()
