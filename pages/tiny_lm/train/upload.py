"""Loading a model from a file: read, checked for what every step can show, and forgotten with the visit."""

import json
from dataclasses import replace

import numpy as np
import streamlit as st
from streamlit.typing import UploadedFile

from attention_core.model.config import Config
from attention_core.model.parameters import Model
from attention_core.shipped.models import Curve
from attention_core.shipped.runs import Plan
from attention_core.text.byte_pairs import ALPHABET
from attention_core.text.characters import LONGEST_WORD, MOST_STACKED, split_characters, truncate_word
from attention_core.text.corpora import SOURCES, Unit, source_of
from attention_core.text.n_grams import Baselines
from attention_core.text.vocabulary import Vocabulary
from pages.look.facts import several
from pages.look.html import seen
from pages.page.page import Page
from pages.server.brought import reader
from pages.server.messages import Gone
from pages.server.model_file import parts_of
from pages.server.shares import MODELS, visitor
from pages.tiny_lm.model_in_view import PROMPTS, Own, kind_of, make_own, own_model, show_own, step_inside, words_read
from pages.tiny_lm.train.form import size_of
from pages.tiny_lm.train.job import is_full
from pages.tiny_lm.units import are_pieces, as_text

LARGEST_MODEL = 8 << 20  # bytes of the parameters of a model from a file, all its checkpoints together
LARGEST_NUMBER = 10_000  # among them
LONGEST_RECORD, MOST_TOLD = 200_000, 1e6  # characters of what a file tells of its training, and its numbers
MOST_SAID = 100  # characters of the name of its text
MOST_LAYERS, MOST_HEADS = 8, 8
MOST_TOKENS = 5_000  # every step keeps a logit or more for each
MOST_WIDTH = 1024  # of all layers together: what a step keeps of a token, and computes


def bring(page: Page) -> None:
    """Take in a model from a file, as the student's own."""
    key = "tiny_lm_bring"
    with st.expander("Load a model", icon=":material/upload:", key=key, on_change="rerun") as expander:
        if not expander.open:
            return
        st.markdown(
            "Choose a file that *Save the model* made here, or `attention_core.save` in a notebook. Its parameters are "
            "checked and nothing in it is executed. It is forgotten when you leave."
        )
        label, key, kind = "Model, .safetensors", "tiny_lm_file", "safetensors"
        file = st.file_uploader(label, kind, max_upload_size=10, key=key, on_change=read, args=(page,))
        if file is None:
            return
        usable, says = st.session_state["tiny_lm_brought"]
        page.write(says, "note")
        if usable:
            st.button("Open the loaded model", key="tiny_lm_put_open_brought", on_click=open_brought, args=(page,))


def read(page: Page) -> None:
    """Read the file that was chosen, once: a model that is trained later stays the student's own."""
    file = st.session_state["tiny_lm_file"]
    if not isinstance(file, UploadedFile):  # a server that was started again has it no longer
        return
    try:
        if is_full(len(file.getvalue())):
            raise ValueError("this server keeps as many models as it can, so try again in a few minutes")
        brought = from_file(file.getvalue())
    except ValueError as wrong:
        st.session_state["tiny_lm_brought"] = False, f"This file cannot be used: {str(wrong)[:300]}."
        return
    checkpoints = several(len(brought.models), "checkpoint")
    st.session_state["tiny_lm_brought"] = True, f"Read: {brought.size}; {checkpoints}. Each step shows it where it can."
    MODELS.things.update(dict.fromkeys(brought.models, visitor()))
    make_own(brought)
    show_own(page, brought)


def open_brought(page: Page) -> None:
    """Make the model of the file the student's own again, and look at it."""
    read(page)
    if own := own_model():
        page.controls.put(step=step_inside(own))


def read_apart(content: bytes) -> tuple[dict[int, Model], list[str] | None, str]:
    """Return the models of a file by their steps, its vocabulary and what it tells of the training, read elsewhere."""
    try:
        with reader(answer=2 * LARGEST_MODEL) as apart:
            config, steps, flats, tokens, told = apart.call(parts_of, np.frombuffer(content, np.uint8), LARGEST_MODEL)
    except Gone as problem:
        raise ValueError("reading it takes too much memory or time") from problem
    except RuntimeError as problem:
        raise ValueError(str(problem).removeprefix("ValueError: ")) from problem
    models = {step: Model.of(Config(**config), flat.copy()) for step, flat in zip(steps, flats, strict=True)}
    return models, tokens, told


