import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


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
    named = [line.split()[0] for line in tree.splitlines()]
    named += re.findall(r'(?:src|srcset)="([^"]+)"', README)
    assert [path for path in named if not (ROOT / path).exists()] == []
    modules = re.findall(r"`(\w+\.py)`", README)
    assert [name for name in modules if not (ROOT / "attention_core" / name).is_file()] == []


def test_every_step_it_names_exists():
    table = re.findall(r"^\| .+ \| `/(\w+)` \| ([a-z_, ]+) \|$", README, flags=re.MULTILINE)
    assert len(table) >= 15
    for page, steps in table:
        (script,) = (ROOT / "pages").glob(f"*_{page}.py")
        sources = [script, *(ROOT / "pages" / page).glob("*.py")]
        code = "".join(path.read_text(encoding="utf-8") for path in sources)
        assert [step for step in steps.split(", ") if f'"{step}"' not in code] == []
