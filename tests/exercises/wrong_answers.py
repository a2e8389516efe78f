"""Honest mistakes, each with the diagnosis that it should get, and slips with the sentence that helps.

The mistakes stand in `wrong_answers.txt`: under the name of an exercise how its program begins, then in each row a
diagnosis, or `nothing` where no known mistake explains it, and the body of the function. The slips stand in
`slips.txt`: a program and what is said of it. ⏎ stands for a new line, as a line that is indented does, and {NAMES}
for what several rows share.
"""

import re
from pathlib import Path

from pages.exercises.catalogue import EXERCISES

SHARED = {
    "SOFTMAX": "import numpy as np\ndef softmax(x, axis=-1):\n"
    "    e = np.exp(x - np.max(x, axis=axis, keepdims=True))\n    return e / np.sum(e, axis=axis, keepdims=True)",
    "TURNED": "c, s, p, q = np.cos(a), np.sin(a), x[:, ::2], x[:, 1::2]\n"
    "return np.stack([p * c - q * s, p * s + q * c], -1).reshape(T, K)",
    "JOINED": ".transpose(1, 0, 2).reshape(T, D) @ W_O",
    "HIDDEN": "np.where(np.tri(n) == 0, -np.inf, s)",
    "QKV": "q, k, v = split(X @ W_Q), split(X @ W_K), split(X @ W_V)\ns = q @ k.mT / np.sqrt(d)",
    "SPEEDS": "a = t / 10000 ** (2 * i / K)",
    "PICKED": "p /= p.sum()\nreturn o[np.argmax(np.cumsum(p) > u)]",
    "LATE": "e = np.exp(s) - s.max(-1, keepdims=True)\nw = e / e.sum(-1, keepdims=True)",
    "BOTH": "K, V = np.vstack([K, k]), np.vstack([V, v])",
}


def sections(file):
    """Yield (exercise, text below its name) for every section of a table, what is shared put in."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    for name, program in SHARED.items():
        text = text.replace("{" + name + "}", program.replace("\n", " ⏎ "))
    parts = re.split(r"^\[(\w+)\]\n", text, flags=re.MULTILINE)
    yield from zip(parts[1::2], parts[2::2], strict=True)


def wrong_answers():
    """Yield (exercise, program, diagnosis) for every mistake."""
    for name, text in sections("wrong_answers.txt"):
        begin, *rows = re.findall(r".+(?:\n    .+)*", text)
        begin = re.sub(r"^    ", "", begin.replace(" ⏎ ", "\n    "), flags=re.MULTILINE)
        for row in rows:
            diagnosis, _, body = row.partition(": ")
            lines = body.replace("\n    ", " ⏎ ").split(" ⏎ ")
            yield name, "\n".join([begin, *(f"    {line}" for line in lines), ""]), diagnosis.replace("nothing", "")


BY_HAND = EXERCISES["induction_head"].solution
WRONG = [
    *wrong_answers(),
    ("induction_head", BY_HAND.replace("k=-1", "k=1"), "made_next"),
    ("induction_head", BY_HAND.replace("W_K[before, now]", "W_K[now, now]"), "made_same"),
]
SLIPS = [
    *(
        (name, program.replace(" ⏎ ", "\n"), said)
        for name, text in sections("slips.txt")
        for program, said in (row.split(" ⇒ ") for row in text.splitlines())
    ),
    ("softmax", "x = 1 # " + "a" * 9000, "the 8,000 that fit here"),
    ("softmax", "x = 1\n" * 500, "at most 400 fit here"),
    ("softmax", "def softmax(x):\n    return x\u200b", "an invisible character (U+200B)"),
]
