import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from attention_core.experiments.language.story_probes import grades_of_stories
from attention_core.shipped.models import card_of
from attention_core.shipped.plans import MODELS
from pages.links.course import LESSONS
from tests.core.shipped.test_small_stories import GOALS
from tests.lessons import steps_of

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = ROOT / ".github" / "docs"
DOCUMENTS = [ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
MOST_LINES = 100  # of a page that is read at one sitting


def blocks(kind: str, text: str = README) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def quoted(text: str) -> list[str]:
    """Return what stands between backticks in the running text of a document."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def exists(path: str) -> bool:
    """Tell whether there is such a file or folder, here or in the core."""
    return (ROOT / path).exists() or (ROOT / "attention_core" / path).exists()


def test_the_readme_is_one_page_and_says_the_minutes_of_the_lessons():
    assert len(README.splitlines()) <= MOST_LINES
    *others, last = [lesson.minutes for lesson in LESSONS]
    assert f"{min(others)} to {max(others)} minutes, the last {last}." in README
    said = re.findall(r"^\| \d \| .* \| (\d+) \|$", README, re.MULTILINE)
    assert [int(minutes) for minutes in said] == [*others, last]


def test_a_time_of_another_project_is_that_of_the_benchmarks():
    said = re.search(r"takes (\d+ ms) on one thread, and ([\d.]+ s) there", (DOCS / "compared.md").read_text())
    row = re.search(r"glassllm at its own size, one .*", (DOCS / "benchmarks.md").read_text())
    assert all(f" {time} (" in row[0] for time in said.groups())


@pytest.mark.parametrize("document", [ROOT / "README.md", DOCS / "library.md"], ids=lambda path: path.name)
def test_the_python_in_a_document_prints_what_stands_under_it(document):
    text = document.read_text(encoding="utf-8")
    code = "\n".join(blocks("python", text))
    expected = "".join(output for output in blocks("text", text) if "streamlit_app.py" not in output)
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == expected != ""


def test_the_checks_run_the_command_that_a_newcomer_is_told():
    tests = next(command for command in blocks("sh") if "pytest" in command)
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    places = [run.find(step.strip()) for step in tests.split("&&")]  # it checks other things in between
    assert -1 not in places
    assert places == sorted(places)


def test_every_path_of_the_tree_exists_and_every_topic_leads_to_a_step():
    tree = next(text for text in blocks("text") if "streamlit_app.py" in text)
    named = re.findall(r"(?:^|(?<=  )|(?<= ))(\w+)/(?= |\n|$)", tree, flags=re.MULTILINE)
    places = [ROOT, ROOT / "pages", ROOT / "attention_core"]
    assert [name for name in named if not any((place / name).is_dir() for place in places)] == []
    text = (DOCS / "topics.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| .+ \| `/(\w+)` \| ([a-z_, ]+) \|$", text, flags=re.MULTILINE)
    assert len(table) >= 15
    steps = {(lesson, step) for lesson, steps in table for step in steps.split(", ")}
    assert steps <= {(lesson.name, step) for lesson in LESSONS for step in steps_of(lesson.name)}


def test_the_models_have_the_numbers_of_their_cards():
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    rows = [row.strip("| ").split(" | ") for row in text.splitlines() if re.match(r"\| [^|]+, `\w+` \|", row)]
    assert len(rows) == 4
    for name, _, built, parameters, steps, rates, loss in rows:
        plan, card = MODELS[name.split("`")[1]].plan, card_of(name.split("`")[1])
        config = plan.config
        layers = f"{config.n_layers} layer{'s' if config.n_layers > 1 else ''}, {config.n_heads} heads"
        mlp = f"MLP of {config.d_hidden}" if config.d_hidden else "no MLP"
        assert built == f"{layers}, d_model {config.d_model}, {mlp}"
        assert (parameters, steps) == (f"{card.parameters:,}", f"{card.steps:,}")
        assert (rates, loss) == (f"{plan.learning_rate:g}, {plan.weight_decay}", f"{card.last_loss:.3f}")
    assert f"*The seed of Toy English* is {MODELS['english'].plan.seed}." in text


def test_the_small_stories_have_the_grades_of_their_card():
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    grades = grades_of_stories()
    for kind, scores in grades.scores.items():
        assert f"| {kind} | {scores[-1].rate:.3f} | {GOALS[kind]:.2f} |" in text


def test_every_link_path_command_and_name_in_a_document_exists():
    """Of the lesson and the step that the guide adds there is nothing yet."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
        assert [link for link in links if not (document.parent / link).exists()] == [], document
        named = [word.split("::")[0] for word in quoted(text) if re.fullmatch(r"\.?\w+(?:/[\w.]+)+(?:::\w+)?", word)]
        missing = [path for path in named if not exists(path) and "temperature" not in path and "toy" not in path]
        assert missing == [], document
        for module in re.findall(r"python3? -m ([\w.]+)", text):
            assert module in ("venv", "pytest") or importlib.util.find_spec(module), module
        for script in re.findall(r"streamlit run (\S+\.py)|-r (\S+)|(tests/\S+\.py)", "".join(blocks("sh", text))):
            assert all(exists(name) for name in script if name), script


def test_every_name_in_the_guide_for_contributors_is_in_the_code():
    places = [path for folder in ("attention_core", "pages", "tests") for path in (ROOT / folder).rglob("*.py")]
    words = set(re.findall(r"\w+", "".join(path.read_text(encoding="utf-8") for path in places)))
    guide = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = {name for text in quoted(guide) if re.fullmatch(r"[A-Za-z_]{4,}(?:\.\w+)*", name := text.partition("(")[0])}
    assert len(names) > 20
    assert {word for name in names for word in name.split(".")} - words <= {"toy", "temperature"}


def test_the_citation_agrees_with_the_project():
    said = (ROOT / ".github" / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    title = README.splitlines()[0].removeprefix("# ")
    wanted = {"cff-version: 1.2.0", "authors:", f"title: {title}"}
    programs = project["license"].partition(" AND ")[0]  # what is cited are they; its text is under another
    assert wanted | {f"version: {project['version']}", f"license: {programs}"} <= set(said)


def test_every_picture_is_taken_by_the_script_and_all_of_them_are_small():
    views = pytest.importorskip("tests.browser.pictures", reason="needs Playwright", exc_type=ImportError).VIEWS
    text = README + (DOCS / "topics.md").read_text(encoding="utf-8")
    assert set(re.findall(r"(\w+)-(?:light|dark)\.png", text)) == set(views)
    names = [*(f"{view}-{{}}.png" for view in views), "loop-{}.webp"]
    files = {name.format(paper) for name in names for paper in ("light", "dark")}
    assert {path.name for path in DOCS.iterdir() if path.suffix in (".png", ".webp")} == files
    assert sum((DOCS / name).stat().st_size for name in files) < 1.5e6
