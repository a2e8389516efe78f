from pages.server.garbage import leave_modules_alone
from tests.app.visits import visit


def test_the_modules_of_each_page_leave_the_search_for_garbage_once(monkeypatch):
    frozen = []
    monkeypatch.setattr("pages.server.garbage.gc.freeze", lambda: frozen.append(True))
    leave_modules_alone.cache_clear()
    for page in ("scaling", "scaling", "qkv"):
        visit(page)
    assert len(frozen) == 2
