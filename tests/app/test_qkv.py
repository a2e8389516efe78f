"""Lesson 1: every number in every chart is the core's, and the questions come before the pictures."""

import html
import math
import re
from typing import NamedTuple

import numpy as np
import pytest

from attention_core.experiments.english_heads import trained_head
from attention_core.experiments.one_head import JOBS, HeadMatrices, hand_set_embedding, hand_set_head, random_head
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels, word_vectors
from pages.look.html import quoted
from tests.app.visits import (
    charts,
    click,
    controls,
    domain,
    go,
    heatmap,
    html_of,
    main,
    press,
    said,
    set_to,
    through_menu,
    visit,
)

SENTENCE = "the cat sat on the warm mat"
STEPS = ["dot", "x", "q", "k", "v", "scores", "scaled", "softmax", "mix"]
OF_WORDS = ["dot", "scores", "scaled", "softmax"]
CHOSEN = {step: ("q", "k") if step in OF_WORDS else ("q", "d") for step in STEPS} | {"dot": ("a", "b")}
VECTORS = {"cat": [0.9, 0.1, 0.8, 0.2], "sat": [0.1, 0.9, 0.3, 0.7], "mat": [0.8, 0.2, 0.7, 0.3]}
SCENES = {
    "random": {},
    "random and wide": {"d_model": "13", "d_k": "5", "d_v": "3", "seed": "7"},
    "one matrix for both": {"same": "true"},
    **{job: {"weights": "hand-set", "job": job, "seed": "2"} for job in JOBS},
    **{f"head {head}": {"weights": "trained", "head": head} for head in "1234"},
    "trained, one matrix for both": {"weights": "trained", "head": "2", "same": "true"},
}
every_scene = pytest.mark.parametrize("link", SCENES.values(), ids=SCENES)
NAMED = ["one", "adj?", "noun?", *(f"clock {i}" for i in range(1, 5)), *(f"word {i}" for i in range(1, 5))]
NAMED += [f"more {i}" for i in range(1, 6)]  # the columns of X that were set by hand
KINDS = ("random and wide", "adjective to noun", "head 3")
each_kind = pytest.mark.parametrize("link", [SCENES[name] for name in KINDS], ids=KINDS)


class Computed(NamedTuple):
    """One head over a sentence, in plain NumPy from what the core gives for words and matrices."""

    labels: list[str]
    x: np.ndarray
    head: HeadMatrices
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    scores: np.ndarray  # before scaling
    scaled: np.ndarray
    mask: np.ndarray
    softmax: np.ndarray
    mix: np.ndarray


