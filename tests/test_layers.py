"""Three layers, one direction: who may import whom, in which order the core is read, and what lies at the top."""

import ast
import importlib
import re
import shutil
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from inspect import signature
from pathlib import Path

import pytest

from pages.page.fields.controls import Controls

ROOT = Path(__file__).parent.parent
CORE = ROOT / "attention_core"
PAGES = ROOT / "pages"
SANDBOX = PAGES / "exercises" / "sandbox"
INDEX = ast.parse((CORE / "__init__.py").read_text(encoding="utf-8"))  # not imported: it may be what is wrong
READING_ORDER = re.findall(r"^    ([\w.]+)  +\S", ast.get_docstring(INDEX, clean=False), flags=re.MULTILINE)
SUBJECTS = ["qkv", "scaling", "multi_head", "masks", "positions", "language", "inside"]
ROOMS = ["equations", "model", "text", "shipped", "pretrained", *(f"experiments.{name}" for name in SUBJECTS)]
LOW = ["look", "charts", "server", "reproduce", "links", "questions"]
LESSON = [*LOW, "page", "teaching", "memory", "heads", "motion", "practice"]
BELOW = {  # what a room of the pages may import of them; a lesson, and the home page: all rooms but the exercises
    "look": ["look"],
    "charts": ["look", "charts"],
    "server": ["server"],
    "reproduce": ["look", "charts", "server", "reproduce"],
    "links": ["links", "server.streamlit_private"],
    "questions": ["look", "questions"],
    "teaching": ["look", "links", "questions", "teaching"],
    "page": [*LOW, "teaching", "page", "class_room"],
    "class_room": [*LOW, "teaching", *(f"page.{one}" for one in ("ask", "canvas", "links", "remember")), "class_room"],
    "home": [*LESSON, "home", "class_room"],
    "heads": [*LOW, "page", "heads"],
    "motion": ["look", "charts", "links", "questions", "page", "motion"],
    "memory": ["look", "links", "questions", "page", "memory"],
    "exercises": ["look", "questions", "exercises"],
    "practice": [*LOW, "page", "heads", "motion", "exercises", "practice"],
}
ROAD = [  # of an exercise, from what is asked to the report: each room knows those before it
    *("exercise", "texts", "tasks", "faults", "lessons", "catalogue"),
    *("sandbox", "runner", "grading", "submission", "continuation"),
]
WITHOUT_STREAMLIT = ("look", "charts", "reproduce", "questions", "exercises")
TOP_LEVEL = {
    *("streamlit_app.py", "pages", "attention_core", "tests", "requirements.txt", "requirements-dev.txt"),
    *("README.md", "LICENSE", "pyproject.toml", "MANIFEST.in"),
}
PUBLIC = """
    softmax scaled_dot_product_attention causal_mask additive_mask multi_head_attention flash_attention
    sinusoidal_positions rotate alibi_bias layer_norm Config init_model named_arrays logits attention_weights
    loss_and_gradients train generate save load
"""


def imports(path, at_once=False):
    """Return the full names of all modules that a file imports, wherever in it that stands, or as it is imported."""
    found, tree = set(), ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if at_once else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relative to itself"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def packages(path):
    return {name.split(".")[0] for name in imports(path)}


def offenders(folder, rule, pattern="**/*.py"):
    """Return the files of a folder that break a rule, each with what it says against it."""
    found = {str(path.relative_to(folder)): rule(path) for path in sorted(folder.glob(pattern))}
    assert found
    return {name: problem for name, problem in found.items() if problem}


def module_at(path):
    """Return the name of a module of the core, as the reading order has it."""
    return ".".join(path.relative_to(CORE).with_suffix("").parts)


def test_the_reading_order_names_every_module_once():
    assert sorted(READING_ORDER) == sorted(module_at(path) for path in CORE.rglob("[!_]*.py"))


def test_the_core_is_read_room_by_room():
    in_rooms = [name.rpartition(".")[0] for name in READING_ORDER]
    assert [room for i, room in enumerate(in_rooms) if i == 0 or room != in_rooms[i - 1]] == ["", *ROOMS]


@pytest.mark.parametrize("room", sorted({*ROOMS} - {"pretrained"}))
def test_a_room_has_one_sentence_and_imports_nothing(room):
    (sentence,) = ast.parse((CORE / room.replace(".", "/") / "__init__.py").read_text(encoding="utf-8")).body
    assert isinstance(sentence.value, ast.Constant)


