"""The pre-tokeniser: text is split into pieces, and byte pairs later merge only inside a piece.

The published patterns name Unicode's classes of letters and numbers, which Python's `re` does not have. So each
character is first replaced by an ASCII character of its class, and the pattern looks at those alone.
"""

import re
import unicodedata
from collections.abc import Iterator

# GPT-2: a contraction, or a run of letters, numbers or other characters with at most one space before it, or white
# space, whose last character stays for the piece after it. ASCII characters stand for themselves.
GPT2 = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII)
ONE_DIGIT = re.compile("[0-9]")

PRE_TOKENISERS = {  # by their names in a file; the patterns apply one after the other
    "gpt-2": (GPT2,),
    "smollm": (ONE_DIGIT, GPT2),
}


def character_class(character: str) -> str:
    """Return an ASCII character of the same class: a letter, a number, white space or none of them."""
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category[0] == "Z" or character == "\x85":
        return "\t"
    return {"L": "a", "N": "0"}.get(category[0], "!")


def pre_tokenise(text: str, patterns: tuple[re.Pattern[str], ...]) -> list[str]:
    """Return the pieces of a text; together they are the text."""
    classes = text if text.isascii() else "".join(map(character_class, text))
    spans = [(0, len(text))]
    for pattern in patterns:
        spans = [part for start, stop in spans for part in matches_and_gaps(pattern, classes[start:stop], start)]
    return [text[start:stop] for start, stop in spans]


def matches_and_gaps(pattern: re.Pattern[str], classes: str, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the span of every match and of what is between matches, shifted by an offset."""
    last = 0
    for match in pattern.finditer(classes):
        if match.start() > last:
            yield offset + last, offset + match.start()
        yield offset + match.start(), offset + match.end()
        last = match.end()
    if last < len(classes):
        yield offset + last, offset + len(classes)