def shares(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def computed_from(words, x, head, mask=0.0):
    q, k, v = (x @ matrix for matrix in head)
    scores = np.array([[query @ key for key in k] for query in q])
    scaled = scores / math.sqrt(q.shape[1])
    weights = shares(scaled + mask)
    mask = np.broadcast_to(mask, scores.shape)
    return Computed(position_labels(words), x, head, q, k, v, scores, scaled, mask, weights, weights @ v)


def computed(
    text=SENTENCE, weights="random", job=JOBS[0], head="1", d_model=8, d_k=4, d_v=4, seed=20, same="", **others
):
    words = split_words(text)
    mask = 0.0
    if weights == "random":
        x = word_vectors(words, int(d_model), int(seed))
        matrices = random_head(int(d_model), int(d_k), int(seed), int(d_v))
    elif weights == "hand-set":
        x, matrices = hand_set_embedding(words, 16, int(seed)), hand_set_head(job, 16, 8)
    else:
        x, matrices, mask = trained_head(words, int(head) - 1)
    if same:
        matrices = matrices._replace(w_k=matrices.w_q)
    return computed_from(words, x, matrices, mask)


def agreement(vectors=VECTORS):
    rows = np.array(list(vectors.values()))
    return rows @ rows.T


def close(seen, expected):
    np.testing.assert_allclose(seen, expected, rtol=1e-12, atol=1e-12)


def dimensions(matrix):
    return [str(column + 1) for column in range(matrix.shape[1])]


def shown(value, digits=2):
    """Return a number as the page should write it: a true minus, a thin space for thousands, no minus before zero."""
    text = "∞" if math.isinf(value) else f"{abs(value):,.{digits}f}".replace(",", "\u202f")
    return "−" + text if value < 0 and text.strip("0.") else text


def opened_up(**link):
    """Return a page by a link that leaves the questions out, so that its pictures stand."""
    return visit("qkv", ask="no", **link)


def verdicts(app):
    return [block for block in html_of(app) if "verdict" in block]


def verdict(app):
    (block,) = verdicts(app)
    look = re.search(r'class="course verdict (\w+)"', block)[1]
    return look, html.unescape(re.sub("<[^>]*>", "", block))


# Every chart


@every_scene
def test_each_step_shows_the_numbers_of_the_core(link):
    app = opened_up(**link)
    expected = computed(**link)
    for step in STEPS:
        if step != STEPS[0]:
            press(app, "Next")
        seen = heatmap(main(app))
        if step == "dot":
            close(seen.values, agreement())
            assert seen.rows == seen.columns == list(VECTORS)
            continue
        close(seen.values, getattr(expected, step))
        assert seen.rows == expected.labels
        columns_of_x = NAMED if link.get("weights") == "hand-set" else dimensions(expected.x)
        assert seen.columns == (
            expected.labels if step in OF_WORDS else columns_of_x if step == "x" else dimensions(seen.values)
        )
        if step in ("q", "k", "v"):
            matrix = getattr(expected.head, f"w_{step}")
            x, w = (heatmap(chart) for chart in charts(app)[1:])
            close(x.values, expected.x)
            close(w.values, matrix)
            assert x.rows == expected.labels
            assert x.columns == w.rows == columns_of_x
            assert w.columns == dimensions(matrix)
        elif step not in ("softmax", "mix"):
            assert len(charts(app)) == 1
    with pytest.raises(AssertionError):
        press(app, "Next")


@pytest.mark.parametrize("step", STEPS[1:])
def test_a_repeated_word_keeps_its_rows_and_its_place(step):
    text = "the cat saw the cat"
    app = opened_up(text=text, step=step)
    seen = heatmap(main(app))
    assert seen.rows == ["the₁", "cat₂", "saw", "the₄", "cat₅"]
    if step in OF_WORDS:
        assert seen.columns == seen.rows
    assert len(seen.values) == 5
    same_word = [seen.values[i] for i in (0, 3)]
    if step in ("x", "q", "k", "v"):
        np.testing.assert_array_equal(*same_word)
    close(seen.values, getattr(computed(text), step))


@pytest.mark.parametrize("step", STEPS[1:])
def test_colours_stay_while_seed_sentence_and_cell_change(step):
    scenes = (
        {},
        {"seed": "1"},
        {"seed": "9999", "text": "a"},
        {"text": "one two three four five six seven eight nine ten", "q": "nine", "k": "six", "d": "4"},
    )
    found = [domain(main(opened_up(step=step, **scene))) for scene in scenes]
    assert found == [found[0]] * len(scenes)
    low, high = found[0]
    assert (low, high) == ((0, 1) if step == "softmax" else (-high, high))


def test_scores_have_wider_colours_only_where_d_k_is_larger_and_keep_them_when_divided():
    reaches = [domain(main(opened_up(step="scores", d_k=d_k)))[1] for d_k in ("1", "4", "16", "32")]
    assert reaches == sorted(reaches)
    assert reaches[0] < reaches[-1]
    assert reaches == [domain(main(opened_up(step="scaled", d_k=d_k)))[1] for d_k in ("1", "4", "16", "32")]


def test_colours_of_matrices_set_by_hand_or_trained_hold_every_number():
    for link in list(SCENES.values())[3:]:
        app = opened_up(step="x", **link)
        for step in ("x", "q", "scores", "scaled", "mix"):
            picture = main(press(app, f"qkv_to_{step}"))
            low, high = domain(picture)
            assert low == -high
            assert np.abs(heatmap(picture).values).max() <= high


@every_scene
def test_the_shares_of_every_row_sum_to_1(link):
    close(heatmap(main(opened_up(step="softmax", **link))).values.sum(axis=1), 1)


@pytest.mark.parametrize("head", "1234")
def test_a_trained_head_gives_nothing_to_what_comes_later(head):
    weights = heatmap(main(opened_up(step="softmax", weights="trained", head=head))).values
    assert (weights[np.triu_indices(len(weights), 1)] == 0).all()
    assert (weights[np.tril_indices(len(weights))] > 0).all()


def test_one_matrix_for_queries_and_keys_makes_the_scores_symmetric():
    usual = heatmap(main(opened_up(step="scores"))).values
    same = heatmap(main(opened_up(step="scores", same="true"))).values
    close(same, same.T)
    assert np.abs(usual - usual.T).max() > 0.1


def test_each_picture_says_whose_matrices_it_shows():
    assert "random (seed 20)" in said(opened_up(step="q"))
    for job in JOBS:
        assert "set by hand so that" in said(opened_up(step="q", weights="hand-set", job=job))
    assert "trained on fresh sentences" in said(opened_up(step="q", weights="trained"))
    assert "the keys use" in said(opened_up(step="scores", same="true"))


def test_a_trained_model_says_which_words_it_does_not_know():
    app = opened_up(weights="trained", text="the zebra sat on the <i>mat", step="softmax")
    close(heatmap(main(app)).values, computed("the sat on the mat", "trained").softmax)
    assert f"has never met {', '.join(map(quoted, ['zebra', '<', 'i', '>']))}" in said(app)
    app = opened_up(weights="trained", text="zebras", step="softmax")
    close(heatmap(main(app)).values, computed(weights="trained").softmax)
    assert "knows none of these words" in said(app)


@pytest.mark.parametrize("text", ["word", "a b " * 12, "👩‍👩‍👧 مرحبا بالعالم", "x " * 30])
def test_a_sentence_of_any_length_has_a_row_for_each_word(text):
    words = split_words(text)[:24]
    close(heatmap(main(opened_up(text=text, step="softmax"))).values, computed(" ".join(words)).softmax)


def choose(step, row, column, labels=None):
    """Return the words of a link that choose a cell, counted from 1: a word by its label, a dimension by its number."""
    names = list(VECTORS) if step == "dot" else labels or position_labels(split_words(SENTENCE))
    down, across = CHOSEN[step]
    return {down: names[row - 1], across: str(column) if across == "d" else names[column - 1]}


def chosen_cells(app):
    """Return the cells at which row and column are said to meet."""
    return set(main(app).data.query("mark >= 4")[["i", "j"]].itertuples(index=False, name=None))


@pytest.mark.parametrize("step", STEPS)
def test_the_chosen_cell_is_outlined_with_its_row_and_column(step):
    app = opened_up(step=step, **choose(step, 2, 3))
    data = main(app).data
    marked = {bit: data[data["mark"] & bit > 0] for bit in (1, 2, 4)}
    assert set(marked[1]["i"]) == {1}
    assert set(marked[2]["j"]) == {2}
    assert chosen_cells(app) == {(1, 2)}


@pytest.mark.parametrize("step", STEPS)
def test_a_click_chooses_the_cell_and_a_second_click_on_another_too(step):
    app = opened_up(step=step)
    down, across = CHOSEN[step]
    for i, j in ((2, 0), (0, 2), (0, 2)):
        click(app, i, j)
        assert chosen_cells(app) == {(i, j)}
        seen = heatmap(main(app))
        assert controls(app)[f"qkv_{down}"].value == seen.rows[i]
        assert controls(app)[f"qkv_{across}"].value == seen.columns[j]


def test_a_word_that_was_chosen_and_is_no_longer_there_is_not_complained_of():
    app = opened_up(step="softmax", q="cat", k="mat")
    set_to(app, qkv_text="dogs bark")
    assert len(chosen_cells(app)) == 1
    assert "could not be used" not in said(app)


# Where a number comes from


def card(app):
    """Return the title of the derivation, the rows of its table, and the lines under it."""
    (block,) = [block for block in html_of(app) if 'class="title"' in block]
    ledger = block.partition('class="ledger"')[2].partition('class="chain"')[0]
    rows = re.findall(
        r'class="of">([^<]*)</span><span class="n[^"]*">([^<]*)<.*?class="n[^"]*">([^<]*)<.*?class="n">([^<]*)<', ledger
    )
    chain = block.partition('class="chain"')[2]
    lines = re.findall(r'<span[^>]*>((?:(?!</span><span class="n).)*)</span><span class="n[^"]*">([^<]*)</span>', chain)
    title = re.search(r'class="title">(.*?)</div>', block)[1]
    rows = [(html.unescape(name), *numbers) for name, *numbers in rows]
    rows += re.findall(r'class="rest">(\d+) smaller ones</span><span class="n">([^<]*)<', ledger)
    return plain(title), rows, [(plain(what), value) for what, value in lines]


def plain(markup):
    return html.unescape(re.sub("<[^>]*>", "", markup)).strip()


def products(left, right, names=None):
    """Return the rows that a table of products should have: twelve, or eight and the others' sum."""
    terms = left * right
    some = sorted(np.argsort(-np.abs(terms), kind="stable")[:8]) if len(terms) > 12 else range(len(terms))
    names = names or [str(i + 1) for i in range(len(terms))]
    rows = [(names[i], shown(left[i]), shown(right[i]), shown(terms[i])) for i in some]
    if len(terms) > 12:
        rows.append((str(len(terms) - 8), shown(terms.sum() - terms[some].sum())))
    return rows


@each_kind
@pytest.mark.parametrize("cell", [(3, 2), (7, 4)])
def test_a_projection_is_derived_from_a_row_and_a_column(link, cell):
    expected = computed(**link)
    row = cell[0] - 1
    for step in ("q", "k", "v"):
        matrix = getattr(expected.head, f"w_{step}")
        column = min(cell[1], matrix.shape[1]) - 1
        title, rows, lines = card(opened_up(step=step, **choose(step, cell[0], column + 1), **link))
        assert expected.labels[row] in title
        assert f"Number {column + 1} " in title
        assert rows == products(expected.x[row], matrix[:, column])
        assert [value for _, value in lines] == [shown(getattr(expected, step)[row, column])]


@each_kind
@pytest.mark.parametrize("cell", [(3, 2), (2, 7)])
def test_a_weight_is_derived_from_product_to_share(link, cell):
    expected = computed(**link)
    place = row, column = cell[0] - 1, cell[1] - 1
    terms = products(expected.q[row], expected.k[column])
    sum_line, score_line = shown(expected.scores[place]), shown(expected.scaled[place])
    seen = expected.scaled[row] + expected.mask[row]
    shift = seen.max() if seen.max() > 40 else 0
    for step in ("scores", "scaled", "softmax"):
        title, rows, lines = card(opened_up(step=step, **choose(step, *cell), **link))
        assert rows == terms
        values = [value for _, value in lines]
        assert values[0] == sum_line
        assert title == f"How {expected.labels[row]} → {expected.labels[column]} became {values[-1]}"
        if step == "scores":
            assert len(values) == 1
            continue
        assert lines[1] == (f"scaled score ÷ √{expected.q.shape[1]}", score_line)
        if step == "scaled":
            assert len(values) == 2
            continue
        assert values[-1] == shown(expected.softmax[place])
        if expected.mask[place] == -np.inf:
            assert lines[2:] == [("mask this key may not be seen", "−∞"), ("weight", "0.00")]
            continue
        middle = dict(lines[2:])
        if shift:
            assert middle[f"− {shown(shift)} the row’s maximum"] == shown(seen[column] - shift)
        assert middle[f"e{shown(seen[column] - shift)}"] == shown(math.exp(seen[column] - shift))
        (total,) = [value for what, value in lines if what.startswith("÷ row sum")]
        assert total == shown(np.exp(seen - shift).sum())


@each_kind
def test_an_output_is_derived_from_the_shares_of_the_values(link):
    expected = computed(**link)
    title, rows, lines = card(opened_up(step="mix", **choose("mix", 5, 2), **link))
    assert title == f"Number 2 of what {expected.labels[4]} takes in"
    assert rows == products(expected.softmax[4], expected.v[:, 1], expected.labels)
    assert [value for _, value in lines] == [shown(expected.mix[4, 1])]


@each_kind
def test_a_number_of_x_is_named_with_its_word(link):
    expected = computed(**link)
    column = NAMED[2] if link.get("weights") == "hand-set" else "3"
    title, _, _ = card(opened_up(step="x", q="warm", d=column, **link))
    assert title == f"Number 3 of warm is {shown(expected.x[5, 2])}"


def test_a_word_with_markup_stays_a_word_in_the_card():
    for step in STEPS[1:]:
        app = opened_up(step=step, text="<b> & 'x'")
        blocks = " ".join(html_of(app))
        assert "&lt;" in blocks
        assert "<b> &" not in blocks
        assert ">&<" not in blocks


# Dot products


def test_the_three_words_agree_as_paper_and_pencil_say():
    seen = heatmap(main(visit("qkv")))
    expected = {("cat", "sat"): 0.56, ("cat", "mat"): 1.36, ("sat", "mat"): 0.68}
    for (left, right), value in expected.items():
        i, j = seen.rows.index(left), seen.columns.index(right)
        close([seen.values[i, j], seen.values[j, i]], value)
    title, rows, lines = card(visit("qkv", a="cat", b="sat"))
    assert title == "cat · sat = 0.56"
    assert rows == [
        ("1", "0.90", "0.10", "0.09"),
        ("2", "0.10", "0.90", "0.09"),
        ("3", "0.80", "0.30", "0.24"),
        ("4", "0.20", "0.70", "0.14"),
    ]
    assert lines == [("sum the dot product", "0.56")]


NONSENSE = ["", "cat", "1 2 x", "nan 1", "inf", "1e309", "100", "0x10", "<b>1</b>", "1\x002", "½", "--1", "1 " * 9]


def test_nonsense_in_a_vector_is_named_and_the_usual_numbers_stand():
    app = visit("qkv")
    for text in NONSENSE:
        set_to(app, qkv_mat=text)
        assert "The vector of mat must be up to 8 numbers" in said(app), text
        close(heatmap(main(app)).values, agreement())
    set_to(app, qkv_mat="0.8 0.2 0.7 0.3")
    assert "The vector of" not in said(app)


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("1, -2; 3", [1, -2, 3, 0]),
        ("−1.5", [-1.5, 0, 0, 0]),
        ("1 2 3 4 5 6 7 8", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("99 -99 0 0", [99, -99, 0, 0]),
    ],
)
def test_vectors_of_any_length_are_filled_with_zeros_and_it_is_said(text, vector):
    app = set_to(visit("qkv"), qkv_sat=text)
    width = len(vector)
    padded = {name: values + [0] * (width - len(values)) for name, values in {**VECTORS, "sat": vector}.items()}
    close(heatmap(main(app)).values, agreement(padded))
    uneven = text != "99 -99 0 0"
    assert ("filled with zeros" in said(app)) is uneven


