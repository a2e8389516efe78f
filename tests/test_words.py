"""The course says the field's words: none that its style sheet leaves out, and no sentence of over 30 words."""

import tomllib
from pathlib import PurePath

import pytest

from tests.words import ROOT, Said, files, is_prose, long_sentences, strings, words_not_said

FILES = files("streamlit_app.py", "pages")
ROOMS = sorted({str(PurePath(*PurePath(file).parts[:2])) for file in FILES})
# A word of the left column where it is right after all: a quotation, or another sense.
EXCEPT: dict[str, tuple[str, ...]] = {"pages/exercises": ("points · draw",)}  # a step


# Of the core: names of modules, parts of a model that are keys of the lessons, and symbols of equations.
EXCEPT_IN_CORE = (
    "equations.norm ",
    "architecture.py",
    "norm(x + layer(x))",
    "(probabilities - one-hot) * share",
    "letters and digits in each step",
)


def texts_in(table):
    """Yield the texts of a table, and of those in it; a sentence may be a key."""
    if isinstance(table, str):
        yield table
    for part in [*table, *table.values()] if isinstance(table, dict) else table if isinstance(table, list) else ():
        yield from texts_in(part)


def said_in(room):
    tables = [(file.name, tomllib.loads(file.read_text(encoding="utf-8"))) for file in (ROOT / room).rglob("*.toml")]
    told = [Said(name, 0, text) for name, table in tables for text in texts_in(table) if is_prose(text)]
    for file in (ROOT / room).rglob("*.md"):  # its programs apart
        told += [Said(file.name, 0, part) for part in file.read_text(encoding="utf-8").split("```")[::2]]
    return told + [said for file in FILES if file == room or file.startswith(f"{room}/") for said in strings(file)]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_the_words_of_the_field(room):
    found = [line for said in said_in(room) for line in words_not_said(said)]
    allowed = [text for file, texts in EXCEPT.items() if file.startswith(room) for text in texts]
    assert [line for line in found if not any(text in line for text in allowed)] == []
    assert [text for text in allowed if not any(text in line for line in found)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_sentence_is_too_long_to_be_read_aloud(room):
    assert [line for said in said_in(room) for line in long_sentences(said)] == []


def test_the_core_says_the_words_of_the_field_in_its_messages_and_docstrings():
    found = [line for file in files("attention_core") for said in strings(file, True) for line in words_not_said(said)]
    assert [line for line in found if not any(text in line for text in EXCEPT_IN_CORE)] == []
    assert [text for text in EXCEPT_IN_CORE if not any(text in line for line in found)] == []


def test_a_word_that_is_not_said_and_a_long_sentence_are_found():
    assert list(words_not_said(Said("a", 1, "The model’s bet is a mix of values.")))
    assert not list(words_not_said(Said("a", 1, "The prediction is the length (norm) of a vector.")))
    assert list(long_sentences(Said("a", 1, "word " * 31 + ".")))
    assert not list(long_sentences(Said("a", 1, "word " * 20 + ". " + "word " * 20 + ".")))
