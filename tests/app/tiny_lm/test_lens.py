"""lens: the reading of every layer, the logit contribution of every part, and a head switched off."""

from functools import partial

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from attention_core.experiments.inside.logit_lens import (
    attribute_head,
    attribute_logit,
    attribution_difference,
    logit_lens,
    token_path,
)
from pages.look.html import number, quoted
from pages.tiny_lm.common import adds_positions
from pages.tiny_lm.contributions import ALONE
from pages.tiny_lm.lens import N_LIKELIEST, ROWS, reason
from pages.tiny_lm.model_in_view import visible
from pages.tiny_lm.units import as_text
from tests.app.steps import step
from tests.app.tiny_lm.models import (
    close,
    each_model,
    in_view,
    line,
    named,
    values,
)
from tests.app.visits import charts, click, domain, heatmap, html_of, main, reveal, said, shared, visit

show, show_parts = partial(step, "tiny_lm", "lens"), partial(step, "tiny_lm", "contributions")
BIBLE = "King James Bible"


@each_model
@pytest.mark.parametrize("when", ["untrained", "trained"])
@pytest.mark.promise("tiny_lm 8")
def test_the_lens_shows_every_reading(label, when):
    _, source, tokens, labels, inside = in_view(label, when)
    names = as_text(source.vocabulary, source.unit).tokens
    lens = logit_lens(inside)
    seen = show(model=label, when=when)
    found = main(seen)
    drawn = heatmap(found)
    rows = slice(max(0, len(labels) - ROWS), None)
    close(drawn.values, lens.shares.T[rows])
    assert drawn.rows == labels[rows]
    assert drawn.columns == ["embedding", *(f"layer {i + 1}" for i in range(len(inside.stream) - 1))]
    assert domain(found) == [0, 1]
    texts = [visible(names[token]) for token in lens.likeliest.T[rows].ravel()]
    assert found.data["text"].tolist() == [text if len(text) <= 11 else text[:10] + "…" for text in texts]
    agrees = (lens.likeliest == lens.likeliest[-1]).T[rows]
    agrees[:, -1] = False
    assert found.data["moved"].tolist() == agrees.ravel().tolist()
    order = np.argsort(-lens.bets[0, -1], kind="stable")[:N_LIKELIEST]
    reading = named(seen, "The likeliest tokens of the chosen reading")
    close(values(reading), lens.bets[0, -1][order])
    assert reading.data["label"].tolist() == [visible(names[token]) for token in order]
    path = token_path(lens, len(tokens) - 1, int(lens.likeliest[-1, -1]))
    close(line(named(seen, "The probability of"), "probability")[1], path.shares)


def test_where_the_final_prediction_passes_one_half_is_said():
    lens = logit_lens(in_view("Small Stories").inside)
    shares = token_path(lens, -1, int(lens.likeliest[-1, -1])).shares
    after = min(layer for layer in range(len(shares)) if (shares[layer:] > 0.5).all())
    assert f"is above one half for good after layer {after}" in said(show(model="Small Stories"))


def test_the_reading_of_the_embedding_is_asked_for_and_hidden():
    asked = show(model="Small Stories", unanswered="all")
    assert not asked.ready
    (shown,) = charts(asked)
    cells = shown.data["text"].to_numpy().reshape(ROWS, -1)
    assert set(cells[:, 0]) == {"?"}
    assert heatmap(shown).values[:, 0].max() == 0


@pytest.mark.parametrize("label", ["Small Stories", "Toy English"])
def test_positions_are_a_reason_only_where_they_are_added(label):
    subject = show(model=label).scene
    texts = [reason(subject, best, own) for own in range(4) for best in range(8) if best != own]
    assert {"osition" in text for text in texts} == {adds_positions(subject.model.config)}


