"""What a query asks and what a key answers, in words, where the head was made by hand and its columns have names."""

from attention_core.experiments.qkv.named_head import IS_ADJECTIVE, IS_NOUN, IS_PRONOUN
from pages.heads.matrices import Scene
from pages.page.page import Page

KINDS_OF_WORDS = {
    IS_NOUN: ("a noun", "no noun"),
    IS_ADJECTIVE: ("an adjective", "no adjective"),
    IS_PRONOUN: ("a pronoun", "no pronoun"),
}
ASKS = {  # job: the kind of word that asks, its question, and what any other word asks
    "pronoun to noun": (IS_PRONOUN, "is there a noun, early in the sentence?", "I ask for nothing"),
    "adjective to noun": (IS_ADJECTIVE, "is there a noun just after me?", "I only ask who is just after me"),
    "noun to its adjectives": (IS_NOUN, "is there an adjective just before me?", "I only ask who is just before me"),
}
ANSWERS = {"pronoun to noun": IS_NOUN, "adjective to noun": IS_NOUN, "noun to its adjectives": IS_ADJECTIVE}


def read_query_and_key(page: Page, scene: Scene, row: int | None = None, column: int | None = None) -> None:
    """Say what the query of a row asks and the key of a column answers; of random and trained heads say nothing."""
    if scene.kind != "hand-made":
        return
    texts, words = [], {}
    if row is not None:
        texts.append(f"The :query[query] of the word {{asks}} says: “{query_in_words(scene, row)}”")
        words["asks"] = scene.labels[row]
    if column is not None:
        texts.append(f"The :key[key] of the word {{answers}} says: “{key_in_words(scene, column)}”")
        words["answers"] = scene.labels[column]
    page.say(" ".join(texts), "note", **words)


def read_word(page: Page, scene: Scene, row: int) -> None:
    """Say what the query of a word asks, what its key answers and what its value passes on, of hand-made heads only."""
    if scene.kind != "hand-made":
        return
    read_query_and_key(page, scene, row, row)
    passes = "passes on the word’s own vector" if scene.attention.v[row].any() else "is 0, so it passes on nothing"
    page.say(f"The :value[value] of {{word}} {passes}.", "note", word=scene.labels[row])


def query_in_words(scene: Scene, row: int) -> str:
    """Return what the query of a word asks."""
    if scene.job not in ASKS:
        return "Who is just before me?" if scene.job == "previous word" else "Who is the first word?"
    kind, question, otherwise = ASKS[scene.job]
    am, am_not = KINDS_OF_WORDS[kind]
    return f"I am {am}: {question}" if scene.x[row, kind] else f"I am {am_not}: {otherwise}."


def key_in_words(scene: Scene, column: int) -> str:
    """Return what the key of a word answers."""
    place = f"at position {column + 1}"
    if scene.job not in ANSWERS:
        return f"I am {place}."
    kind = ANSWERS[scene.job]
    return f"I am {KINDS_OF_WORDS[kind][0 if scene.x[column, kind] else 1]}, {place}."
