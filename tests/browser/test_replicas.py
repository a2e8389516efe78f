"""A browser that comes through nginx: files travel both ways, and its page outlives the server that drew it."""

from contextlib import ExitStack
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

import attention_core
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import MODELS
from attention_core.text.corpora import source_of
from tests.bench.server import Server, free_port
from tests.browser.screen import complaints, enter, field, said_in_link, settle, unfold, visit
from tests.deploy.nginx import HOW_TO_GET, Nginx, found
from tests.missing import without

SAID = {"tiny_lm_ask": "no", "tiny_lm_step": "bet"}
LINK = f"/tiny_lm?{urlencode(SAID)}"
IS_BACK = "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"


class Front(NamedTuple):
    """Where browsers meet the replicas."""

    url: str
    replicas: dict[str, Server]


@pytest.fixture
def front(browser, tmp_path):
    """Two replicas behind nginx; the third was never started."""
    if not found():
        without(HOW_TO_GET)
    with ExitStack() as running:
        replicas = [running.enter_context(Server()) for _ in range(2)]
        ports = [free_port(), *(replica.port for replica in replicas)]
        nginx = running.enter_context(Nginx(tmp_path, ports))
        yield Front(f"http://localhost:{nginx.port}", {"2": replicas[0], "3": replicas[1]})


def replica_of(page) -> str:
    """Return which replica has the page."""
    (name,) = [cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "replica"]
    return name


def script(page) -> str:
    """Return the script that the page offers."""
    with page.expect_download() as download:
        page.locator(".st-key-tiny_lm_keep_py button").click()
    return download.value.path().read_text(encoding="utf-8")


def bring(page, file) -> str:
    """Bring a model in a file and return what is said of it."""
    place = page.locator(".st-key-tiny_lm_bring")
    place.locator("input[type=file]").set_input_files(file)
    place.locator(".course.note").wait_for()
    settle(page)
    return place.locator(".course.note").inner_text()


@pytest.mark.exhaustive
def test_a_page_takes_and_gives_files_and_comes_back_by_itself_when_its_server_is_killed(visitor, front, tmp_path):
    page = visitor(front)
    errors = complaints(page)
    visit(page, LINK.replace("step=bet", "step=train"))
    unfold(page, "tiny_lm_bring")
    own, file = MODELS["pronoun"], tmp_path / "mine.safetensors"
    attention_core.save(file, model_at(own.name, own.stops[-1]), source_of(own.source).vocabulary.tokens)
    assert "15,984 parameters" in bring(page, file)

    visit(page, LINK)
    enter(page, "tiny_lm_seed", 7)
    unfold(page, "tiny_lm_keep")
    assert "tiny_lm_seed=7" in script(page)
    assert errors == []

    first = replica_of(page)
    with page.expect_event("websocket"):
        front.replicas[first].kill()
    page.wait_for_function(IS_BACK)
    settle(page)
    (second,) = front.replicas.keys() - {first}
    assert replica_of(page) == second

    assert field(page, "tiny_lm_seed").input_value() == "7"
    enter(page, "tiny_lm_seed", 8)
    assert said_in_link(page) == {**SAID, "tiny_lm_seed": "8"}
    assert "tiny_lm_seed=8" in script(page)
