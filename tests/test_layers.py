"""Three layers, one direction: who may import whom, in which order the core is read, and what lies at the top."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "attention_core"
PAGES = ROOT / "pages"
EXERCISES = PAGES / "exercises"
SANDBOX = EXERCISES / "sandbox"
INDEX = ast.parse((CORE / "__init__.py").read_text(encoding="utf-8"))  # not imported: it may be what is wrong
READING_ORDER = re.findall(r"^    (\w+)  +\S", ast.get_docstring(INDEX, clean=False), flags=re.MULTILINE)
TOP_LEVEL = {
    "streamlit_app.py",
    "pages",
    "attention_core",
    "tests",
    "requirements.txt",
    "requirements-dev.txt",
    "README.md",
    "LICENSE",
    "pyproject.toml",
}


PUBLIC = """
    softmax scaled_dot_product_attention causal_mask additive_mask multi_head_attention flash_attention
    sinusoidal_positions rotate alibi_bias layer_norm Config init_model named_arrays logits attention_weights
    loss_and_gradients train generate save load
"""


def imports(path):
    """Return the full names of all modules that a file imports, wherever in it that stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relative to itself"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def packages(path):
    return {name.split(".")[0] for name in imports(path)}


def files(folder, pattern="*.py"):
    return pytest.mark.parametrize("path", sorted(folder.glob(pattern)), ids=lambda path: path.name)


def test_the_reading_order_names_every_module_once():
    assert sorted(READING_ORDER) == sorted(path.stem for path in CORE.glob("*.py") if path.stem != "__init__")


def test_the_core_is_flat():
    folders = [path for path in CORE.iterdir() if path.is_dir() and path.name != "__pycache__"]
    assert [path.name for path in folders] == ["checkpoints"]
    assert {path.suffix for path in folders[0].iterdir()} == {".npz", ".json"}


@files(CORE)
def test_the_core_knows_numpy_the_standard_library_and_itself(path):
    assert packages(path) <= sys.stdlib_module_names | {"numpy", "attention_core"}


@files(CORE, "[!_]*.py")
def test_a_module_imports_only_those_before_it_and_never_the_package_as_a_whole(path):
    before = READING_ORDER[: READING_ORDER.index(path.stem)]
    own = [name for name in imports(path) if name.split(".")[0] == "attention_core"]
    assert {name.partition(".")[2].split(".")[0] for name in own} <= set(before)


def test_the_public_names_are_there_and_stay():
    attention_core = importlib.import_module("attention_core")
    assert set(attention_core.__all__) >= set(PUBLIC.split())
    assert all(hasattr(attention_core, name) for name in attention_core.__all__)


@files(PAGES, "**/*.py")
def test_only_charts_know_altair_and_they_do_not_know_streamlit(path):
    if path.parent.name == "charts":
        assert "streamlit" not in packages(path)
    else:
        assert "altair" not in packages(path)


@files(PAGES, "**/*.py")
def test_a_page_knows_its_own_folder_and_what_all_share(path):
    own = re.sub(r"^\d+_", "", path.relative_to(PAGES).parts[0].removesuffix(".py"))
    below = {
        "shared": ["shared"],
        "exercises": ["shared", "exercises"],
        "practice": ["shared", "exercises", "practice"],
    }
    known = tuple(f"pages.{name}" for name in below.get(own, ["shared", "practice", own]))
    assert all(name == "pages" or name.startswith(known) for name in imports(path) if name.startswith("pages"))


@files(SANDBOX)
def test_what_runs_students_code_knows_the_standard_library_numpy_and_itself(path):
    own = {other.stem for other in SANDBOX.glob("[!_]*.py")}
    assert packages(path) <= sys.stdlib_module_names | {"numpy"} | own
    assert not own & (sys.stdlib_module_names | {"numpy"}), "its folder is its path: no name may stand for two"


@files(EXERCISES, "**/*.py")
def test_what_runs_and_grades_exercises_knows_no_streamlit(path):
    assert "streamlit" not in packages(path)


def test_the_home_page_knows_no_altair():
    assert "altair" not in packages(ROOT / "streamlit_app.py")


def test_nothing_below_the_pages_knows_them_nor_the_tests():
    below = [*CORE.glob("*.py"), *PAGES.rglob("*.py")]
    assert not any(packages(path) & {"tests", "streamlit_app"} for path in below)


def test_at_the_top_lies_only_what_belongs_there():
    git = shutil.which("git")
    answer = git and subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if not answer or answer.returncode:
        pytest.skip("which files belong to the project is a question to git")
    names = {name.split("/")[0] for name in answer.stdout.split("\0") if name}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import numpy as np, os.path", {"numpy", "os.path"}),
        (
            "from attention_core.equations.norm import Norm",
            {"attention_core.equations.norm", "attention_core.equations.norm.Norm"},
        ),
        ("from attention_core import norm", {"attention_core", "attention_core.equations.norm"}),
        ("def f():\n    if x:\n        import altair", {"altair"}),
    ],
)
def test_an_import_is_found_wherever_it_stands(text, found, tmp_path):
    (tmp_path / "module.py").write_text(text)
    assert imports(tmp_path / "module.py") == found
