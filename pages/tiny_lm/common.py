"""Small maps, texts, predictions and lists to choose from that several steps of the lesson draw."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.experiments.language.next_token import Decisions
from attention_core.text.characters import split_characters
from pages.charts.bars import fraction_bars
from pages.look.facts import ordered, several
from pages.look.html import number, quoted, seen
from pages.page.buttons import put_button
from pages.page.page import Page
from pages.tiny_lm.model_in_view import NAMES, Subject, visible
from pages.tiny_lm.units import joined

USUAL_MODEL = next(iter(NAMES))  # three layers of attention and an MLP
SORTED = 9  # digits by which probabilities are sorted: where these are equal, rounding would decide
MAX_OPTIONS = 4  # answers to choose from
N_LIKELIEST = 5  # of the vocabulary, the likeliest
LAST = 8  # tokens of a prompt that are named
LONGEST_WORD = 14  # characters that stay on one line
ENDED = (
    "Thin outline: the same token as after the last layer. Training reads that layer alone, so an earlier reading is "
    "not a prediction of the model."
)
BUILT = "This model has {layers} attention {mlp}. A usual transformer has several layers with both: see {usual}."


def layer_names(n_layers: int) -> list[str]:
    return ["embedding", *(f"layer {layer + 1}" for layer in range(n_layers))]


def head_names(n_layers: int, n_heads: int) -> list[str]:
    if n_layers == 1:
        return [f"head {head + 1}" for head in range(n_heads)]
    return [head_word(layer, head) for layer in range(n_layers) for head in range(n_heads)]


def head_word(layer: int, head: int) -> str:
    return f"{layer + 1}.{head + 1}"


def long_name(n_layers: int, layer: int, head: int) -> str:
    return f"layer {layer + 1} head {head + 1}" if n_layers > 1 else f"head {head + 1}"


def text_of(subject: Subject, tokens: Tokens) -> str:
    """Return tokens as one text, its line ends and what steers the text around it shown."""
    text = joined(subject.vocabulary, tokens, subject.unit).replace("\n", "⏎")
    return seen(text) if text.strip(" ") else text


def end_of(subject: Subject, tokens: Tokens) -> str:
    """Return the last tokens of a prompt in quotation marks, from the beginning of a word where one is among them."""
    text, cut = text_of(subject, tokens[-LAST:]).rstrip(), len(tokens) > LAST
    whole = text.partition(" ")[2] if cut and subject.unit == "piece" else text
    return quoted("…" * cut + (whole or text).strip())


def shortened(token: str, longest: int) -> str:
    """Return a token that fits into a narrow cell."""
    characters = split_characters(token)
    return token if len(characters) <= longest else "".join(characters[: longest - 1]) + "…"


def chosen_place(page: Page, labels: list[str], word: str = "at") -> int:
    return labels.index(page.controls.select(word, "Position", labels, labels[-1], width=170))


def ceiling(*losses: float) -> float:
    """Return the top of an axis of losses: the half above the largest."""
    return math.ceil(2 * max(*losses, 0.5)) / 2


@contextmanager
def patience(text: str, known: bool) -> Iterator[None]:
    """Say what is being computed while it is, unless it is known already; its place stays, so that nothing moves."""
    with st.empty():
        if known:
            yield
        else:
            with st.spinner(text):
                yield


def generated_text(
    subject: Subject, found: Decisions, n_new: int, picked: int | None = None, ends: bool = True
) -> Markup:
    """Return the prompt and the generated text, a bar under each new token: its probability. It may end with a gap."""
    words: list[list[Markup]] = [[]]  # tokens between which no line breaks
    spaced = list[int]()  # those of them that a space comes before: there, a line may break
    for place in range(n_new):
        token = subject.vocabulary.tokens[int(found.tokens[place])]
        if subject.unit == "piece" and token.startswith(" "):
            words.append([])
            spaced += [len(words) - 1] if token.strip() else []
        words[-1].append(token_with_probability(subject, found, place, place == picked))
        if token == "\n":
            words[-1].append(Markup("<br>"))
        if not token.strip() or len(words[-1]) > LONGEST_WORD:
            words.append([])
    if ends:
        words[-1].append(Markup('<span class="next{}">?</span>').format(" picked" if picked == n_new else ""))
    word = Markup("{}") if subject.unit == "word" else Markup("<em>{}</em>")
    gaps = [" " if place in spaced else "" for place in range(len(words))]
    texts = Markup("").join(gap + word.format(Markup("").join(parts)) for gap, parts in zip(gaps, words, strict=True))
    prompt = text_of(subject, subject.tokens) if subject.unit == "piece" else subject.space.join(subject.words)
    return Markup('<div class="spoken"><b>{}</b>{}{}</div>').format(prompt, subject.space, texts)


def token_with_probability(subject: Subject, found: Decisions, place: int, picked: bool) -> Markup:
    """Return a generated token, over a bar that is as high as its probability."""
    token = int(found.tokens[place])
    probability, text = float(found.bets[place, token]), subject.vocabulary.tokens[token]
    shown = text if text.strip() else visible(text) if picked else " "
    shown = shown.removeprefix(" ") if subject.unit == "piece" and text.strip() else shown
    mark = Markup(' class="picked"') if picked else ""
    return Markup('<span{} title="{}: {}">{}<i style="height:{}px"></i></span>{}').format(
        mark, visible(text), number(probability), shown, f"{max(1.0, 11 * probability):.1f}", subject.space
    )


def bet_bars(
    page: Page, subject: Subject, bets: Array, name: str = "prediction", most: int = N_LIKELIEST, whose: str = ""
) -> None:
    """Draw the likeliest next tokens as bars, and say `whose` numbers they are where nothing else near by does."""
    order = ordered(bets, SORTED)[:most]
    rest = number(max(1 - float(bets[order].sum()), 0.0))
    left = f" The other {len(bets) - most:,} sum to {rest}." if len(bets) > most else ""
    said = f"The likeliest next {subject.noun}s.{left}"
    tokens = [subject.token(token) for token in order]
    likeliest_bars(page, tokens, bets[order], name, said, subject.noun, note=whose, quiet=False)


def likeliest_bars(
    page: Page,
    tokens: Sequence[str],
    shares: Array,
    name: str,
    said: str,
    noun: str = "token",
    bold: int | None = None,
    note: str = "",
    quiet: bool = True,
) -> None:
    """Draw the probabilities of some tokens as bars, perhaps one of them in bold."""
    chart = fraction_bars(list(tokens), shares, name=name, sentence=said, highlight=bold, of=noun)
    page.show(chart, note=note, quiet=quiet)


def too_short(page: Page, subject: Subject) -> bool:
    """Say of a prompt of one token that it has no target; tell whether it is one."""
    if short := len(subject.tokens) < 2:
        page.say(f"One {subject.noun} has no next {subject.noun}, so there is no target. Type a second one.")
    return short


def asked_position(subject: Subject, variant: int) -> int:
    """Return the position that a question is about: the last one first, another with each variant."""
    return len(subject.tokens) - 1 - variant % len(subject.tokens)


def distinct(numbers: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(int(number) for number in numbers))[:MAX_OPTIONS]


def architecture_note(page: Page, subject: Subject) -> None:
    """Say of a model with one layer, or without MLPs, that others have both, and offer one that has."""
    config = subject.model.config
    if config.n_layers > 1 and config.d_hidden:
        return
    layers = f"{several(config.n_layers, 'layer')} with"
    mlp = "and an MLP" if config.d_hidden else "but no MLP"
    page.write(BUILT.format(layers=layers, mlp=mlp, usual=USUAL_MODEL), "note")
    go_to_usual(page, "usual")


def go_to_usual(page: Page, key: str) -> None:
    fixed = "model" in page.controls.locked
    put_button(page, f"Go to {USUAL_MODEL}", {"model": USUAL_MODEL}, key, ":material/arrow_forward:", disabled=fixed)
