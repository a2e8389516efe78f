"""Lesson 3: every number in every chart is the core's, questions come before pictures, and links restore all."""

import html
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import attention_core as core
from attention_core.equations.multi_head import head_writes
from attention_core.experiments import costs, head_metrics
from attention_core.experiments.english_heads import trained_heads
from attention_core.experiments.head_parts import key_removed, sliced, switched_off, where_written
from attention_core.experiments.one_head import JOBS, hand_set_embedding
from attention_core.experiments.several_heads import attend_heads, hand_set_heads, random_heads
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.charts.heatmap import ATTENTION_AXES
from pages.charts.matrix_image import matrix_picture
from pages.look.html import quoted
from pages.multi_head.questions import MOST_ROWS, job_question, missed_question
from pages.page.course import LESSONS
from tests.app import visits
from tests.app.bare import printed, run_bare
from tests.app.files import file_of, keeping
from tests.app.visits import Shown, charts, click, heatmap, html_of, opened, press, rerun, reveal, said, shared

ROOT = Path(__file__).parents[2]
SENTENCE = "the cat sat on the warm mat"
STEPS = ["heads", "split", "reads", "writes", "matters", "free", "across", "cost"]
KINDS = {
    "random": {},
    "random, causal and wide": {"d_model": "24", "heads": "6", "causal": "true", "seed": "7"},
    "hand-set": {"weights": "hand-set", "seed": "2"},
    "trained": {"weights": "trained"},
}
every_kind = pytest.mark.parametrize("link", KINDS.values(), ids=KINDS)


visit = partial(visits.visit, "multi_head")


def shown(**link):
    """Return a page whose questions were waved away, so that its pictures stand."""
    return reveal(visit(**link))


def set_to(app, **values):
    return visits.set_to(app, **{f"multi_head_{name}": value for name, value in values.items()})


def matrix(data):
    """Return the numbers of a heatmap or a thumbnail as a matrix."""
    return heatmap(Shown({}, data, "")).values


def scene(text=SENTENCE, weights="random", d_model="16", heads="4", causal="", seed="18", **others):
    """Return the words, x, matrices, heads, mask and attention of a link, in the core's functions alone."""
    words = split_words(text)
    mask = core.causal_mask(len(words)) if causal or weights == "trained" else None
    if weights == "random":
        x, matrices, n_heads = (
            word_vectors(words, int(d_model), int(seed)),
            random_heads(int(d_model), int(seed)),
            heads,
        )
    elif weights == "hand-set":
        x, matrices, n_heads = hand_set_embedding(words, 32, int(seed)), hand_set_heads(), 4
    else:
        (x, matrices, _), n_heads = trained_heads(words), 4
    additive = None if mask is None else core.additive_mask(mask)
    return words, x, matrices, int(n_heads), mask, attend_heads(x, matrices, int(n_heads), additive)


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-9, atol=1e-12)


def number(value, digits=2):
    text = f"{abs(value):.{digits}f}"
    return "−" + text if value < 0 and text.strip("0.") else text


# Charts


@every_kind
def test_every_head_is_drawn_with_the_numbers_of_the_core(link):
    words, x, matrices, n_heads, mask, _ = scene(**link)
    _, weights = core.multi_head_attention(x, *matrices, n_heads, mask)
    app = shown(**link)
    found = charts(app)
    assert len(found) == n_heads + 1
    for head, (spec, data, sentence) in enumerate(found[:-1]):
        close(matrix(data), weights[head])
        assert spec["encoding"]["color"]["scale"]["domain"] == [0, 1]
        assert data["query"].tolist()[:: len(words)] == position_labels(words)
        assert data["key"].tolist()[: len(words)] == position_labels(words)
        query, key = np.unravel_index(weights[head].argmax(), weights[head].shape)
        labels = position_labels(words)
        assert sentence.startswith(f"Head {head + 1}: {quoted(labels[query])} looks")
        assert f"{quoted(labels[key])}" in sentence
        assert f": {weights[head].max():.2f}" in sentence


@every_kind
def test_the_measures_under_the_heads_are_computed(link):
    words, _, _, n_heads, mask, attention = scene(**link)
    expected = head_metrics.measure_heads(attention.weights, words, mask)
    app = shown(**link)
    blocks = [block for block in html_of(app) if 'class="meters"' in block]
    assert len(blocks) == n_heads
    for head, block in enumerate(blocks):
        seen = re.findall(r'class="n">(?:<b>)?([\d.]+)', block)
        assert seen == [number(values[head]) for values in expected]


