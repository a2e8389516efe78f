"""Lesson 5: every number in every chart is the core's, and the questions come before the pictures."""

import html
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest

import attention_core as core
from attention_core.equations.positions import shift_matrix, wavelengths
from attention_core.experiments.english_heads import trained_positions
from attention_core.experiments.one_head import random_head
from attention_core.experiments.position_kinds import KINDS, numbers_of_kind, pipeline, place_table, placed_attention
from attention_core.experiments.probes import read_by_layer, read_by_layer_of_trained, read_by_strength
from attention_core.experiments.wrong_on_purpose import (
    positions_side_by_side,
    positions_with_raw_exponent,
    rotate_halves,
)
from attention_core.rows import shuffled_order
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.look.html import number
from pages.page.course import LESSONS
from pages.page.page import Page
from pages.positional_encoding.sentence import SERIES
from pages.reproduce.script import script
from tests.app.charts import chart

FILE = Path(__file__).parents[2] / "pages" / "5_positional_encoding.py"
NAME = "positional_encoding"
STEPS = ["order", "table", "waves", "alike", "clocks", "add", "terms", "rope", "five", "clinic", "layers", "norms"]
ASKING = {
    "order": "order",
    "waves": "wavelength",
    "alike": "own_product",
    "rope": "same_score",
    "five": "stay",
    "clinic": "meter",
}
WORDS = ["the", "cat", "sat", "on", "the", "warm", "mat"]
SEED, WIDTH = 18, 64
X, HEAD = word_vectors(WORDS, WIDTH, SEED), random_head(WIDTH, 8, SEED)


@cache
def components():
    """Return the components that are installed, which every page would look for anew: it takes longer than a page."""
    manager = BidiComponentManager()
    manager.discover_and_register_components(start_file_watching=False)
    return manager


def opened(**link):
    app = AppTest.from_file(FILE, default_timeout=30)
    app._bidi_component_manager = components()
    app.query_params.update({f"{NAME}_{name}": value for name, value in link.items()})
    return rerun(app)


def rerun(app):
    app.run()
    assert not app.exception, app.exception[0].value
    return app


def press(app, label):
    (button,) = [button for button in app.button if label in (button.label, button.key)]
    button.click()
    return rerun(app)


def revealed(**link):
    """Return a page whose question was waved away."""
    app = opened(**link)
    while any(button.label == "Just show me" for button in app.button):
        press(app, "Just show me")
    return app


def count(app):
    return len(app.get("vega_lite_chart"))


def data(app, i=0):
    return chart(app, i)[1]


def spec(app, i=0):
    return chart(app, i)[0]


def matrix(app, i=0):
    """Return the numbers of a heatmap and the names along its axes."""
    frame = data(app, i)
    shape = (frame["i"].max() + 1, frame["j"].max() + 1)
    assert len(frame) == shape[0] * shape[1]
    values = frame.iloc[:, 2].to_numpy().reshape(shape)
    return values, frame.iloc[:: shape[1], 0].tolist(), frame.iloc[: shape[1], 1].tolist()


def domain(app, i=0):
    return spec(app, i)["layer"][0]["encoding"]["color"]["scale"]["domain"]


def line(app, name, i=0):
    frame = data(app, i)
    found = frame[(frame["kind"] == "line") & (frame["series"] == name)]
    return found["x"].to_numpy(), found["value"].to_numpy()


def said(app):
    bodies = [element.proto.body for element in app.get("html") if "<style>" not in element.proto.body]
    return html.unescape(re.sub("<[^>]*>", " ", " ".join(bodies)))


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-6, atol=1e-6)


# The lesson as a whole


def test_the_lesson_is_announced_with_its_questions():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == NAME]
    assert set(lesson.questions) == set(ASKING.values())
    assert (Path(__file__).parents[2] / lesson.file) == FILE