# Change one number


CHANGED = ("X", "Q", "K", "V", "weights", "output")


def changing(**link):
    """Return the page at its closer look at what one number moves."""
    return opened_up(step="mix", closer="Change one number", **link)


def changed_charts(app):
    """Return the pictures of what a change of one number has moved, by name, and which cells are outlined."""
    last = charts(app)[-len(CHANGED) :]
    outlined = {
        name: chart.data["moved"].to_numpy().reshape(heatmap(chart).values.shape)
        for name, chart in zip(CHANGED, last, strict=True)
    }
    return {name: heatmap(chart).values for name, chart in zip(CHANGED, last, strict=True)}, outlined


@each_kind
@pytest.mark.parametrize("matrix", ["X", "W_Q", "W_K", "W_V"])
def test_changing_one_number_moves_what_plain_numpy_says(link, matrix):
    before = computed(**link)
    hand_set = link.get("weights") == "hand-set"
    row = "sat" if matrix == "X" else NAMED[2] if hand_set else "3"
    column = NAMED[1] if hand_set and matrix == "X" else "2"
    app = changing(change=matrix, change_row=row, change_column=column, change_by="-1.5", **link)
    seen, outlined = changed_charts(app)
    parts = {"X": before.x.copy(), **{f"W_{name}": m.copy() for name, m in zip("QKV", before.head, strict=True)}}
    parts[matrix][2, 1] -= 1.5
    after = computed_from(
        split_words(SENTENCE), parts["X"], HeadMatrices(*(parts[f"W_{name}"] for name in "QKV")), before.mask
    )
    pairs = dict(zip(CHANGED, ("x", "q", "k", "v", "softmax", "mix"), strict=True))
    for name, field in pairs.items():
        close(seen[name], getattr(after, field))
        difference = np.abs(getattr(after, field) - getattr(before, field))
        assert outlined[name][difference > 1e-6].all()
        assert not outlined[name][difference < 1e-12].any()


