"""How a token is drawn: the table, the running sum and every closer look hold the numbers of the core."""

import html
import re
from itertools import cycle

import numpy as np
import pytest

from attention_core.equations.softmax import softmax
from attention_core.model.generate import choose, decisions
from attention_core.shipped.models import MODELS, model_at
from attention_core.text.corpora import source_of
from pages.page.course import LESSONS
from pages.tiny_lm.draw import LOOKS
from pages.tiny_lm.draw.odds import HEATS
from pages.tiny_lm.model_in_view import NAMES, PROMPTS, WHEN, visible
from tests.app import visits
from tests.app.bare import printed, run_bare
from tests.app.files import file_of, keeping
from tests.app.own_models import KINDS, own, visit_own
from tests.app.visits import charts, controls, html_of, press, rerun, reveal, said, set_to, shared

ways = pytest.mark.parametrize(
    "way",
    [{}, {"temperature": "2.0"}, {"top_k": "3"}, {"top_p": "0.6", "temperature": "1.5"}, {"greedy": "true"}],
    ids=["usual", "hot", "top-k", "top-p", "greedy"],
)
every_model = pytest.mark.parametrize("name", NAMES)


def visit(**link):
    return visits.visit("tiny_lm", step="draw", **link)


def shown(**link):
    return reveal(visit(**link))


def put(app, **values):
    return set_to(app, **{f"tiny_lm_{name}": value for name, value in values.items()})


def expected(name="small English", when="trained", drawn=5, seed=3, **way):
    """Return the vocabulary and the decisions of a link, made by the core alone."""
    key = NAMES[name]
    source = source_of(MODELS[key].source)
    model = model_at(key, MODELS[key].stops[WHEN.index(when)])
    words = PROMPTS[key][1].split() if source.unit == "word" else list(PROMPTS[key][1])
    drawing = drawing_of(**way)
    return source, decisions(model, source.vocabulary.encode(words), drawn + 1, *drawing, seed)


def drawing_of(temperature="0.8", top_k="0", top_p="1", greedy=""):
    heat = 0.0 if greedy else float(temperature)
    return heat, int(top_k) or None, float(top_p) if float(top_p) < 1 else None


def rows_of(app):
    """Return the cells of the table of the decision."""
    (block,) = [block for block in html_of(app) if 'class="decision"' in block]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr[^>]*>(.*?)</tr>", block)]
    return [[html.unescape(cell) for cell in row] for row in rows if row]


def number(text):
    return float(text.replace("−", "-").replace("\u202f", ""))


def close(seen, wanted, tolerance=1e-9):
    np.testing.assert_allclose(seen, wanted, rtol=tolerance, atol=1e-12)


@every_model
@ways
def test_the_table_is_the_decision(name, way):
    source, found = expected(name, **way)
    heat, top_k, top_p = drawing_of(**way)
    chosen = choose(found.logits[5], heat, top_k, top_p, np.nan_to_num(found.drawn[5]), 1)
    app = shown(model=name, **way)
    rows = [row for row in rows_of(app) if len(row) == 7]
    order = chosen.order
    shares = chosen.probabilities[order]
    for rank, row in enumerate(rows[:9]):
        token = order[rank]
        assert row[0] == visible(source.vocabulary.tokens[token])
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
    assert drawn[0] == visible(source.vocabulary.tokens[found.tokens[5]])
    assert drawn[6] == (f"← {found.drawn[5]:.2f}" if heat else "←")
    (others,) = [row[0] for row in rows_of(app) if len(row) == 1 and "others" in row[0]]
    assert others.startswith(f"{len(order) - len(rows)} others")


@ways
def test_the_running_sum_is_cut_into_the_shares_that_are_kept(way):
    source, found = expected(**way)
    spec, data, sentence = charts(shown(**way))[0]
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]
    pieces = data[data["kind"] != "number"]
    shares = np.sort(found.probabilities[5])[::-1]
    close(pieces["share"].iloc[: min(24, found.n_kept[5])], shares[: min(24, found.n_kept[5])], 1e-6)
    assert pieces["share"].sum() == pytest.approx(1)
    (chosen,) = pieces[pieces["kind"] == "chosen"].itertuples()
    token = visible(source.vocabulary.tokens[found.tokens[5]])
    assert chosen.label == token
    fell = data[data["kind"] == "number"]
    if way.get("greedy"):
        assert fell.empty
        assert "Nothing is left to chance" in sentence
    else:
        assert fell["start"].tolist() == [found.drawn[5]]
        assert chosen.start <= found.drawn[5] < chosen.end


