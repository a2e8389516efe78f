"""What the cache saves and costs, and that it changes nothing."""

import streamlit as st

from attention_core.experiments.language.kv_cache_proof import affordable, cache_proof, cache_savings
from pages.look.facts import of_several
from pages.look.html import memory, number, pairs, residual
from pages.page.page import Page
from pages.tiny_lm.common import figure
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.sampling import Sampling

PROVED = 24  # tokens that are generated twice, at most
AFFORDED = 100_000_000  # operations of the proof: ten tokens of a model of characters
ROUNDED, ROUNDED_64 = -3, -10  # powers of ten below which differences are rounding, in 32 bits and in 64
SAME = "same {}s"
LEAST = 6  # tokens that are generated twice, whatever they cost


def draw_savings(page: Page, subject: Subject, sampling: Sampling, n_new: int) -> None:
    """Write operations, memory, the differences between both ways, and when the cache saves nothing."""
    model, n_prompt, unit = subject.model, len(subject.tokens), subject.noun
    cost = page.recipe.run("balance", cache_savings, model, n_prompt, n_new)
    page.prints("how many times fewer operations the cache needs", "balance.anew / balance.kept")
    n_proved = max(affordable(model, n_prompt, min(n_new, PROVED), AFFORDED), min(n_new, LEAST))
    proof = page.recipe.run_once("proof", cache_proof, model, subject.tokens, n_proved, 32, *sampling)
    exact = page.recipe.run_once("exact_proof", cache_proof, model, subject.tokens, n_proved, 64, *sampling)
    config, same = model.config, int((proof.tokens == proof.tokens_anew).sum())
    work, kept, proved = st.columns(3, gap="medium", border=True)
    with work:
        fewer = f"{number(cost.anew / cost.kept, 1)} times fewer" if cost.kept < cost.anew else "none saved"
        page.write(figure("FLOPs", fewer))
        page.write(pairs([("without cache", number(cost.anew, 0)), ("with cache", number(cost.kept, 0))]))
        page.say(
            f"FLOPs are floating-point operations, here of all matrix products. A cached {unit} costs as much as "
            f"a one-{unit} text, plus 4 · d_model = {4 * config.d_model} per layer and earlier position.",
            "note",
        )
    with kept:
        page.write(figure("Memory", memory(cost.held_bytes)))
        full = cache_savings(model, config.max_len, 1).held_bytes
        page.write(pairs([("positions kept", str(cost.held)), ("if full", memory(full))]))
        page.say(
            f"2 (key and value) · {config.n_layers} {'layers' if config.n_layers > 1 else 'layer'} · {cost.held} "
            f"positions · {config.d_model} (d_model) · {model.flat.itemsize} bytes. Twice as many positions need "
            "twice as much.",
            "note",
        )
    with proved:
        page.write(figure("Largest difference", residual(proof.largest, ROUNDED)))
        equal = of_several(same, n_proved, unit)
        page.write(pairs([(SAME.format(unit), equal), ("in 64 bits", residual(exact.largest, ROUNDED_64))]))
        few = f"new {unit}{'s' * (n_new > 1)}" if n_proved == n_new else f"first {n_proved} of {n_new} new {unit}s"
        page.write(
            f"This compares all {len(proof.differences) * config.vocab_size:,} logits of the {few}, which go up to "
            f"{number(proof.scale)}. So small a difference is rounding.",
            "note",
        )
    page.write(outgrown(subject), "note")


def outgrown(subject: Subject) -> str:
    """Return when the cache saves nothing."""
    longest, unit = subject.model.config.max_len, subject.noun
    if not subject.model.config.causal:
        return (
            f"This model has no causal mask, so a new {unit} can change what it computed for earlier positions. "
            "Nothing is kept here, and both charts agree."
        )
    return (
        f"The context length of this model is {longest}. From new {unit} "
        f"{max(longest - len(subject.tokens) + 2, 1)} on, the oldest token drops out and all others shift by one "
        "position. Then everything is computed again, even with a cache."
    )
