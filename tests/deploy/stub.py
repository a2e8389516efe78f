"""A replica that does nothing but tell how it was asked: what nginx does can be seen without a whole server."""

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from tests.bench.server import free_port

UPLOAD_COOKIE = "_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Lax"  # as Streamlit sets it
SCRIPT = b"export const ours = 1\n" * 200


class Stub:
    """A server on a port of its own that can be ended and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.asked: list[str] = []
        self.hangs_for = 0.0
        self.server: ThreadingHTTPServer | None = None

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
                    self.send_header("Set-Cookie", UPLOAD_COOKIE)
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
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
