import runpy
import shutil
from pathlib import Path

import pytest

from attention_core.data_files import DataFileError, read_table
from attention_core.shipped import models, plans
from attention_core.text import corpora, stories
from pages.exercises import texts
from tests.app.visits import charts, controls, said, set_to, visit

TRAINED = {
    "qkv": {"weights": "trained", "step": "softmax"},
    "multi_head": {"weights": "trained"},
    "causal_mask": {"weights": "trained"},
    "positional_encoding": {"step": "alike", "alike_kind": "learned, trained"},
    "tiny_lm": {"step": "lens", "model": "Toy English"},
}
NEEDS = [("Pronouns", "pronoun-300.npz"), ("Pronouns", "pronoun.json"), ("Small Stories", "../pieces.txt")]
HARMS = {"missing": lambda file: file.unlink(), "cut": lambda file: file.write_bytes(file.read_bytes()[: 1 << 10])}


def forget():
    own = models.read_model.__wrapped__, models.curve_of, models.baselines_of
    for kept in (*own, corpora.source_of.__wrapped__, stories.story_pieces.__wrapped__):
        kept.cache_clear()


@pytest.fixture
def copies(tmp_path, monkeypatch):
    """A folder of the data files, which a test may harm."""
    folder = tmp_path / "checkpoints"
    shutil.copytree(plans.FOLDER, folder)
    monkeypatch.setattr(plans, "FOLDER", folder)
    shutil.copy(stories.PIECES_FILE, tmp_path / "pieces.txt")
    monkeypatch.setattr(stories, "PIECES_FILE", tmp_path / "pieces.txt")
    forget()
    yield folder
    forget()


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("page", TRAINED)
def test_a_lesson_that_lacks_the_trained_model_says_so_and_keeps_its_other_settings(page, harm, copies):
    HARMS[harm](copies / "english-2500.npz")
    app = visit(page, ask="no", **TRAINED[page])
    assert "english-2500.npz" in said(app)
    assert not charts(app)
    assert controls(app)


def test_a_page_goes_on_once_a_setting_needs_no_file(copies):
    (copies / "english-2500.npz").unlink()
    app = visit("qkv", ask="no", **TRAINED["qkv"])
    set_to(app, qkv_weights="random")
    assert "english-2500.npz" not in said(app)
    assert charts(app)


@pytest.mark.parametrize(("model", "file"), NEEDS)
@pytest.mark.parametrize("harm", HARMS)
def test_a_model_needs_its_files_and_the_others_do_without(model, file, harm, copies):
    HARMS[harm](copies / file)
    app = visit("tiny_lm", step="bet", model=model, ask="no")
    assert Path(file).name in said(app)
    set_to(app, tiny_lm_model="Copy task")
    assert charts(app)


def test_a_card_of_an_untrained_model_needs_the_file_of_the_trained_one(copies):
    (copies / "english-2500.npz").unlink()
    with pytest.raises(DataFileError, match="is missing"):
        models.card_of("english")


def test_a_table_that_cannot_be_read_is_named_with_its_line(tmp_path):
    (tmp_path / "claims.toml").write_text("first = 1\nrises = yes\n", "utf-8")
    with pytest.raises(DataFileError, match=r"^claims\.toml cannot be read$") as found:
        read_table(str(tmp_path / "claims.py"))
    assert "at line 2" in str(found.value.__cause__)


@pytest.mark.parametrize("text", ["# softmax\n\nA title without points", "# softmax\n\n## a task\n\nWithout a reason"])
def test_a_section_of_an_exercise_that_lacks_a_part_is_named(text, monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda path, **options: text)
    with pytest.raises(ValueError, match="unpack") as found:
        runpy.run_path(texts.__file__)
    assert found.value.__notes__ == ["in causal_mask.md, at # softmax"]
