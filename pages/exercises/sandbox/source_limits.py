"""Checks of a text before it is parsed; the server runs them too, and never parses."""

import unicodedata

MAX_CHARS, MAX_LINES, MAX_LINE_CHARS, MAX_BRACKETS = 8000, 400, 1000, 40
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # control, format, surrogate, private, unassigned, separators
PLAIN = {"\n", "\t"}


def problem(source: str) -> str | None:
    """Return what is wrong with a text, or None."""
    if len(source) > MAX_CHARS:
        return f"Your text has more characters than the {MAX_CHARS:,} that fit here."
    lines = source.split("\n")
    if len(lines) > MAX_LINES:
        return f"Your text has {len(lines)} lines, but at most {MAX_LINES} fit here."
    depth = 0
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_LINE_CHARS:
            return f"Line {number} is longer than {MAX_LINE_CHARS:,} characters."
        for character in line:
            if character not in PLAIN and unicodedata.category(character) in INVISIBLE:
                return f"Line {number} has an invisible character (U+{ord(character):04X})."
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth = max(0, depth - 1)
            if depth > MAX_BRACKETS:
                return f"More than {MAX_BRACKETS} brackets are open at once on line {number}."
    return None


def clean(text: str, most: int) -> str:
    """Return a text safe to show: no invisible characters, nothing that cannot be encoded, bounded in length."""
    return "".join(
        character
        if character in PLAIN or unicodedata.category(character) not in INVISIBLE
        else "\N{REPLACEMENT CHARACTER}"
        for character in text[:most]
    )
