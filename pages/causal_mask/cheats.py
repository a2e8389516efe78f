"""Toy English and the same model trained without a mask: what each gets right in training, and when it generates."""

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.experiments.inside.compare_models import Assessment, assess, predict_each
from attention_core.model.as_text import pack_array, unpack_array
from attention_core.model.generate import generate
from attention_core.model.parameters import Model
from attention_core.shipped.models import model_at
from attention_core.shipped.plans import ENGLISH
from attention_core.text.corpora import source_of
from attention_core.text.word_vectors import position_labels
from pages.causal_mask.scene import Masked
from pages.causal_mask.toy_english import (
    MASKED,
    UNMASKED,
    Reading,
    best,
    named_model,
    read_up_to,
    reading_of,
    verdict,
    vocabulary,
)
from pages.look import cards
from pages.look.html import number, percent, prose, table, typed
from pages.page.page import Page
from pages.page.questions.kinds import Choice
from pages.page.steps import Step
from pages.reproduce.recipe import Short
from pages.server.model_cache import cached

N_NEW = 8  # words that each model writes
PAIR = (("masked_model", MASKED), ("unmasked_model", UNMASKED))  # what a script calls each, and the shipped model

STEP = Step(
    "no mask",
    "Without a mask, a model learns to cheat",
    "Here is an **ablation** of Toy English: the same model, trained in the same way on the same text, but without a "
    "mask. At every position it may attend to the very word that it must predict.",
    asks="What goes wrong without the mask?",
    then="Cut the text after another word: the model without a mask has nothing left to copy.",
    words="cut",
)


def draw(page: Page, scene: Masked) -> bool:
    """Compare a model with its ablation without a mask: in training, on the text in view, and when it generates."""
    held = source_of(ENGLISH.source).held_out(ENGLISH.plan.config.max_len).rows
    if not page.ask(twin_question(*(cached(assess, model_at(shipped), held) for _, shipped in PAIR))):
        return False
    models = {name: named_model(page, name, shipped) for name, shipped in PAIR}
    found = tested(page, models, held)
    read = reading_of(scene)
    if read.note:
        page.write(read.note, "note")
    tokens = page.recipe.given("tokens", read.tokens.tolist())
    ways = [
        page.recipe.run("with_mask", predict_each, models["masked_model"], tokens),
        page.recipe.run("whole_text", predict_each, models["unmasked_model"], tokens),
        page.recipe.run("cut_text", predict_each, models["unmasked_model"], tokens, True),
    ]
    left, right = st.columns([1, 1.5], gap="medium")
    with left:
        with st.container(border=True):
            page.write(measured_card(*found))
        labels = position_labels(read.words)
        at = labels.index(page.controls.select("cut", "Cut the text after", labels, labels[min(2, len(labels) - 1)]))
        word, _ = best(ways[2][at])
        place = int(ways[2][at].argmax())
        page.prints(f"probability of {word} when the text is cut after {labels[at]}", ways[2], at, place)
        for name, title in (("masked_model", "Trained with the mask"), ("unmasked_model", "Trained without a mask")):
            new = page.recipe.run(f"{name}_writes", generate, models[name], tokens[: at + 1], N_NEW, 0.0)
            texts = " ".join(read.words[: at + 1]), " ".join(vocabulary().decode(new))
            line = Markup('<p style="margin-top:10px">{}<br><span class="soft">{}</span> <b>{}</b></p>')
            page.write(line.format(title, *texts))
    with right, st.container(border=True):
        page.write(reading_card(read, ways, at))
    return True


def tested(page: Page, models: dict[str, Model], held: Tokens) -> list[Assessment]:
    """Return how good each model is on texts on which it was not trained."""
    short = Short(f"source_of({ENGLISH.source!r}).held_out({ENGLISH.plan.config.max_len}).rows", source_of)
    rows = page.recipe.made("held_out", held, unpack_array, lambda: pack_array(held), short)
    return [page.recipe.run_once(f"{name}_tested", assess, model, rows) for name, model in models.items()]


def measured_card(masked: Assessment, unmasked: Assessment) -> Markup:
    """Return the losses and accuracies of both models, as in training and as in generating."""
    lines = [
        ("as in training: loss", number(masked.loss, 3), number(unmasked.loss, 3)),
        ("as in training: right", percent(masked.accuracy), percent(unmasked.accuracy)),
        ("generating: right", percent(masked.cut_accuracy), percent(unmasked.cut_accuracy)),
        ("weight on the next word", number(float(masked.ahead.max())), number(float(unmasked.ahead.max()))),
    ]
    told = prose(
        "In training, the models read the whole text. When they generate, the text ends at each prediction. The weight "
        "is the mean attention weight of the head with the largest."
    )
    return cards.card("On texts that were not trained on", table(("", "with mask", "without"), lines), told)


def reading_card(read: Reading, ways: list[Array], at: int) -> Markup:
    """Return what both models predict at each position of the text, and the second also if the text is cut there."""
    tokens = read.tokens.tolist()
    answers = [*tokens[1:], None]
    lines = [
        (
            read_up_to(read.words[max(0, place - 1) : place + 1], min(place, 1)),
            typed(read.words[place + 1]) if answer is not None else Markup('<span class="soft">unknown</span>'),
            *(verdict(way[place], answer) for way in ways),
        )
        for place, answer in enumerate(answers)
    ]
    head = ("after", "next word", "with mask", "without, whole text", "without, text cut here")
    told = prose(
        "Each cell has the most probable next word and its probability. In the last column the text ends after the "
        "word, as it does when the model generates."
    )
    return cards.card("Predictions on this text", table(head, lines, bold=at, left=5, folds=True), told)


def twin_question(masked: Assessment, unmasked: Assessment) -> Choice:
    """Ask what training without a mask does to the loss, and to what a model generates."""
    text = prose(
        "Both models are trained for the same number of steps. Then both generate, so that no next word is there to "
        "attend to. Compare the model without a mask to the one with it. What do you expect?"
    )
    options = {
        "Lower training loss, better generating": "The lower loss is real, but it comes from copying the answer.",
        "Lower training loss, worse generating": "",
        "Higher training loss, worse generating": "You thought that the mask helps training. But it only blocks words.",
        "The same in both": "You thought that the mask matters only in generating. It changes what training rewards.",
    }
    names = list(options)
    lower, better = unmasked.loss < masked.loss, unmasked.cut_accuracy > masked.cut_accuracy
    right = names[0] if lower and better else names[1] if lower else names[2]
    why = (
        f"If it reads whole texts, as in training, its loss is {number(unmasked.loss, 3)} instead of "
        f"{number(masked.loss, 3)}, because it reads the answer. When it generates, "
        f"{percent(unmasked.cut_accuracy)} of its predictions are right; with the mask, "
        f"{percent(masked.cut_accuracy)} are."
    )
    return Choice.shuffled("twin", text, (right,), why, options, 0)
