import http.client
import json
import re
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.deploy.nginx import CONFIGURATION
from tests.deploy.stub import SCRIPT, Stub

ROOT = Path(__file__).parents[2]
HTTPS = {"X-Forwarded-Proto": "https"}
SOONER = {
    "fail_timeout=10s": "fail_timeout=1s",
    "proxy_read_timeout 5s": "proxy_read_timeout 1s",
}  # tests are impatient


class Answer:
    """What came back of one request."""

    def __init__(self, nginx, path="/", cookie="", method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", nginx.port, timeout=20)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, headers | ({"Cookie": cookie} if cookie else {}))
        response = connection.getresponse()
        self.body = response.read()
        self.status, self.headers = response.status, response.headers
        self.replica = response.headers["X-Replica"]
        self.cookies = {each.split("=")[0]: each for each in response.headers.get_all("Set-Cookie", [])}
        connection.close()

    @property
    def cookie(self):
        """What the browser will send from now on."""
        return self.cookies["replica"].split(";")[0]


@pytest.fixture(scope="module")
def replicas():
    with ExitStack() as running:
        yield [running.enter_context(Stub()) for _ in range(3)]


@pytest.fixture(scope="module")
def front(nginx, replicas):
    return nginx([stub.port for stub in replicas], SOONER)


def test_newcomers_of_one_address_are_given_to_the_replicas_in_turn(front):
    assert Counter(Answer(front, "/qkv?qkv_seed=3").replica for _ in range(12)) == {"1": 4, "2": 4, "3": 4}


def test_a_browser_comes_back_to_its_replica_whatever_it_asks_for(front):
    first = [Answer(front) for _ in range(3)]
    for mine in first:
        paths = ["/", "/qkv", "/_stcore/health", "/media/a.png", "/_stcore/upload_file/session/file"] * 2
        answers = [Answer(front, path, mine.cookie) for path in paths]
        assert {answer.replica for answer in answers} == {mine.replica}
        assert not any("replica" in answer.cookies for answer in answers), "a cookie that is known is not set again"


def test_the_name_that_nginx_tells_is_that_of_the_replica(front, replicas):
    for number, stub in enumerate(replicas, 1):
        assert json.loads(Answer(front, "/", f"replica={number}").body)["port"] == stub.port


@pytest.mark.parametrize(
    "cookie", ["replica=4", "replica=", "replica=127.0.0.1:22", "replica=1; replica=in_turn", "x=1"]
)
def test_a_cookie_leads_to_one_of_the_replicas_or_is_as_none(front, cookie):
    answer = Answer(front, "/", cookie)
    assert answer.status == 200
    assert answer.replica in ("1", "2", "3")


def test_a_browser_that_keeps_no_cookie_has_one_replica_for_its_session_all_the_same(front):
    found = set()
    for browser in range(12):
        asked = [("GET", "/_stcore/health"), ("GET", "/_stcore/stream"), ("PUT", "/_stcore/upload_file/s/f")] * 3
        each = {Answer(front, path, method=method, User_Agent=f"browser {browser}").replica for method, path in asked}
        assert len(each) == 1
        found |= each
    assert len(found) > 1


def test_in_a_frame_of_another_site_over_https_cookies_are_kept(front):
    cookies = Answer(front, "/_stcore/health", **HTTPS).cookies
    assert cookies.keys() == {"replica", "_streamlit_xsrf"}
    for cookie in cookies.values():
        assert {"Path=/", "SameSite=None", "Secure", "Partitioned"} <= set(cookie.split("; "))
        assert cookie.count("SameSite") == 1


def test_over_plain_http_cookies_need_no_https(front):
    for cookie in Answer(front, "/_stcore/health").cookies.values():
        assert {"Path=/", "SameSite=Lax"} <= set(cookie.split("; "))
        assert "Secure" not in cookie


def test_files_travel_compressed_and_are_asked_of_a_replica_once(front, replicas):
    answers = [Answer(front, "/static/js/index.js", f"replica={n}", Accept_Encoding="gzip") for n in (1, 2, 3, 1)]
    assert [stub.asked.count("/static/js/index.js") for stub in replicas] == [1, 0, 0]
    for answer in answers:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Cache-Control"] == "public, immutable, max-age=31536000"
        assert not answer.cookies, "what is kept for everybody says nothing about one"
        assert len(answer.body) < len(SCRIPT) / 10


def test_the_largest_file_that_a_page_takes_passes_and_far_larger_ones_are_refused(front):
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py")]
    largest = max(int(size) for source in sources for size in re.findall(r"max_upload_size=(\d+)", source))
    limit = int(re.search(r"client_max_body_size (\d+)m;", CONFIGURATION.read_text(encoding="utf-8"))[1])
    assert limit == largest + 1
    path, body = "/_stcore/upload_file/session/file", bytes((largest << 20) + 1000)
    assert json.loads(Answer(front, path, method="PUT", body=body).body)["received"] == len(body)
    assert Answer(front, path, method="PUT", Content_Length=str((limit << 20) + 1)).status == 413


def test_more_uploads_from_one_address_than_a_class_brings_are_refused_and_pages_are_not(nginx, replicas):
    front = nginx([stub.port for stub in replicas], SOONER)
    path = "/_stcore/upload_file/session/file"
    statuses = [Answer(front, path, method="PUT", body=b"text").status for _ in range(300)]
    assert statuses[:70] == [200] * 70
    assert set(statuses) == {200, 429}
    assert Answer(front, "/qkv").status == 200


@pytest.mark.parametrize(
    "path", ["/_stcore/metrics", "/_stcore//metrics?families=a", "/_stcore/metrics/", "/qkv/_stcore/%6Detrics"]
)
def test_what_the_server_counts_is_not_told_outside(front, replicas, path):
    before = sum(len(stub.asked) for stub in replicas)
    assert Answer(front, path, method="GET").status == 404
    assert sum(len(stub.asked) for stub in replicas) == before


def test_a_dead_replica_is_passed_over_at_once_and_taken_up_again(nginx):
    with Stub() as one, Stub() as two, Stub() as three:
        front = nginx([one.port, two.port, three.port], SOONER)
        two.__exit__()
        answers = [Answer(front, path, "replica=2") for path in ("/qkv", "/_stcore/health", "/static/a.js", "/media/a")]
        answers += [Answer(front, "/_stcore/upload_file/s/f", "replica=2", method="PUT", body=b"abc")]
        answers += [Answer(front) for _ in range(6)]
        answers += [Answer(front, "/_stcore/health", User_Agent=str(n)) for n in range(6)]
        assert {answer.status for answer in answers} == {200}
        assert {answer.replica for answer in answers if answer.replica} == {"1", "3"}
        moved = Answer(front, "/", "replica=2")
        assert moved.cookie == f"replica={moved.replica}", "its students stay where they went"
        with two:
            end = time.monotonic() + 10
            while Answer(front).replica != "2":
                assert time.monotonic() < end
                time.sleep(0.1)
            assert Answer(front, "/", moved.cookie).replica == moved.replica


def test_a_replica_that_hangs_loses_the_pages_that_look_for_it(nginx):
    with Stub() as one, Stub() as two, Stub() as three:
        front = nginx([one.port, two.port, three.port], SOONER)
        one.hangs_for = 3.0
        answer = Answer(front, "/_stcore/health", "replica=1")
        assert answer.status == 200
        assert answer.cookie in ("replica=2", "replica=3")
