"""What is written in several files of the deployment says the same in each of them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE, COMPOSE, NGINX, KUBERNETES = (
    (ROOT / ".deploy" / name).read_text() for name in ("Dockerfile", "compose.yaml", "nginx.conf", "kubernetes.yaml")
)


def test_every_file_that_goes_into_the_container_exists():
    copied = [line.split()[1] for line in DOCKERFILE.splitlines() if line.startswith("COPY")]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {"streamlit_app.py", ".deploy/server.py", "pages", "attention_core"} <= set(copied)


def test_what_goes_into_the_container_is_all_that_is_sent_to_its_builder():
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert sent == {line.split()[1] for line in DOCKERFILE.splitlines() if line.startswith("COPY")}


def test_all_agree_on_ports_user_uploads_and_python():
    (inside,), (user,), (size,), (minor,) = (
        re.findall(pattern, text, re.MULTILINE)
        for pattern, text in (
            (r"EXPOSE (\d+)", DOCKERFILE),
            (r"^USER (\d+)", DOCKERFILE),
            (r"client_max_body_size (\d+)m;", NGINX),
            (r"FROM python:3\.(\d+)-slim", DOCKERFILE),
        )
    )
    assert f'"--server.port", "{inside}"' in DOCKERFILE
    assert f"containerPort: {inside}" in KUBERNETES
    ports = [port for port, own in re.findall(r"127\.0\.0\.1:(\d+):(\d+)", COMPOSE) if own == inside]
    blocks = re.findall(r"\{\n(.*?)\n\}", NGINX, flags=re.DOTALL)
    assert [found for block in blocks if (found := re.findall(r"\b86\d\d\b", block))] == [ports] * 4
    assert f"runAsUser: {user}" in KUBERNETES
    assert f"proxy-body-size: {size}m" in KUBERNETES
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py"))
    assert int(size) == 1 + max(map(int, re.findall(r"max_upload_size=(\d+)", pages)))
    guide = (ROOT / ".github" / "docs" / "hosting.md").read_text(encoding="utf-8")
    (host,) = re.findall(r"host: (\S+)", KUBERNETES)
    assert f"- hosts: [{host}]" in KUBERNETES
    assert f"{{name: STREAMLIT_SERVER_ALLOWED_HOSTS, value: {host}}}" in KUBERNETES
    low, high = re.findall(r"Python 3\.(\d+) to 3\.(\d+)\.", guide)[0]
    assert int(low) <= int(minor) <= int(high)
