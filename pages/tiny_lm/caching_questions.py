"""What the lesson asks about the KV cache; every answer is computed for the model and the prompt in view."""

import numpy as np

from attention_core.experiments.kv_cache_proof import positions_read
from attention_core.model.parameters import Model
from pages.page.questions import Choice, Mistake, Number

PLACES = (5, 3, 8, 2, 6)  # which new token is asked for


def anew_question(model: Model, n_prompt: int, unit: str, variant: int) -> Number:
    """Ask how many positions are computed for a new token without the cache."""
    config, place = model.config, PLACES[variant % len(PLACES)]
    right = int(positions_read(model, n_prompt, place, cache=False).computed[-1])
    length = n_prompt + place - 1
    why = f"By then the text has {n_prompt} + {place - 1} = {length} {unit}s, and all of them are read again."
    if length > config.max_len:
        why = f"By then the text has {length} {unit}s, of which this model reads the last {config.max_len}: all anew."
    mistakes = [
        Mistake(1, "Without a cache nothing is remembered: every position goes through the model again."),
        Mistake(length + 1, f"The new {unit} itself is not there yet: it is drawn from what stands before it."),
        Mistake(place, f"The prompt counts as well: the model reads it anew each time, all {n_prompt}."),
        Mistake(n_prompt, f"The prompt has grown by then: {place - 1} {unit}s were written before."),
        Mistake(length, f"This model reads no more than {config.max_len} positions."),
    ]
    return Number(
        "anew",
        f"The prompt has {n_prompt} {unit}{'s' if n_prompt > 1 else ''}. Without a cache, how many positions go "
        f"through the model for the {ordinal(place)} new {unit}?",
        right,
        0.5,
        why,
        tuple(mistake for mistake in mistakes if mistake.value != right),
        f"Count the {unit}s that stand there when it is drawn.",
        digits=0,
    )


def kept_question(model: Model, n_prompt: int, unit: str, variant: int) -> Number:
    """Ask how many positions are computed for a new token with the cache."""
    config, place = model.config, PLACES[(variant + 2) % len(PLACES)]
    right = int(positions_read(model, n_prompt, place).computed[-1])
    length = n_prompt + place - 1
    if not config.causal:
        why = "This model looks ahead: what it computed for earlier positions is no longer true, so nothing is kept."
    elif length > config.max_len:
        why = f"The text has outgrown the {config.max_len} positions of this model: all have moved, so all is computed."
    else:
        why = f"The keys and values of the {length - 1} before it are kept; only the newest goes through the model."
    mistakes = [
        Mistake(0, f"The newest {unit} has never been read: its own query, key and value must be computed."),
        Mistake(1, why),
        Mistake(length, "That is without the cache."),
        Mistake(place, f"The {unit}s that were written before have left their keys and values in the cache as well."),
    ]
    return Number(
        "kept",
        "With the cache, keys and values of all positions are kept. How many positions go through the model then, for "
        f"the {ordinal(place)} new {unit}?",
        right,
        0.5,
        why,
        tuple(mistake for mistake in mistakes if mistake.value != right),
        "",
        digits=0,
    )


def ordinal(place: int) -> str:
    """Return a place as it is spoken of."""
    return {2: "2nd", 3: "3rd"}.get(place, f"{place}th")


def query_question(variant: int) -> Choice:
    """Ask why queries are not kept."""
    right = "A query is used once, by its own position"
    mistakes = {
        right: "",
        "Queries change with every new token": "They do not: under the mask no number of an earlier position moves.",
        "Queries would take too much memory": "They are as large as the keys. They would be kept if anybody read them.",
        "Queries are the same for every position": "Each position asks with its own query, made from its own vector.",
    }
    return Choice.shuffled(
        "query",
        "The cache holds keys and values. Why not queries?",
        [right],
        "Later tokens look at a position through its key and take its value; its query has done its work.",
        mistakes,
        variant,
    )


def ahead_question(n_layers: int, true: np.ndarray, unit: str, variant: int) -> Choice:
    """Ask in which layers keys and values stay true when a model without a mask reads one more token."""
    first, every, none = "In layer 1 alone", "In every layer", "In no layer"
    if n_layers == 1:
        first, every = "In its only layer", "In a second layer, if it had one"
    right = first if true[0] and not true[1:].any() else every if true.all() else none
    why = {
        first: f"Layer 1 makes keys and values of each {unit} alone. What it hands on has looked at the new {unit}.",
        every: f"Computed: nothing that was kept moves by a visible amount when the next {unit} is read.",
        none: f"Computed: what was kept moves in every layer when the next {unit} is read.",
    }[right]
    mistakes = {
        first: "Look at the map below: it was computed for this model.",
        every: f"Without the mask an earlier position looks at the new {unit} too, and hands on something else.",
        none: f"The keys and values of layer 1 are made of each {unit} and its place alone, before anybody has looked.",
    }
    text = (
        f"Take the mask off: every position may look at those behind it as well. One more {unit} is read. Where are "
        "the kept keys and values still true?"
    )
    return Choice.shuffled("ahead", text, [right], why, {right: ""} | mistakes, variant)