def test_a_number_of_x_moves_one_row_of_q_k_and_v():
    _, outlined = changed_charts(changing(change="X", change_row="on", change_column="3", change_by="2"))
    assert np.argwhere(outlined["X"]).tolist() == [[3, 2]]
    for name in "QKV":
        assert np.flatnonzero(outlined[name].any(axis=1)).tolist() == [3]


def test_a_number_of_w_v_leaves_the_weights_unmoved():
    _, outlined = changed_charts(changing(change="W_V", change_row="1", change_column="2", change_by="3"))
    assert [name for name in CHANGED if outlined[name].any()] == ["V", "output"]
    for name in ("V", "output"):
        assert np.flatnonzero(outlined[name].any(axis=0)).tolist() == [1]


def test_nothing_added_moves_nothing():
    app = changing(change_by="0")
    assert not any(moved.any() for moved in changed_charts(app)[1].values())
    assert said(app).count("nothing moved") == len(CHANGED)


# Softmax, closely


def closely(**link):
    """Return the page at softmax's closer look, its question waved away."""
    return opened_up(step="softmax", **link)


def before_and_after(app):
    before, after = charts(app)[-2:]
    assert domain(before) == domain(after) == [0, 1]
    shape = heatmap(after).values.shape
    return heatmap(before).values, heatmap(after).values, after.data["moved"].to_numpy().reshape(shape)


