"""The step on a real model, in a browser: a server that has a tiny one."""

import pytest

from pages.tiny_lm.real import LOOKS
from tests.bench.server import Server
from tests.browser.screen import settle, visit
from tests.core.pretrained.files import write_tiny


@pytest.fixture
def real_server(browser, tmp_path):
    path = tmp_path / "tiny.gguf"
    write_tiny(path)
    with Server(PRETRAINED_MODEL=str(path)) as running:
        yield running


@pytest.mark.nightly
def test_every_look_follows_every_other_and_one_has_settings_of_its_own(visitor, real_server):
    page = visitor(real_server)
    visit(page, "/tiny_lm?tiny_lm_step=real&tiny_lm_ask=no")
    looks = page.locator(".st-key-tiny_lm_real_look")
    sampling = page.get_by_test_id("stSidebar").get_by_text("Sampling", exact=True)
    for look in [*list(LOOKS)[1:], "prediction", next(iter(LOOKS))]:
        looks.get_by_role("radio", name=look, exact=True).click()
        settle(page)
        assert sampling.count() == (look == "prediction"), look
