"""The run as it is beside the run with heads changed: the watched head, the prediction."""

import numpy as np
import streamlit as st

from attention_core.arrays import Array
from attention_core.equations.softmax import softmax
from pages.charts.heatmap import NO_LEGEND, Axes, heatmap, outline
from pages.look.colours import INK, KEY
from pages.look.facts import largest, ordered, tell_change
from pages.look.html import quoted
from pages.page.canvas import Columns
from pages.page.page import Page
from pages.tiny_lm.bench.changes import WAYS, Bench
from pages.tiny_lm.common import SORTED, likeliest_bars
from pages.tiny_lm.model_in_view import Subject

LAST = 24  # tokens in the map, and more where the watched key comes before
N_LIKELIEST = 3  # of the vocabulary, the likeliest
GOES, STAYS = "{what} goes from **{before}** to **{after}**{end}", "{what} stays at **{after}**{end}"
WATCHED, PREDICTED = "The weight of head {head} on {key}", "The prediction {token}"
STILL, AMONG, LOSES = ", and is still the likeliest.", ", and is one of the likeliest.", ", and loses to {other}."
SAME_BEFORE = "The other prompt has {new} for {token}. Before it, both are equal: there a patch changes nothing."
UNCHANGED = "No head is changed, so both runs are the same. Choose a head above."
RUN_AXES = Axes("run", "key", "attention weight", INK, KEY)


def draw_runs(page: Page, columns: Columns, subject: Subject, bench: Bench) -> None:
    """Draw what the watched head attends to from the last token in each run, and the predictions."""
    layer, head = place = divmod(bench.watched, subject.model.config.n_heads)
    before, after, beside = (run.weights[layer, head, -1] for run in (bench.before, bench.after, bench.beside))
    key = bench.link.key if place == bench.link.later else largest(before).first
    what = f"weight of head {bench.names[bench.watched]} on {subject.labels[key]}"
    page.prints(what, "after.weights", layer, head, -1, key)
    page.drawing.weights = f"after.weights[{layer}, {head}]"
    now = page.recipe.run("prediction", softmax, bench.before.logits)[-1]
    then = page.recipe.run("changed_prediction", softmax, bench.after.logits)[-1]
    with columns[0]:
        runs_map(page, subject, bench, {"as it is": before, bench.changed: after, "other prompt": beside}, key)
    with columns[1]:
        page.say(told(subject, bench, (before[key], after[key]), key, now, then), "")
    tops = [largest(shares, SORTED).first for shares in (now, then)]
    order = [*dict.fromkeys([*tops, *ordered(np.maximum(now, then), SORTED)[:N_LIKELIEST]])][:N_LIKELIEST]
    tokens = [subject.token(int(token)) for token in order]
    for column, name, title, shares in zip(
        st.columns(2, gap="medium"), ("as it is", "changed"), ("as it is", bench.changed), (now, then), strict=True
    ):
        with column:
            page.head(title[0].upper() + title[1:])
            likeliest_bars(
                page, tokens, shares[order], f"prediction {name}", f"The likeliest {subject.noun}s.", subject.noun
            )
    page.write(subject.origin, "note")


def runs_map(page: Page, subject: Subject, bench: Bench, rows: dict[str, Array], key: int) -> None:
    """Draw the weights of the watched head from the last token, a row for each run."""
    first = max(0, min(key, len(subject.labels) - LAST))
    labels, weights = subject.labels[first:], np.stack(list(rows.values()))[:, first:]
    said = f"Head {bench.names[bench.watched]} from the last token, {quoted(subject.labels[-1])}."
    said += f" Outlined: its weight on {quoted(subject.labels[key])}."
    if bench.position is not None:
        said += f" Changed at {quoted(subject.labels[bench.position])} alone."
    layers, note = (outline(1, key - first), NO_LEGEND), ""
    if len(differ := np.flatnonzero(subject.tokens != bench.other)) and bench.way == WAYS[0] and differ[0]:
        token, new = quoted(subject.labels[differ[0]]), quoted(subject.token(bench.other[differ[0]]))
        note = SAME_BEFORE.format(token=token, new=new) if subject.model.config.causal else ""
    page.show(heatmap(weights, list(rows), labels, RUN_AXES, *layers, name="watched head", sentence=said), note=note)


def told(subject: Subject, bench: Bench, weights: tuple[float, float], key: int, now: Array, then: Array) -> str:
    """Return what the change did to the watched weight and to the prediction."""
    if not bench.heads:
        return UNCHANGED
    after, (best, other) = largest(then), (largest(shares, SORTED).first for shares in (now, then))
    end = LOSES if best not in after.places else STILL if after.is_one else AMONG
    end = end.format(other=quoted(subject.token(other)))
    watched = WATCHED.format(head=bench.names[bench.watched], key=quoted(subject.labels[key]))
    predicted, shares = PREDICTED.format(token=quoted(subject.token(best))), (float(now[best]), float(then[best]))
    return " ".join(
        tell_change(*numbers, falls=GOES, rises=GOES, stays=STAYS, what=what, end=how)
        for numbers, what, how in ((weights, watched, "."), (shares, predicted, end))
    )