@pytest.mark.parametrize("way", [{}, {"temperature": "2.0"}, {"temperature": "0.1", "top_k": "2"}])
def test_the_models_bet_does_not_hear_of_the_temperature(way):
    _, usual = expected()
    app = shown()
    put(app, **{name: float(value) if name != "top_k" else int(value) for name, value in way.items()})
    _, data, _ = charts(app)[1]
    if not way:
        close(data["value"], np.sort(softmax(usual.logits[5]))[::-1][:9], 1e-6)
    _, found = expected(**way)
    assert found.bets[5][found.bets[5].argmax()] == pytest.approx(data["value"][0])


def test_each_token_that_was_written_has_a_table():
    source, found = expected(drawn=7)
    app = shown(drawn="7")
    for place in (6, 0):
        token = visible(source.vocabulary.tokens[found.tokens[place]])
        put(app, decision=f"{place + 1} · {token}")
        (drawn,) = [row for row in rows_of(app) if len(row) == 7 and row[6]]
        assert drawn[0] == token
        assert drawn[6] == f"← {found.drawn[place]:.2f}"
    press(app, "tiny_lm_put_drawn_0")
    assert controls(app)["tiny_lm_decision"].value == "the next one"
    assert shared(app) == {"tiny_lm_step": "draw", "tiny_lm_drawn": "0"}


def test_a_token_far_down_is_shown_too():
    seeds = [seed for seed in range(40) if far(*expected(seed=seed, temperature="2.0", drawn=0))]
    source, found = expected(seed=seeds[0], temperature="2.0", drawn=0)
    app = shown(seed=str(seeds[0]), temperature="2.0", drawn="0")
    rows = rows_of(app)
    assert len([row for row in rows if len(row) == 7]) == 10
    assert ["…"] in rows
    assert rows[-2][0] == visible(source.vocabulary.tokens[found.tokens[0]])


def far(source, found):
    return found.bets[0].argsort()[::-1].tolist().index(found.tokens[0]) >= 9


def test_the_buttons_under_the_line_set_the_controls():
    app = shown(top_k="2")
    for label, name, value in (
        ("Greedy", "greedy", True), ("T = 2", "temperature", 2.0), ("Top-k = 3", "top_k", 3),
        ("Top-p = 0.9", "top_p", 0.9), ("Keep all", "top_k", 0),
    ):  # fmt: skip
        press(app, label)
        assert controls(app)[f"tiny_lm_{name}"].value == value
    assert controls(app)["tiny_lm_greedy"].value is False
    assert controls(app)["tiny_lm_top_p"].value == 1.0


@every_model
def test_shares_by_temperature(name):
    source, found = expected(name)
    logits = found.logits[5].astype(float)
    spec, data, _ = charts(shown(model=name))[-1]
    best = np.argsort(-logits, kind="stable")[:5]
    lines = data[data["kind"] == "line"]
    for token, place in zip(best, ("likeliest", "second", "third", "fourth", "fifth"), strict=True):
        seen = lines[lines["series"] == place]
        close(seen["value"], [softmax(logits / heat)[token] for heat in HEATS], 1e-6)
    ends = data[data["kind"] == "end"]["label"].tolist()
    assert ends[0].startswith(visible(source.vocabulary.tokens[best[0]]))
    (y,) = [layer["encoding"]["y"]["scale"]["domain"] for layer in spec["layer"] if "y" in layer["encoding"]][:1]
    assert y == [0, 1]


def test_hesitation_and_the_untrained_model_beside():
    _, found = expected()
    text = said(shown())
    shares = softmax(found.logits[5].astype(float) / 2)
    assert f"{np.exp(-(shares * np.log(shares)).sum()):.1f}" in text
    assert "1, untrained" in text
    assert "1, untrained" not in said(shown(when="untrained"))


def test_what_survives_is_counted_and_made_whole():
    _, found = expected(top_p="0.9")
    app = shown(look=LOOKS[1], top_p="0.9")
    _, data, _ = charts(app)[-1]
    whole = np.sort(softmax(found.logits[5].astype(float) / 0.8))[::-1].cumsum()
    close(data[data["kind"] == "line"]["value"], whole[:24], 1e-6)
    assert data[data["kind"] == "here"]["x"].tolist() == [found.n_kept[5]]
    assert f"all that is kept: {found.n_kept[5]}" in said(app)


