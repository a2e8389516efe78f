import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def exists(path: str) -> bool:
    """Tell whether there is such a file or folder, here or in the core."""
    return (ROOT / path).exists() or (ROOT / "attention_core" / path).exists()


def test_the_python_in_the_readme_prints_what_stands_under_it():
    code = "\n".join(blocks("python"))
    expected = "".join(output for output in blocks("text") if "streamlit_app.py" not in output)
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout == expected


def test_the_checks_run_the_command_that_a_newcomer_is_told():
    tests = next(command for command in blocks("sh") if "pytest" in command)
    assert tests in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_commands_install_files_that_exist():
    files = re.findall(r"-r (\S+)", "".join(blocks("sh")))
    assert files == ["requirements.txt", "requirements-dev.txt"]
    assert all((ROOT / name).is_file() for name in files)


def test_every_path_and_module_it_names_exists():
    tree = next(text for text in blocks("text") if "streamlit_app.py" in text)
    rooms = re.findall(r"^  (\S+)", tree, flags=re.MULTILINE)
    named = [line.split()[0] for line in tree.splitlines() if not line.startswith(" ")]
    assert all((ROOT / "attention_core" / room).is_dir() for room in rooms)
    assert len(rooms) == 5
    named += re.findall(r'(?:src|srcset)="([^"]+)"', README)
    assert [path for path in named if not (ROOT / path).exists()] == []
    modules = re.findall(r"`([\w/]+\.py)`", README)
    assert len(modules) > 30
    assert [name for name in modules if not exists(name)] == []


def test_every_step_it_names_exists():
    table = re.findall(r"^\| .+ \| `/(\w+)` \| ([a-z_, ]+) \|$", README, flags=re.MULTILINE)
    assert len(table) >= 15
    for page, steps in table:
        (script,) = (ROOT / "pages").glob(f"*_{page}.py")
        sources = [script, *(ROOT / "pages" / page).glob("*.py")]
        code = "".join(path.read_text(encoding="utf-8") for path in sources)
        assert [step for step in steps.split(", ") if f'"{step}"' not in code] == []


DOCUMENTS = sorted((ROOT / ".readme").glob("*.md"))
each_document = pytest.mark.parametrize("document", [ROOT / "README.md", *DOCUMENTS], ids=lambda path: path.name)


def quoted(document: Path) -> list[str]:
    """Return what stands between backticks in the running text of a document."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`\n]+)`", text)


@each_document
def test_every_link_into_the_repository_leads_somewhere(document):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


@each_document
def test_every_path_in_a_document_exists(document):
    """Of the lesson that the ten steps add there is nothing yet."""
    paths = [
        text.split("::")[0] for text in quoted(document) if re.fullmatch(r"(?:\w+|\.\w+)(?:/[\w.]+)+(?:::\w+)?", text)
    ]
    paths = [path for path in paths if "temperature" not in path]
    assert [path for path in paths if not exists(path)] == []


@each_document
def test_every_command_of_ours_in_a_document_can_be_run(document):
    """Modules are there, files and folders are, and so is what a module is told to do."""
    text = document.read_text(encoding="utf-8")
    for module in re.findall(r"python3? -m ([\w.]+)", text):
        assert module in ("venv", "pytest") or importlib.util.find_spec(module), module
    for arguments in re.findall(r"-m pytest ([^`\n]*)", text):
        files = [word.split("::")[0] for word in arguments.split() if word.startswith("tests/")]
        assert all((ROOT / file).exists() for file in files), arguments
    for script in re.findall(r"streamlit run (\S+\.py)", text):
        assert (ROOT / script).is_file()


def test_every_name_in_the_guide_for_contributors_is_in_the_code():
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("attention_core", "pages", "tests")
        for path in (ROOT / folder).rglob("*.py")
    )
    named = [text.partition("(")[0] for text in quoted(ROOT / ".readme" / "contributing.md")]
    names = [
        name for name in named if re.fullmatch(r"(?:page\.)*[A-Za-z_]{4,}(?:\.\w+)?", name) and name != "temperature"
    ]
    assert len(names) > 20
    for name in names:
        assert re.search(rf"\b{re.escape(name)}\b", code), name


def test_the_citation_agrees_with_the_project():
    lines = (ROOT / ".readme" / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    said = dict(line.split(": ", 1) for line in lines if re.match(r"[a-z-]+: ", line))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert said["cff-version"] == "1.2.0"
    assert {"message", "title", "type"} <= said.keys()
    assert "authors:" in lines
    assert said["title"] == README.splitlines()[0].removeprefix("# ")
    assert (said["version"], said["license"]) == (project["version"], project["license"])


def test_every_picture_is_taken_by_the_script_and_all_of_them_are_small():
    views = pytest.importorskip("tests.browser.pictures", reason="needs Playwright", exc_type=ImportError).VIEWS
    assert set(re.findall(r"\.readme/(\w+)-(?:light|dark)\.png", README)) == set(views)
    files = {f"{name}-{paper}.png" for name in views for paper in ("light", "dark")}
    assert {path.name for path in (ROOT / ".readme").glob("*.png")} == files
    assert sum((ROOT / ".readme" / name).stat().st_size for name in files) < 1.5e6
