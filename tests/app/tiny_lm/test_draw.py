"""draw: the table, the cumulative probability and every closer look hold the numbers of the core."""

import html
import json
import re
from functools import partial
from itertools import cycle

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from attention_core.model.generate import choose, decisions
from pages.page.links.course import LESSONS
from pages.tiny_lm.draw import LOOKS
from pages.tiny_lm.draw.temperature import HEATS
from pages.tiny_lm.model_in_view import NAMES, visible
from tests.app.own_models import KINDS, own
from tests.app.steps import step
from tests.app.tiny_lm.scene import (
    each_model,
    each_variant,
    model_of,
    printed_by_script,
    prompt_of,
    step_of_own,
    vocabulary_of,
)
from tests.app.visits import controls, html_of, move, press, rerun, reveal, said, sent_to, set_to, shared, visit

each_way = pytest.mark.parametrize(
    "way",
    [{}, {"temperature": "2.0"}, {"top_k": "3"}, {"top_p": "0.6", "temperature": "1.5"}, {"greedy": "true"}],
    ids=["usual", "hot", "top-k", "top-p", "greedy"],
)
TEMPERATURE, CUTS, MANY, TEXTS = LOOKS
show = partial(step, "tiny_lm", "draw", drawn="5")  # by default a model that only answers generates none
ANSWERS, ENGLISH = "Pronouns", "Toy English"


def expected(label=ENGLISH, drawn=5, seed=3, **way):
    """Return the vocabulary and the decisions of a link, made by the core alone."""
    model, _ = model_of(label)
    return vocabulary_of(label), decisions(model, prompt_of(label), drawn + 1, *drawing_of(**way), seed)


def drawing_of(temperature="0.8", top_k="0", top_p="1", greedy=""):
    heat = 0.0 if greedy else float(temperature)
    return heat, int(top_k) or None, float(top_p) if float(top_p) < 1 else None


def rows_of(seen):
    """Return the cells of the table of the decision."""
    (block,) = [block for block in html_of(seen) if 'class="decision"' in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", block)]
    return [[html.unescape(cell) for cell in row] for row in rows if row]


def number(text):
    return float(re.sub("[,,]", "", text.replace("−", "-")))


def close(seen, wanted, tolerance=1e-9):
    np.testing.assert_allclose(seen, wanted, rtol=tolerance, atol=1e-12)


@each_model
@each_way
@pytest.mark.promise("pitfall 10", "tiny_lm 2")
def test_the_table_is_the_decision(label, way):
    vocabulary, found = expected(label, **way)
    heat, top_k, top_p = drawing_of(**way)
    chosen = choose(found.logits[5], heat, top_k, top_p, np.nan_to_num(found.drawn[5]), 1)
    seen = show(model=label, **way)
    rows = [row for row in rows_of(seen) if len(row) == 7]
    order = chosen.order
    shares = chosen.probabilities[order]
    for rank, row in enumerate(rows[:9]):
        token = order[rank]
        assert row[0] == visible(vocabulary.tokens[token])
        assert number(row[1]) == pytest.approx(found.logits[5, token], abs=0.0051)
        if heat:
            assert number(row[2]) == pytest.approx(found.logits[5, token] / heat, abs=0.0051)
        kept = rank < chosen.n_kept
        by_k = not top_k or rank < top_k
        assert row[3] == ("✓" if kept else "greedy" if not heat else "top-p" if by_k else "top-k")
        assert number(row[4]) == pytest.approx(shares[rank], abs=0.0051)
        if kept:
            assert number(row[5]) == pytest.approx(shares[: rank + 1].sum(), abs=0.0051)
    (drawn,) = [row for row in rows if row[6]]
    assert drawn[0] == visible(vocabulary.tokens[found.tokens[5]])
    assert drawn[6] == (f"← {found.drawn[5]:.2f}" if heat else "←")
    (others,) = [row[0] for row in rows_of(seen) if len(row) == 1 and "others" in row[0]]
    assert others.startswith(f"{len(order) - len(rows):,} others")


@each_way
@pytest.mark.promise("tiny_lm 2")
def test_the_cumulative_probability_is_cut_into_what_is_kept(way):
    vocabulary, found = expected(**way)
    spec, data, sentence = show(**way).charts[0]
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]
    pieces = data[data["kind"] != "number"]
    shares = np.sort(found.probabilities[5])[::-1]
    close(pieces["probability"].iloc[: min(24, found.n_kept[5])], shares[: min(24, found.n_kept[5])], 1e-6)
    assert pieces["probability"].sum() == pytest.approx(1)
    (chosen,) = pieces[pieces["kind"] == "chosen"].itertuples()
    assert chosen.label == visible(vocabulary.tokens[found.tokens[5]])
    fell = data[data["kind"] == "number"]
    if way.get("greedy"):
        assert fell.empty
        assert "Greedy decoding takes the likeliest" in sentence
    else:
        assert fell["start"].tolist() == [found.drawn[5]]
        assert chosen.start <= found.drawn[5] < chosen.end