@every_kind
@pytest.mark.parametrize("head", ["1", "3"])
def test_one_head_enlarged_can_be_clicked_and_left_again(link, head):
    attention = scene(**link)[-1]
    app = shown(head=head, q="on", k="the₁", **link)
    spec, data, sentence = charts(app)[0]
    close(matrix(data), attention.weights[int(head) - 1])
    assert "turn" in data.columns
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, 1]
    assert sentence.startswith(f"{quoted('on')} looks most at")
    assert f"became {number(attention.weights[int(head) - 1, 3, 0])}" in said(app)
    click(app, 5, 6)
    assert f"became {number(attention.weights[int(head) - 1, 5, 6])}" in said(app)
    press(app, "All heads")
    assert len(charts(app)) == attention.weights.shape[0] + 1


@every_kind
def test_bars_say_where_one_word_looks_in_each_head(link):
    attention = scene(**link)[-1]
    app = shown(show="one word’s look", q="the₅", **link)
    for head, (spec, data, _) in enumerate(charts(app)[:-1]):
        close(data["value"], attention.weights[head, 4])
        assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]


def test_of_a_long_sentence_the_largest_shares_are_drawn_in_order():
    text = "one two three four five six seven eight nine ten eleven"
    attention = scene(text)[-1]
    for head, (_, data, _) in enumerate(charts(shown(text=text, show="one word’s look", q="two"))[:-1]):
        row = attention.weights[head, 1]
        kept = sorted(np.argsort(-row)[:8])
        close(data["value"], row[kept])
        assert data["label"].tolist() == [text.split()[i] for i in kept]


def test_many_heads_over_a_long_sentence_are_drawn_as_images_of_the_same_numbers():
    link = {"text": "one two three " * 8, "d_model": "24", "heads": "12"}
    attention = scene(**link)[-1]
    found = charts(shown(**link))
    assert len(found) == 13
    for weights, (_, data, _) in zip(attention.weights, found[:-1], strict=True):
        expected = matrix_picture(weights, ATTENTION_AXES, limit=None, name="", sentence="")
        assert data["light"][0] == expected.data["light"][0]


NAMES = dict(
    zip(("entropy", "word before", "first word", "itself", "same word"), head_metrics.HeadMeasures._fields, strict=True)
)


@pytest.mark.parametrize(("name", "field"), NAMES.items())
def test_other_seeds_have_other_heads(name, field):
    app = shown(measure=name)
    _, data, sentence = charts(app)[-1]
    rows = [
        getattr(head_metrics.measure_heads(scene(seed=seed)[-1].weights, SENTENCE.split()), field)
        for seed in range(18, 24)
    ]
    close(matrix(data), rows)
    best = [int(row.argmax()) + 1 for row in rows]
    assert sentence.startswith(f"Most “{name}”: head {best[0]} with")
    assert str(best[1:])[1:-1] in sentence
    assert len(set(best)) > 1


