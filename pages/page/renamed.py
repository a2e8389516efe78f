"""Words of links that were written before they had their present names: a link of any day opens today."""

from collections.abc import Iterable
from typing import NamedTuple

from pages.page.course import HIDEABLE, PLAN

LAYERS = range(1, 4)  # of the models in the list
HAND_MADE = {"weights": {"hand-set": "hand-made"}}
RENAMED: dict[str, dict[str, dict[str, str]]] = {  # page, control, word of then: word of now
    "qkv": {
        "weights": {"hand-set": "hand-made, sharp"},  # the head that is made by hand now has smaller numbers
        "step": dict.fromkeys("qkv", "projections"),
    },
    "scaling": {
        "claim": {
            "64 sharp": "peaked at 64",
            "1 flat": "uniform at 1",
            "it rises": "rises undivided",
            "it falls": "falls with d_k",
        },
        "divide": {"nothing": "none"},
    },
    "multi_head": {
        **HAND_MADE,
        "show": {"one word’s look": "one query", "the map": "attention maps"},
        "w_o": {"W_O = 1, a reshape alone": "identity (only concatenate)"},
    },
    "causal_mask": {
        "weights": {"hand-set": "hand-made, sharp"},  # as in lesson 1
        "form": {"weights": "attention weights"},
        "row_has": {"its usual keys": "as in the mask", "nothing to look at": "none"},
    },
    "positional_encoding": {
        "mistake": {
            "all sines, then all cosines": "halves read as neighbours",
            "RoPE in two kinds of pairs": "RoPE with mixed pairs",
        },
    },
    "tiny_lm": {
        "model": {"it and the animal": "Pronouns", "letters and digits": "Copy task", "small English": "Toy English"},
        "look": {"Many draws": "Many samples", "Greedy or drawn": "Greedy or sampled"},
        "copy_look": {"since when": "during training", "without a head": "ablation", "the two heads": "two heads"},
        "time_look": {"without a part": "ablations", "back in time": "checkpoints"},
        "part": {
            "norm 1": "LayerNorm 1",
            "norm 2": "LayerNorm 2",
            "feed-forward": "MLP",
            "last norm": "final LayerNorm",
            "logits": "unembedding",
        },
        "stream": {
            "whose it is": "contributions",
            "a norm": "LayerNorm",
            "feed-forward": "MLP",
            "left out": "ablation",
            "what is added": "additions",
        },
        "which": {"the last norm": "final LayerNorm"}
        | {f"before feed-forward {layer}": f"before MLP {layer}" for layer in LAYERS},
        "adds": {f"feed-forward {layer}": f"MLP {layer}" for layer in LAYERS},
        "lens": {"part by part": "logit contributions", "a head taken out": "ablation"},
        "slopes": {
            "one step down": "one step",
            "one number nudged": "one parameter nudged",
            "as heatmaps": "heatmaps",
        },
        "learn": {"small English": "Toy English", "letters and digits": "Copy task", "it and the animal": "Pronouns"},
        "mask": {"taken off": "off"},
    },
}
# What a word of then said of a second control: the steps of the keys and of the values are now matrices of one step.
SAID_TOO = {("qkv_step", "k"): {"qkv_matrix": "K"}, ("qkv_step", "v"): {"qkv_matrix": "V"}}
# A control that is two today: where a link of an earlier version says the first, it says the second too.
PARTED = {"positional_encoding": {"strength": "scale", "q": "word"}}
# Where a default has changed, the version of a page's links, and what a link of each version before, the first of which
# said none, meant by saying nothing.
VERSIONS = {
    **{"home": "2", "qkv": "2", "scaling": "3", "multi_head": "3", "causal_mask": "3"},
    **{"positional_encoding": "3", "tiny_lm": "3"},
}
TINY_LM_THEN = {"against": "nothing (plain logit)", "less": "the last head", "adds": "attention 1"}
DEFAULTS_THEN = {
    "home": {"": {"weights": "random", "text": "a fluffy blue creature roamed the verdant forest"}},
    "scaling": {"": {"step": "spread", "d_k": "64", "d_v": "64", "divide": "√d_k"}, "2": {"d_v": "64"}},
    "qkv": {"": {"step": "dot", "weights": "random", "text": "the cat sat on the warm mat"}},
    "multi_head": {
        "": {
            "weights": "random",
            "text": "the cat sat on the warm mat",
            "crosses": "of the settings",
            "second": "the dog is happy",
        },
        "2": {"second": "on the warm mat the cat sat"},
    },
    "causal_mask": {
        "": {"step": "see", "pattern": "as in other steps", "weights": "random"},
        "2": {"weights": "random"},
    },
    "positional_encoding": {"": {"example": "your sentence", "scale": "1.0"}, "2": {"scale": "1.0"}},
    "tiny_lm": {
        "": {"step": "bet", "drawn": "5", "model": "Toy English"} | TINY_LM_THEN,
        "2": TINY_LM_THEN,
    },
}
# What words meant in links of these versions that mean something else today.
MEANT = {("causal_mask", version): {"causal_mask_weights": {"hand-made": "hand-made, sharp"}} for version in ("", "2")}


