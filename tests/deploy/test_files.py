"""What is written in several files of the deployment says the same in each of them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


DOCKERFILE, COMPOSE, NGINX, KUBERNETES, AUTOSCALE = (
    text(f".deploy/{name}")
    for name in ("Dockerfile", "compose.yaml", "nginx.conf", "kubernetes.yaml", "autoscale.yaml")
)
GUIDE = text(".github/docs/hosting.md")


def test_every_file_that_goes_into_the_container_exists_and_holds_all_of_the_course():
    copied = [line.split()[1] for line in DOCKERFILE.splitlines() if line.startswith("COPY")]
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {
        "streamlit_app.py",
        ".deploy/server.py",
        "pages",
        "attention_core",
        ".streamlit/config.toml",
        "requirements.txt",
    } == set(copied)


def test_all_agree_on_the_ports():
    (inside,) = re.findall(r"EXPOSE (\d+)", DOCKERFILE)
    assert f'"--server.port", "{inside}"' in DOCKERFILE
    assert f"127.0.0.1:{inside}/_stcore/health" in DOCKERFILE
    assert f"containerPort: {inside}" in KUBERNETES
    published = re.findall(r"127\.0\.0\.1:(\d+):(\d+)", COMPOSE)
    assert [own for _, own in published] == [inside] * 3
    ports = [port for port, _ in published]
    blocks = re.findall(r"\{\n(.*?)\n\}", NGINX, flags=re.DOTALL)
    lists = [found for block in blocks if (found := re.findall(r"\b86\d\d\b", block))]
    assert lists == [ports] * 4
    assert f"for port in {' '.join(ports)}; do" in GUIDE


def test_all_agree_on_the_user_and_on_the_size_of_uploads():
    (user,) = re.findall(r"^USER (\d+)", DOCKERFILE, flags=re.MULTILINE)
    assert f"runAsUser: {user}" in KUBERNETES
    (size,) = re.findall(r"client_max_body_size (\d+m);", NGINX)
    assert f"proxy-body-size: {size}" in KUBERNETES
    assert f"end at {size.removesuffix('m')} MB" in GUIDE


def test_the_autoscaler_scales_the_deployment_by_the_core_that_its_replicas_ask_for():
    deployment = KUBERNETES.split("\n---\n")[0]
    (kind, name), (version,) = (
        re.findall(r"kind: (\w+)\n.*\n  name: (\w+)", deployment)[0],
        *[re.findall(r"^apiVersion: (.*)$", deployment, flags=re.MULTILINE)],
    )
    target = re.search(r"scaleTargetRef:\n((?:    .*\n)+)", AUTOSCALE)[1]
    assert target == f"    apiVersion: {version}\n    kind: {kind}\n    name: {name}\n"
    assert 'requests: {cpu: "1",' in deployment
    (replicas,), (least,), (most,), (share,) = (
        re.findall(pattern, where)
        for pattern, where in (
            (r"replicas: (\d+)", deployment),
            (r"minReplicas: (\d+)", AUTOSCALE),
            (r"maxReplicas: (\d+)", AUTOSCALE),
            (r"averageUtilization: (\d+)", AUTOSCALE),
        )
    )
    assert int(replicas) == int(least) < int(most)
    assert "affinity-mode: persistent" in KUBERNETES  # else a new replica would take sessions from the others
    assert f"replicas at {share} % of a core each" in GUIDE


def test_the_guide_counts_the_students_of_a_core():
    ms, share, rate = map(
        int, re.search(r"some (\d+) ms of processor .*? core at (\d+) % gives (\d+)", GUIDE, re.DOTALL).groups()
    )
    assert rate == int(10 * share / ms)
    for each, students in re.findall(r"\| (0\.\d+) \| (\d+) \|", GUIDE):
        assert abs(int(students) - 10 * share / ms / float(each)) < 0.05 * int(students)


def test_the_container_has_a_python_that_is_promised():
    (minor,) = re.findall(r"FROM python:3\.(\d+)-slim", DOCKERFILE)
    low, high = re.findall(r"Python 3\.(\d+) to 3\.(\d+)\.", GUIDE)[0]
    assert int(low) <= int(minor) <= int(high)


def test_every_file_and_section_that_the_guide_names_exists():
    named = re.findall(r"(\.deploy/[\w.]+|tests/\w+)", GUIDE)
    assert len(named) >= 5
    assert [name for name in named if not (ROOT / name).exists()] == []
    titles = {line.lstrip("# ").lower().replace(" ", "-") for line in GUIDE.splitlines() if line.startswith("#")}
    assert [link for link in re.findall(r"\]\(#([\w-]+)\)", GUIDE) if link not in titles] == []