@pytest.mark.parametrize("step", STEPS)
def test_a_question_comes_before_its_picture_and_an_answer_opens_it(step):
    app = opened(step=step)
    hidden = 1 if step == "order" else 0  # the words as they were typed give nothing away
    assert (count(app) == hidden) == (step in ASKING)
    assert any(button.label == "Just show me" for button in app.button) == (step in ASKING)
    assert count(revealed(step=step)) > (hidden if step in ASKING else 0)


@pytest.mark.parametrize("step", STEPS)
def test_every_chart_has_a_sentence_and_no_number_that_is_none(step):
    app = revealed(step=step)
    for i, element in enumerate(app.get("vega_lite_chart")):
        assert len(element.proto.alt) > 10
        assert "nan" not in element.proto.alt.lower()
        frame = data(app, i)
        numbers = frame.select_dtypes("number").to_numpy()
        assert np.isfinite(numbers.astype(float)).all()


def test_back_and_next_walk_through_all_stages():
    app = opened()
    titles = [app.title[0].value]
    for _ in STEPS[1:]:
        press(app, "Next")
        titles.append(app.title[0].value)
    assert len(set(titles)) == len(STEPS)
    assert all(len(title) <= 34 for title in titles)


EXTREMES = (
    {"length": "4", "d_model": "8", "base": "10", "strength": "0", "seed": "0", "offset": "0", "blocks": "1"},
    {"length": "256", "d_model": "128", "base": "1000000", "strength": "8", "seed": "9999", "offset": "100"},
    {"text": "a", "position": "255", "dimension": "256", "first": "255", "second": "255", "q": "24", "k": "24"},
    {"text": " ".join("abcdefghijklmnopqrstuvwxyz"), "q": "24", "asks": "24", "answers": "1", "q_at": "30"},
    {
        "text": "cat cat cat cat",
        "here": "0",
        "steps": "-12",
        "slide": "100",
        "deviation": "0.5",
        "norm": "before the heads",
    },
    {"whose": "trained", "model": "trained", "cut": "true", "told": "true", "blocks": "6"},
)


@pytest.mark.parametrize("link", EXTREMES, ids=range(len(EXTREMES)))
@pytest.mark.parametrize("step", STEPS)
def test_both_ends_of_every_control_work(step, link):
    for kind in KINDS if step in ("order", "table", "alike", "add", "terms", "layers", "norms") else KINDS[:1]:
        revealed(step=step, kind=kind, **link)


def test_the_link_says_what_the_controls_say_and_brings_it_back():
    app = revealed(step="five", offset="7", d_model="32", strength="2", seed="5")
    assert app.query_params[f"{NAME}_offset"] == "7"
    assert app.query_params[f"{NAME}_step"] == "five"
    assert app.slider(key=f"{NAME}_offset").value == 7
    app.slider(key=f"{NAME}_offset").set_value(0)
    rerun(app)
    press(app, f"{NAME}_reset")
    assert app.slider(key=f"{NAME}_offset").value == 7
    press(app, f"{NAME}_reset")
    assert app.title[0].value == "Attention sees no word order"


@pytest.mark.parametrize(("step", "kind", "name"), [("waves", "select_slider", "base"), ("add", "slider", "strength")])
def test_what_a_step_asks_to_move_stands_beside_its_picture_and_not_in_the_menu(step, kind, name):
    app = revealed(step=step)
    key = f"{NAME}_{name}"
    assert key in [widget.key for widget in app.main.get(kind)]
    assert key not in [widget.key for widget in app.sidebar.get(kind)]


def test_a_locked_control_is_disabled():
    app = revealed(step="table", kind="RoPE", lock="kind.step")
    assert app.selectbox(key=f"{NAME}_kind").disabled
    assert "Set by your teacher" in said(app)
    assert all(button.disabled for button in app.button if button.key == f"{NAME}_to_order")


