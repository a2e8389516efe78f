"""Words and user-perceived characters (grapheme clusters) of a text."""

import re
from functools import lru_cache
from itertools import pairwise
from unicodedata import category, normalize

# Unicode categories. Control characters and lone surrogates act as space. Cn, unassigned in this Python,
# may be a newer emoji.
SPACES = frozenset(["Zs", "Zl", "Zp", "Cc", "Cs"])
EMOJI = frozenset(["So", "Sm", "Cn"])

SOFT_HYPHEN, WORD_JOINER, BYTE_ORDER_MARK, JOINER = "\u00ad\u2060\ufeff\u200d"
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
INVISIBLE = str.maketrans("", "", SOFT_HYPHEN + WORD_JOINER + BYTE_ORDER_MARK + DIRECTIONS)

FIRST_MARK = "\u0300"  # below it only a newline after a carriage return continues a character
FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))  # two of them make one flag
SKIN_TONES = range(0x1F3FB, 0x1F400)
REGION_LETTERS = range(0xE0020, 0xE0080)  # they follow a black flag
HANGUL_ENDINGS = (*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC))  # vowels and final consonants
OTHER_ENDINGS = "\u200c\u200d\u0e33\u0eb3\uff9e\uff9f"  # joiners; vowels and voicing marks attached to a letter
EXTENDING = frozenset([*map(chr, (*SKIN_TONES, *REGION_LETTERS, *HANGUL_ENDINGS)), *OTHER_ENDINGS])

LONGEST_WORD = 40  # code points of a word beside a picture
MOST_STACKED = 8  # marks on a letter beside a picture; more would cover the neighbouring lines
LONGEST_LABEL = 8  # characters of several code units in a label; a chart shows about as many

MOST_MARKS = 100  # marks on a character that is normalised; the time grows with the square

# A character's kind: a letter, 1 digit, - within words, . within numbers, ! any other, or space.
LETTER, DIGIT, WITHIN_WORDS, WITHIN_NUMBERS, OTHER, SPACE = "a1-.! "
CHARACTER_KINDS = {
    **dict.fromkeys("'\u2019-\u2010\u2011_", WITHIN_WORDS),
    **dict.fromkeys(".,\u066b\u066c", WITHIN_NUMBERS),
}
SIMPLE = re.compile("[\t\n -~\u00a0-\u02ff\u2190-\u21ff\u2420-\u2426]*")  # each of these is a character by itself
TOKEN = re.compile(r"[a1]+(?:(?:-|(?<=1)\.(?=1))[a1]+)*|[^ ]")


def split_characters(text: str) -> list[str]:
    """Return the grapheme clusters: an accented letter, a flag or a joined emoji is one character."""
    if SIMPLE.fullmatch(text):
        return list(text)
    characters = (text[start:stop] for start, stop in pairwise([*_starts(text), len(text)]))
    return [normalize("NFC", char) if len(char) <= MOST_MARKS else char for char in characters]


def _starts(text: str) -> list[int]:
    """Return the index of the first code point of each character."""
    starts: list[int] = []
    for position, char in enumerate(text):
        if starts:
            start = starts[-1]
            ends = text[start : position : max(1, position - start - 1)]  # the first and the last code point so far
            if _continues(ends, char):
                continue
        starts.append(position)
    return starts


def _continues(character: str, char: str) -> bool:
    """Return True if char belongs to the character before it; `character` holds its first and last code point."""
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
    """Return the words and punctuation marks: "It's 3.5-fold!" gives "It's", "3.5-fold" and "!".

    Every visible character is kept whole, in any script; only spaces are dropped.
    """
    characters = split_characters(text.translate(INVISIBLE))
    kinds = "".join(map(_kind, characters))
    return ["".join(characters[slice(*token.span())]) for token in TOKEN.finditer(kinds)]


@lru_cache(maxsize=1024)
def _kind(character: str) -> str:
    """Return the letter that represents a character in the pattern TOKEN."""
    if character in CHARACTER_KINDS:
        return CHARACTER_KINDS[character]
    visible = next((kind for kind in map(category, character) if kind != "Cf"), "Zs")
    if visible in SPACES:
        return SPACE
    return {"L": LETTER, "M": LETTER, "N": DIGIT}.get(visible[0], OTHER)


def beginning(text: str, most: int) -> str:
    """Return the longest prefix of at most `most` code points that ends between two characters.

    Only a first character longer than that, such as a hundred joined emoji, is cut inside.
    """
    return text if len(text) <= most else text[: _starts(text[: most + 1])[-1] or most]


def truncate_word(word: str) -> str:
    """Return a word cut for display: at most 40 code points and 8 marks on each letter."""
    kept, n_marks = [], 0
    for char in word:
        n_marks = n_marks + 1 if char >= FIRST_MARK and category(char) in ("Mn", "Me") else 0
        if n_marks <= MOST_STACKED:
            kept.append(char)
    return beginning("".join(kept), LONGEST_WORD)


def short_label(word: str) -> str:
    """Return a word as a chart label: a leading mark gets a dotted circle, and long words are cut.

    A chart cuts long labels after any code unit, so characters of several code units must be cut here.
    """
    characters = split_characters(word)
    if word and category(word[0])[0] == "M":
        characters[0] = "◌" + characters[0]
    if len(characters) <= LONGEST_LABEL or all(char < "\U00010000" and len(char) == 1 for char in characters):
        return "".join(characters)
    return "".join(characters[:LONGEST_LABEL]) + "…"
