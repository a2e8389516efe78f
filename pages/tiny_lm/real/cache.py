"""The KV cache of the pretrained model: its bytes, what grouped queries save, and that it changes no prediction."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_sizes import RealCacheProof, cache_sizes, real_cache_proof
from attention_core.experiments.language.kv_cache_proof import CacheProof, cache_proof
from attention_core.pretrained import PretrainedModel
from pages.look.html import memory, number, pairs, quoted, table, tiny
from pages.page.page import Page
from pages.tiny_lm.common import figure, several
from pages.tiny_lm.real.measured import read_by_stories
from pages.tiny_lm.real.model import MOST, computed, model_name, said_toy

PROVED = 8  # new tokens


def draw_cache(page: Page, real: PretrainedModel, ids: Tokens) -> None:
    """Write the memory of the cache beside that of Small Stories, and compare logits with it and without."""
    name, config, run = model_name(), real.config, page.recipe.run
    length = len(ids)
    found = run("cache", cache_sizes, real, length)
    longest = run("longest", cache_sizes, real, min(MOST, config.max_len))
    stories = said_toy(page, "stories", "stories")
    toy = run("toy_cache", cache_sizes, stories, min(length, stories.config.max_len))
    toy_longest = run("toy_longest", cache_sizes, stories, MOST)
    page.prints("bytes of the KV cache per token", "cache.token")
    proof = computed(page, "proof", real_cache_proof, real, ids, min(PROVED, config.max_len - length + 1))
    own = page.recipe.given("pieces", read_by_stories(real.decode(ids)))
    toy_proof = run("toy_proof", cache_proof, stories, own, PROVED, 0.0)
    page.heading("Memory of the cache", small=True)
    title = name[0].upper() + name[1:]
    rows = [
        ("one token", memory(found.token), memory(toy.token)),
        ("one token, without groups", memory(found.ungrouped), memory(toy.ungrouped)),
        (f"this text, {several(length, 'token')}", memory(found.text), memory(toy.text)),
        (f"{MOST} tokens, the most here", memory(longest.text), memory(toy_longest.text)),
        (
            f"whole context ({config.max_len:,} and {stories.config.max_len:,} tokens)",
            memory(found.full),
            memory(toy.full),
        ),
    ]
    page.write(table(("KV cache of", title, "Small Stories"), rows, long=0))
    served = several(config.n_heads // config.n_groups, "query head")
    page.write(
        f"Per token: 2 (key and value) · {several(config.n_layers, 'layer')} · {several(config.n_groups, 'head')} of "
        f"keys · {config.d_head} entries · 4 bytes. A head of keys serves {served}, so without groups the cache would "
        f"be {number(found.ungrouped / found.token, 0)} times as large.",
        "note",
    )
    page.heading("The same logits with the cache and without", small=True)
    left, right = st.columns(2, gap="medium", border=True)
    with left:
        draw_proof(page, title, proof)
        text = quoted(real.decode(proof.tokens).replace("\n", "⏎"))
        page.write(Markup("Generated greedily: {}").format(text), "note")
    with right:
        draw_proof(page, "Small Stories", toy_proof)
    steps = len(proof.tokens)
    page.write(
        f"{several(steps, 'new token')}: with the cache {length + steps - 1} positions go through the model, without "
        f"it {sum(range(length, length + steps)):,}. The difference is rounding: the products are summed in another "
        "order.",
        "note",
    )


def draw_proof(page: Page, name: str, proof: RealCacheProof | CacheProof) -> None:
    """Write how far the logits with the cache are from those without it."""
    same = int((proof.tokens == proof.tokens_anew).sum())
    page.write(figure(f"{name}: largest difference", tiny(proof.largest)))
    lines = [("largest logit", number(proof.scale)), ("same tokens", f"{same} of {len(proof.tokens)}")]
    page.write(pairs(lines))
