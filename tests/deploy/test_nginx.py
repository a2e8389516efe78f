import http.client
import json
import re
import time
from collections import Counter
from contextlib import ExitStack

import pytest

from tests.deploy.nginx import CONFIGURATION, SCRIPT, Stub, running

pytestmark = pytest.mark.nightly
UPLOAD = "/_stcore/upload_file/session/file"
SOONER = {"fail_timeout=10s": "fail_timeout=1s", "proxy_read_timeout 5s": "proxy_read_timeout 1s"}


class Answer:
    """What came back of one request."""

    def __init__(self, port, path="/", cookie="", method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, headers | ({"Cookie": cookie} if cookie else {}))
        response = connection.getresponse()
        self.body = response.read()
        self.status, self.headers = response.status, response.headers
        self.replica = response.headers["X-Replica"]
        self.cookies = {each.split("=")[0]: each for each in response.headers.get_all("Set-Cookie", [])}
        connection.close()


@pytest.fixture
def replicas():
    with ExitStack() as started:
        yield [started.enter_context(Stub()) for _ in range(3)]


@pytest.fixture
def front(replicas, tmp_path):
    with running(tmp_path, [stub.port for stub in replicas], SOONER) as port:
        yield port


def test_newcomers_come_in_turn_and_come_back_whatever_they_ask_for_and_whatever_their_cookie_says(front, replicas):
    assert Counter(Answer(front, "/qkv?qkv_seed=3").replica for _ in range(12)) == {"1": 4, "2": 4, "3": 4}
    for number, stub in enumerate(replicas, 1):
        for path in ("/", "/qkv", "/_stcore/health", "/media/a.png", UPLOAD):
            answer = Answer(front, path, f"replica={number}")
            assert (answer.replica, json.loads(answer.body)["port"]) == (str(number), stub.port)
            assert "replica" not in answer.cookies
    for cookie in ("replica=4", "replica=", "replica=127.0.0.1:22", "replica=1; replica=in_turn", "x=1"):
        assert Answer(front, "/", cookie).replica in ("1", "2", "3")
    found = set()
    for browser in range(12):  # that keep no cookie
        asked = [("GET", "/_stcore/health"), ("GET", "/_stcore/stream"), ("PUT", UPLOAD)] * 2
        each = {Answer(front, path, method=method, User_Agent=f"browser {browser}").replica for method, path in asked}
        assert len(each) == 1
        found |= each
    assert len(found) > 1


def test_over_https_cookies_are_kept_in_a_frame_of_another_site(front):
    for scheme, said in (("http", {"SameSite=Lax"}), ("https", {"SameSite=None", "Secure", "Partitioned"})):
        cookies = Answer(front, "/_stcore/health", X_Forwarded_Proto=scheme).cookies
        assert cookies.keys() == {"replica", "_streamlit_xsrf"}
        for cookie in cookies.values():
            assert set(cookie.split("; ")[1:]) - {"HttpOnly"} == {"Path=/"} | said


def test_files_travel_compressed_and_are_asked_of_a_replica_once(front, replicas):
    answers = [Answer(front, "/static/js/index.js", f"replica={n}", Accept_Encoding="gzip") for n in (1, 2, 3, 1)]
    assert [stub.asked.count("/static/js/index.js") for stub in replicas] == [1, 0, 0]
    for answer in answers:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert not answer.cookies
        assert len(answer.body) < len(SCRIPT) / 10


def test_browsers_are_told_once_what_they_may_do_with_each_answer(front):
    for path in ("/", "/static/js/index.js", "/_stcore/metrics", "/_stcore/health"):
        headers = Answer(front, path).headers
        assert headers.get_all("X-Content-Type-Options") == ["nosniff"]
        assert headers.get_all("Referrer-Policy") == ["same-origin"]


def test_uploads_end_and_what_the_server_counts_is_not_told_outside(front, replicas):
    limit = int(re.search(r"client_max_body_size (\d+)m;", CONFIGURATION.read_text(encoding="utf-8"))[1]) << 20
    body = bytes(limit - 1000)
    assert json.loads(Answer(front, UPLOAD, method="PUT", body=body).body)["received"] == len(body)
    assert Answer(front, UPLOAD, method="PUT", Content_Length=str(limit + 1)).status == 413
    statuses = [Answer(front, UPLOAD, method="PUT", body=b"text").status for _ in range(300)]
    assert statuses[:70] == [200] * 70
    assert set(statuses) == {200, 429}
    before = sum(len(stub.asked) for stub in replicas)
    for path in ("/_stcore/metrics", "/_stcore//metrics?families=a", "/_stcore/metrics/", "/qkv/_stcore/%6Detrics"):
        assert Answer(front, path).status == 404
    assert sum(len(stub.asked) for stub in replicas) == before


def test_a_dead_replica_is_passed_over_and_taken_up_again_and_one_that_hangs_loses_the_pages_that_look_for_it(
    front, replicas
):
    replicas[0].hangs_for = 3.0
    assert Answer(front, "/_stcore/health", "replica=1").replica in ("2", "3")
    replicas[0].hangs_for = 0.0
    replicas[1].__exit__()
    answers = [Answer(front, path, "replica=2") for path in ("/qkv", "/_stcore/health", "/static/a.js", "/media/a")]
    answers += [Answer(front, UPLOAD, "replica=2", method="PUT", body=b"abc"), *(Answer(front) for _ in range(6))]
    assert {answer.status for answer in answers} == {200}
    assert {answer.replica for answer in answers if answer.replica} <= {"1", "3"}
    moved = Answer(front, "/", "replica=2")
    cookie = moved.cookies["replica"].split(";")[0]
    assert cookie == f"replica={moved.replica}"
    replicas[1].__enter__()
    end = time.monotonic() + 60
    while Answer(front).replica != "2":
        assert time.monotonic() < end
        time.sleep(0.1)
    assert Answer(front, "/", cookie).replica == moved.replica