class Moved(NamedTuple):
    """A step that stands on another page today: what a link says there, and the names of its controls, then and now."""

    page: str
    says: dict[str, str]
    controls: dict[str, str]


BLOCKS = {"kind": "encoding", "base": "base", "strength": "encoding_scale", "seed": "block_seed"}
MOVED = {  # by the page and the step of then
    ("multi_head", "cost"): Moved(
        "tiny_lm", {"step": "cost"}, {"n": "n", "h": "h", "w": "w", "layers": "n_layers", "bits": "bits"}
    ),
    ("positional_encoding", "layers"): Moved(
        "tiny_lm", {"step": "blocks"}, BLOCKS | {"model": "blocks_of", "blocks": "blocks", "cut": "no_residual"}
    ),
    ("positional_encoding", "norms"): Moved(
        "tiny_lm",
        {"step": "blocks", "block_look": "lengths"},
        BLOCKS
        | {"text": "sentence", "d_model": "d_model", "deviation": "deviation", "norm": "norm"}
        | {"q": "way_row", "way_step": "way_step"},
    ),
}
NOW = {f"{page}_{control}": words for page, controls in RENAMED.items() for control, words in controls.items()}


def with_present_names(words: dict[str, str]) -> dict[str, str]:
    """Return the words of a link, those that were renamed by their present names, and the defaults of its day."""
    too = [SAID_TOO[said] for said in words.items() if said in SAID_TOO]
    words = {key: NOW.get(key, {}).get(value, value) for key, value in words.items()}
    words = {key: value for others in too for key, value in others.items()} | words
    for page, version in VERSIONS.items():
        said = words.get(f"{page}_v", "")
        for key, meant in MEANT.get((page, said), {}).items():
            words = {name: meant.get(word, word) if name == key else word for name, word in words.items()}
        if said != version:
            for control, other in PARTED.get(page, {}).items():
                words = with_both(words, page, control, other)
        defaults = DEFAULTS_THEN[page].get(said)
        if defaults and says_something(words, page):
            then = {f"{page}_{control}": value for control, value in defaults.items()}
            words = then | words | {f"{page}_v": version}
    for (page, step), moved in MOVED.items():
        if words.get(f"{page}_step") == step:
            words = on_new_page(words, page, moved)
    return words


def on_new_page(words: dict[str, str], page: str, moved: Moved) -> dict[str, str]:
    """Return the words of a link to a step that moved, those of its page as the words of the page that has it today.

    A plan names that page in place of the other. One that has a scene of its own there keeps it.
    """
    rest = {key: value for key, value in words.items() if not key.startswith(f"{page}_")}
    if says_something(words, moved.page):
        return {key: value for key, value in words.items() if key != f"{page}_step"}
    names = moved.controls | {name: name for name in ("step", "ask", *HIDEABLE)}
    found = {f"{moved.page}_{now}": words[f"{page}_{then}"] for then, now in names.items() if f"{page}_{then}" in words}
    for mark in ("lock", "hide"):
        listed = [names[name] for name in words.get(f"{page}_{mark}", "").split(".") if name in names]
        found |= {f"{moved.page}_{mark}": ".".join(listed)} if listed else {}
    says = {f"{moved.page}_{name}": value for name, value in moved.says.items()}
    if PLAN in rest:
        rest[PLAN] = ".".join(dict.fromkeys(moved.page if name == page else name for name in rest[PLAN].split(".")))
    return rest | found | says | version_of(moved.page)


def version_of(page: str) -> dict[str, str]:
    """Return the word of a link that says by which defaults it was written; a page that never changed one has none."""
    return {f"{page}_v": VERSIONS[page]} if page in VERSIONS else {}


def says_something(words: Iterable[str], page: str) -> bool:
    """Return whether a link says a word of a page, other than its version."""
    return any(key.startswith(f"{page}_") and key != f"{page}_v" for key in words)


def with_both(words: dict[str, str], page: str, control: str, other: str) -> dict[str, str]:
    """Return the words of a link, what they say of a control said of another one too."""
    found = dict(words)
    if f"{page}_{control}" in words:
        found.setdefault(f"{page}_{other}", words[f"{page}_{control}"])
    for mark in (f"{page}_lock", f"{page}_hide"):
        if control in words.get(mark, "").split("."):
            found[mark] = f"{words[mark]}.{other}"
    return found