def test_a_scene_worth_a_look_sets_what_another_stage_draws():
    app = press(opened(), "The raw-index bug")
    press(app, "Just show me")
    assert app.title[0].value == "Four mistakes and their meters"
    assert "4.27372" in said(app)
    assert app.slider(key=f"{NAME}_length").value == 64
    app = press(opened(), "Tutorial’s 20 × 64")
    press(app, "Just show me")
    assert "19.974" in said(app)
    app = press(opened(step="table"), "What training made")
    assert matrix(app)[0].shape == (32, 32)
    assert "cosine of" in said(app)
    assert next(button for button in opened(lock="kind").button if button.label == "What training made").disabled


@pytest.mark.parametrize(
    ("step", "kind", "there", "missing"),
    [
        ("table", "RoPE", ["base"], ["strength"]),
        ("table", "learned", ["kind"], ["base"]),
        ("add", "ALiBi", ["d_model"], ["base", "strength"]),
        ("terms", "RoPE", ["d_model"], ["base", "strength"]),
        ("layers", "RoPE", ["base"], ["strength"]),
        ("norms", "learned", ["strength"], ["base"]),
        ("five", "ALiBi", ["strength", "base"], []),
        ("order", "sinusoidal", ["d_model"], ["base", "strength"]),
        ("rope", "none", ["base"], ["d_model", "strength"]),
    ],
)
def test_a_control_that_would_move_nothing_is_not_drawn(step, kind, there, missing):
    app = opened(step=step, kind=kind)
    keys = {w.key for kind in ("slider", "select_slider", "selectbox", "number_input") for w in getattr(app, kind)}
    assert {f"{NAME}_{name}" for name in there} <= keys
    assert not {f"{NAME}_{name}" for name in missing} & keys