@each_kind
def test_a_constant_on_a_row_moves_nothing(link):
    expected = computed(**link)
    app = closely(experiment="add to a row", amount="-3.5", q="on", **link)
    before, after, outlined = before_and_after(app)
    close(before, expected.softmax)
    close(after, expected.softmax)
    assert not outlined.any()
    assert f"every score in the row of {quoted('on')}. 0 of 49 weights have moved." in said(app)


@each_kind
def test_a_constant_on_a_column_moves_the_rows_that_see_it(link):
    expected = computed(**link)
    app = closely(experiment="add to a column", amount="2", k="cat", **link)
    before, after, outlined = before_and_after(app)
    raised = expected.scaled + expected.mask
    raised[:, 1] += 2
    close(before, expected.softmax)
    close(after, shares(raised))
    difference = np.abs(after - before)
    assert outlined[difference > 1e-6].all()
    assert not outlined[difference < 1e-12].any()
    assert f"{int(outlined.sum())} of 49 weights have moved." in said(app)
    assert outlined.any()


def test_random_weights_all_move_with_a_column():
    assert before_and_after(closely(experiment="add to a column", amount="2"))[2].all()


@each_kind
def test_shares_of_columns_are_no_shares_of_rows(link):
    expected = computed(**link)
    _, after, _ = before_and_after(closely(experiment="wrong axis", **link))
    close(after, shares(expected.scaled + expected.mask, axis=0))
    close(after.sum(axis=0), 1)
    assert np.abs(after.sum(axis=1) - 1).max() > 0.01


@pytest.mark.parametrize(("text", "says"), [("dog", "rows sum to 1 all the same"), (SENTENCE, "not sum to 1 any more")])
def test_of_the_wrong_axis_is_said_what_its_rows_sum_to(text, says):
    app = closely(experiment="wrong axis", text=text)
    _, after, _ = before_and_after(app)
    assert says in said(app)
    assert np.allclose(after.sum(axis=1), 1) == (text == "dog")