def test_the_room_of_pretrained_models_names_what_a_notebook_needs_of_it():
    path = CORE / "pretrained" / "__init__.py"
    sentence, *lines, names = ast.parse(path.read_text(encoding="utf-8")).body
    assert isinstance(sentence.value, ast.Constant)
    assert all(line.module.startswith("attention_core.pretrained.") for line in lines)
    assert {"find_pretrained", "open_gguf"} <= set(ast.literal_eval(names.value))


def test_beside_modules_lies_only_what_they_read():
    others = [path for path in CORE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    folders = {str(path.parent.relative_to(CORE)): path.parent for path in others}
    assert sorted(folders) == ["shipped", "shipped/checkpoints", "text"]
    assert {path.suffix for path in others} == {".npz", ".json", ".toml", ".txt"}


def test_the_core_knows_numpy_the_standard_library_and_itself():
    def others(path):
        readers = {"gguf", "tokenizers"} if path.parent.name == "pretrained" else set()
        at_once = {name.split(".")[0] for name in imports(path, at_once=True)} & readers  # they may not be there
        return at_once | packages(path) - sys.stdlib_module_names - {"numpy", "attention_core"} - readers

    assert offenders(CORE, others) == {}


def test_a_module_imports_only_those_before_it_and_never_a_room_as_a_whole():
    def too_late(path):
        before = {f"attention_core.{name}" for name in READING_ORDER[: READING_ORDER.index(module_at(path))]}
        own = {name for name in imports(path) if name.split(".")[0] == "attention_core"}
        return {name for name in own if not {name, name.rpartition(".")[0]} & before}

    assert offenders(CORE, too_late, "**/[!_]*.py") == {}


def test_whoever_imports_the_core_loads_the_library_and_no_more():
    code = "import sys, attention_core; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = ran.stdout.split()
    assert "attention_core.model.forward" in loaded
    others = (*(f"attention_core.{room}" for room in ("text", "shipped", "pretrained", "experiments")), "numpy.random")
    assert [name for name in loaded if name.startswith(others)] == []


def test_no_name_of_the_core_stands_for_two_things():
    """A script that a page writes is one namespace: what it needs of several modules must not clash."""
    names_defined = importlib.import_module("pages.reproduce.script").names_defined
    found = Counter(
        name
        for path in CORE.rglob("[!_]*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        for name in names_defined(node)
    )
    assert "flash_attention" in found
    assert [name for name, times in found.items() if times > 1] == []


def test_the_public_names_are_there_and_stay():
    attention_core = importlib.import_module("attention_core")
    assert set(attention_core.__all__) >= set(PUBLIC.split())
    assert all(hasattr(attention_core, name) for name in attention_core.__all__)


def test_one_function_reads_tables_and_the_sandbox_which_runs_by_itself_reads_its_own():
    readers = [path.name for room in (CORE, PAGES) for path in room.rglob("*.py") if "tomllib" in packages(path)]
    assert sorted(readers) == ["data_files.py", "policy.py"]


def test_only_charts_know_altair():
    assert offenders(PAGES, lambda path: path.parent.name != "charts" and "altair" in packages(path)) == {}
    assert "altair" not in packages(ROOT / "streamlit_app.py")


@pytest.mark.parametrize("room", WITHOUT_STREAMLIT)
def test_what_a_page_is_made_of_knows_no_streamlit(room):
    found = sorted((PAGES / room).rglob("*.py"))
    assert found
    assert [path.name for path in found if "streamlit" in packages(path)] == []


def test_every_room_of_the_pages_has_its_place():
    lessons = {re.sub(r"^\d+_", "", path.stem) for path in PAGES.glob("?_*.py")}
    assert {path.parent.name for path in PAGES.glob("*/__init__.py")} == {*BELOW, *lessons}


def test_a_page_knows_its_own_folder_and_what_is_below_it():
    def above(path):
        own = re.sub(r"^\d+_", "", path.relative_to(PAGES).parts[0].removesuffix(".py"))
        own = "home" if own == "teach" else own  # which has the parts of both pages
        known = [f"pages.{name}" for name in BELOW.get(own, [*LESSON, own])]
        found = {name for name in imports(path) if name.startswith("pages.")}
        return {name for name in found if not any(f"{name}.".startswith(f"{room}.") for room in known)}

    assert offenders(PAGES, above) == {}


def test_no_two_modules_of_the_pages_need_each_other():
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in PAGES.rglob("*.py")}
    order = TopologicalSorter({name: imports(path) & names.keys() for name, path in names.items()})
    assert len(list(order.static_order())) == len(names)


def test_no_two_classes_of_the_pages_have_one_name():
    found = Counter(
        node.name
        for path in PAGES.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert len(found) > 100
    assert [name for name, times in found.items() if times > 1] == []


def test_no_room_within_a_room_knows_what_stands_beside_it():
    def above(path):
        own = ".".join(path.parent.relative_to(ROOT).parts)
        return {name for name in imports(path) if name.startswith("pages.page.") and not name.startswith(own)}

    assert offenders(PAGES / "page", above, "*/*.py") == {}


def test_an_exercise_goes_one_way_from_what_is_asked_to_the_report():
    def further_on(path):
        later = ROAD[ROAD.index(path.relative_to(PAGES / "exercises").parts[0].removesuffix(".py")) + 1 :]
        return {name for name in imports(path) if name.startswith(tuple(f"pages.exercises.{room}" for room in later))}

    assert offenders(PAGES / "exercises", further_on, "*/*.py") == {}
    assert offenders(PAGES / "exercises", further_on, "[!_]*.py") == {}


def test_what_runs_students_code_knows_the_standard_library_numpy_and_itself():
    own = {other.stem for other in SANDBOX.glob("[!_]*.py")}
    known = sys.stdlib_module_names | {"numpy"} | own
    assert offenders(SANDBOX, lambda path: packages(path) - known, "*.py") == {}
    assert not own & (sys.stdlib_module_names | {"numpy"}), "its folder is its path: no name may stand for two"


def literals(calls):
    """Return which modules say a literal in a place of the tree that `calls` finds, by the literal."""
    found = {}
    for path in [*PAGES.rglob("*.py"), ROOT / "streamlit_app.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            said = calls(node)
            if isinstance(said, ast.Constant) and isinstance(said.value, str):
                found.setdefault((room(path), said.value), set()).add(path.relative_to(ROOT).as_posix())
    return found


def room(path):
    """Return the room of a module, by the name of its lesson for a page."""
    return re.sub(r"^\d_|\.py$", "", path.relative_to(PAGES).parts[0]) if PAGES in path.parents else "home"


def test_a_word_of_a_link_is_one_setting():
    public = (name for name in vars(Controls) if not name.startswith("_"))
    makers = {name for name in public if [*signature(getattr(Controls, name)).parameters][1:3] == ["name", "label"]}
    assert {"integer", "choice", "pick"} <= makers

    def declared(node):
        controls = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in makers
        return node.args[0] if controls and node.args and "controls" in ast.unparse(node.func.value) else None

    words = literals(declared)
    assert len(words) > 100
    several = {(place, word) for (place, word), modules in words.items() if len(modules) > 1}
    scenes = {place: importlib.import_module(f"pages.{place}.scene").WORDS.split() for place, _ in several}
    assert {(place, word) for place, word in several if word not in scenes[place]} == set()


def test_a_key_of_the_session_is_written_for_one_purpose():
    def written(node):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            return node.slice if ast.unparse(node.value) in ("st.session_state", "state") else None
        kept = isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "st.session_state.setdefault",
            "state.setdefault",
        )
        return node.args[0] if kept else None

    writers = {}
    for (where, key), modules in literals(written).items():
        writers[key] = writers.get(key, set()) | ({where} if where == "page" else modules)
    assert "answers" in writers
    assert {key: modules for key, modules in writers.items() if len(modules) > 1} == {}


def test_nothing_below_the_pages_knows_them_nor_the_tests():
    below = [*CORE.rglob("*.py"), *PAGES.rglob("*.py")]
    assert not any(packages(path) & {"tests", "streamlit_app"} for path in below)


def test_at_the_top_lies_only_what_belongs_there():
    git = shutil.which("git")
    answer = git and subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if not answer or answer.returncode:
        pytest.skip("which files belong to the project is a question to git")
    names = {name.split("/")[0] for name in answer.stdout.split("\0") if name}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL
