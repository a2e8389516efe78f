"""A text as training examples: each row with its context, its target and what it cost; their mean is the loss."""

from functools import lru_cache
from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from attention_core.examples import (
    Examples,
    cut_loss,
    examples,
    expected_loss,
    followers,
    mean_loss,
    mean_where,
    perplexity,
)
from attention_core.packed import pack, unpack
from attention_core.parameters import Model
from attention_core.shipped import MODELS, model_at
from attention_core.sources import source_of, unigram_loss
from pages.shared import cards
from pages.shared.charts.bars import share_bars, signed_bars
from pages.shared.charts.examples import example_bars
from pages.shared.frame import Page
from pages.shared.heads import put_button
from pages.shared.markup import number, power_of_ten, quoted, typed
from pages.tiny_lm.learning_questions import examples_question, hesitation_question
from pages.tiny_lm.subject import PROMPTS, WHEN, Subject, own_model

COUNTING = {  # prompts in which something counts that the training counts
    "pronoun": "the big cat saw a red ball near the hat and it meowed",
    "recall": "a3c7b1e4a3c7",
}
SHOWN = 6
MOST_ASKED = 14  # nats: e to more of them is no number that anybody would type
FRESH, ENOUGH = 4000, 40  # texts drawn to see what follows, and how many must begin alike


def losing(page: Page, subject: Subject) -> None:
    """Draw the prompt as examples, one of them in full, and what their mean says."""
    if too_short(page, subject) or not page.ask(examples_question(subject, page.variant("examples"))):
        return
    cases = page.recipe.run("cases", examples, subject.model, subject.tokens)
    counted = counted_rows(subject)
    left, right = st.columns([1.18, 1], gap="large")
    with right:
        row = chosen_example(page, subject, cases, counted)
    with left:
        draw_examples(page, subject, cases, counted, row)
    with right:
        one_example(page, subject, cases, row)
    st.subheader("Their mean is the loss", anchor=False)
    mean = cases.mean if counted.all() else say_what_counts(page, subject, cases, counted)
    if mean > MOST_ASKED or page.ask(hesitation_question(mean, len(subject.vocabulary))):
        the_mean(page, subject, counted)
    st.subheader("Can it reach 0?", anchor=False)
    what_follows(page, subject, cases, row)


def too_short(page: Page, subject: Subject) -> bool:
    """Say of a prompt of one token that it is no training text; tell whether it is."""
    if short := len(subject.tokens) < 2:
        page.say(f"One {subject.unit} alone has nothing after it to bet on. Write a second one into the prompt.")
    return short


def counted_rows(subject: Subject) -> NDArray[np.bool_]:
    """Return which targets (T,) of the prompt would count in the training of its model."""
    for name in COUNTING:
        source = source_of(name)  # also of a model that was trained here: it says the same of where it learned
        if source.says == subject.says and source.vocabulary.tokens == subject.vocabulary.tokens and source.counts:
            return source.counts(subject.tokens[None])[0]
    return np.ones(len(subject.tokens) - 1, bool)


def chosen_example(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_]) -> int:
    """Draw the list of the examples and return which is chosen; at first the costliest of those that count."""
    options = example_names(subject)
    usual = int(np.where(counted | (not counted.any()), cases.losses, -1.0).argmax())
    return options.index(page.controls.select("example", "Example", options, options[usual], width=220))


def example_names(subject: Subject) -> list[str]:
    """Return the examples as a list names them: how many tokens are seen, and the target."""
    return [f"{place} → {subject.token(int(token))}" for place, token in enumerate(subject.tokens[1:], start=1)]


def ceiling(subject: Subject) -> float:
    """Return the end of the axes for losses: what knows nothing loses two thirds of it."""
    return float(np.ceil(1.5 * np.log(len(subject.vocabulary))))


def draw_examples(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_], row: int) -> None:
    """Draw a row for each example; a click chooses it."""
    words = [subject.token(int(token)) for token in subject.tokens]
    worst = int(cases.losses.argmax())
    share = float(cases.target_bets[worst])
    given = f"{share:.2f}" if share >= 0.005 else "less than 0.01"
    options = example_names(subject)
    chart = example_bars(
        [f"{place} · {word}" for place, word in enumerate(words[:-1], start=1)],
        words[1:],
        cases.target_bets,
        cases.losses,
        counted,
        chosen=row,
        limit=ceiling(subject),
        line=float(np.log(len(subject.vocabulary))),
        name="examples",
        sentence=f"{len(words)} {subject.unit}s make {len(words) - 1} example{'s' * (len(words) > 2)}. The costliest "
        f"is {quoted(words[worst + 1])} after {worst + 1}: the model gave it {given}, and it cost "
        f"{cases.losses[worst]:.2f} nats.",
    )
    note = (
        "Before each row stands how many are seen. A nat is the unit of the natural logarithm; the dashed line is the "
        "loss of a model that knows nothing."
    )
    grey = " Grey rows do not count in this model’s training." if not counted.all() else ""
    page.show(chart, lambda i, _: page.controls.put(example=options[i]), f"{note}{grey} {escape(subject.origin)}")


