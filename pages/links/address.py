"""The address of a view: written so that a mail and a course page leave it alone, and mended where one did not."""

import re
from urllib.parse import parse_qsl, quote, unquote, urlencode

AMPERSANDS = re.compile("^(?:amp;)+")
EMBEDDING = ("embed", "embed_options")  # words that are Streamlit's own


def address(page: str, query: dict[str, str]) -> str:
    """Return an address that survives mails and course pages: no sign in it that they cut off or turn into another.

    A value that looks encoded is encoded twice, for it will be decoded twice.
    """
    twice = {key: quote(value, safe="") if is_encoded(value) else value for key, value in query.items()}
    return page.split("?")[0] + ("?" + urlencode(twice, quote_via=quote, safe="") if query else "")


def mend(words: dict[str, str]) -> dict[str, str]:
    """Return the words of a link as `address` wrote them, if a mail or a course page encoded it once too often.

    "&" has become "&amp;", or the whole query was encoded again, or single values of it were.
    """
    pairs = []
    for key, value in words.items():
        if "=" in key:  # several words, or one, in a single piece
            pairs += parse_qsl(f"{key}={value}" if value else key, keep_blank_values=True)
        else:
            pairs.append((key, unquote(value) if is_encoded(value) else value))
    found = {AMPERSANDS.sub("", key): value for key, value in pairs}
    return {key: value for key, value in found.items() if key.lower() not in EMBEDDING}


def is_encoded(text: str) -> bool:
    """Return whether a text looks like an output of `address`; people hardly type such texts."""
    plain = unquote(text)
    return plain != text and quote(plain, safe="").lower() == text.lower()
