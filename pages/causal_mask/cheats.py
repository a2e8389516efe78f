"""Toy English and the same model trained without a mask: what each gets right in training, and when it generates."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.experiments.inside.compare_models import Assessment, assess
from attention_core.model.forward import attention_weights
from attention_core.model.generate import generate
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from attention_core.text.encoded import pack_array, unpack_array
from pages.causal_mask.readers import MASKED, UNMASKED, named_model, read_in_english, vocabulary
from pages.causal_mask.scene import Masked
from pages.charts.heatmap import attention_heatmap, outline
from pages.look import cards
from pages.look.facts import change, largest
from pages.look.html import number, percent, prose, table
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short
from pages.server.model_cache import cached

N_NEW = 8  # words that each model writes
PAIR = (("masked_model", MASKED), ("unmasked_model", UNMASKED))  # what a script calls each, and the shipped model

STEP = Step(
    "no mask",
    "Without a mask, this model learned to cheat",
    "Here is an **ablation** of Toy English: the same model, trained on the same text without a mask. In such text, "
    "one of its heads attends mostly to the next word, the one to predict.",
    asks="What goes wrong without the mask?",
    then="Cut the text elsewhere: both models go on.",
    experiment="cut",
)


def draw(page: Page, scene: Masked) -> bool:
    """Show the head that reads the answer; once it was asked, what this is worth in training and in generating."""
    held = source_of(ENGLISH.source).held_out(ENGLISH.plan.config.max_len).rows
    read = read_in_english(scene.words)
    if read.note:
        page.write(f"{read.note}, so both models read another sentence.", "note")
    models = {name: named_model(page, name, shipped) for name, shipped in PAIR}
    tokens = page.recipe.given("tokens", read.tokens.tolist())
    weights = page.recipe.run("unmasked_weights", attention_weights, models["unmasked_model"], tokens)  # (L, H, T, T)
    known = [cached(assess, model_at(shipped), held) for _, shipped in PAIR]
    layer, head = largest(known[1].ahead).cell
    kept = weights[layer, head].astype(float)

    def draw_head(at: int | None = None) -> None:
        page.head(f"Head {head + 1} of the model that was trained without a mask")
        said = f"The mean weight on the next word is {number(float(np.diagonal(kept, offset=1).mean()))}."
        page.show(attention_heatmap(kept, read.labels, outline(at), name="a head without a mask", sentence=said))

    columns = page.ask_beside(twin_question(*known), draw_head, spans=2)
    if not columns:
        return False
    with columns[1]:
        at = page.controls.pick("cut", "Cut the text after", read.labels, 2)
        last = min(at + 1, len(tokens) - 1)
        page.prints(
            f"weight of {read.labels[at]} on {read.labels[last]}", f"unmasked_weights[{layer}, {head}][{at}][{last}]"
        )
        for name, title in (("masked_model", "With the mask:"), ("unmasked_model", "Without a mask:")):
            new = page.recipe.run(f"{name}_writes", generate, models[name], tokens[: at + 1], N_NEW, 0.0)
            texts = (" ".join(vocabulary().decode(ids)) for ids in (tokens[: at + 1], new))
            line = Markup('<p style="margin-top:10px">{}<br><span class="soft">{}</span> <b>{}</b></p>')
            page.write(line.format(title, *texts))
        short = Short(f"source_of({ENGLISH.source!r}).held_out({ENGLISH.plan.config.max_len}).rows", source_of)
        rows = page.recipe.made("held_out", held, unpack_array, lambda: pack_array(held), short)
        masked, unmasked = (page.recipe.run_once(f"{one}_tested", assess, models[one], rows) for one in models)
        lines = [
            ("whole text read: loss", number(masked.loss, 3), number(unmasked.loss, 3)),
            ("whole text read: right", percent(masked.accuracy), percent(unmasked.accuracy)),
            ("generating: right", percent(masked.cut_accuracy), percent(unmasked.cut_accuracy)),
        ]
        with st.container(border=True, key="causal_mask_cheats_worked"):
            page.write(cards.card("On texts that were not trained on", table(("", "with mask", "without"), lines)))
    with columns[0]:
        draw_head(at)
    return True


def twin_question(masked: Assessment, unmasked: Assessment) -> Choice:
    """Ask what training without a mask does to the loss, and to what a model generates."""
    text = prose(
        "When a model generates, there is no next word to attend to. The **loss** says how badly a model predicts a "
        "text that it reads whole, as in training. How does the model without a mask compare to the one with it?"
    )
    options = {
        "Lower loss, better generating": "The lower loss is real, but it comes from copying the answer.",
        "Lower loss, worse generating": "",
        "Higher loss, worse generating": "You thought that the mask helps training. But it only blocks words.",
        "The same in both": "You thought that the mask matters only in generating. It changes what training rewards.",
    }
    lower = change(masked.loss, unmasked.loss, 3) == "falls"
    better = change(masked.cut_accuracy, unmasked.cut_accuracy) == "rises"
    right = f"{'Lower' if lower else 'Higher'} loss, {'better' if better else 'worse'} generating"
    why = (
        f"On new texts, its loss is {number(unmasked.loss, 3)} instead of {number(masked.loss, 3)}, because it reads "
        f"the answer. When it generates, {percent(unmasked.cut_accuracy)} of its predictions are right; with the mask, "
        f"{percent(masked.cut_accuracy)} are."
    )
    return Choice.of("twin", text, right, why, options, 0)
