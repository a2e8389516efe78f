"""Text: the words and the characters that a reader sees."""

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, normalize

# Categories of Unicode: control characters and halves of characters act as space; Cn, unknown to this Python,
# may be an emoji newer than it.
SPACES = frozenset(["Zs", "Zl", "Zp", "Cc", "Cs"])
EMOJI = frozenset(["So", "Sm", "Cn"])

SOFT_HYPHEN, WORD_JOINER, BYTE_ORDER_MARK, JOINER = "\u00ad\u2060\ufeff\u200d"
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
INVISIBLE = str.maketrans("", "", SOFT_HYPHEN + WORD_JOINER + BYTE_ORDER_MARK + DIRECTIONS)

FIRST_MARK = "\u0300"  # below it nothing continues a character, but for a newline after a carriage return
FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))  # two of them are one flag
SKIN_TONES = range(0x1F3FB, 0x1F400)
REGION_LETTERS = range(0xE0020, 0xE0080)  # they follow a black flag
HANGUL_ENDINGS = (*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC))  # vowels and final consonants
OTHER_ENDINGS = "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"  # joiners; vowels and voicing that hang on a letter
EXTENDING = frozenset([*map(chr, (*SKIN_TONES, *REGION_LETTERS, *HANGUL_ENDINGS)), *OTHER_ENDINGS])

LONGEST_WORD = 40  # code points of a word beside a picture
MOST_STACKED = 8  # marks on a letter there: more of them lie over the lines around it
LONGEST_LABEL = 8  # characters of several code units; a chart, which cuts by pixels, shows about as many

MOST_MARKS = 100  # on a character, that are brought into their usual order: the time grows with their square

# A character's kind: a letter, 1 digit, - within words, . within numbers, ! any other, or space.
LETTER, DIGIT, WITHIN_WORDS, WITHIN_NUMBERS, OTHER, SPACE = "a1-.! "
CHARACTER_KINDS = {
    **dict.fromkeys("'\u2019-\u2010\u2011_", WITHIN_WORDS),
    **dict.fromkeys(".,\u066b\u066c", WITHIN_NUMBERS),
}
TOKEN = re.compile(r"[a1]+(?:(?:-|(?<=1)\.(?=1))[a1]+)*|[^ ]")


def split_characters(text: str) -> list[str]:
    """Return the characters a reader sees: an accented letter, a flag or a joined emoji is one."""
    characters = (text[start:stop] for start, stop in pairwise([*_starts(text), len(text)]))
    return [normalize("NFC", char) if len(char) <= MOST_MARKS else char for char in characters]


def _starts(text: str) -> list[int]:
    """Return where the characters of a text start."""
    starts: list[int] = []
    for position, char in enumerate(text):
        if starts:
            start = starts[-1]
            ends = text[start : position : max(1, position - start - 1)]  # the first and the last so far, or the only
            if _continues(ends, char):
                continue
        starts.append(position)
    return starts


def _continues(character: str, char: str) -> bool:
    """Tell whether char is still part of the visible character before it, of which the ends are given."""
    if char < FIRST_MARK:
        return character == "\r" and char == "\n"
    if category(character[-1]) in SPACES:
        return False
    if char in EXTENDING or category(char)[0] == "M":
        return True
    if character[-1] == JOINER:
        return {category(character[0]), category(char)} <= EMOJI and char not in FLAG_LETTERS
    return character in FLAG_LETTERS and char in FLAG_LETTERS


def split_words(text: str) -> list[str]:
    """Return the words and punctuation marks, as typed: "It's 3.5-fold!" gives "It's", "3.5-fold" and "!".

    Nothing that can be seen is lost or cut, in any script: between them only spaces are missing.
    """
    characters = split_characters(text.translate(INVISIBLE))
    kinds = "".join(map(_kind, characters))
    return ["".join(characters[slice(*token.span())]) for token in TOKEN.finditer(kinds)]


@lru_cache(maxsize=1024)
def _kind(character: str) -> str:
    """Return the one letter that stands for a character in the pattern TOKEN."""
    if character in CHARACTER_KINDS:
        return CHARACTER_KINDS[character]
    visible = next((kind for kind in map(category, character) if kind != "Cf"), "Zs")
    if visible in SPACES:
        return SPACE
    return {"L": LETTER, "M": LETTER, "N": DIGIT}.get(visible[0], OTHER)


def beginning(text: str, most: int) -> str:
    """Return as much of a text as has at most so many code points and ends between two characters.

    Only a first character that is longer than that alone, such as a hundred emoji joined, is cut within.
    """
    return text if len(text) <= most else text[: _starts(text[: most + 1])[-1] or most]


def fitting(word: str) -> str:
    """Return as much of a word as fits beside a picture: its first 40 code points, and on each letter 8 marks."""
    kept, n_marks = [], 0
    for char in word:
        n_marks = n_marks + 1 if char >= FIRST_MARK and category(char) in ("Mn", "Me") else 0
        if n_marks <= MOST_STACKED:
            kept.append(char)
    return beginning("".join(kept), LONGEST_WORD)


def short_label(word: str) -> str:
    """Return a word as a label: a mark without a letter gets a circle to stand on, and many characters are cut.

    A chart cuts long labels after any code unit, so it must not meet those whose characters have several.
    """
    characters = split_characters(word)
    if word and category(word[0])[0] == "M":
        characters[0] = "◌" + characters[0]
    if len(characters) <= LONGEST_LABEL or all(char < "\U00010000" and len(char) == 1 for char in characters):
        return "".join(characters)
    return "".join(characters[:LONGEST_LABEL]) + "…"
