"""Links that an earlier version made: each still opens the view that it named.

What a link says is a promise to whoever holds it: from version 1.0 on no word and no value of a link gets another
meaning. Who renames one adds a line to `RENAMED`; where nothing took its place, the line leads to "", and the page
opens without it.
"""

from base64 import urlsafe_b64encode
from collections.abc import Mapping

RENAMED: dict[str, str] = {  # "qkv_old": "qkv_new" for a word, "qkv_step=old": "qkv_step=new" for a value of one
    "qkv_ask=now_output": "qkv_ask=explain_output",
    "scaling_ask=grows": "scaling_ask=explain_collapse",
    "scaling_ask=now_slope": "scaling_ask=explain_gradient",
    "multi_head_ask=now_cost": "multi_head_ask=explain_cost",
    "causal_mask_ask=now_kept": "causal_mask_ask=explain_reads",
    "positional_encoding_ask=now_rope": "positional_encoding_ask=explain_rope",
    "qkv_d=one": "qkv_d=constant",
    **{f"qkv_d=where {hand}": f"qkv_d=clock {hand}" for hand in range(1, 5)},
    "tiny_lm_ask=now_cached": "tiny_lm_ask=explain_kept",
    "tiny_lm_ask=now_slope": "tiny_lm_ask=explain_step",
    "tiny_lm_ask=now_told": "tiny_lm_ask=explain_key",
    "tiny_lm_step=superposition": "tiny_lm_step=lens",  # a door on features, not on attention
    "tiny_lm_ask=examples": "tiny_lm_ask=least_likely",
    "tiny_lm_active": "",
    "tiny_lm_step=stream": "tiny_lm_step=lens",  # which reads the residual stream
    **dict.fromkeys(("tiny_lm_adds", "tiny_lm_ask=written", "tiny_lm_fresh"), ""),
    "scaling_up": "",  # the gradient at the query, which a path explained in passing
    "multi_head_first": "",
    "multi_head_plus_x": "",
    "multi_head_show": "",  # the first step shows all heads of one query
    "tiny_lm_ask=features": "",
    "tiny_lm_ask=bench": "tiny_lm_ask=carries",  # the former could only be guessed
}


def renew(words: Mapping[str, str], renamed: Mapping[str, str] = RENAMED) -> dict[str, str]:
    """Return the words of a link as this version says them, those too that are locked or hidden."""
    found = {}
    for key, value in words.items():
        page, _, mark = key.rpartition("_")
        if mark in ("lock", "hide"):
            now = (renamed.get(f"{page}_{name}", f"{page}_{name}") for name in value.split("."))
            value = ".".join(word.removeprefix(f"{page}_") for word in now if word)
        elif mark == "quiz" and "\n" in value:  # version 1.0 wrote questions as plain text
            value = covered(value)
        word, _, new = renamed.get(f"{key}={value}", f"{key}={value}").partition("=")
        if word := renamed.get(word, word):
            found[word] = new
    return found


def covered(text: str) -> str:
    """Return a text so that a glance at the address does not read it: it says which answer is right."""
    return urlsafe_b64encode(text.encode(errors="replace")).decode().rstrip("=")
