"""What is written in several files of the deployment says the same in each of them."""

import json
import re
import tomllib

import yaml

from tests.deploy.composed import REPLICAS, ROOT, SERVICES, STORE

DOCKERFILE, COMPOSE, NGINX, KUBERNETES = (
    (ROOT / ".deploy" / name).read_text() for name in ("Dockerfile", "compose.yaml", "nginx.conf", "kubernetes.yaml")
)
COPIED = {line.split()[1] for line in DOCKERFILE.splitlines() if line.startswith("COPY")}


def test_every_file_that_goes_into_the_container_exists_and_no_other_is_sent_to_its_builder():
    assert [name for name in COPIED if not (ROOT / name).exists()] == []
    assert {"streamlit_app.py", ".deploy/server.py", "pages", "attention_core"} <= COPIED
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert sent == COPIED


def test_a_space_gets_what_goes_into_the_container_and_says_its_port():
    guide = (ROOT / ".github" / "docs" / "hosting.md").read_text(encoding="utf-8")
    (names,), (port,) = re.findall(r"^cp -r (.+) space$", guide, re.MULTILINE), re.findall(r"app_port: (\d+)", guide)
    given = names.split()
    assert [name for name in given if not (ROOT / name).exists()] == []
    assert [name for name in COPIED if not any(name == one or name.startswith(f"{one}/") for one in given)] == []
    assert f"EXPOSE {port}\n" in DOCKERFILE


def test_a_development_container_has_the_python_and_the_packages_of_the_others():
    said = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    (minor,) = re.findall(r"FROM python:3\.(\d+)-slim", DOCKERFILE)
    assert said["image"].endswith(f"/python:3.{minor}")
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    installed = re.findall(r"missing\+=\((\S+)\)", run)
    assert [name for name in installed if f" {name} " not in said["postCreateCommand"]] == []
    assert "pip install -r requirements-dev.txt" in said["postCreateCommand"]
    assert (ROOT / said["postAttachCommand"].split()[2]).exists()


def test_the_extra_of_the_course_is_its_requirements():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.partition("#")[0].strip() for line in lines]
    assert project["dependencies"] + project["optional-dependencies"]["course"] == wanted


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


def test_all_replicas_share_one_store_for_their_classes_and_can_speak_to_it():
    assert len(REPLICAS) == 3
    assert {each["environment"]["CLASS_STORE"] for each in REPLICAS.values()} == {f"redis://{STORE}:6379"}
    assert all(STORE in each["depends_on"] for each in REPLICAS.values())
    assert "ports" not in SERVICES[STORE]
    parts = {(part["kind"], part["metadata"]["name"]): part for part in yaml.safe_load_all(KUBERNETES)}
    replica, store = (
        parts["Deployment", name]["spec"]["template"]["spec"]["containers"][0]
        for name in ("attention", "attention-classes")
    )
    (address,) = [each["value"] for each in replica["env"] if each["name"] == "CLASS_STORE"]
    name, port = re.fullmatch(r"redis://([\w-]+):(\d+)", address).groups()
    service, (named,) = parts["Service", name]["spec"], store["ports"]
    assert service["ports"] == [{"name": named["name"], "port": int(port), "targetPort": named["name"]}]
    assert named["containerPort"] == int(port)
    labels = parts["Deployment", name]["spec"]["template"]["metadata"]["labels"]
    policy = parts["NetworkPolicy", name]["spec"]
    assert labels == service["selector"] == policy["podSelector"]["matchLabels"]
    (source,) = policy["ingress"][0]["from"]
    assert source["podSelector"]["matchLabels"] == parts["Service", "attention"]["spec"]["selector"]
    assert (store["image"], store["args"]) == (SERVICES[STORE]["image"], SERVICES[STORE]["command"])
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["class"]
    (installs,) = re.findall("^RUN pip install .*", DOCKERFILE, re.MULTILINE)
    assert [each for each in extra if f'"{each}"' not in installs] == []
