"""The run as it is beside the run with heads changed: the watched head, the prediction, the next words."""

import numpy as np
import streamlit as st
from markupsafe import Markup

from attention_core.arrays import Array, Tokens
from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.patching import write_with_heads
from attention_core.model.generate import generate
from pages.charts.bars import fraction_bars
from pages.charts.heatmap import NO_LEGEND, Axes, heatmap, outline
from pages.look.colours import INK, KEY
from pages.look.facts import largest, ordered, tell_change
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.tiny_lm.bench.changes import Bench
from pages.tiny_lm.common import SORTED, head_names, text_of
from pages.tiny_lm.model_in_view import Subject

LAST = 24  # tokens in the map, and more where the watched key comes before
N_LIKELIEST = 3  # of the vocabulary, the likeliest
NEW = {"word": 8, "piece": 10, "character": 16}  # tokens that each run writes
HOW = {"other prompt": "patched", "mean": "at its mean", "zero": "switched off"}
GOES, STAYS = "{what} goes from **{before}** to **{after}**.", "{what} stays at **{after}**."
WATCHED, PREDICTED = "The weight of head {} on {}", "The prediction {}"
STILL, AMONG, LOSES = ", and is still the likeliest.", ", as do others.", ", and loses to {other}."
RUN_AXES = Axes("run", "key", "attention weight", INK, KEY)


def draw_runs(page: Page, subject: Subject, bench: Bench) -> None:
    """Draw what the watched head attends to from the last token in each run, and the predictions."""
    names = head_names(*bench.before.weights.shape[:2])
    layer, head = place = divmod(bench.watched, subject.model.config.n_heads)
    before, after, beside = (run.weights[layer, head, -1] for run in (bench.before, bench.after, bench.beside))
    key = bench.link.key if place == bench.link.later else largest(before).first
    page.prints(
        f"weight of head {names[bench.watched]} on {subject.labels[key]}", "after.weights", layer, head, -1, key
    )
    page.drawing.pictured = f"after.weights[{layer}, {head}]"
    now = page.recipe.run("prediction", softmax, bench.before.logits)[-1]
    then = page.recipe.run("changed_prediction", softmax, bench.after.logits)[-1]
    runs_map(page, subject, {"as it is": before, changed(bench, names): after, "other prompt": beside}, place, key)
    page.say(told(subject, bench, names, (before[key], after[key]), key, now, then), "")
    draw_predictions(page, subject, bench, [now, then], names)
    page.write(subject.origin, "note")


def runs_map(page: Page, subject: Subject, rows: dict[str, Array], head: tuple[int, int], key: int) -> None:
    """Draw the weights of a head from the last token, a row for each run."""
    first = max(0, min(key, len(subject.labels) - LAST))
    labels, weights = subject.labels[first:], np.stack(list(rows.values()))[:, first:]
    name = f"{head[0] + 1}.{head[1] + 1}"
    last = f" The map shows the last {len(labels)} tokens." if first else ""
    chart = heatmap(
        weights,
        list(rows),
        labels,
        RUN_AXES,
        *(outline(len(rows) - 1 and 1, key - first), NO_LEGEND),
        name="watched head",
        sentence=f"Head {name} from the last token, {quoted(subject.labels[-1])}: "
        + ", ".join(f"{run} {number(float(weights[i, key - first]))}" for i, run in enumerate(rows))
        + f" on {quoted(subject.labels[key])}.{last}",
    )
    page.show(chart)


def changed(bench: Bench, names: list[str]) -> str:
    """Return what was changed, as the title of a picture says it."""
    if not bench.heads:
        return "no head changed"
    if len(bench.heads) > 1:  # the sentence below names them
        return f"{len(bench.heads)} heads {HOW[bench.way].replace('its', 'their')}"
    return f"head {names[bench.heads[0]]} {HOW[bench.way]}"


