"""Models of a student's own, as odd as they may be."""

import attention_core as core
from attention_core.text.vocabulary import Vocabulary
from pages.tiny_lm.model_in_view import Own
from tests.app.visits import rerun, reveal, visit

WORDS = ("<b>bold</b>", "&amp;", "“", "\n", " ", "獅子", "$x$", "a" * 60, "*", "`")
KINDS = {
    "one layer, looks ahead": {"n_layers": 1, "causal": False, "positions": "none"},
    "four layers, eight heads": {"n_layers": 4, "n_heads": 8, "d_model": 16, "positions": "rope"},
    "norm after, looks ahead": {"norm": "post", "causal": False, "positions": "alibi"},
    "attention alone, norm after": {"d_ff": 0, "norm": "post", "n_layers": 3, "activation": "relu"},
    "reads a single token": {"max_len": 1, "n_layers": 1},
    "reads two tokens": {"max_len": 2, "causal": False, "positions": "learned"},
    "knows a single token": {"vocab_size": 1, "n_heads": 1},
    "knows two tokens": {"vocab_size": 2, "n_layers": 1},
}


def own(kind, unit="word", n_models=2):
    """Return a model of some kind, after no step and after some."""
    sizes = {"vocab_size": len(WORDS), "d_model": 8, "n_heads": 2, "n_layers": 2, "max_len": 9} | KINDS[kind]
    config = core.Config(**sizes)
    models = tuple(core.init_model(config, seed=seed) for seed in range(n_models))
    models[-1].flat[:] *= 3
    tokens = WORDS[: config.vocab_size] if unit == "word" else tuple("ab\n <&$*`é")[: config.vocab_size]
    return Own(models, tuple(range(n_models)), Vocabulary(tokens), unit, "<i>something</i>", tokens[0])


def visit_own(brought, **link):
    """Return the page with a model of the student's own, its questions waved away."""
    app = visit("tiny_lm", model="your own", **link)
    app.session_state["tiny_lm_own"] = brought
    return reveal(rerun(app))
