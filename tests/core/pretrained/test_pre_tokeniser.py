"""The pre-tokeniser: pieces worked by hand, every code point, and the pattern spelled out as a loop."""

import random
import sys
import unicodedata

import pytest

from attention_core.pretrained.pre_tokeniser import PRE_TOKENISERS, character_class, pre_tokenise

CONTRACTIONS = ("'s", "'d", "'m", "'t", "'ll", "'ve", "'re")
WHITE = {*"\t\n\v\f\r \x85"}


def kind(character):
    """Return the class that Unicode gives a character."""
    category = unicodedata.category(character)
    if character in WHITE or category in ("Zs", "Zl", "Zp"):
        return "space"
    return {"L": "letter", "N": "number"}.get(category[0], "other")


def by_hand(text, digits_apart):
    """Return the pieces as the pattern names its cases, one after the other."""
    if digits_apart:
        for i, character in enumerate(text):
            if kind(character) == "number":
                rest = by_hand(text[i + 1 :], True)
                return [*by_hand(text[:i], False), character, *rest]
    pieces = []
    while text:
        contraction = next((c for c in CONTRACTIONS if text.startswith(c)), None)
        after_space = text[1:] if text[0] == " " else text
        if contraction:
            size = len(contraction)
        elif after_space and kind(after_space[0]) != "space":
            own = kind(after_space[0])
            run = next((i for i, c in enumerate(after_space) if kind(c) != own), len(after_space))
            size = len(text) - len(after_space) + run
        else:
            white = next((i for i, c in enumerate(text) if kind(c) != "space"), len(text))
            size = white if white in (1, len(text)) else white - 1
        pieces.append(text[:size])
        text = text[size:]
    return pieces


@pytest.mark.parametrize(
    ("text", "gpt2", "smollm"),
    [
        ("The cat sat.", ["The", " cat", " sat", "."], None),
        ("in 2024!", ["in", " 2024", "!"], ["in", " ", "2", "0", "2", "4", "!"]),
        ("two  spaces ", ["two", " ", " spaces", " "], None),
        ("  1", [" ", " 1"], ["  ", "1"]),
        ("it's we'll I'M", ["it", "'s", " we", "'ll", " I", "'", "M"], None),
        ("a\n\n  b", ["a", "\n\n ", " b"], None),
        ("été 去年 ½ x²", ["été", " 去年", " ½", " x", "²"], ["été", " 去年", " ", "½", " x", "²"]),
        ("def f(x):\n\treturn", ["def", " f", "(", "x", "):", "\n", "\t", "return"], None),
        ("a_b", ["a", "_", "b"], None),
        ("", [], None),
    ],
)
def test_pieces_worked_by_hand(text, gpt2, smollm):
    assert pre_tokenise(text, PRE_TOKENISERS["gpt-2"]) == gpt2
    assert pre_tokenise(text, PRE_TOKENISERS["smollm"]) == (smollm or gpt2)


def test_every_code_point_has_its_class():
    characters = [chr(code) for code in range(128, sys.maxunicode + 1)]
    stand = [
        "a" if c.isalpha() else "0" if c.isnumeric() else "\t" if c.isspace() else "!" for c in characters
    ]  # Python's own classes, which agree with Unicode's above ASCII
    assert [c for c, stands in zip(characters, stand, strict=True) if character_class(c) != stands] == []
    assert [c for c in map(chr, range(128)) if character_class(c) != c] == []


def test_every_kind_of_code_point_is_split_as_by_hand():
    for code in [*range(0x250), *range(0x250, 0x20000, 61)]:
        c = chr(code)
        text = f"a{c}b {c}{c}1 {c}  '{c}"
        assert pre_tokenise(text, PRE_TOKENISERS["smollm"]) == by_hand(text, True), hex(code)
        assert pre_tokenise(text, PRE_TOKENISERS["gpt-2"]) == by_hand(text, False), hex(code)


def test_random_texts_are_split_as_by_hand_and_keep_every_character():
    rng = random.Random(0)
    alphabet = "ab'sdtmrevlSDL 12  \n\t\r.,!_-é中ß\u3000\xa0\x1c\x85²Ⅷ٣😀\u0301"
    for _ in range(3000):
        text = "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 24)))
        for name, apart in (("smollm", True), ("gpt-2", False)):
            pieces = pre_tokenise(text, PRE_TOKENISERS[name])
            assert pieces == by_hand(text, apart), repr(text)
            assert "".join(pieces) == text