@pytest.mark.parametrize(("words", "layers"), [(10, 1), (11, 0)])
def test_sums_of_columns_are_written_while_there_is_room(words, layers):
    _, before, _ = charts(closely(text=" ".join("abcdefghijk"[:words])))
    assert str(before.spec).count("'groupby': ['key']") == layers


def both_ways(app):
    """Return the table of the plain and the stable formula, as text, column by column."""
    (block,) = [block for block in html_of(app) if "<table>" in block]
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in re.findall("<tr>(<td>.*?)</tr>", block)]
    return list(zip(*rows, strict=True)), plain(block)


@pytest.mark.parametrize("times", ["1", "10", "100"])
def test_both_formulas_agree_while_the_powers_are_small(times):
    expected = computed()
    (words, scores, _, plain_shares, shifted, stable), text = both_ways(closely(times=times, q="cat"))
    row = expected.scaled[1] * int(times)
    assert list(words) == expected.labels
    assert list(scores) == [shown(score) for score in row]
    assert list(plain_shares) == list(stable) == [shown(share) for share in shares(row)]
    assert list(shifted) == [shown(math.exp(score - row.max())) for score in row]
    assert "Both ways agree" in text


def test_a_thousandfold_the_plain_formula_breaks_and_the_stable_one_does_not():
    expected = computed()
    (_, _, powers, plain_shares, _, stable), text = both_ways(closely(times="1000", q="cat"))
    row = expected.scaled[1] * 1000
    overflowed = row > 710
    assert overflowed.any()
    assert [power == "∞" for power in powers] == overflowed.tolist()
    assert [share == "NaN" for share in plain_shares] == overflowed.tolist()
    assert list(stable) == [shown(share) for share in shares(row)]
    assert f"{int(overflowed.sum())} of 7 weights are not numbers any more" in text


@each_kind
@pytest.mark.parametrize("times", ["1", "1000"])
def test_the_table_of_both_formulas_stands_for_every_scene(link, times):
    columns, _ = both_ways(closely(times=times, **link))
    assert len(columns) == 6
    assert not {"NaN", "∞", "−∞"} & set(columns[5])


# A soft look-up


def look_up(app):
    """Return the arrows by role, the output, the outline of the values and the shares, as the charts hold them."""
    first, second, third = charts(app)[-3:]
    arrows = first.data[first.data["kind"] == "arrow"]
    of = {role: arrows[arrows["role"] == role][["x", "y"]].to_numpy() for role in ("query", "key")}
    values = second.data[second.data["kind"] == "arrow"][["x", "y"]].to_numpy()
    outline = second.data[second.data["kind"] == "polygon"][["x", "y"]].to_numpy()
    (output,) = second.data[second.data["kind"] == "point"][["x", "y"]].to_numpy()
    return of["query"], of["key"], values, outline, output, third.data["value"].to_numpy()


def outside(point, outline):
    """Return how far a point lies outside a convex outline that is walked counter-clockwise."""
    edges = np.roll(outline, -1, axis=0) - outline
    away = point - outline
    return max(0.0, -float((edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0]).min()))


TEMPERATURES = {"0": 0, "0.1": 0.1, "0.3": 0.3, "1": 1, "√2": math.sqrt(2), "3": 3, "10": 10, "∞": math.inf}


@pytest.mark.parametrize("link", [{"asks": "the"}, {"seed": "5", "asks": "cat"}, {"seed": "9", "angle": "115"}])
def test_the_output_lies_inside_the_values_at_every_temperature(link):
    words = SENTENCE.split()[:3]
    seed, angle = int(link.get("seed", 20)), int(link.get("angle", 0))
    asks = words.index(link.get("asks", "sat"))
    x, head = word_vectors(words, 2, seed), random_head(2, 2, seed)
    q, k, v = (x @ matrix for matrix in head)
    turn = np.exp(1j * np.deg2rad(angle)) * (k[:, 0] + 1j * k[:, 1])
    scores = q[asks] @ np.stack([turn.real, turn.imag])
    app = opened_up(step="mix", **link)
    for name, temperature in TEMPERATURES.items():
        query, keys, values, outline, output, weights = look_up(set_to(app, qkv_temperature=name))
        close(query[0], q[asks])
        close(keys, np.stack([turn.real, turn.imag], axis=1))
        close(values, v)
        if temperature == 0:
            expected = np.eye(3)[scores.argmax()]
        elif temperature == math.inf:
            expected = np.full(3, 1 / 3)
        else:
            expected = shares(scores / temperature)
        close(weights, expected)
        close(output, expected @ v)
        assert outside(output, outline) < 1e-12
        assert {tuple(point) for point in outline} == {tuple(value) for value in values}
        if temperature == 0:
            assert output.tolist() in values.tolist()
        if temperature == math.inf:
            close(output, values.mean(axis=0))