@pytest.mark.parametrize("times", ["10", "10,000"])
def test_many_draws_beside_what_was_to_be_expected(times):
    _, found = expected()
    app = shown(look=LOOKS[2], times=times)
    _, data, _ = charts(app)[-1]
    order = np.argsort(-found.logits[5], kind="stable")[:10]
    close(data["expected"], found.probabilities[5][order])
    n_draws = int(times.replace(",", ""))
    counts = data["value"] * n_draws
    close(counts, counts.round())
    assert np.abs(data["value"] - data["expected"]).max() < 3 / np.sqrt(n_draws)
    before = data["value"].tolist()
    press(app, "Draw again")
    assert charts(app)[-1].data["value"].tolist() != before


@every_model
def test_greedy_beside_drawn(name):
    _, drawn = expected(name, drawn=19)
    _, greedy = expected(name, drawn=19, greedy="true")
    app = shown(model=name, look=LOOKS[3], length="20")
    _, data, _ = charts(app)[-1]
    for series, found in (("greedy", greedy), ("drawn", drawn)):
        surprises = -np.log(found.bets[np.arange(20), found.tokens].astype(float))
        lines = data[(data["kind"] == "line") & (data["series"] == series)]
        np.testing.assert_allclose(lines["value"], surprises, rtol=1e-4, atol=1e-5)
        assert f"{surprises.mean():.2f} nats" in said(app)


# Questions


def judged(app, question, option):
    app.radio(key=f"tiny_lm_{question}_given").set_value(option)
    press(app, "Check")
    return said(app)


def test_the_question_of_the_random_number_is_judged():
    app = visit()
    text = html.unescape(" ".join(html_of(app)))
    shown_shares = [float(share) for share in re.findall(r"<span>\S+ (0\.\d+)</span>", text)]
    drawn = float(re.search(r"random number is (\d\.\d+)", text)[1])
    right = int(np.searchsorted(np.cumsum(shown_shares), drawn, side="right"))
    assert len(charts(app)) == 0
    assert "✕" in judged(app, "pick", (right + 1) % 5)
    assert len(charts(app)) > 1
    assert "✓" in judged(visit(), "pick", right)


@every_model
@pytest.mark.parametrize("when", ["untrained", "trained"])
def test_every_question_can_be_asked_of_every_model(name, when):
    for look in LOOKS:
        app = shown(model=name, when=when, look=look)
        assert len(charts(app)) == 3
        for button in [button.key for button in app.button if button.label == "Ask me another"]:
            for _ in range(2):
                press(app, button)
                reveal(app)
        assert len(charts(app)) == 3


def test_its_questions_are_counted():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "tiny_lm"]
    assert {"pick", "hotter", "top_p", "top_k", "surprise"} <= set(lesson.questions)


# What is taken home


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", ["small English", "letters and digits"])
def test_the_script_makes_the_same_decision(name, look):
    _, found = expected(name)
    app = keeping("tiny_lm", step="draw", model=name, look=look, length="20", times="100")
    seen = printed(run_bare(file_of(app, "Script").decode()))
    np.testing.assert_allclose(seen["decision.logits"], np.sort(found.logits[5])[::-1], atol=1e-5)
    assert seen["decision.drawn"] == pytest.approx(found.drawn[5])
    np.testing.assert_array_equal(seen["decided.tokens"], found.tokens)
    if look == LOOKS[2]:
        assert seen["counts"].sum() == 100


# Models of all kinds


@pytest.mark.parametrize(("kind", "unit"), [*zip(KINDS, cycle(["word", "character"]), strict=False)])
def test_models_of_ones_own(kind, unit):
    ways = ({}, {"greedy": "true"}, {"top_k": "1"}, {"temperature": "0.1", "top_p": "0.05"})
    for look, way in zip(LOOKS, ways if unit == "word" else ways[::-1], strict=True):
        app = visit_own(own(kind, unit), step="draw", look=look, drawn="12", **way)
        assert charts(app)
        blocks = " ".join(html_of(app))
        assert "<b>bold" not in blocks
        assert "<i>something" not in blocks


def test_nonsense_is_answered_with_the_usual():
    for nonsense in ("61", "-1", "x", "<b>"):
        app = visit(drawn=nonsense, again=nonsense, decision=nonsense, look=nonsense, ask="no")
        assert f"tiny_lm_drawn={nonsense}" in said(app)
        assert rerun(app)
