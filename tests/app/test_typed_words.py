"""No cache of the process keeps what a student typed: it would outlive the visit."""

import gc
import sys
from functools import lru_cache

import pytest

from attention_core.text.byte_pairs import ALPHABET
from pages.page.fields.controls import Controls
from pages.reproduce.program import program
from pages.reproduce.script import script
from pages.tiny_lm.tokens.learned import THIS_TEXT
from pages.tiny_lm.train.upload import from_file
from tests.app.steps import step
from tests.app.tiny_lm.models import step_with
from tests.app.tiny_lm.test_upload import packed
from tests.app.visits import rerun, visit
from tests.lessons import steps_of

RARE = "zqvex"
KNOWN = ("hat", "hat", "near", "hat", "hat")  # to the models, which skip any other word
TYPED = " ".join([RARE, *KNOWN, RARE])
OURS = ("pages.", "attention_core.")
CACHE = type(lru_cache(bool))
SEEN_THROUGH = (dict, list, tuple, set, frozenset, CACHE)


def is_typed(thing):
    if isinstance(thing, list | tuple) and all(isinstance(part, str) for part in thing):
        thing = " ".join(thing)
    return isinstance(thing, str) and (RARE in thing or " ".join(KNOWN) in thing)


def roots():
    """Yield the caches of the process, and what the modules of the course hold, by name."""
    gc.unfreeze()  # or what pages/server/process.py leaves alone is not listed
    for thing in gc.get_objects():
        if isinstance(thing, CACHE) and (thing.__module__ or "").startswith(OURS):
            yield f"{thing.__module__}.{thing.__qualname__}", thing
    for name, module in list(sys.modules.items()):
        if name.startswith(OURS) and module is not None:
            for key, value in vars(module).items():
                if not isinstance(value, type) and not callable(value) and not key.startswith("__"):
                    yield f"{name}.{key}", value


def holders():
    """Return the names of the caches and module globals that hold what was typed."""
    return {name for name, root in roots() if holds(root)}


def holds(root):
    seen, parts = set(), [root]
    while parts:
        part = parts.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if is_typed(part):
            return True
        kind = type(part)
        inside = ("collections", "weakref", "concurrent.futures._base")
        if isinstance(part, SEEN_THROUGH) or kind.__module__ in inside or kind.__module__.startswith(OURS):
            parts += [one for one in gc.get_referents(part) if not isinstance(one, type)]
    return False


@pytest.fixture
def _typed(monkeypatch):
    """Let every field hold the same text."""
    monkeypatch.setattr(Controls, "text", lambda *_, **__: TYPED)


@pytest.mark.usefixtures("_typed")
@pytest.mark.parametrize("lesson", ["qkv", "scaling", "multi_head", "causal_mask", "positional_encoding", "tiny_lm"])
def test_no_cache_of_the_process_keeps_what_was_typed(lesson):
    for name in steps_of(lesson):
        seen = step(lesson, name, corpus=THIS_TEXT)
        script(seen.page.recipe, "title", "link")
        if seen.page.view.number:
            program(seen.page.recipe, seen.page.view.number)
    del seen
    assert holders() == set()


def test_nor_does_the_home_page():
    app = visit("home")
    assert app.text_input
    for field in app.text_input:
        field.set_value(TYPED)
    rerun(app)
    assert holders() == set()


def test_nor_do_tokens_of_a_closed_visitors_model_stay():
    own = from_file(packed([*ALPHABET, *(RARE[:length] for length in range(2, 1 + len(RARE)))]))
    seen = step_with(own, "bet")
    assert RARE in seen.scene.vocabulary
    del own, seen
    visit("home")
    gc.unfreeze()
    gc.collect()
    assert holders() == set()


def test_a_cache_that_keeps_what_was_typed_is_found(monkeypatch):
    cached = lru_cache(maxsize=4)(lambda text: text)
    cached.__wrapped__.__module__ = cached.__module__ = "pages.page.downloads"
    cached(TYPED)
    assert len(holders()) == 1
    cached.cache_clear()
    assert holders() == set()
    monkeypatch.setattr("pages.page.downloads.KEPT", {1: [KNOWN]}, raising=False)
    assert holders() == {"pages.page.downloads.KEPT"}