def test_scales_of_the_plane_stay_while_keys_turn_and_temperature_moves():
    app = opened_up(step="mix")

    def specs():
        return [chart.spec for chart in charts(app)[-3:]]

    first = specs()
    for angle in (-180, -95, 40, 180):
        assert specs() == first == (set_to(app, qkv_angle=angle), specs())[1]
    assert specs() == first == (set_to(app, qkv_temperature="10"), specs())[1]


@pytest.mark.parametrize("text", ["alone", "two words", "same same same"])
def test_a_soft_look_up_works_with_fewer_words(text):
    app = opened_up(step="mix", text=text)
    *_, output, weights = look_up(app)
    assert len(weights) == min(3, len(text.split()))
    close(weights.sum(), 1)
    assert np.isfinite(output).all()


# Questions


def asked(app):
    """Return the open question as HTML; of two on a page the first."""
    return next(block for block in html_of(app) if '"course ask"' in block)


def names_in(app):
    """Return the student's words that the open question names."""
    return [html.unescape(word) for word in re.findall("<i>(.*?)</i>", asked(app))]


def options(app):
    """Return the answers to choose from, as they read once Markdown is through with them."""
    return [option.replace("\\", "") for option in app.radio[0].options]


def shape_asked_for(text, expected):
    length, d_k, d_v = len(expected.labels), expected.q.shape[1], expected.v.shape[1]
    shapes = {"Q = X": (length, d_k), "Q · Kᵀ?": (length, length)}
    shapes |= {"the output": (length, d_v), "V = X": (length, d_v)}
    (found,) = [size for name, size in shapes.items() if name in text]
    return f"{found[0]} × {found[1]}"


def times_as_large(ratio):
    if abs(ratio - 1) < 0.05:
        return "as large as the other"
    return f"{'more than 10 000' if ratio >= 1e4 else shown(ratio, 1)} times as large"


def right_and_wrong(app, step, expected):
    """Return the answer that the core gives to the open question, and one that is wrong."""
    if step == "q":
        right = options(app).index(shape_asked_for(plain(asked(app)), expected))
        return right, (right + 1) % len(options(app))
    if step == "softmax":
        row, first, second = (expected.labels.index(word) for word in names_in(app)[:3])
        right = options(app).index(times_as_large(math.exp(expected.scaled[row, first] - expected.scaled[row, second])))
        return right, (right + 1) % len(options(app))
    asks, answers = (expected.labels.index(word) for word in names_in(app))
    if step == "scores":
        return (asks, answers), (answers, asks)
    return round(expected.scaled[asks, answers], 2), round(expected.scores[asks, answers], 2)


def answer(app, given):
    """Fill in the open question and press Check."""
    if app.radio:
        app.radio[0].set_value(given)
    elif isinstance(given, tuple):
        for field, value in zip(("Row", "Column"), given, strict=True):
            next(box for box in app.selectbox if box.label == field).set_value(value)
    else:
        next(field for field in app.number_input if field.label == "Your answer").set_value(given)
    return press(app, next(button.key for button in app.button if button.label == "Check"))


asking = pytest.mark.parametrize("step", ["q", "scores", "scaled", "softmax"])
EXPLAINED = {"q": "That is", "scores": "which is another number", "scaled": "not yet divided", "softmax": ""}
OTHERS = [{}, {"weights": "hand-set", "job": "same word"}, {"weights": "trained", "head": "3"}]


@asking
@pytest.mark.parametrize("link", OTHERS, ids=["random", "hand-set", "trained"])
def test_the_right_answer_is_the_cores_and_opens_the_picture(step, link):
    app = visit("qkv", step=step, **link)
    expected = computed(**link)
    assert charts(app) == []
    right, _ = right_and_wrong(app, step, expected)
    answer(app, right)
    assert verdict(app)[0] == "right"
    close(heatmap(main(app)).values, getattr(expected, step))


@asking
def test_a_wrong_answer_is_explained_and_opens_the_picture(step):
    app = visit("qkv", step=step, d_k="5")
    _, wrong = right_and_wrong(app, step, computed(d_k=5))
    answer(app, wrong)
    look, text = verdict(app)
    assert look == "wrong"
    assert EXPLAINED[step] in text
    assert main(app)


def test_each_likely_mistake_in_dividing_has_its_own_explanation():
    expected = computed(d_k=5)
    app = visit("qkv", step="scaled", d_k="5")
    for mistake, said_of_it in (
        (lambda product, root: product / root**2, "You divided by"),
        (lambda product, root: product * root, "You multiplied by the root"),
        (lambda product, root: -product / root, "the sign is not"),
        (lambda product, root: 999, "Not 999"),
    ):
        asks, answers = (expected.labels.index(word) for word in names_in(app))
        answer(app, round(mistake(expected.scores[asks, answers], math.sqrt(5)), 2))
        look, text = verdict(app)
        assert look == "wrong"
        assert said_of_it in text
        press(app, "Ask me another")