def one_example(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    """Draw the context, the bet and the loss of one example."""
    words = [subject.token(int(token)) for token in subject.tokens]
    target = words[row + 1]
    chips = [f"<span>{escape(word)}</span>" for word in words[: row + 1]]
    chips += [f'<span class="lit">{escape(target)}</span>', *['<span class="dark">?</span>'] * (len(words) - row - 2)]
    page.write("".join(chips), "chips")
    bets = cases.bets[row]
    order = [int(token) for token in np.argsort(-bets, kind="stable")[:SHOWN]]
    goal = int(cases.targets[row])
    shown = order if goal in order else [*order, goal]
    chart = share_bars(
        [subject.token(token) + (" · target" if token == goal else "") for token in shown],
        bets[shown],
        name="one bet",
        sentence=f"The bet of the chosen example: its {len(order)} likeliest, and the target.",
        highlight=shown.index(goal),
        title="share",
        of=subject.unit,
    )
    page.show(chart)
    share = float(cases.target_bets[row])
    lines = cards.chain(
        ("log of the sum of e<sup>logit</sup>", f"over all {len(bets)} {subject.unit}s", float(cases.log_sums[row])),
        (f"− logit of {typed(target)}", "", float(cases.target_logits[row])),
        ("loss", f"= −log {number(share, 4) if share >= 0.001 else power_of_ten(share)}", float(cases.losses[row])),
    )
    page.write(cards.card(f"How <b>{escape(target)}</b> came to cost {number(float(cases.losses[row]))}", lines))
    alone = page.recipe.run("alone", cut_loss, subject.model, subject.tokens, row)
    apart = abs(alone - float(cases.losses[row]))
    if subject.model.config.causal:
        said = (
            f"Nothing after the target was seen: with the text cut off behind it, the loss is {number(alone, 4)} "
            f"again, {'to the last digit' if apart < 1e-5 else f'{number(apart, 4)} away'}. That is the causal mask at "
            "work, and why all rows can be computed at once."
        )
    else:
        said = (
            f"This model has no mask: it reads the target before it bets. With the text cut off, the loss would be "
            f"{number(alone, 4)}, {number(apart, 4)} away."
        )
    page.write(said, "note")


def say_what_counts(page: Page, subject: Subject, cases: Examples, counted: NDArray[np.bool_]) -> float:
    """Say which rows count in the training of this model, offer a text in which some do, and return their mean."""
    mean = cases.mean
    rows = f"{counted.sum()} of these {len(counted)} rows count" + ("s" if counted.sum() == 1 else "")
    if counted.any():
        page.recipe.given("counted", counted)
        mean = page.recipe.run("counted_mean", mean_where, cases.losses, counted)
        targets = ", ".join(typed(subject.token(int(token))) for token in cases.targets[counted][:6])
        page.write(
            f"Only {rows} in the training of this model: {targets}. Their mean is <b>{number(mean)}</b> nats, that of "
            f"all rows <b>{number(cases.mean)}</b>: what does not count was never taught.",
        )
    else:
        page.write("In the training of this model only tokens count for which it must look back. This text has none.")
    if subject.name in COUNTING:
        field, text = PROMPTS[subject.name][0], COUNTING[subject.name]
        if subject.words != list(text) and " ".join(subject.words) != text:
            put_button(page, "A text in which some count", {field: text}, "counting", ":material/arrow_forward:")
    return mean


@lru_cache(maxsize=8)
def frequencies_alone(name: str) -> float:
    """Return what a model that only knows how frequent each token is loses, on what is held out."""
    own = MODELS[name]
    return unigram_loss(source_of(own.source), own.plan.config.max_len)


def moments(subject: Subject) -> list[tuple[str, Model]]:
    """Return the model at each step at which it can be looked at, with the word of the sidebar for it."""
    own = own_model()
    if subject.name == "own" and own is not None:
        models = list(own.models)
    elif subject.name in MODELS:
        models = [model_at(subject.name, step) for step in subject.steps]
    else:
        models = [subject.model]
    words = WHEN if len(models) == len(WHEN) else [f"after {step:,} steps" for step in subject.steps]
    return list(zip(words, models, strict=True))


def the_mean(page: Page, subject: Subject, counted: NDArray[np.bool_]) -> None:
    """Draw the mean beside its baselines and beside the same model at other moments."""
    every = counted.all() or not counted.any()
    labels, losses = ["uniform"], [float(np.log(len(subject.vocabulary)))]
    if subject.name in MODELS:
        labels.append("unigram")
        losses.append(float(page.recipe.given("frequencies_alone", frequencies_alone(subject.name))))
    found = []
    for word, model in moments(subject):
        name = word.replace(" ", "_").replace(",", "_")
        if model is not subject.model:
            page.recipe.made(f"model_{name}", model, unpack, lambda model=model: pack(model))
        if every:
            mean = page.recipe.run(f"mean_{name}", mean_loss, model, subject.tokens)
        else:
            rows = page.recipe.run(f"cases_{name}", examples, model, subject.tokens)
            mean = page.recipe.run(f"mean_{name}", mean_where, rows.losses, counted)
        labels.append(f"{word} ◂" if model is subject.model else word)
        found.append(mean)
    here = [model for _, model in moments(subject)].index(subject.model)
    effective = page.recipe.run("effective", perplexity, found[here])
    rest = f" Untrained it was {number(found[0])}, in the end {number(found[-1])}." if len(found) > 1 else ""
    chart = signed_bars(
        labels,
        np.array([*losses, *found]),
        limit=ceiling(subject),
        name="mean loss",
        sentence=f"The mean of the {'rows' if every else 'rows that count'} is {number(found[here])} nats.{rest}",
        title="nats",
        of="model",
        positive=True,
    )
    known = f"; unigram: one that only knows how frequent each {subject.unit} is, on texts held out"
    unigram = known if subject.name in MODELS else ""
    left, right = st.columns([1.18, 1], gap="large", vertical_alignment="center")
    with left:
        page.show(
            chart,
            note="The same text at each moment of training; ◂ is the one above. Uniform: what a model loses that knows "
            f"nothing{unigram}.",
        )
    with right:
        page.say(
            f"Perplexity is e to the loss: **{number(effective)}**. The model pays as much as somebody who hesitates "
            f"among {number(effective)} {subject.unit}s, all as likely. One that knows nothing hesitates among all "
            f"{len(subject.vocabulary)}.",
            "",
        )


@lru_cache(maxsize=256)
def fresh_counts(name: str, context: tuple[int, ...]) -> NDArray[np.int64]:
    """Return how often each token (V,) came next in fresh texts that begin with these tokens."""
    source = source_of(MODELS[name].source)
    drawn = source.draw(np.random.default_rng(len(context)), FRESH, len(context)).rows.astype(np.int64)
    alike = (drawn[:, :-1] == np.array(context)).all(axis=1)
    counts = np.bincount(drawn[alike, -1], minlength=len(source.vocabulary))
    counts.flags.writeable = False
    return counts


def what_follows(page: Page, subject: Subject, cases: Examples, row: int) -> None:
    """Compare the bet of one example with what followed the same beginning in fresh texts."""
    page.write(
        "Only where the text settles what comes. Elsewhere several tokens may follow, and whoever bets on them must "
        "pay for those that did not come. Choose example 1 and draw fresh texts that begin alike."
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        drawn = page.controls.switch("fresh", "Draw fresh texts")
        if row:
            first = {"example": example_names(subject)[0]}
            put_button(page, "Example 1", first, "first_example", disabled="example" in page.controls.locked)
    if not drawn:
        return
    if subject.name not in MODELS:
        page.write("For a model of your own there are no texts to draw from here.", "note")
        return
    context = subject.tokens[: row + 1]
    counts = fresh_counts(subject.name, tuple(context.tolist()))
    n_alike = int(counts.sum())
    if n_alike < ENOUGH:
        page.write(
            f"Of {FRESH:,} fresh texts, {n_alike} begin with these {len(context)} {subject.unit}s: too few to say. "
            "Choose an example further up.",
            "note",
        )
        return
    found = page.recipe.run("following", followers, page.recipe.given("counts", counts))
    paid = page.recipe.run("paid", expected_loss, found.shares, cases.bets[row])
    order = np.argsort(-found.shares, kind="stable")[:SHOWN]
    left, right = st.columns([1.18, 1], gap="large", vertical_alignment="center")
    with left:
        chart = share_bars(
            [subject.token(int(token)) for token in order],
            found.shares[order],
            name="what follows",
            sentence=f"What came next in {n_alike:,} of {FRESH:,} fresh texts: the likeliest has a share of "
            f"{found.shares.max():.2f}.",
            title="share of what came",
            of=subject.unit,
        )
        page.show(chart)
    with right:
        page.say(
            f"The entropy of what came is **{number(found.entropy)}** nats. No bet can lose less on average, however "
            f"large the model. The bet of this model would lose **{number(paid)}** on these texts.",
            "",
        )