def test_a_click_chooses_position_and_layer_and_keeps_every_sentence():
    app = reveal(visit("tiny_lm", step="lens", model=BIBLE))
    before = [chart.alt for chart in charts(app)]
    viewed = in_view(BIBLE)
    place = len(viewed.labels) - ROWS + 1
    click(app, 1, 2)
    assert len(charts(app)) == len(before)
    link = {"step": "lens", "model": BIBLE, "at": viewed.labels[place], "layer": "layer 2"}
    assert shared(app) == {f"tiny_lm_{word}": value for word, value in link.items()}
    bets = logit_lens(viewed.inside).bets[2, place]
    close(values(named(app, "The likeliest tokens of the chosen")), np.sort(bets)[::-1][:N_LIKELIEST])


@each_model
@pytest.mark.promise("tiny_lm 8")
def test_contributions_sum_to_the_logit(label):
    model, _, tokens, labels, inside = in_view(label)
    last, best = len(tokens) - 1, int(inside.logits[-1].argmax())
    pushes = attribute_logit(model, inside, last, best)
    seen = show_parts(model=label, against=ALONE)
    data = named(seen, "The logit contribution of each part").data
    heads = data[data["label"].str.match(r"\d\.\d → ")]
    close(heads["value"], pushes.heads.ravel())
    looks = inside.weights[:, :, last].reshape(-1, len(tokens))
    ends = [f"→ {labels[row.argmax()]} {row.max():.2f}" for row in looks]
    assert all(text.endswith(end) for text, end in zip(heads["label"], ends, strict=True))
    rest, total = data["value"].tolist()[:-1], data["value"].tolist()[-1]
    close(sum(rest), total)
    close(total, inside.logits[-1, best], 1e-5)
    assert sum(f"{inside.logits[-1, best]:.4f}" in block for block in html_of(seen)) == 1
    assert (len(data) == pushes.heads.size + 3) == (model.config.d_hidden == 0)


def test_the_lead_of_one_token_over_another_decides():
    model, source, tokens, _, inside = in_view()
    meowed, barked = source.vocabulary.encode(["meowed", "barked"])
    apart = attribution_difference(
        *(attribute_logit(model, inside, len(tokens) - 1, token) for token in (meowed, barked))
    )
    seen = show_parts(against="barked")
    data = named(seen, "The logit contribution of each part").data
    close(data["value"], [apart.embedding, *apart.heads[0], apart.final_bias, apart.total])
    bets = softmax(inside.logits[-1])
    times = number(bets[meowed] / bets[barked], 0)  # far more than 100
    assert f"so meowed is {times} times as likely as barked" in said(seen)
    assert data["label"].tolist()[-1] == "Σ = lead"
    assert "The lead of meowed over barked" in said(seen)


@each_model
@pytest.mark.parametrize("at", [None, 1])
def test_what_a_head_writes_for_each_key_is_drawn_and_sums_to_its_contribution(label, at):
    model, _, tokens, labels, inside = in_view(label)
    position = len(tokens) - 1 if at is None else at
    token, other = (int(one) for one in np.argsort(-inside.logits[position], kind="stable")[:2])
    lead = attribution_difference(*(attribute_logit(model, inside, position, one) for one in (token, other)))
    layer, head = divmod(int(lead.heads.argmax()), model.config.n_heads)
    for chosen in ((layer, head), (0, 1)):
        link = {} if chosen == (layer, head) else {"head": "1.2"}
        seen = show_parts(model=label, **({} if at is None else {"at": labels[at]}), **link)
        found = attribute_head(model, inside, position, *chosen, token, other)
        data = named(seen, "What head").data
        bars = dict(zip(data["label"], data["value"], strict=True))
        total = bars.pop("Σ = head")
        close(total, lead.heads[chosen], 1e-4)
        close(sum(bars.values()), total, 1e-4)
        rest = {name: bars.pop(name) for name in list(bars) if name.endswith(" more")}
        assert len(bars) == min(12, position + 1)
        assert bool(rest) == (position >= 12)
        for name, value in bars.items():
            close(value, found.keys[labels.index(name)])
        read, wrote = labels[found.weights.argmax()], labels[np.abs(found.keys).argmax()]
        assert f"on {quoted(read)}" in said(seen)
        assert ("That key also has the largest contribution" in said(seen)) == (read == wrote)
        assert ("earlier layers wrote to it too" in said(seen)) == (chosen[0] > 0)