@pytest.mark.parametrize("way", [{}, {"temperature": "2.0"}, {"temperature": "0.1", "top_k": "2"}])
def test_the_models_prediction_does_not_depend_on_the_temperature(way):
    _, usual = expected(drawn=0)
    data = show(drawn="0", **way).charts[1].data
    close(data["value"][:9], np.sort(softmax(usual.logits[0]))[::-1][:9], 1e-6)


def test_each_token_that_was_written_has_a_table():
    vocabulary, found = expected(drawn=7)
    for place in (6, 0):
        token = visible(vocabulary.tokens[found.tokens[place]])
        (drawn,) = [
            row for row in rows_of(show(drawn="7", decision=f"{place + 1} · {token}")) if len(row) == 7 and row[6]
        ]
        assert drawn[0] == token
        assert drawn[6] == f"← {found.drawn[place]:.2f}"


def test_a_reset_leaves_the_decision_on_the_next_token():
    vocabulary, found = expected()
    app = reveal(visit("tiny_lm", step="draw", model=ENGLISH))
    set_to(app, tiny_lm_decision=f"5 · {visible(vocabulary.tokens[found.tokens[4]])}")
    press(app, "tiny_lm_put_drawn_0")
    assert controls(app)["tiny_lm_decision"].value == "the next one"
    assert shared(app) == {"tiny_lm_step": "draw", "tiny_lm_model": ENGLISH, "tiny_lm_drawn": "0"}


def test_a_token_far_down_is_shown_too():
    ranks = {}
    for seed in range(40):
        vocabulary, found = expected(seed=seed, temperature="2.0", drawn=0)
        ranks[seed] = found.bets[0].argsort()[::-1].tolist().index(found.tokens[0])
    seed = next(seed for seed, rank in ranks.items() if rank >= 9)
    vocabulary, found = expected(seed=seed, temperature="2.0", drawn=0)
    rows = rows_of(show(seed=seed, temperature="2.0", drawn="0"))
    assert len([row for row in rows if len(row) == 7]) == 10
    assert ["…"] in rows
    assert rows[-2][0] == visible(vocabulary.tokens[found.tokens[0]])


def test_the_buttons_under_the_line_set_the_controls():
    app = reveal(visit("tiny_lm", step="draw", top_k="2"))
    for label, name, value in (("Greedy", "greedy", True), ("T = 2", "temperature", 2.0), ("Keep all", "top_k", 0)):
        press(app, label)
        assert controls(app)[f"tiny_lm_{name}"].value == value
    assert controls(app)["tiny_lm_greedy"].value is False
    assert controls(app)["tiny_lm_top_p"].value == 1.0


@each_model
@pytest.mark.promise("tutorial 28")
def test_probabilities_by_temperature(label):
    vocabulary, found = expected(label)
    logits = found.logits[5].astype(float)
    spec, data, _ = show(model=label).charts[-1]
    best = np.argsort(-logits, kind="stable")[:5]
    lines = data[data["kind"] == "line"]
    for token, place in zip(best, ("likeliest", "second", "third", "fourth", "fifth"), strict=True):
        seen = lines[lines["series"] == place]
        close(seen["value"], [softmax(logits / heat)[token] for heat in HEATS], 1e-6)
    ends = data[data["kind"] == "end"]["label"].tolist()
    assert ends[0].startswith(visible(vocabulary.tokens[best[0]]))
    (y,) = [layer["encoding"]["y"]["scale"]["domain"] for layer in spec["layer"] if "y" in layer["encoding"]][:1]
    assert y == [0, 1]


def test_the_effective_number_of_choices_and_the_untrained_model_beside():
    _, found = expected()
    text = said(show())
    shares = softmax(found.logits[5].astype(float) / 2)
    assert f"{np.exp(-(shares * np.log(shares)).sum()):.1f}" in text
    assert "1, untrained" in text
    assert "1, untrained" not in said(show(when="untrained"))