def told(
    subject: Subject, bench: Bench, names: list[str], weights: tuple[float, float], key: int, now: Array, then: Array
) -> str:
    """Return what was changed, and what it did to the watched weight and to the prediction."""
    if not bench.heads:
        return "No head is changed, so both runs are the same. Choose a head above."
    best, after = largest(now).first, largest(then)
    one = len(bench.heads) == 1
    heads = " and ".join(", ".join(names[head] for head in bench.heads).rsplit(", ", 1))
    verb = HOW[bench.way] if one else HOW[bench.way].replace("its", "their")
    where = "" if bench.position is None else f" at {quoted(subject.labels[bench.position])}"
    end = LOSES if best not in after.places else STILL if after.is_one else AMONG
    end = end.format(other=quoted(subject.token(after.first)))
    watched = WATCHED.format(names[bench.watched], quoted(subject.labels[key]))
    goes = f"{GOES[:-1]}{end}"
    return " ".join(
        (
            f"{'Head' if one else 'Heads'} **{heads}** {'is' if one else 'are'} {verb}{where}.",
            tell_change(weights[0], weights[1], falls=GOES, rises=GOES, stays=STAYS, what=watched),
            tell_change(
                float(now[best]),
                float(then[best]),
                falls=goes,
                rises=goes,
                stays=f"{STAYS[:-1]}{end}",
                what=PREDICTED.format(quoted(subject.token(best))),
            ),
        )
    )


def draw_predictions(page: Page, subject: Subject, bench: Bench, found: list[Array], names: list[str]) -> None:
    """Draw the probabilities of the same tokens in each run."""
    order = ordered(np.max(found, axis=0), SORTED)[:N_LIKELIEST]
    words = [subject.token(int(token)) for token in order]
    titles = ("as it is", changed(bench, names))
    for column, probabilities, title in zip(st.columns(2, gap="medium"), found, titles, strict=True):
        with column:
            best = largest(probabilities).first
            page.write(Markup("<b>{}</b>").format(title[0].upper() + title[1:]))
            chart = fraction_bars(
                words,
                probabilities[order],
                name=f"prediction {'changed' if title == titles[1] else title}",
                sentence=f"Likeliest: {quoted(subject.token(best))}, {number(float(probabilities[best]))}.",
                of=subject.noun,
            )
            page.show(chart)


def draw_texts(page: Page, subject: Subject, bench: Bench) -> None:
    """Write what each run generates after its prompt, and mark the tokens that differ from the run as it is."""
    names = head_names(*bench.before.weights.shape[:2])
    n_new = 1 if subject.name == "recall" else NEW[subject.unit]
    write, model, heads = page.recipe.run_once, subject.model, bench.heads
    usual = np.array(write("text", generate, model, subject.tokens, n_new, 0.0))
    how = heads, bench.instead, bench.position
    changed_text = write("changed_text", write_with_heads, model, subject.tokens, n_new, *how)
    other = np.array(write("other_text", generate, model, bench.other, n_new, 0.0))
    line = Markup('<div class="spoken small"><span class="soft">{}:</span> <b>{}</b>{}{}</div>')
    rows = (
        ("as it is", subject.tokens, usual),
        (changed(bench, names), subject.tokens, changed_text),
        ("on the other prompt", bench.other, other),
    )
    for title, prompt, text in rows:
        both = marked(subject, prompt, subject.tokens), subject.space, marked(subject, text, usual)
        page.write(line.format(title, *both))
    page.write("Each token is the likeliest one. Marked: tokens that differ from the first line.", "note")


def marked(subject: Subject, tokens: Tokens, usual: Tokens) -> Markup:
    """Return a text, its tokens marked where another token stands in the usual text."""
    words = []
    for place, token in enumerate(tokens):
        text = text_of(subject, tokens[place : place + 1])
        differs = place < len(usual) and usual[place] != token
        words.append(Markup("<mark>{}</mark>").format(text) if differs else Markup("{}").format(text))
    return Markup("{}").format(subject.space).join(words)