@every_kind
def test_the_trace_shows_the_shapes_with_the_students_own_sizes(link):
    _, x, _, n_heads, _, _ = scene(**link)
    t, d = x.shape
    app = shown(step="split", **link)
    text = said(app)
    for shape in ((t, d), (n_heads, t, d // n_heads), (n_heads, t, t)):
        assert " × ".join(map(str, shape)) in text
    assert f"({t}, {d}) → ({n_heads}, {t}, {d // n_heads}) → ({n_heads}, {t}, {t}) → ({t}, {d})" in text
    power = re.search(r"numbers differ by at most (?:0|[\d.]+ · 10−(\d+)),", text)[1]
    assert power is None or int(power) >= 13


def test_the_shapes_of_the_tutorial():
    text = said(shown(step="split", text="the cat sat on the mat", d_model="64", heads="8"))
    assert "(6, 64) → (8, 6, 8) → (8, 6, 6) → (6, 64)" in text


@pytest.mark.parametrize(
    ("way", "function"),
    [
        ("a loop over heads", "multi_head_by_loop"),
        ("a reshape", "multi_head_attention"),
        ("einsum", "multi_head_by_einsum"),
    ],
)
def test_the_code_of_each_way_can_be_read(way, function):
    app = shown(step="split", way=way)
    assert f"def {function}(" in said(app)


@every_kind
def test_a_head_reads_every_number_and_a_slice_only_its_own(link):
    _, x, matrices, n_heads, _, _ = scene(**link)
    width = x.shape[1] // n_heads
    app = shown(step="reads", head="2", d="2", **link)
    close(charts(app)[0][1].pipe(lambda data: (data["from"][0], data["to"][0])), (width + 0.5, 2 * width + 0.5))
    column = matrices.w_q[:, width + 1]
    assert f"{np.count_nonzero(column)} of the {x.shape[1]} numbers of {quoted('sat')} count" in said(app)
    set_to(app, reads="only its slice")
    column = sliced(matrices.w_q, n_heads)[:, width + 1]
    assert f"{np.count_nonzero(column)} of the {x.shape[1]} numbers" in said(app)
    assert np.count_nonzero(column) <= width


@pytest.mark.parametrize("place", [1, 6, 16])
def test_who_notices_a_changed_number(place):
    _, x, matrices, n_heads, _, _ = scene()
    app = shown(step="reads", head="2", change_row="cat", change_column=str(place))
    changed = x.copy()
    changed[1, place - 1] += 2
    cut = matrices._replace(**{name: sliced(getattr(matrices, name), n_heads) for name in ("w_q", "w_k", "w_v")})
    for (_, data, sentence), heads in zip(charts(app)[1:], (matrices, cut), strict=True):
        before, after = (attend_heads(rows, heads, n_heads).weights[1] for rows in (x, changed))
        close(matrix(data), after)
        moved = ~np.isclose(before, after, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(data["moved"], moved.ravel())
        assert f"{moved.sum()} of 49 weights moved" in sentence
        assert (moved.sum() > 0) == (heads is matrices or place == 6)


@every_kind
@pytest.mark.parametrize("off", ["", "2", "1.3"])
def test_bars_are_what_each_head_writes_and_sum_to_the_output(link, off):
    _, x, matrices, n_heads, mask, attention = scene(**link)
    writes = head_writes(attention.output, matrices.w_o)
    output, _ = core.multi_head_attention(x, *matrices, n_heads, mask)
    gone = [int(head) - 1 for head in off.split(".") if head]
    kept = switched_off(writes, gone)
    app = shown(step="writes", q="on", off=off, **link)
    (spec, data, _), (_, where, _) = charts(app)
    close(matrix(where), where_written(writes))
    parts = data[data["kind"] == "part"]["value"].to_numpy().reshape(-1, n_heads)
    close(parts, kept[:, 3, :16].T)
    sums = data[data["kind"] == "sum"]["value"]
    close(sums, kept[:, 3, :16].sum(axis=0))
    low, high = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low == -high
    if off:
        moved = np.linalg.norm(output[3] - kept.sum(axis=0)[3])
        assert f"moves by {number(moved)}" in said(app)
    else:
        close(sums, output[3, :16])


def test_a_head_is_switched_off_and_on_by_its_button():
    app = shown(step="writes")
    press(app, "Head 2 on")
    assert "Without head 2 the output" in said(app)
    press(app, "Head 4 on")
    assert "Without head 2 and head 4 the output" in said(app)
    press(app, "~~Head 2~~ off")
    press(app, "~~Head 4~~ off")
    assert "All heads are on" in said(app)


def test_with_a_reshape_alone_each_head_stays_in_its_own_columns():
    app = shown(step="writes", w_o="W_O = 1, a reshape alone")
    close(matrix(charts(app)[1][1]), np.eye(4))
    attention = scene()[-1]
    sums = charts(app)[0][1].query("kind == 'sum'")["value"]
    close(sums, attention.output[:, 2].ravel())


def test_a_wide_output_is_shown_in_parts():
    _, _, matrices, _, _, attention = scene(d_model="48")
    writes = head_writes(attention.output, matrices.w_o)
    for start, first in (("1", 0), ("20", 19), ("64", 32)):
        _, data, _ = charts(shown(step="writes", d_model="48", d=start))[0]
        parts = data[data["kind"] == "part"]
        close(parts["value"].to_numpy().reshape(16, 4), writes[:, 2, first : first + 16].T)
        assert parts["label"].tolist()[::4] == [str(first + i + 1) for i in range(16)]


@every_kind
@pytest.mark.parametrize("gone", ["", "true"])
def test_weight_contribution_and_effect_are_three_maps_of_one_head(link, gone):
    _, _, matrices, _, _, a = scene(**link)
    app = shown(step="matters", head="3", q="warm", k="cat", gone=gone, **link)
    maps = charts(app)
    close(matrix(maps[0][1]), (key_removed(a, 1) if gone else a).weights[2])
    written = np.linalg.norm(head_writes(a.v, matrices.w_o)[2], axis=-1)
    close(matrix(maps[1][1]), a.weights[2] * written)
    effects = matrix(maps[2][1])
    for key in range(7):
        moved = head_writes(key_removed(a, key).output - a.output, matrices.w_o)[2]
        np.testing.assert_allclose(effects[:, key], np.linalg.norm(moved, axis=-1), atol=1e-9)
    scales = [spec["layer"][0]["encoding"]["color"]["scale"]["domain"] for spec, _, _ in maps]
    assert scales[0] == [0, 1]
    assert scales[1] == scales[2]
    assert scales[1][0] == 0
    assert f"moves by {number(effects[5, 1])}" in said(app)


def test_the_preset_leads_to_a_bright_cell_that_is_not_missed():
    app = press(visit(step="matters"), "Bright, and not missed")
    answer(app, "mat")
    assert "largest weight" in verdict(app)
    weights, _, effects = (matrix(data) for _, data, _ in charts(app))
    assert weights[2].argmax() == 6
    assert weights[2, 6] > 0.5
    assert effects[2, 6] < 0.01 * effects[2].max()


def test_the_button_leads_to_the_most_idle_cell_of_any_scene():
    app = press(shown(step="matters"), "Look at it")
    weights, _, effects = (matrix(data) for _, data, _ in charts(app))
    labels = position_labels(SENTENCE.split())
    row, column = (labels.index(app.selectbox(key=f"multi_head_{name}").value) for name in "qk")
    assert weights[row].argmax() == column
    share = 100 * effects[row, column] / effects[row].max()
    assert f"its effect is {number(share, 1)} % of the largest" in said(app)


@pytest.mark.parametrize("d_model", ["6", "16", "64"])
def test_the_numbers_stay_while_heads_grow_and_rank_falls(d_model):
    width = int(d_model)
    counts = [n for n in range(1, 13) if width % n == 0]
    app = shown(step="free", d_model=d_model, heads="2")
    _, data, _ = charts(app)[0]
    lines = data[data["kind"] == "line"]
    held = lines[lines["series"] == "numbers held"]
    rank = lines[lines["series"] == "rank of a head"]
    assert held["x"].tolist() == counts
    close(held["value"], np.ones(len(counts)))
    close(rank["value"], [1 / n for n in counts])
    assert said(app).count(f"{4 * width * width:,}".replace(",", "\u202f")) >= len(counts)


@every_kind
def test_across_two_sentences_the_map_is_a_rectangle(link):
    _, x, matrices, n_heads, _, _ = scene(**link)
    second = "a big dog saw the red ball now"
    words = second.split()
    context = {
        "random": lambda: word_vectors(words, x.shape[1], int(link.get("seed", 18))),
        "hand-set": lambda: hand_set_embedding(words, 32, 2),
        "trained": lambda: trained_heads(words)[0],
    }[link.get("weights", "random")]()
    _, weights = core.multi_head_attention(x, *matrices, n_heads, context=context)
    app = shown(step="across", second=second, head="2", **link)
    _, data, _ = charts(app)[0]
    close(matrix(data), weights[1])
    assert data["key"].tolist()[: len(words)] == words


SIZES = [
    ({}, 1024, 12, 64, 12, 16),
    ({"n": "2048", "h": "96", "w": "128", "layers": "96"}, 2048, 96, 128, 96, 16),
    ({"n": "1000000", "h": "128", "w": "512", "layers": "200", "bits": "32"}, 10**6, 128, 512, 200, 32),
    ({"n": "1", "h": "1", "w": "1", "layers": "1"}, 1, 1, 1, 1, 16),
]


@pytest.mark.parametrize(("link", "length", "heads", "width", "layers", "bits"), SIZES)
def test_the_calculator_gives_the_costs_by_formula(link, length, heads, width, layers, bits):
    app = shown(step="cost", **link)
    config = core.Config(50257, heads * width, heads, layers, length, positions="learned")
    work = costs.operations(config, length)
    share = 100 * (work.scores + work.mixing) / work.total
    assert f"{share:.0f} % of the operations" in said(app)
    data = charts(app)[0][1]
    line = data[data["kind"] == "line"]
    for x, value in zip(line["x"], line["value"], strict=True):
        work = costs.operations(config, int(x))
        assert value == pytest.approx((work.scores + work.mixing) / work.total)


def test_the_presets_of_the_calculator():
    app = shown(step="cost")
    press(app, "GPT-3")
    assert "175 billion" in said(app)
    assert "12\u202f288" in said(app)
    press(app, "GPT-2")
    assert "124 million" in said(app)
    press(app, "One head, 100 000 tokens")
    assert "of 16 bits = 20 GB" in said(app)
    set_to(app, bits="32")
    assert "of 32 bits = 40 GB" in said(app)


# Questions

QUESTIONS = {
    "heads": "Now this head, now that one",
    "split": "4 × 7 × 4",
    "reads": 16.0,
    "free": 1024.0,
    "across": "7 × 4",
    "cost": 20.0,
}


def answer(app, given):
    if app.radio:
        app.radio[0].set_value(app.radio[0].options.index(given))
    else:
        next(field for field in app.number_input if field.label == "Your answer").set_value(given)
    return press(app, "Check")


def verdict(app):
    return next(block for block in html_of(app) if "course verdict" in block)


@pytest.mark.parametrize(("step", "right"), QUESTIONS.items())
def test_the_question_stands_before_the_picture_and_the_right_answer_opens_it(step, right):
    app = visit(step=step)
    before = len(charts(app))
    assert before == (4 if step == "heads" else 0)  # the question of the first step stands before its last picture
    answer(app, right)
    assert "verdict right" in verdict(app)
    assert len(charts(app)) > before


@pytest.mark.parametrize(
    ("step", "wrong", "why"),
    [
        ("heads", "Head 2 each time", "a number, not a job"),
        ("heads", "Another head, the same each time", "as likely to lead as the next"),
        ("split", "4 × 7 × 16", "a full copy"),
        ("split", "4 × 4 × 7", "a word stays a row"),
        ("split", "7 × 4 × 4", "the words come first"),
        ("reads", 4.0, "That is how many numbers its query has"),
        ("free", 1024.0 * 4, "narrower by as much"),
        ("across", "4 × 7", "lying on its side"),
        ("across", "11 × 11", "one long sentence"),
        ("cost", 10.0, "one byte for each weight"),
        ("cost", 40.0, "four bytes"),
    ],
)
def test_a_likely_mistake_is_explained(step, wrong, why):
    app = answer(visit(step=step), wrong)
    assert "verdict wrong" in verdict(app)
    assert why in html.unescape(verdict(app))


@pytest.mark.parametrize(
    "link",
    [{"text": "a big dog ran", "measure": "same word"}, {"text": "dog", "measure": "itself"}, {"heads": "1"}],
)
def test_where_no_head_leads_none_is_said_to_and_nothing_is_asked(link):
    app = visit(step="heads", **link)
    assert not app.radio
    assert "no head has more than another" in said(app)
    assert "it would lead" not in said(app)
    rows = heatmap(charts(app)[-1]).values
    assert (rows == rows[:, :1]).all()


@pytest.mark.parametrize("leaders", [(1, 1, 1), (1, 0, 0), (1, 0, 2), (1, 1, 0)])
def test_of_what_heads_may_do_under_other_seeds_one_option_is_true(leaders):
    question = job_question("itself", leaders, 4, 0)
    first, *others = leaders
    true = {
        "Head 2 each time": set(others) == {first},
        "Another head, the same each time": len(set(others)) == 1 and first not in others,
        "Now this head, now that one": len(set(others)) > 1,
    }
    assert [question.options[i] for i in question.right] == [option for option, holds in true.items() if holds]


@pytest.mark.parametrize("weights", ["hand-set", "trained"])
def test_a_query_is_a_sum_of_as_many_products_as_the_vector_has_numbers(weights):
    app = press(visit(step="reads", weights=weights), "Just show me")
    assert "<b>32</b>." in verdict(app)
    assert " of the 32 numbers of" in said(app)


@pytest.mark.parametrize("variant", range(4))
def test_what_heads_write_adds_up(variant):
    _, _, matrices, _, _, attention = scene()
    writes = head_writes(attention.output, matrices.w_o)
    app = visit(step="writes")
    for _ in range(variant):
        press(reveal(app), "Ask me another")
    text = next(block for block in html_of(app) if '"course ask"' in block)
    word = html.unescape(re.search("<i>(.*?)</i>", text)[1])
    column = int(re.search(r"into number (\d+) of", text)[1]) - 1
    row = position_labels(SENTENCE.split()).index(word)
    parts = [float(part.replace("−", "-")) for part in re.findall(r"<span>head \d+ (−?[\d.]+)</span>", text)]
    np.testing.assert_allclose(parts, writes[:, row, column], atol=0.0051)
    answer(app, round(float(writes[:, row, column].sum()), 2))
    assert "verdict right" in verdict(app)


@every_kind
def test_the_key_missed_most_is_the_cores(link):
    words, _, matrices, _, mask, a = scene(**link)
    labels = position_labels(words)
    app = visit(step="matters", **link)
    text = next(block for block in html_of(app) if '"course ask"' in block)
    row = labels.index(html.unescape(re.search("<i>(.*?)</i>", text)[1]))
    head = int(re.search(r"in head (\d+)", text)[1]) - 1
    effects = head_metrics.removal_effects(a.q, a.k, a.v, matrices.w_o, mask)[head, row]
    if a.weights[head, row].argmax() != effects.argmax():
        answer(app, labels[int(a.weights[head, row].argmax())])
        assert "verdict wrong" in verdict(app)
        assert "largest weight" in verdict(app)
        app = visit(step="matters", **link)
    answer(app, labels[int(effects.argmax())])
    assert "verdict right" in verdict(app)


@pytest.mark.parametrize("variant", range(MOST_ROWS))
def test_keys_that_are_missed_alike_are_all_right_and_what_is_missed_can_be_seen(variant):
    _, _, matrices, _, mask, a = scene(weights="hand-set")
    effects = head_metrics.removal_effects(a.q, a.k, a.v, matrices.w_o, mask)
    labels = position_labels(SENTENCE.split())
    question = missed_question(a.weights, effects, labels, variant)
    head, row = (int(re.search(r"in head (\d+)", question.text)[1]) - 1, re.search("<i>(.*?)</i>", question.text)[1])
    moves = effects[head, labels.index(row)]
    assert moves.max() > 0.05
    assert question.right == tuple(np.flatnonzero(moves > moves.max() - 0.005))
    assert all(labels[i] in question.why for i in question.right)


def test_what_sets_the_scene_is_hidden_where_only_costs_are_counted():
    for step, hidden in (("cost", True), ("free", False)):
        styles = [element.proto.body for element in visit(step=step).get("html") if "<style>" in element.proto.body]
        assert any(".st-key-multi_head_d_model" in style for style in styles) == hidden


def test_where_the_only_key_goes_nothing_is_left():
    assert "Without it nothing is left to look at" in said(shown(step="matters", text="dog"))
    assert "Without it the other keys share" in said(shown(step="matters"))


def test_another_question_is_another_one():
    for step in STEPS:
        app = visit(step=step)
        asked = set()
        for _ in range(4):
            text = next(block for block in html_of(app) if '"course ask"' in block)
            asked.add((text, *(app.radio[0].options if app.radio else ())))
            press(reveal(app), "Ask me another")
        assert len(asked) >= 2, step


def test_the_course_counts_all_questions_of_the_lesson():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "multi_head"]
    asked = set()
    for step in STEPS:
        app = reveal(visit(step=step))
        asked |= {place.removeprefix("multi_head_") for place in app.session_state["answers"]}
    assert asked == set(lesson.questions)
    assert (ROOT / lesson.file).is_file()


# Controls and links


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "link",
    [
        {"d_model": "6", "heads": "1", "text": "a"},
        {"d_model": "6", "heads": "6", "text": "same same", "causal": "true"},
        {
            "d_model": "24",
            "heads": "12",
            "text": " ".join(["word", "is"] * 12),
            "seed": "9999",
            "head": "12",
            "q": "24",
        },
        {"d_model": "64", "heads": "8", "q": "mat", "k": "mat", "d": "64", "change_row": "mat", "change_column": "64"},
        {"weights": "trained", "text": "nothing qqq zzz", "second": "qqq"},
        {"weights": "hand-set", "causal": "true", "text": "<b>&amp; “quoted”</b> $x$ {y}", "second": "<i>"},
    ],
)
def test_both_ends_of_every_control_give_a_page(step, link):
    app = shown(step=step, **link)
    assert "NaN" not in said(app)
    for _, data, _ in charts(app):
        assert not data.drop(columns="moved", errors="ignore").isna().any().any()
    for head in ("all", "1", "12"):
        shown(step=step, **{**link, "head": head})


def test_heads_are_the_divisors_of_the_width():
    app = shown()
    for width in ("6", "8", "12", "48", "64"):
        set_to(app, d_model=width)
        found = next(control for control in app.segmented_control if control.key == "multi_head_heads")
        assert found.options == [str(n) for n in range(1, 13) if int(width) % n == 0]
        assert int(width) % int(found.value) == 0


def test_a_number_of_heads_that_no_longer_divides_falls_back():
    app = shown(d_model="12", heads="3")
    assert len(charts(app)) == 4
    set_to(app, d_model="16")
    assert len(charts(reveal(app))) == 5


@pytest.mark.parametrize(
    "link",
    [
        {"head": "3", "q": "cat", "k": "the₅", "seed": "7"},
        {"step": "writes", "off": "1.3", "w_o": "W_O = 1, a reshape alone", "d_model": "32", "heads": "8", "d": "9"},
        {"step": "matters", "weights": "trained", "gone": "true", "q": "warm"},
        {"step": "across", "second": "a red ball", "text": "the dog saw it", "causal": "true"},
        {"step": "cost", "n": "100000", "h": "1", "layers": "1", "bits": "32"},
        {"step": "reads", "reads": "only its slice", "change_row": "on", "change_column": "3", "change_by": "-1.5"},
    ],
)
def test_a_link_restores_the_view(link):
    app = shown(**link)
    again = shared(app)
    assert {name.removeprefix("multi_head_") for name in again} == set(link)
    second = reveal(opened("multi_head", again))
    for one, other in zip(charts(rerun(app)), charts(second), strict=True):
        assert one[0] == other[0]
        assert one[1].equals(other[1])


def test_what_a_teacher_locks_cannot_be_changed():
    app = shown(step="heads", lock="step.head.seed")
    assert "Set by your teacher: Step; Seed; Head." in said(app)
    disabled = {button.label for button in app.button if button.disabled}
    assert {"Head 1", "Head 2", "Back", "Next"} <= disabled


@pytest.mark.parametrize(
    ("preset", "words", "width", "heads"),
    [
        ("Two heads, six numbers", 4, 6, 2),
        ("Three heads that look back", 7, 12, 3),
        ("Eight heads, 64 numbers", 6, 64, 8),
        ("One job a head", 7, 32, 4),
        ("Trained heads", 11, 32, 4),
    ],
)
@pytest.mark.parametrize(
    "start", [{}, {"weights": "trained", "step": "cost"}, {"step": "split", "d_model": "48", "heads": "12"}]
)
def test_a_preset_leads_to_its_scene_from_anywhere(preset, words, width, heads, start):
    app = reveal(press(shown(**start), preset))
    text = said(to_step(app, "split"))
    assert f"({words}, {width}) → ({heads}, {words}, {width // heads})" in text


def to_step(app, step):
    return reveal(press(app, f"multi_head_to_{step}"))


def test_the_three_heads_of_the_preset_look_back_only():
    app = reveal(press(shown(), "Three heads that look back"))
    for _, data, _ in charts(app)[:3]:
        weights = matrix(data)
        assert not np.triu(weights, 1).any()
        close(weights.sum(axis=1), np.ones(7))


def test_hand_set_heads_say_what_they_were_set_for_and_random_ones_that_they_mean_nothing():
    assert ", ".join(JOBS) in said(shown(weights="hand-set"))
    assert "a pattern without a meaning" in said(shown())
    assert "were trained on" in said(shown(weights="trained"))


@pytest.mark.usefixtures("media")
@pytest.mark.parametrize("link", [link for link in KINDS.values() if link], ids=str)
@pytest.mark.parametrize("step", STEPS)
def test_the_script_of_every_step_prints_the_same_numbers(step, link):
    seen = printed(run_bare(file_of(keeping("multi_head", step=step, **link), "Script").decode()))
    _, x, matrices, n_heads, mask, attention = scene(**link)
    output, _ = core.multi_head_attention(x, *matrices, n_heads, mask)
    np.testing.assert_allclose(seen["attention.weights"], attention.weights, atol=1e-6)
    np.testing.assert_allclose(seen["output"], output, atol=1e-6)


def test_words_of_the_student_stay_text():
    app = shown(text="<script>alert(1)</script> {x}", show="one word’s look")
    bodies = " ".join(html_of(app))
    assert "<script>" not in bodies
    assert "&lt;" in bodies