def test_what_survives_is_counted_and_made_whole():
    _, found = expected(top_p="0.9")
    seen = show(look=CUTS, top_p="0.9")
    data = seen.charts[-2].data
    whole = np.sort(softmax(found.logits[5].astype(float) / 0.8))[::-1].cumsum()
    close(data[data["kind"] == "line"]["value"], whole[:24], 1e-6)
    assert data[data["kind"] == "here"]["x"].tolist() == [found.n_kept[5]]
    assert f"all kept tokens: {found.n_kept[5]}" in said(seen)


@each_model
@pytest.mark.parametrize("way", [{}, {"top_p": "0.6"}, {"top_k": "3"}])
def test_the_size_of_the_nucleus_by_temperature(label, way):
    vocabulary, found = expected(label, **way)
    _, top_k, top_p = drawing_of(**way or {"top_p": "0.9"})
    seen = show(model=label, look=CUTS, **way)
    shown = seen.charts[-1].data
    sizes = [choose(found.logits[5], heat, top_k, top_p, 0.0, 1).n_kept for heat in HEATS]
    assert shown[shown["kind"] == "line"]["value"].tolist() == sizes
    assert shown[shown["kind"] == "here"]["x"].tolist() == [0.8]
    question = seen.question("nucleus")
    before, after = (float(heat) for heat in re.search(r"T = ([\d.]+), .* to ([\d.]+)\.", question.text).groups())
    kept = [choose(found.logits[5], heat, None, 0.9, 0.0, 1).n_kept for heat in (before, after)]
    right = "More" if kept[1] > kept[0] else "Fewer" if kept[1] < kept[0] else "As many as before"
    assert [question.options[place] for place in question.right] == [right]
    assert f"keeps {kept[1]:,} of {len(vocabulary):,}" in question.why


@pytest.mark.parametrize(("label", "unit"), [("Small Stories", "piece"), ("Copy task", "character")])
def test_a_nucleus_that_stays_is_not_said_to_need_more_tokens(label, unit):
    question = show(model=label, look=CUTS, drawn="0").question("nucleus")
    logits = expected(label, 0)[1].logits[0]
    assert {choose(logits, heat, None, 0.9, 0.0, 1).n_kept for heat in (0.5, 1.0, 1.5, 2.0)} == {1}
    assert [question.options[place] for place in question.right] == ["As many as before"]
    assert f"1 {unit} to reach 0.9" in question.why
    assert not any("so more" in told or "so fewer" in told for told in question.mistakes)


def test_the_nucleus_is_averaged_over_seeds():
    prompt, (model, _) = prompt_of(ENGLISH), model_of(ENGLISH)
    logits = [row for seed in range(8) for row in decisions(model, prompt, 20, seed=seed).logits]
    means = [np.mean([choose(row, heat, None, 0.9, 0.0, 1).n_kept for row in logits]) for heat in (0.5, 1.0, 2.0)]
    told = ", ".join(f"{mean:.1f} at T = {heat}" for heat, mean in zip(("0.5", "1", "2"), means, strict=True))
    assert f"Over all 160 predictions in 8 texts with other seeds, top-p = 0.9 keeps on average {told}." in said(
        show(look=CUTS)
    )


@pytest.mark.parametrize("times", ["10", "10,000"])
def test_many_samples_beside_what_is_expected(times):
    _, found = expected()
    data, again = (show(look=MANY, times=times, again=again).charts[-1].data for again in ("0", "1"))
    order = np.argsort(-found.logits[5], kind="stable")[:10]
    close(data["expected"], found.probabilities[5][order])
    n_draws = int(times.replace(",", ""))
    counts = data["value"] * n_draws
    close(counts, counts.round())
    assert np.abs(data["value"] - data["expected"]).max() < 3 / np.sqrt(n_draws)
    assert again["value"].tolist() != data["value"].tolist()


def test_samples_are_repeated_at_a_click():
    app = press(reveal(visit("tiny_lm", step="draw", look=MANY)), "Sample again")
    assert shared(app)["tiny_lm_again"] == "1"


