"""The words that a student typed, used as far as they can be."""

from attention_core.experiments.qkv.one_head import LONGEST
from attention_core.text.characters import LONGEST_WORD, split_words, truncate_word


def words_of(text: str, usual: str) -> tuple[list[str], str | None]:
    """Return the words of a sentence, and a note if some had to be left out, or if there are none."""
    words = split_words(text)
    if not words:
        return split_words(usual), "The field is empty, so this is the default sentence."
    used = [truncate_word(word) for word in words[:LONGEST]]
    notes = []
    if len(words) > LONGEST:
        notes.append(f"Only the first {LONGEST} of your {len(words)} words are used.")
    if used != words[:LONGEST]:
        notes.append(f"Words longer than {LONGEST_WORD} letters, and letters with many stacked accents, are shortened.")
    return used, " ".join(notes) or None
