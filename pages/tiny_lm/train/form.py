"""The settings of a run: the training data, the sizes and the steps that a student chooses, and its time."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import streamlit as st
from streamlit.typing import UploadedFile

from attention_core.experiments.language.costs import operations
from attention_core.model.config import Config, Positions
from attention_core.model.parameters import n_parameters
from attention_core.shipped.plans import ENGLISH, PRONOUN, RECALL, TWINS
from attention_core.shipped.runs import Plan, has_counted_targets
from attention_core.text.corpora import LARGEST_TEXT, Source, Unit, own_text, source_of
from pages.look.facts import several
from pages.page.page import Page

OWN_TEXT = "a text of your own"
SOURCES = {"Copy task": "recall", "Pronouns": "pronoun", "Toy English": "english"}
CHARACTERS = Plan(Config(63, 64, 4, 2, 64, positions="learned"), 600, learning_rate=6e-3, weight_decay=0.1)
PLANS = {  # as many steps as fit into a lesson; those of the models that ship, but for the largest
    "pronoun": PRONOUN.plan,
    "recall": RECALL.plan,
    "english": ENGLISH.plan._replace(steps=600),
    "own": CHARACTERS,
}
WIDTHS = ("16", "24", "32", "48", "64", "96", "128")
LENGTHS = ("8", "16", "24", "32", "48", "64", "96")
RATES = ("0.0003", "0.001", "0.0015", "0.003", "0.004", "0.006", "0.01", "0.03", "0.1", "1")
BATCHES = ("4", "8", "16", "32", "64")
LONGEST = max(map(int, LENGTHS))
MOST_STEPS = 2000
HUGGING_FACE = (
    "Names in many Hugging Face models: `hidden_size` is the width d_model, `num_attention_heads` the heads, "
    "`num_hidden_layers` the layers, and `max_position_embeddings` the context length."
)
NEAR = "Some heads prefer near tokens from the start, so which head gets which job is partly decided before training."
SHORT = "A context of {length} tokens ends before the first target in the loss. Choose at least {shortest} tokens."
SIZE = "{layers}, {heads}, d_model {width}, {count:,} parameters"
MOST_SECONDS = 120  # of a run, by the nominal pace: others share the server
USUAL_TEXT = " ".join(Path(__file__).with_name("rhymes.txt").read_text("utf-8").split())


class Wanted(NamedTuple):
    """A run as it is wanted, or why it cannot be."""

    plan: Plan
    source: Source | None
    problem: str


def wanted(page: Page) -> Wanted:
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = controls.select("learn", "Training data", [*SOURCES, OWN_TEXT], next(iter(SOURCES)), width=240)
        without = controls.select("without", "Ablation", ["nothing", *TWINS], "nothing", width=180)
        seed = controls.integer("train_seed", "Seed", 0, 9999, 0, width=140)
        own_sizes = controls.switch("sizes", "Custom sizes")
    name = SOURCES.get(label, "own")
    source, problem = (source_of(name), "") if name != "own" else typed_source(page)
    plan = PLANS[name]._replace(seed=seed)
    if own_sizes:
        plan, problem = chosen_plan(page, plan, problem)
    elif plan.config.alibi_slopes and "alibi_slopes" not in TWINS.get(without, {}):
        page.write(NEAR, "note")
    if without == "one layer" and plan.config.n_layers == 1:
        page.write("This model has one layer anyway, so this ablation changes nothing.", "note")
    if without != "nothing":
        plan = plan._replace(config=replace(plan.config, **TWINS[without]))
    if source:
        plan = plan._replace(config=replace(plan.config, vocab_size=len(source.vocabulary)))
        problem = problem or too_short(source, plan.config.max_len)
    return Wanted(plan, source, problem)


def too_short(source: Source, length: int) -> str:
    """Return what is wrong with a context length if no sequence of it has a target that the loss includes."""
    if has_counted_targets(source, length):
        return ""
    shortest = next(longer for longer in range(length + 1, LONGEST + 1) if has_counted_targets(source, longer))
    return SHORT.format(length=length, shortest=shortest)


def chosen_plan(page: Page, plan: Plan, problem: str) -> tuple[Plan, str]:
    controls = page.controls
    with st.container(horizontal=True):
        width = int(controls.dial("width", "Width d_model", WIDTHS, "32", width=220))
        heads = controls.integer("heads", "Heads", 1, 8, 4, width=120)
        layers = controls.integer("layers", "Layers", 1, 4, 2, width=120)
        length = int(controls.dial("length", "Context length", LENGTHS, "32", width=220))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kinds = ["learned", "sinusoidal", "rope", "alibi", "none"]
        positions = controls.select("positions", "Position encoding", kinds, "learned", width=160)
        rate = controls.dial("rate", "Learning rate", RATES, "0.004", width=220)
        batch = controls.dial("batch", "Batch size", BATCHES, "32", width=220)
        steps = controls.slider("steps", "Steps", 50, MOST_STEPS, 400, 50, width=220)
        hidden = controls.switch("hidden", "Feed-forward layers (MLP)")
    page.say(HUGGING_FACE, "note")
    try:
        sizes = (plan.config.vocab_size, width, heads, layers, length, None if hidden else 0)
        config = Config(*sizes, positions=cast(Positions, positions))
    except ValueError as wrong:
        return plan, problem or f"This cannot be built: {wrong}."
    plan = plan._replace(config=config, steps=steps, batch_size=int(batch))
    return plan._replace(learning_rate=float(rate), weight_decay=0.1), problem


def typed_source(page: Page) -> tuple[Source | None, str]:
    """Draw the fields for a text of one's own, and return it as a source, or what is wrong with it."""
    unit: Unit = "character"
    if page.controls.choice("unit", "Tokens", ["character", "word"], "character") == "word":
        unit = "word"
    left, right = st.columns(2)
    with left:
        typed = st.text_area(
            "Your text (not part of the link)", USUAL_TEXT, height=120, max_chars=20_000,
            key="tiny_lm_own_text", persist_state="session",
        )  # fmt: skip
    with right:
        file = st.file_uploader("Or a text file", type="txt", max_upload_size=2, key="tiny_lm_own_file")
    asked = (typed if file is None else file, unit)
    if (
        asked != st.session_state.get("tiny_lm_own_source", (None,))[0]
    ):  # a text may take seconds, also one that is refused
        st.session_state["tiny_lm_own_source"] = (asked, *text_source(*asked))
    _, source, problem = st.session_state["tiny_lm_own_source"]
    return source, problem


def text_source(text: str | UploadedFile, unit: Unit) -> tuple[Source | None, str]:
    """Return a text of one's own as a source, or what is wrong with it."""
    try:
        if not isinstance(text, str):
            text = text.getvalue().decode("utf-8-sig")
        return own_text(text[: LARGEST_TEXT + 1], unit), ""
    except UnicodeDecodeError:
        return None, "This file is not plain text in UTF-8, so it was not read."
    except ValueError as wrong:
        return None, f"This text cannot be used for training: {wrong}."


def nominal_seconds(plan: Plan) -> float:
    """Return about how long a run takes on two quiet cores of 2024: what its layers cost in calls, and its products."""
    config, tokens = plan.config, plan.batch_size * plan.config.max_len
    products = 3 * operations(config, config.max_len).total * plan.batch_size
    others = 20 * tokens * (config.vocab_size + 12 * config.n_layers * config.d_model)
    return plan.steps * (0.0015 + 0.0004 * config.n_layers + 1.7e-11 * (products + others))


def size_of(plan: Plan) -> str:
    config = plan.config
    words = {"layers": several(config.n_layers, "layer"), "heads": several(config.n_heads, "head")}
    return SIZE.format(width=config.d_model, count=n_parameters(config), **words)
