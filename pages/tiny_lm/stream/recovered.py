"""Words and positions recovered from the residual stream by a linear probe, block by block."""

import streamlit as st

from attention_core.experiments.positions.position_kinds import ADDED
from attention_core.experiments.positions.probes import LENGTH, SENTENCES, ByLayer, probe_by_layer, probe_trained_model
from pages.charts.chart import Chart
from pages.charts.lines import line_chart
from pages.look.html import percent, prose
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.reproduce.recipe import Short
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.stream.settings import Settings, choose_settings

WIDTH = 32
MOST_BLOCKS = 6
ASKED_BLOCKS = (4, 3, 5, 6)  # blocks
FADED = 0.05  # a fraction that falls by more than this is said to be less often
ROTATED = ("sinusoidal", "RoPE")  # the kinds made of waves
TRAINED = (
    "Toy English has learned positions and one block. Training gave similar words, such as “big” and “small”, nearly "
    "the same vector, and neighbouring positions too. So the probe makes mistakes even before the block."
)
WITHOUT = {
    "none": "Without position encoding and without a mask, nothing in a vector depends on its position.",
    "RoPE": "RoPE adds no position to the residual stream. Every head rotates q and k afresh, in every block.",
    "ALiBi": "ALiBi adds no position to the residual stream. Every head subtracts its penalty afresh, in every block.",
}


def draw(page: Page, scene: Subject) -> bool:
    """Recover words and positions from the residual stream after every block."""
    controls, settings = page.controls, choose_settings(page, ROTATED)
    asked = ASKED_BLOCKS[page.variant("carried") % len(ASKED_BLOCKS)]
    kind, base, strength, seed, _ = settings
    question = carried_question(probe_by_layer(kind, WIDTH, asked, False, base, strength, seed), asked)

    def show_asked() -> None:
        controls.put(blocks_of="random", blocks=asked, no_residual=True)

    if not page.ask(question, then=show_asked):
        return False
    with st.container(horizontal=True, vertical_alignment="bottom"):
        trained = controls.choice("blocks_of", "Blocks", ("random", "trained"), "random") == "trained"
        n_blocks = controls.slider("blocks", "Number of blocks", 1, MOST_BLOCKS, 4, 1, width=240, disabled=trained)
        cut = controls.switch("no_residual", "Remove the residual connection", disabled=trained)
    if trained:
        found = probe_trained_model(settings.seed)
        for name, field in (("words", "words"), ("positions", "places")):
            short = Short(f"probe_trained_model({settings.seed}).{field}", probe_trained_model)
            page.recipe.given(name, getattr(found, field), short)  # a script has no model at hand
        page.prints("how often the position is recovered after the block", found.places, 1)
        controls.leave_out("encoding", "base", "encoding_scale")
    else:
        found = page.recipe.run("found", probe_by_layer, kind, WIDTH, n_blocks, not cut, base, strength, seed)
        page.prints(f"how often the position is recovered after block {n_blocks}", found.places, n_blocks)
    left, right = st.columns([1.5, 1], gap="medium")
    with left:
        origin = f"Random blocks of width {WIDTH} (seed {settings.seed}), each with 4 heads and no mask."
        if trained:
            origin = "The one block of Toy English, which has no MLP. The seed sets the random words."
        page.show(recovery_by_block(found), note=origin)
    with right:
        page.say(
            f"**The measurement.** {SENTENCES} sequences of {LENGTH} random words pass through the blocks. A **linear "
            "probe**, one matrix fitted to half of them, recovers word and position from the vectors of the other "
            "half. What it recovers is still in the vectors. Whether a later block uses it is another question.",
            "",
        )
        page.say(TRAINED if trained else what_stays(found, settings, cut), "")
    return True


def carried_question(found: ByLayer, n_blocks: int) -> Choice:
    """Ask what is still recovered after some blocks without residual connections."""
    text = prose(
        f"From the input of {n_blocks} random blocks, a linear probe recovers {percent(found.words[0])} of the words "
        f"and {percent(found.places[0])} of the positions. Now each block passes on only its own output, without the "
        "residual connection. After the last block, what does the probe recover?"
    )
    kept, faded = (
        "You expected blocks to pass on what they read. Here each passes on only its own output.",
        "You expected positions to fade. But they are recovered about as often as before the first block.",
    )
    options = {  # by whether words and positions are recovered less often
        (False, False): ("Words and positions as before", kept),
        (False, True): ("Words as before, positions less often", kept),
        (True, False): ("Words less often, positions as before", kept),
        (True, True): ("Both less often", faded),
    }
    words, positions = (bool(values[-1] < values[0] - FADED) for values in (found.words, found.places))
    why = (
        f"Words go from {percent(found.words[0])} to {percent(found.words[-1])}, positions from "
        f"{percent(found.places[0])} to {percent(found.places[-1])}. Guessing recovers {percent(found.chance)} of the "
        "positions."
    )
    return Choice.shuffled("carried", text, [options[words, positions][0]], why, dict(options.values()), n_blocks)


def what_stays(found: ByLayer, settings: Settings, cut: bool) -> str:
    """Return what becomes of positions from the first block to the last, as measured."""
    kind = settings.kind
    words, positions = ([percent(values[i]) for i in (0, -1)] for values in (found.words, found.places))
    if kind not in ADDED or not settings.strength:
        why = WITHOUT["none" if kind in ADDED else kind]
        return (
            f"{why} After the last block the probe recovers {positions[1]}. Guessing recovers {percent(found.chance)}."
        )
    if cut:
        return (
            "Without the residual connection, a block passes on only what it computed. From before the first block to "
            f"after the last, positions go from {positions[0]} to {positions[1]}, words from {words[0]} to {words[1]}."
        )
    similar = " Sinusoidal neighbours are similar, so the probe confuses them." if kind == "sinusoidal" else ""
    return (
        f"Every block *adds* to the stream. So the probe still recovers {positions[1]} of the positions after the last "
        f"block, compared with {positions[0]} before the first.{similar} Remove the residual connection and compare."
    )


def recovery_by_block(found: ByLayer) -> Chart:
    """Return the fractions of words and positions recovered, after each block."""
    words, positions = percent(found.words[-1]), percent(found.places[-1])
    return line_chart(
        found.layers,
        {"positions": found.places, "words": found.words},
        baselines={"guessing": found.chance},
        x_title="blocks passed",
        y_title="fraction recovered",
        number=".0%",
        name="recovered by block",
        sentence=f"After the last block the probe recovers {words} of the words and {positions} of the positions.",
    )
