"""What the course uses of Streamlit beyond its documented interface, name by name: look here first after an update."""

import ast
import re
from math import inf
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit
from streamlit import errors, net_util, runtime
from streamlit.components.v2.bidi_component.serialization import BidiComponentSerde
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import app_session, media_file_manager, memory_uploaded_file_manager, scriptrunner
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.web.server.starlette import starlette_routes
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pages.server import streamlit_private as ours

ROOT = Path(__file__).parents[2]
SERVER = ROOT / ".deploy" / "server.py"
DOCUMENTED = {"delta_generator.DeltaGenerator", "errors.StreamlitAPIException", "typing.UploadedFile"}
OF_THE_BROWSER = re.compile(r"data-testid[\^*]?=['\"]?(st\w+)|(data-[a-z-]+)")
OURS = {"data-desk", "data-line", "data-meaning", "data-name", "data-question", "data-seconds", "data-text"}


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (app_session.AppSession, "request_rerun"),
        (app_session.AppSession, "on_flushed_messages_sent"),
        (app_session.AppSessionState, "APP_IS_RUNNING"),
        (runtime.Runtime, "exists"),
        (runtime.Runtime, "get_app_session"),
        (runtime.Runtime, "is_active_session"),
        (runtime.Runtime, "uploaded_file_mgr"),
        (media_file_manager.MediaFileManager, "remove_orphaned_files"),
        (memory_uploaded_file_manager.MemoryUploadedFileManager, "remove_session_files"),
        (memory_uploaded_file_manager.MemoryUploadedFileManager(""), "file_storage"),
        (ScriptRunContext, "yield_check"),
        (scriptrunner, "get_script_run_ctx"),
        (scriptrunner.script_runner, "exec_func_with_error_handling"),
        (errors, "StreamlitInvalidLayoutContextError"),
        (net_util, "get_internal_ip"),
        (AutoHTTPProtocol, "connection_made"),
    ],
)
def test_a_private_name_is_still_there(owner, name):
    assert hasattr(owner, name)


@pytest.mark.parametrize("name", ["_state", "_event_loop", "_client_state", "_browser_queue"])
def test_a_page_on_the_server_still_has_what_lets_it_run(name):
    assert name in app_session.AppSession.__init__.__code__.co_names


def test_a_file_on_offer_outlives_the_runs_of_others_for_a_while(monkeypatch):
    swept, now = [], [0.0]
    files = SimpleNamespace(remove_orphaned_files=lambda: swept.append(now[0]))
    monkeypatch.setattr(ours, "Runtime", SimpleNamespace(exists=lambda: True))
    monkeypatch.setattr(ours, "get_instance", lambda: SimpleNamespace(media_file_mgr=files))
    monkeypatch.setattr(ours, "time", SimpleNamespace(monotonic=lambda: now[0]))
    ours.sweep_seldom.__wrapped__()
    for now[0] in range(25):  # a run ends every second
        files.remove_orphaned_files()
    assert swept == [11, 22]


def test_brackets_that_take_thirty_times_their_bytes_are_not_kept_and_files_and_many_values_count_more():
    said = '{"text": "a", "run": [1.5, "b"], "code": [[]], "order": [1, 2, 3], "kept": {"a": {}}}'
    assert BidiComponentSerde().deserialize(said) == {"text": "a", "run": [1.5, "b"]}
    asks, says = BackMsg(backend_operation_request={"request_id": "a"}), BackMsg(rerun_script={"query_string": "a"})
    many = BackMsg(rerun_script={"cached_message_hashes": ["a"] * 4}).SerializeToString()
    found = [ours.weight(said, 4) for said in (b"no message", says.SerializeToString(), asks.SerializeToString(), many)]
    assert found == [1, 1, ours.FILE, inf]


def test_a_run_still_knows_its_session():
    assert "session_id" in ScriptRunContext.__annotations__


def test_uploads_still_come_by_the_path_that_is_limited():
    (limited,) = re.findall(r'^UPLOAD = "/(\S+)/"', SERVER.read_text(encoding="utf-8"), re.MULTILINE)
    assert limited == starlette_routes.BASE_ROUTE_UPLOAD_FILE


def test_the_browser_still_calls_the_parts_of_a_page_so():
    ours = [path.read_text(encoding="utf-8") for path in ROOT.glob("pages/**/*") if path.suffix in (".css", ".js")]
    names = {name for text in ours for pair in OF_THE_BROWSER.findall(text) for name in pair if name} - OURS
    assert {"stMain", "data-stale"} <= names
    scripts = Path(streamlit.__file__).parent.glob("static/static/js/*.js")
    known = "".join(path.read_text(encoding="utf-8") for path in scripts)
    assert {name for name in names if name not in known} == set()


def test_private_names_stand_in_one_module_alone():
    def private(path):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("streamlit."):
                names = {f"{node.module}.{alias.name}".removeprefix("streamlit.") for alias in node.names}
                yield from names - DOCUMENTED
            elif isinstance(node, ast.Import):
                yield from {alias.name for alias in node.names if alias.name.startswith("streamlit.")}

    found = {path.stem: [*private(path)] for path in [*ROOT.glob("pages/**/*.py"), ROOT / "streamlit_app.py", SERVER]}
    assert [name for name, used in found.items() if used] == ["streamlit_private"]