@asking
def test_just_show_me_tells_the_answer_and_opens_the_picture(step):
    app = press(visit("qkv", step=step), "Just show me")
    assert verdict(app)[0] == "told"
    assert main(app)


@asking
def test_another_question_is_another_one_and_hides_the_picture_again(step):
    app = visit("qkv", step=step)
    seen = {asked(app)}
    for _ in range(5):
        press(app, "Just show me")
        press(app, "Ask me another")
        assert charts(app) == []
        seen.add(asked(app))
        right, _ = right_and_wrong(app, step, computed())
        answer(app, right)
        assert verdict(app)[0] == "right"
        press(app, "Ask me another")
    assert len(seen) >= 3


@asking
def test_an_empty_answer_is_asked_for(step):
    app = press(visit("qkv", step=step), "Check")
    assert "Choose an answer first." in said(app)
    assert charts(app) == []
    right, _ = right_and_wrong(app, step, computed())
    answer(app, right)
    assert "Choose an answer first." not in said(app)


@asking
def test_an_answer_given_for_another_scene_is_said_to_be(step):
    app = visit("qkv", step=step)
    answer(app, right_and_wrong(app, step, computed())[0])
    set_to(app, qkv_q="the₁")
    assert verdict(app)[0] == "right"
    set_to(app, qkv_text="dogs chased the other small dogs")
    assert main(app)
    assert verdict(app) == ("told", "You answered this for another scene.")
    set_to(app, qkv_text=SENTENCE)
    assert verdict(app)[0] == "right"
    set_to(app, qkv_text="dogs chased the other small dogs")
    press(app, "Ask me again")
    assert charts(app) == []


@asking
def test_a_link_may_leave_the_questions_out(step):
    app = opened_up(step=step)
    assert main(app)
    assert verdicts(app) == []
    assert not any('"course ask"' in block for block in html_of(app))


def test_what_a_constant_does_is_asked_for_rows_and_for_columns():
    app = press(visit("qkv", step="softmax"), "Just show me")
    for right, place in ((0, "row"), (2, "key"), (0, "row"), (2, "key")):
        assert place in plain(asked(app))
        assert len(charts(app)) == 1
        answer(app, right)
        assert [look for look in ("right", "wrong") if f"verdict {look}" in verdicts(app)[1]] == ["right"]
        assert len(charts(app)) == 3
        press(app, "qkv_shift_again")
    answer(app, 1)
    assert "They cannot all grow" in plain(verdicts(app)[1])


MOVES = {
    "X": "Q, K, V, the weights and the output",
    "WQ": "Q, the weights and the output",
    "WK": "K, the weights and the output",
    "WV": "V and the output",
}


def test_what_a_number_moves_is_asked_for_every_matrix():
    app = visit("qkv", step="mix", closer="Change one number")
    seen = set()
    for _ in range(4):
        assert len(charts(app)) == 1
        (matrix,) = re.findall(r"One number of (\w+) is changed", plain(asked(app)))
        seen.add(matrix)
        answer(app, options(app).index(MOVES[matrix]))
        assert verdict(app)[0] == "right"
        assert len(charts(app)) == 7
        press(app, "Ask me another")
    assert seen == set(MOVES)


# What was answered


def lesson_label(app):
    return next(link.proto.label for link in app.sidebar.get("page_link") if "Q/K/V" in link.proto.label)


def test_an_answer_counts_in_the_menu_and_is_kept_from_page_to_page():
    app = through_menu("qkv", step="q")
    assert "of 6" not in lesson_label(app)
    answer(app, right_and_wrong(app, "q", computed())[1])
    assert "1 of 6" in lesson_label(app)
    go(app, "home", {})
    assert "1 of 6" in lesson_label(app)
    assert "1 of 6 questions answered" in said(app)
    go(app, "qkv", {"qkv_step": "q"})
    assert "1 of 6" in lesson_label(app)
    assert verdict(app)[0] == "wrong"
    press(app, "Ask me another")
    assert "1 of 6" in lesson_label(app)


def test_all_six_questions_can_be_answered_and_are_ticked():
    app = through_menu("qkv", step="q")
    for step in ("q", "scores", "scaled", "softmax"):
        press(app, f"qkv_to_{step}")
        answer(app, right_and_wrong(app, step, computed())[0])
    assert "4 of 6" in lesson_label(app)
    answer(app, 0)
    assert "5 of 6" in lesson_label(app)
    press(app, "qkv_to_mix")
    answer(set_to(app, qkv_closer="Change one number"), 0)
    assert ":material/check:" in lesson_label(app)


def test_what_was_only_shown_or_left_empty_does_not_count():
    app = through_menu("qkv", step="q")
    press(app, "Check")
    assert "of 6" not in lesson_label(app)
    press(app, "Just show me")
    assert "of 6" not in lesson_label(app)