@pytest.mark.parametrize("label", [label for label in NAMES if label != ANSWERS])
def test_greedy_beside_sampled(label):
    _, drawn = expected(label, drawn=19)
    _, greedy = expected(label, drawn=19, greedy="true")
    seen = show(model=label, look=TEXTS, n_drawn="20")
    data = seen.charts[-1].data
    means = {}
    for series, found in (("greedy", greedy), ("sampled", drawn)):
        surprises = -np.log(found.bets[np.arange(20), found.tokens].astype(float))
        lines = data[(data["kind"] == "line") & (data["series"] == series)]
        np.testing.assert_allclose(lines["value"], surprises, rtol=1e-4, atol=1e-5)
        means[series] = surprises.mean()
        assert f"{surprises.mean():.2f} nats" in said(seen)
    texts = [expected(label, drawn=19, seed=seed)[1] for seed in range(8)]
    rates = [-np.log(one.bets[np.arange(20), one.tokens].astype(float)).mean() for one in texts]
    np.testing.assert_allclose(seen.charts[-2].data["value"], [means["greedy"], *rates], rtol=1e-4, atol=1e-5)
    question = seen.question("surprise")
    less = "The greedy text" if means["greedy"] < np.mean(rates) else "The sampled texts"
    if abs(means["greedy"] - np.mean(rates)) < 0.005:
        less = "Both equally"
    assert f"than in {sum(rate > means['greedy'] for rate in rates)} of 8 sampled ones" in question.why
    assert [question.options[place] for place in question.right] == [less]


# Questions


@pytest.mark.parametrize("variant", range(4))
@pytest.mark.parametrize("label", ["Toy English", "King James Bible"])
def test_the_random_number_picks_by_the_cumulative_probability(label, variant):
    question = each_variant("draw", variant + 1, model=label, unanswered="all")[variant].question("pick")
    shares = [float(share) for share in re.findall(r"<span>\S+ (0\.\d+)</span>", question.text)]
    drawn = float(re.search(r"random number is (\d\.\d+)", question.text)[1])
    right = int(np.searchsorted(np.cumsum(shares), drawn, side="right"))
    assert question.right == (right,)
    assert question.judge(right).right
    assert not question.judge((right + 1) % len(question.options)).right


@pytest.mark.parametrize("variant", range(3))
def test_the_number_that_was_asked_for_is_marked_in_the_picture(variant):
    seen = each_variant("draw", variant + 1, drawn="5", temperature="2.0")[variant]
    data = seen.charts[0].data
    asked = float(re.search(r"random number is (\d\.\d+)", seen.question("pick").text)[1])
    assert data[data["kind"] == "asked"]["start"].tolist() == [asked]
    pieces = data[data["kind"].isin(["odd", "even", "chosen"])]
    (right,) = seen.question("pick").right
    assert pieces["start"].iloc[right] <= asked < pieces["end"].iloc[right]
    data = show(greedy="true").charts[0].data  # no number decides there, so the question is about another T
    assert (data["kind"] != "asked").all()


def test_the_pick_stands_before_every_picture():
    assert not show(unanswered=("pick",)).charts
    app = visit("tiny_lm", step="draw")
    app.radio(key="tiny_lm_pick_given").set_value(1)
    press(app, "Check")
    assert len(app.get("vega_lite_chart")) > 1


@pytest.mark.parametrize("variant", range(3))
def test_the_cuts_are_predicted(variant):
    _, found = expected()
    shares = np.sort(softmax(found.logits[5].astype(float)))[::-1]
    seen = each_variant("draw", variant + 1, look=CUTS, drawn="5")[variant]
    question = seen.question("top_p")
    limit = float(re.search(r"Top-p = ([\d.]+)", question.text)[1])
    assert question.right == np.searchsorted(shares.cumsum(), limit) + 1
    question = seen.question("top_k")
    top_k = int(re.search(r"Top-k = (\d)", question.text)[1])
    assert question.right == pytest.approx(shares[0] / shares[:top_k].sum())
    one, together, result = map(float, re.match(r"([\d.]+) ÷ ([\d.]+) = (\d\.\d+)", question.why).groups())
    assert f"{one / together:.3f}" == f"{result:.3f}"
    for mistake in question.mistakes:
        assert not question.judge(mistake.value).right


def test_odds_at_twice_the_temperature_are_the_root():
    question = show().question("hotter")
    before = float(re.search(r"are ([\d.]+) : 1\.", question.text)[1])
    (after,) = [question.options[place].partition(" ")[0] for place in question.right]
    assert after == f"{np.sqrt(before):.3g}"  # as a pocket calculator says it
    assert f"√{before:g} = {after}." in question.why


@each_model
@pytest.mark.parametrize("when", [pytest.param("untrained", marks=pytest.mark.nightly), "trained"])
def test_every_question_can_be_asked_of_every_model(label, when):
    for look in LOOKS:
        for seen in each_variant("draw", model=label, when=when, look=look):
            assert len(seen.charts) == 3 + (look != MANY) - 2 * ((label, look) == (ANSWERS, TEXTS))


