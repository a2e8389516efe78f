"""nginx with the configuration of the repository, and replicas that do nothing but tell how they were asked."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from tests.bench.server import free_port, listens
from tests.missing import without

CONFIGURATION = Path(__file__).parents[2] / ".deploy" / "nginx.conf"
SCRIPT = b"export const ours = 1\n" * 200
AROUND = """
daemon off; pid nginx.pid; error_log error.log; worker_processes 2; {user}
events {{}}
http {{
    types {{ text/html html; }}
    access_log access.log;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fcgi; uwsgi_temp_path uwsgi;
    scgi_temp_path scgi; include {site};
}}
"""


@contextlib.contextmanager
def running(folder: Path, ports: list[int], sooner: dict[str, str] | None = None) -> Iterator[int]:
    """Run nginx before three ports, with all that it writes in a folder; give its own port."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or without("nginx (nginx-light of Debian)")
    site, main, port = folder / "site.conf", folder / "main.conf", free_port()
    text = CONFIGURATION.read_text(encoding="utf-8")
    ours = dict(zip(("8601", "8602", "8603"), map(str, ports), strict=True)) | (sooner or {})
    ours |= {"listen 8080": f"listen 127.0.0.1:{port}", "/var/lib/nginx": str(folder)}
    assert all(theirs in text for theirs in ours)
    text = re.sub("|".join(ours), lambda found: ours[found[0]], text)  # at once: a port may hold another one
    site.write_text(text, encoding="utf-8")
    user = "user root;" if os.geteuid() == 0 else ""  # else its workers could not read the folder
    main.write_text(AROUND.format(site=site, user=user), encoding="utf-8")
    command = [program, "-p", str(folder), "-c", str(main), "-e", str(folder / "error.log")]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            while not listens(port):
                assert process.poll() is None, (folder / "error.log").read_text()
                time.sleep(0.02)
            yield port
        finally:
            process.terminate()


class Stub:
    """A server on a port of its own that can be ended and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.asked: list[str] = []
        self.hangs_for = 0.0

    def __enter__(self) -> Self:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                stub.asked.append(self.path)
                received = len(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                time.sleep(stub.hangs_for)
                script = self.path.endswith(".js")
                body = SCRIPT if script else json.dumps({"port": stub.port, "received": received}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Type", "text/javascript" if script else "application/json")
                if script:
                    self.send_header("Cache-Control", "public, immutable, max-age=31536000")
                elif "_stcore" in self.path:
                    self.send_header("Set-Cookie", "_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Lax")  # as Streamlit
                self.end_headers()
                with contextlib.suppress(BrokenPipeError):  # nobody waited
                    self.wfile.write(body)

            do_PUT = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
