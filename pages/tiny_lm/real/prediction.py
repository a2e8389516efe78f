"""What the pretrained model predicts after the text, and how it goes on."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_reading import real_predictions
from attention_core.model.generate import generate
from attention_core.pretrained.tokeniser import Tokeniser
from attention_core.text.word_vectors import position_labels
from pages.charts.bars import fraction_bars
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.real.measured import read_by_stories, stories_pieces
from pages.tiny_lm.real.model import chosen_position, computed, pieces_of, record_toy
from pages.tiny_lm.sampling import chosen_sampling

NEW = 12  # tokens that follow the text


def draw_prediction(page: Page, real: ModelInWorker, ids: Tokens) -> None:
    """Show the prediction after one token, and what the model writes next."""
    labels = position_labels(pieces_of(real, ids))
    sampling = chosen_sampling(page)
    found = computed(page, "predictions", real_predictions, real, ids)
    following = computed(page, "following", generate, real, ids, NEW, *sampling)
    left, right = st.columns(2, gap="large")
    with left:
        page.heading("Prediction of the next token", small=True)
        position = chosen_position(page, labels)
        page.prints(f"probability of the likeliest token after {labels[position]}", found.probabilities, position, 0)
        here = found.tokens[position], found.probabilities[position]
        prediction_bars(page, real, *here, f"After {quoted(labels[position])}")
    with right:
        page.heading("A continuation", small=True)
        text = real.tokeniser.decode(ids), real.tokeniser.decode(following)
        shown = (part.replace("\n", "⏎\n") for part in text)
        page.write(Markup('<div class="spoken" style="white-space:pre-wrap"><b>{}</b>{}</div>').format(*shown))
        page.write(
            f"{NEW} tokens after your text: {sampling.how}. With its KV cache the model reads each token once. Its "
            f"vocabulary has {real.config.vocab_size:,} tokens.",
            "note",
        )
        if marks := special_tokens(real.tokeniser, [*following, *found.tokens[position].tolist()]):
            page.write(
                f"{' and '.join(marks)} cannot be typed here. The model was also trained on chats, in which special "
                "tokens begin and end a message.",
                "note",
            )
        predicted_by_stories(page, real.tokeniser.decode(ids))


def special_tokens(tokeniser: Tokeniser, ids: list[int]) -> list[str]:
    """Return those of some tokens that stand for themselves, such as the marks of a chat."""
    return [text for text in dict.fromkeys(tokeniser.pieces(ids)) if text in tokeniser.special]


def predicted_by_stories(page: Page, text: str) -> None:
    stories = record_toy(page, "stories", "stories")
    own = page.recipe.given("pieces", read_by_stories(text))
    toy = page.recipe.run_once("toy_predictions", real_predictions, stories, own)
    best, largest = int(toy.tokens[-1, 0]), float(toy.probabilities[-1, 0])
    page.write(
        f"Small Stories predicts {quoted(visible(stories_pieces().tokens[best]))} after this text, with "
        f"probability {number(largest)}.",
        "note",
    )


def prediction_bars(page: Page, real: ModelInWorker, tokens: Tokens, probabilities: np.ndarray, where: str) -> None:
    names = pieces_of(real, tokens)
    chart = fraction_bars(
        names,
        probabilities,
        name="prediction",
        sentence=f"{where} the top prediction is {quoted(names[0])}: {number(float(probabilities[0]))}.",
        highlight=0,
        of="token",
    )
    page.show(chart)
