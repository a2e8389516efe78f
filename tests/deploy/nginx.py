"""nginx with the configuration of the repository, but ports and a folder of its own, and without any rights."""

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Self

from tests.bench.server import cpu_seconds, free_port, listens

ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / ".deploy" / "nginx.conf"
PORTS = ("8601", "8602", "8603")
HOW_TO_GET = "nginx (apt-get install nginx-light)"
PATIENCE = 20.0  # seconds for the start

AROUND = """
daemon off; pid nginx.pid; error_log error.log; worker_processes 2; {user}
events {{}}
http {{
    types {{ text/html html; }}
    access_log access.log;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fcgi; uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include {site};
}}
"""


class Nginx:
    """nginx before three ports; all that it writes goes into a folder."""

    def __init__(self, folder: Path, ports: list[int], instead: dict[str, str] | None = None) -> None:
        self.folder, self.ports, self.instead = folder, ports, instead or {}
        self.port = free_port()

    def __enter__(self) -> Self:
        site, main = self.folder / "site.conf", self.folder / "main.conf"
        site.write_text(self.configuration(), encoding="utf-8")
        user = "user root;" if os.geteuid() == 0 else ""  # else its workers could not read the folder
        main.write_text(AROUND.format(site=site, user=user), encoding="utf-8")
        command = [found() or "nginx", "-p", str(self.folder), "-c", str(main), "-e", str(self.folder / "error.log")]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while not listens(self.port):
            if self._process.poll() is not None or time.monotonic() > end:
                self.__exit__()
                raise RuntimeError(f"nginx did not start:\n{(self.folder / 'error.log').read_text()}")
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def cpu_seconds(self) -> float:
        """Return the processor time of its workers so far."""
        workers = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return sum(cpu_seconds(int(worker)) for worker in workers)

    def configuration(self) -> str:
        """Return the repository's own configuration with our ports and folder in it."""
        text = CONFIGURATION.read_text(encoding="utf-8")
        ours = dict(zip(PORTS, map(str, self.ports), strict=True)) | self.instead
        ours |= {"listen 8080": f"listen 127.0.0.1:{self.port}", "/var/lib/nginx": str(self.folder)}
        for theirs, here in ours.items():
            if theirs not in text:
                raise ValueError(f"{CONFIGURATION} no longer says {theirs!r}")
            text = text.replace(theirs, here)
        return text


def found() -> str | None:
    """Return the path of nginx, or None; Debian keeps it where only root looks."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