def test_its_questions_are_counted():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "tiny_lm"]
    assert {"pick", "hotter", "top_p", "nucleus", "top_k", "surprise"} <= set(lesson.questions)


# Scripts, models of all kinds, and nonsense


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("label", ["Toy English", "Copy task"])
def test_the_script_makes_the_same_decision(label, look):
    _, found = expected(label)
    numbers = printed_by_script(show(model=label, look=look, n_drawn="20", times="100"))
    np.testing.assert_allclose(numbers["decision.logits"], np.sort(found.logits[5])[::-1], atol=1e-5)
    assert numbers["decision.drawn"] == pytest.approx(found.drawn[5])
    np.testing.assert_array_equal(numbers["decided.tokens"], found.tokens)
    if look == MANY:
        assert numbers["counts"].sum() == 100


@pytest.mark.parametrize(("kind", "unit"), [*zip(KINDS, cycle(["word", "character"]), strict=False)])
def test_models_of_ones_own(kind, unit):
    ways = ({}, {"greedy": "true"}, {"top_k": "1"}, {"temperature": "0.1", "top_p": "0.05"})
    for look, way in zip(LOOKS, ways if unit == "word" else ways[::-1], strict=True):
        assert step_of_own(own(kind, unit), "draw", look=look, drawn="12", **way).charts


@pytest.mark.parametrize("nonsense", ["61", "<b>"])
def test_nonsense_is_answered_with_the_usual(nonsense):
    link = {"drawn": nonsense, "again": nonsense, "decision": nonsense, "look": nonsense}
    app = visit("tiny_lm", step="draw", ask="no", **link)
    assert f"tiny_lm_drawn={nonsense}" in said(app)
    assert rerun(app)


@pytest.mark.parametrize("way", [{}, {"temperature": "0.3"}, {"greedy": "true"}])
def test_the_bars_under_the_hand_are_the_prediction_at_every_temperature(way):
    app = reveal(visit("tiny_lm", step="draw", ask="no", model=ENGLISH, drawn="5", **way))
    (bars,) = sent_to(app, "attention_moving_bars")
    data = json.loads(bars.json)
    vocabulary, found = expected(**way)
    logits = found.logits[5].astype(float)
    order = np.argsort(-logits, kind="stable")[:8]
    assert data["labels"] == [visible(vocabulary.tokens[token]) for token in order]
    for stop, frame in zip(data["sliders"][0]["stops"], data["panels"][0]["frames"], strict=True):
        np.testing.assert_allclose(frame, softmax(logits / float(stop))[order], atol=5.1e-5)  # four digits are sent
    assert data["sliders"][0]["stops"][data["sliders"][0]["at"]] == way.get("temperature", "0.8")
    assert data["sliders"][0]["disabled"] == ("greedy" in way)


@pytest.mark.parametrize("way", [{}, {"temperature": "0.3", "top_p": "0.6", "top_k": "3"}, {"greedy": "true"}])
def test_the_browser_gets_all_logits_to_cut_and_a_release_sets_the_table(way):
    app = visit("tiny_lm", step="draw", ask="no", model=ENGLISH, drawn="5", look=CUTS, **way)
    (drawn,) = sent_to(app, "attention_moving_cut")
    data = json.loads(drawn.json)
    vocabulary, found = expected(**way)
    logits = found.logits[5].astype(float)
    order = np.argsort(-logits, kind="stable")
    assert data["logits"] == logits[order].tolist()
    assert data["labels"] == [visible(vocabulary.tokens[token]) for token in order[:10]]
    stands = {slider["name"]: slider["stops"][slider["at"]] for slider in data["sliders"]}
    assert stands == {"top_p": "1", "top_k": "0", "temperature": "0.8"} | {k: v for k, v in way.items() if k in stands}
    assert {slider["disabled"] for slider in data["sliders"]} == {"greedy" in way}
    if "greedy" not in way:
        move(app, "attention_moving_cut", top_p="0.5", temperature="1.5")
        assert (controls(app)["tiny_lm_top_p"].value, controls(app)["tiny_lm_temperature"].value) == (0.5, 1.5)
        _, found = expected(**{**way, "top_p": "0.5", "temperature": "1.5"})
        assert f"all kept tokens: {found.n_kept[5]}" in said(app)