@pytest.mark.parametrize("step", STEPS)
def test_the_script_computes_the_same_numbers_with_numpy_alone(step, monkeypatch, tmp_path):
    seen = []
    finish = Page.finish
    monkeypatch.setattr(
        Page, "finish", lambda self, *code, **named: (seen.append(self.recipe), finish(self, *code, **named))
    )
    revealed(step=step, length="9", d_model="16")
    recipe = seen[-1]
    checked = script(recipe, "title", "link") + "\nimport sys\nassert 'streamlit' not in sys.modules\n"
    checked += "assert not any(name.startswith('attention_core') for name in sys.modules)\n"
    arrays = {name: array for name, array in recipe.arrays().items() if array.dtype.kind in "fi"}
    np.savez(tmp_path / "seen.npz", **{f"a{i}": array for i, array in enumerate(arrays.values())})
    checked += f"seen = np.load({str(tmp_path / 'seen.npz')!r})\n"
    for i, name in enumerate(arrays):
        checked += f"np.testing.assert_allclose({name}, seen['a{i}'], rtol=1e-6, atol=1e-6)\n"
    file = tmp_path / "view.py"
    file.write_text(checked, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(file)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr


# The stages


def test_without_positions_a_shuffle_only_moves_rows():
    app = revealed(step="order", shuffle="5")
    labels = position_labels(WORDS)
    order = shuffled_order(len(WORDS), 5, SERIES)
    before, rows, _ = matrix(app, 0)
    after, there, _ = matrix(app, 1)
    plain = core.scaled_dot_product_attention(*(X @ w for w in HEAD))[0]
    close(before, plain)
    close(after, plain[order])
    assert rows == labels
    assert there == [labels[i] for i in order]
    assert "moved" not in data(app, 1).columns
    assert domain(app, 0) == domain(app, 1) == [-4, 4]


@pytest.mark.parametrize("kind", KINDS)
def test_with_positions_told_a_shuffle_moves_what_the_kind_says(kind):
    app = revealed(step="order", told="true", kind=kind, strength="1.5", base="100")
    order = shuffled_order(len(WORDS), 1, SERIES)
    strength = 1.5 if kind in ("sinusoidal", "learned", "ALiBi") else 1.0
    base = 100.0 if kind in ("sinusoidal", "RoPE") else 10000.0
    options = {"base": base, "strength": strength, "seed": SEED}
    after = placed_attention(X[order], HEAD, kind, **options).output
    close(matrix(app, 0)[0], placed_attention(X, HEAD, kind, **options).output)
    close(matrix(app, 1)[0], after)
    assert ("moved" in data(app, 1).columns) == (kind != "none")


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_is_what_the_kind_works_with(kind):
    app = revealed(step="table", kind=kind)
    values, rows, columns = matrix(app)
    close(values, numbers_of_kind(kind, 20, WIDTH, seed=SEED))
    assert rows == [str(i) for i in range(20)]
    assert columns[0] == "1"


def test_neighbours_are_most_alike_wherever_they_stand_and_of_a_learned_table_two_rows():
    waves = core.sinusoidal_positions(20, WIDTH)
    told = f"Most alike are neighbours, wherever they stand: their cosine is {waves[7] @ waves[8] / 32:.4f}"
    for kind in ("sinusoidal", "RoPE"):
        assert told in said(revealed(step="table", kind=kind))
    assert re.search(r"Most alike are rows \d+ and \d+:", said(revealed(step="table", kind="learned")))
    assert "Number: every number is 0." in said(revealed(step="table", kind="none"))


def test_what_is_not_added_is_not_read_back():
    told = said(revealed(step="add", kind="ALiBi"))
    assert "7 of 7 words are read back, and no position" in told
    assert "ALiBi adds nothing to the words" in told
    assert "Nothing is added to the words" in said(revealed(step="norms", kind="none"))


def test_a_large_table_is_a_picture_of_the_same_numbers():
    app = revealed(step="table", length="200")
    assert spec(app)["layer"][0]["mark"]["type"] == "image"


def test_the_trained_table_is_the_models():
    app = revealed(step="table", kind="learned", whose="trained", length="200")
    close(matrix(app)[0], trained_positions(32))
    assert domain(app) == [-0.05, 0.05]


def test_a_number_of_the_table_is_derived():
    text = said(revealed(step="table", position="3", dimension="6"))
    assert "Position 3, column 6" in text
    assert f"{np.cos(3 * 10000 ** (-4 / 64)):.2f}".replace("-", "−") in text


def test_the_waves_are_sines_with_their_lengths():
    app = revealed(step="waves", length="50", base="1000")
    frame = data(app)
    encoding, long = core.sinusoidal_positions(50, WIDTH, 1000.0), wavelengths(WIDTH, 1000.0)
    lanes = list(dict.fromkeys(frame["name"]))
    assert len(lanes) == 6
    for name in lanes:
        column = int(re.match(r"columns (\d+)", name)[1]) - 1
        own = frame[frame["name"] == name]
        close(own["value"], encoding[:, column])
        assert f"{long[column // 2]:,.1f}".replace(",", "\u202f") in name


def test_tutorial_001_finds_its_two_products():
    for second, product in ((1, "30.917"), (19, "19.974")):
        app = revealed(step="alike", second=str(second))
        close(matrix(app)[0], core.sinusoidal_positions(20, 64) @ core.sinusoidal_positions(20, 64).T)
        assert product in said(app)
    assert "only how far apart they are" in said(app)


@pytest.mark.parametrize("whose", ["random", "trained"])
def test_learned_rows_are_compared_by_their_cosines_and_the_other_table_stands_beside(whose):
    app = revealed(step="alike", kind="learned", whose=whose, length="32")
    tables = {"random": place_table("learned", 32, WIDTH, seed=SEED), "trained": trained_positions(32)}
    alike = {}
    for name, table in tables.items():
        unit = table / np.linalg.norm(table, axis=1, keepdims=True)
        alike[name] = unit @ unit.T
        mean = [np.diagonal(alike[name], d).mean() for d in range(32)]
        close(line(app, f"learned, {name}", 1)[1], mean)
    close(matrix(app)[0], alike[whose])


@pytest.mark.parametrize("kind", ["none", "RoPE", "ALiBi"])
def test_what_adds_nothing_still_knows_only_distances(kind):
    app = revealed(step="alike", kind=kind)
    values = matrix(app)[0]
    assert all(np.ptp(np.diagonal(values, d)) < 1e-9 for d in range(20))
    distance, mean = line(app, kind, 1)
    close(mean, values[0])
    assert distance.tolist() == list(range(20))


def test_clocks_stand_where_the_table_says_and_turn_by_the_matrix():
    app = opened(step="clocks", here="6", steps="-4", d_model="32")
    encoding = core.sinusoidal_positions(50, 32)
    for i, pair in enumerate((0, 2, 4)):
        frame = data(app, i)
        arrows = frame[frame["kind"] == "arrow"][["x", "y"]].to_numpy()
        close(arrows, encoding[[6, 2]][:, [2 * pair + 1, 2 * pair]])
    close(matrix(app, 3)[0], shift_matrix(-4, 32)[:8, :8])
    before = data(app, 3)
    app.slider(key=f"{NAME}_here").set_value(30)
    assert data(rerun(app), 3).equals(before)  # the turn does not know where it is taken


def test_no_scale_of_the_clocks_moves_with_a_slider():
    first, other = (opened(step="clocks", here=here, steps=steps) for here, steps in (("4", "3"), ("47", "-12")))
    assert all(spec(first, i) == spec(other, i) for i in range(4))


def test_words_and_positions_are_read_back_as_measured():
    app = opened(step="add", strength="3", d_model="32")
    found = read_by_strength("sinusoidal", 24, 32, 10000.0, SEED)
    close(line(app, "words")[1], found.words)
    close(line(app, "positions")[1], found.places)
    close(line(app, "positions ± 2")[1], found.places_nearly)
    x = word_vectors(WORDS, 32, SEED)
    sums = x + 3 * core.sinusoidal_positions(7, 32)
    places = core.sinusoidal_positions(24, 32)
    alike = (sums @ places.T) / np.linalg.norm(sums, axis=1)[:, None]
    right = int((alike.argmax(axis=1) == np.arange(7)).sum())
    assert f"{right} of 7 positions are read back" in said(app)


def test_the_four_terms_are_on_the_page_and_sum_to_the_scores():
    app = opened(step="terms", strength="2")
    maps = [matrix(app, i)[0] for i in range(5)]
    p = 2 * core.sinusoidal_positions(7, WIDTH)
    for values, (left, right) in zip(maps, ((X, X), (X, p), (p, X), (p, p)), strict=False):
        close(values, left @ HEAD.w_q @ (right @ HEAD.w_k).T / np.sqrt(8))
    close(maps[4], (X + p) @ HEAD.w_q @ ((X + p) @ HEAD.w_k).T / np.sqrt(8))
    close(sum(maps[:4]), maps[4])
    assert len({tuple(domain(app, i)) for i in range(5)}) == 1


def test_rope_turns_q_and_k_and_leaves_v():
    app = revealed(step="rope", q_at="3", k_at="9", slide="20", asks="2", answers="7")
    head = random_head(WIDTH, 6, SEED)
    q, k, v = X[1] @ head.w_q, X[6] @ head.w_k, X[6] @ head.w_v
    turned = core.rotate(q[None], offset=23)[0], core.rotate(k[None], offset=29)[0], v
    for pair in range(3):
        frame = data(app, pair)
        arrows = frame[frame["kind"] == "arrow"][["x", "y"]].to_numpy()
        points = frame[frame["kind"] == "point"][["x", "y"]].to_numpy()
        close(arrows, [vector[2 * pair : 2 * pair + 2] for vector in turned])
        close(points, [vector[2 * pair : 2 * pair + 2] for vector in (q, k)])
    score = core.rotate(q[None], offset=3)[0] @ core.rotate(k[None], offset=9)[0] / np.sqrt(6)
    assert f"{score:.4f}".replace("-", "−") in said(app)
    assert "the same to the last digits" in said(app)


@pytest.mark.parametrize(("strength", "slope"), [("1", "−0.500"), ("8", "−4.000"), ("0", "0.000")])
def test_what_alibi_adds_grows_with_the_strength(strength, slope):
    told = said(revealed(step="five", strength=strength, q="5", k="2"))
    assert f"ALiBi adds {number(-1.5 * float(strength))} to its scaled score: {slope} for each step" in told


@pytest.mark.parametrize("offset", [0, 40])
def test_five_encodings_of_one_sentence_and_which_stay(offset):
    app = revealed(step="five", offset=str(offset))
    text = said(app)
    for i, kind in enumerate(KINDS):
        weights = placed_attention(X, HEAD, kind, offset=offset, seed=SEED).weights
        close(matrix(app, i)[0], weights)
        assert domain(app, i) == [0, 1]
        stays = kind in ("none", "RoPE", "ALiBi") or offset == 0
        assert ("moved" not in data(app, i).columns) == stays
    assert text.count("stays put") == (3 if offset else 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cut", ["true", "false"])
def test_what_is_left_after_each_block(kind, cut):
    app = opened(step="layers", kind=kind, cut=cut, blocks="3")
    found = read_by_layer(kind, 32, 3, cut == "false", 10000.0, 1.0, SEED)
    layers, words = line(app, "words")
    assert layers.tolist() == [0, 1, 2, 3]
    close(words, found.words)
    close(line(app, "positions")[1], found.places)


def test_the_trained_model_has_one_block():
    app = opened(step="layers", model="trained")
    close(line(app, "positions")[1], read_by_layer_of_trained(SEED).places)


@pytest.mark.parametrize(("norm", "order"), [("after the heads", "post"), ("before the heads", "pre")])
def test_lengths_on_the_way_through_eight_heads(norm, order):
    app = opened(step="norms", deviation="0.2", norm=norm)
    values, rows, columns = matrix(app)
    found = pipeline(X, core.sinusoidal_positions(7, WIDTH), 1.0, 8, 0.2, SEED, order)
    close(values, found.lengths)
    close(values[:, 2], np.linalg.norm(X + core.sinusoidal_positions(7, WIDTH), axis=1))
    assert rows == position_labels(WORDS)
    assert columns[3] == ("8 heads" if order == "post" else "norm")


CLINIC = {
    "none": ("0", "0", "0", "0"),
    "exponent from the raw index": ("4.27372", "0.52730", None, "0"),
    "all sines, then all cosines": ("0", "0", None, "0"),
    "RoPE in two kinds of pairs": ("0", "0", "0", None),
}


@pytest.mark.parametrize("mistake", CLINIC)
def test_each_mistake_is_caught_by_its_meter(mistake):
    app = revealed(step="clinic", mistake=mistake, length="64", d_model="32")
    bodies = " ".join(element.proto.body for element in app.get("html"))
    readings = re.findall(r"<tr><td>[^<]*</td><td[^>]*>([^<]*)</td>", bodies)
    assert len(readings) == 4
    for reading, expected in zip(readings, CLINIC[mistake], strict=True):
        assert reading == expected if expected else float(reading) > 0.01


def test_no_meter_shows_zeros_and_says_that_they_are_not():
    long = np.log10(np.ptp(np.linalg.norm(core.sinusoidal_positions(20, 63), axis=1)))
    told = said(revealed(step="clinic", mistake="an odd width"))
    assert "0.00000" not in told
    assert f" · 10 {np.floor(long):.0f}".replace("-", "−") in told
    assert "less than 0.00001" in told


def test_an_odd_width_stops_numpy_and_at_a_small_base_moves_the_meters():
    app = revealed(step="clinic", mistake="an odd width", length="64", d_model="32", base="10")
    text = said(app)
    assert "could not broadcast input array from shape (64,16) into shape (64,15)" in text
    odd = core.sinusoidal_positions(64, 31, 10.0)
    assert f"{np.ptp(np.linalg.norm(odd, axis=1)):.5f}" in text


def test_the_picture_of_a_mistake_is_its_own():
    waves = positions_with_raw_exponent(20, WIDTH)
    spread = max(np.ptp(np.diagonal(waves @ waves.T, d)) for d in range(20))
    assert f"{spread:.5f}" in said(revealed(step="clinic"))
    same = np.full((20, WIDTH), np.sqrt(0.5))
    mixed = core.rotate(same) @ rotate_halves(same).T
    spread = max(np.ptp(np.r_[np.diagonal(mixed, d), np.diagonal(mixed, -d)]) for d in range(20))
    assert f"{spread:.5f}" in said(revealed(step="clinic", mistake="RoPE in two kinds of pairs"))
    apart = positions_side_by_side(20, WIDTH)
    assert np.ptp(np.diagonal(apart @ apart.T, 3)) < 1e-9


# Questions


def options(app):
    return app.radio[0].options


def right_answer(app, step):
    """Return what the core says is right, as it stands among the options."""
    text = said(app)
    if step == "order":
        return 0
    if step == "waves":
        long = [wavelengths(WIDTH)[(int(option.split()[-1]) - 1) // 2] for option in options(app)]
        return int(np.argmin(long))
    if step == "rope":
        places = [tuple(map(int, re.findall(r"\d+", option))) for option in options(app)]
        return [key - query for query, key in places].index(5 - 2)
    if step == "five":
        return options(app).index("sinusoidal")
    return 2 if "all sines" in text else 3


@pytest.mark.parametrize("step", [step for step in ASKING if step != "alike"])
def test_right_and_wrong_answers_are_told_apart_in_every_variant(step):
    app = opened(step=step)
    for _ in range(4):
        right = right_answer(app, step)
        app.radio[0].set_value(right)
        press(app, "Check")
        assert "✓" in said(app)
        assert "verdict right" in " ".join(element.proto.body for element in app.get("html"))
        press(app, "Ask me another")
        wrong = next(
            i for i in range(len(options(app))) if i != right_answer(app, step) and options(app)[i] != "learned"
        )
        app.radio[0].set_value(wrong)
        press(app, "Check")
        assert "verdict wrong" in " ".join(element.proto.body for element in app.get("html"))
        press(app, "Ask me another")


@pytest.mark.parametrize(("given", "verdict"), [(32.0, "right"), (64.0, "wrong"), (1.0, "wrong"), (7.0, "wrong")])
def test_a_row_times_itself_is_half_the_width(given, verdict):
    app = opened(step="alike")
    next(field for field in app.number_input if field.label == "Your answer").set_value(given)
    press(app, "Check")
    assert f"verdict {verdict}" in " ".join(element.proto.body for element in app.get("html"))
    assert count(app) == 2


@pytest.mark.parametrize("shuffle", range(1, 13))
def test_the_word_that_is_asked_of_is_one_that_the_shuffle_moves(shuffle):
    order = shuffled_order(len(WORDS), shuffle, SERIES)
    app = opened(step="order", shuffle=str(shuffle))
    (word,) = re.findall(r"output of\s+(\S+)\s*\?", said(app))
    place = position_labels(WORDS).index(word)
    assert order[place] != place


def test_scores_that_differ_look_different_in_what_is_said_of_an_answer():
    app = opened(step="rope")
    asked = re.search(r"the scaled score (\S+)\. ", said(app))[1]
    app.radio[0].set_value(options(app).index("query at 5, key at 2"))
    told = re.search(r"There it is (\S+): key minus query is −3, and was 3", said(press(app, "Check")))[1]
    assert told != asked


def test_a_word_alone_moves_nowhere_and_keeps_its_weight():
    for step, option in (("order", "The same numbers in the same row"), ("five", "no weight changes")):
        app = opened(step=step, text="dog")
        app.radio[0].set_value(options(app).index(option))
        press(app, "Check")
        assert "verdict right" in " ".join(element.proto.body for element in app.get("html"))
    app = press(app, "Ask me another")
    app.radio[0].set_value(options(app).index("learned"))
    assert "A word alone" in said(press(app, "Check"))


def test_at_strength_0_no_weight_changes():
    app = opened(step="five", strength="0")
    app.radio[0].set_value(options(app).index("no weight changes"))
    press(app, "Check")
    assert "verdict right" in " ".join(element.proto.body for element in app.get("html"))
