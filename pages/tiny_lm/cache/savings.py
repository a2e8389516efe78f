"""What the cache saves and costs, and that it changes nothing."""

import streamlit as st
from markupsafe import Markup

from attention_core.experiments.language.kv_cache_proof import affordable, cache_proof, cache_savings
from pages.look.facts import of_several, several
from pages.look.html import memory, number, pairs, residual
from pages.page.page import Page
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling

PROVED, LEAST = 24, 6  # tokens that are generated twice, at most, and whatever they cost
AFFORDED = 100_000_000  # operations of the proof: ten tokens of a model of characters
ROUNDED, ROUNDED_64 = -3, -10  # powers of ten below which differences are rounding, in 32 bits and in 64
SAME = "same {noun}s"
FLOPS = "Floating-point operations of all matrix products."
BYTES = "2 (key and value) · {n_layers} (layers) · {held} (positions) · {d_model} (d_model) · {size} bytes."
LOGITS = "Over all logits of {new}, which go up to {scale}. So small a difference is rounding."
NO_MASK = "Without a causal mask, a new {noun} can change every earlier position. Nothing is kept here."
OUTGROWN = (
    "The context length of this model is {longest}. From new {noun} {first} on, the oldest token drops out and all "
    "others shift by one position. Then everything is computed again, even with a cache."
)


def draw_savings(page: Page, subject: Subject, sampling: Sampling, n_new: int) -> None:
    """Write operations, memory, the differences between both ways, and when the cache saves nothing."""
    model, config, n_prompt, noun = subject.model, subject.model.config, len(subject.tokens), subject.noun
    cost = page.recipe.run("balance", cache_savings, model, n_prompt, n_new)
    page.prints("how many times fewer operations the cache needs", "balance.anew / balance.kept")
    n_proved = max(affordable(model, n_prompt, min(n_new, PROVED), AFFORDED), min(n_new, LEAST))
    run, asked = page.recipe.run_once, (model, subject.tokens, n_proved)
    proof, exact = (run(name, cache_proof, *asked, n, *sampling) for name, n in (("proof", 32), ("exact_proof", 64)))
    full = cache_savings(model, config.max_len, 1).held_bytes
    same = of_several(int((proof.tokens == proof.tokens_anew).sum()), n_proved, noun)
    sizes = {"n_layers": config.n_layers, "held": cost.held, "d_model": config.d_model, "size": model.flat.itemsize}
    cards = (
        (
            "FLOPs",
            f"{number(cost.anew / cost.kept, 1)} times fewer" if cost.kept < cost.anew else "none saved",
            [("without cache", number(cost.anew, 0)), ("with cache", number(cost.kept, 0))],
            FLOPS,
        ),
        (
            "Memory",
            memory(cost.held_bytes),
            [("positions kept", str(cost.held)), ("if full", memory(full))],
            BYTES.format(**sizes),
        ),
        (
            "Largest difference",
            residual(proof.largest, ROUNDED),
            [(SAME.format(noun=noun), same), ("in 64 bits", residual(exact.largest, ROUNDED_64))],
            LOGITS.format(new=several(n_proved, f"new {noun}"), scale=number(proof.scale)),
        ),
    )
    for column, (title, figure, lines, note) in zip(st.columns(3, gap="medium", border=True), cards, strict=True):
        with column:
            head = Markup('<div class="title">{}</div><div class="figure">{}</div>').format(title, figure)
            page.write(head)
            page.write(pairs(lines))
            page.say(note, "note")
    first = max(config.max_len - n_prompt + 2, 1)
    told = OUTGROWN if config.causal else NO_MASK
    page.write(told.format(noun=noun, longest=config.max_len, first=first), "note")