def from_file(content: bytes) -> Own:
    """Return the model of a file, or say in a ValueError what is wrong with it."""
    models, tokens, told = read_apart(content)
    model = [*models.values()][-1]
    if tokens is None:
        raise ValueError("it has no vocabulary, so its tokens have no names")
    if (longest := max(map(len, tokens))) > LONGEST_WORD:
        raise ValueError(f"its tokens must have at most {LONGEST_WORD} characters, to be shown, got {longest}")
    if any(truncate_word(token) != token for token in tokens):
        raise ValueError(f"its tokens must have at most {MOST_STACKED} marks on a letter, to be shown, got more")
    if (largest := max(float(np.abs(one.flat).max()) for one in models.values())) > LARGEST_NUMBER:
        raise ValueError(
            f"its parameters must be at most {LARGEST_NUMBER:,}, or sums of them overflow, got {largest:.3g}"
        )
    if model.config.n_layers > MOST_LAYERS or model.config.n_heads > MOST_HEADS:
        raise ValueError(f"it must have at most {MOST_LAYERS} layers of {MOST_HEADS} heads, to be shown")
    if len(tokens) > MOST_TOKENS:
        raise ValueError(f"it must have at most {MOST_TOKENS:,} tokens, to be shown, got {len(tokens):,}")
    width = max(model.config.d_model, -(-model.config.d_hidden // 4))
    if model.config.n_layers * width > MOST_WIDTH:
        raise ValueError(
            "its layers times their width (d_model, or a quarter of d_ff) must be at most "
            f"{MOST_WIDTH:,}, to be shown, got {model.config.n_layers} × {width:,}"
        )
    vocabulary = Vocabulary(tokens)
    unit, first = unit_of(vocabulary)
    size = size_of(Plan(model.config, 0))
    prompt = (" " if unit == "word" else "").join(first)
    kept = tuple(models.values()), tuple(models)
    own = Own(*kept, vocabulary, unit, "data that it does not name", prompt, None, size, True)
    return with_training(replace(own, prompt=PROMPTS[kind][1]) if (kind := kind_of(own)) else own, told)


def with_training(own: Own, told: str) -> Own:
    """Return a model with the prompt and the losses that its file tells, unless they are damaged or of another run."""
    try:
        found = json.loads(told[:LONGEST_RECORD])
        curve, known = np.array(found["curve"], float), np.array(found["baselines"], float)
        note = words_read(own, found["prompt"])[1]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return own
    numbers, steps = np.append(curve, known), curve[:1].ravel()
    odd = curve.shape != (4, max(2, len(steps))) or known.shape != (4,) or (np.diff(steps) < 1).any()
    if note or odd or not ((numbers >= 0) & (numbers < MOST_TOLD)).all() or steps[-1] > own.steps[-1]:
        return own
    baselines, curves = zip(Baselines._fields, known.tolist(), strict=True), Curve(steps.astype(int), *curve[1:])
    knows, named, ours = found.get("knows") is True, found.get("says"), map(source_of, SOURCES)
    unread = [source.says for source in ours if source.vocabulary.tokens != own.vocabulary.tokens]
    says = seen(named[:MOST_SAID]) if isinstance(named, str) else ""
    says = own.says if says in ("", *unread) else says
    return replace(own, prompt=found["prompt"], curve=curves, baselines=tuple(baselines), knows=knows, says=says)


def unit_of(vocabulary: Vocabulary) -> tuple[Unit, list[str]]:
    tokens = vocabulary.tokens
    if are_pieces(tokens):
        shown = as_text(vocabulary, "piece").tokens  # or says that no merges make them
        return "piece", [*shown[len(ALPHABET) :], *shown][:6]
    unit: Unit = "character" if all(len(split_characters(token)) <= 1 for token in tokens) else "word"
    return unit, [*tokens[:6]]
