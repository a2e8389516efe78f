"""What the course says: every string of its own that may reach a screen, a file or a reader, and words not to say."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LONGEST_SENTENCE = 30  # words
GAP = "…"  # stands for a value in a sentence


class Said(NamedTuple):
    file: str
    line: int
    text: str


# Each pattern with what is said in its place. What is in the way of a pattern's ordinary use is left out of it.
NOT_SAID = {
    r"\bbet(s|ting)?\b": "prediction, next-token probabilities",
    r"(?<!\*)\bshares?\b(?! this (view|page|link))": "weight, probability, fraction, %",
    r"\b(draws?|drawn|drew)\b": "sample (a token), trial (of matrices), show (a picture)",
    r"\b(a|the|one|what|this|that|its|each|every) mix\b|\bmix of\b": "output, weighted sum",
    r"\bhears?\b|\bheard\b": "depends on, reaches",
    r"\b(a|its|their|even|one|whose|of|word’s|head’s) looks?\b(?! (at|like|back|for|the))": "attention, weight",
    r"\bbends?\b": "activation",
    r"\btwins?\b": "ablated model, ablation",
    r"\bmoments?\b": "checkpoint",
    r"\bpush(es|ed)?\b": "logit contribution",
    r"(?<!standard )\bdeviations?\b": "standard deviation",
    r"\b(taken|took|takes|take) (out|away)\b|\bleft out\b|\b(is|are|was|were) gone\b": "switch off, remove, skip",
    r"\bplaces?\b(?<!decimal place)(?<!decimal places)(?<!in place)(?<!takes place)(?<!take place)(?<!its place)": (
        "position, token id"
    ),
    r"\b(hidden|hide[sn]?)\b(?! (units?|layers?|states?|size|width|vectors?|_))": "masked, blocked",
    r"\bnumbers held\b|\b(holds?|held) (no|more|fewer|as many|\d+|the same) numbers\b": "parameters",
    r"(?<![-(])\b(?<!vector )norms?\b(?!\))(?! of)": "LayerNorm; the length (norm) of a vector",
    r"\balike\b|\blikeness": "similar, uniform",
    r"\bturn(s|ed|ing)?\b(?! (on|off|into|out)| \w+ into)(?<!in turn)(?<!your turn)": "rotate, transpose",
    r"\b(hard|harder|soft) choices?\b": "peaked, spread out",
    r"\b(shall|mend(s|ed)?|reckon(ed|s)?|whoever|lying on its side|by heart|to the last digit)\b": "plain words",
    r"\bas good as\b|\bof its own\b|\bgoes round\b|\bWere th(is|e|ey)\b|\bSo it would be\b": "plain words",
    r"\b(?i:scenes?)\b": "settings, example",
    r"\b(slide|slides|slid|sliding) (it |them |the sentence )?on\b": "shift by n positions",
    r"\boutput matrix\b": "unembedding",
    r"\bhesitat": "as uncertain as a choice among n tokens",
    r"\b(learn|learns|learned) from\b": "trained on",
    r"\bhand-set\b": "hand-made",
    r"\b(small English|it and the animal|letters and digits)\b": "Toy English, Pronouns, Copy task",
    r"\bnobody\b|\bsomebody\b": "no one who does nothing: say who, or use the passive",
}


@cache
def files(*places: str) -> list[str]:
    """Return the modules in folders of the repository, or at such a place."""
    paths = [path for place in places for path in ROOT.glob(place if "." in place else f"{place}/**/*.py")]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def strings(file: str, with_docstrings: bool = False) -> list[Said]:
    """Return the strings of a module, with a gap where a value is put in; docstrings only if they are wanted."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if not with_docstrings
        and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "words"}
    inside |= {
        id(node.value) for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "WORDS"
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | inside:
            found.append(Said(file, node.lineno, node.value))
        elif isinstance(node, ast.JoinedStr):
            found.append(Said(file, node.lineno, "".join(spelled(part) for part in node.values)))
    return [said for said in found if is_prose(said.text)]


def spelled(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else GAP


def is_prose(text: str) -> bool:
    """Tell whether a string may be read on a screen: a key, a word in a link and a name in code are not."""
    in_code = re.fullmatch(r"[a-z0-9_.:/\-]*|[\w\s]{90,}", text) or re.search(r"\bdatum\b|:[QNO]$", text)
    in_code = in_code or re.search(r"^(def|import) ", text, re.MULTILINE)
    return not in_code and re.search(r"[^\W\d_]{2}", text) is not None


def words_not_said(said: Said) -> Iterator[str]:
    """Yield what a string says that the style sheet does not, with what to say."""
    text = re.sub(r"<[^>]*>|`[^`]*`", " ", said.text)
    for pattern, instead in NOT_SAID.items():
        for match in re.finditer(pattern, text, flags=re.IGNORECASE):
            context = text[max(0, match.start() - 30) : match.end() + 30].replace("\n", " ")
            yield f"{said.file}:{said.line} “{match[0]}” ({instead}): …{context}…"


def long_sentences(said: Said) -> Iterator[str]:
    """Yield the sentences of a string that are too long to be read aloud."""
    text = re.sub(r"<[^>]*>", " ", said.text)
    for sentence in re.split(r"(?<=[.!?])\s+|\n\s*[-|]|\n\n", text):
        n_words = len(re.findall(r"[^\W_][\w’'.,·]*", sentence))
        if n_words > LONGEST_SENTENCE and "=" not in sentence:
            yield f"{said.file}:{said.line} {n_words} words: {sentence[:90]}…"
