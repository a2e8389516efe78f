"""Lesson 1 as a whole: every number in every map is the core's, and a cell is chosen alike in each."""

import numpy as np
import pytest

from attention_core.experiments.qkv.named_head import NAMED_JOBS
from attention_core.text.characters import split_words
from attention_core.text.small_english import ADJECTIVES, NOUNS
from pages.look.html import quoted
from pages.page.fields.controls import Controls
from pages.qkv.two import mirror_question
from tests.app.qkv.scene import (
    CHOSEN,
    OF_WORDS,
    SCENES,
    SENTENCE,
    STEPS,
    VECTORS,
    answer,
    choose,
    chosen_cells,
    close,
    columns,
    computed,
    every_scene,
    place,
    scenes,
    view,
)
from tests.app.steps import step
from tests.app.visits import (
    blank,
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
    to_step,
    visit,
)


@every_scene
@pytest.mark.promise("pitfall 1", "tutorial 2", "tutorial 5")
def test_each_step_shows_the_numbers_of_the_core(link):
    expected = computed(**link)
    for name in STEPS:
        app = view(name, **link)
        seen = heatmap(main(app))
        if name == "dot":
            rows = np.array(list(VECTORS.values()))
            close(seen.values, rows @ rows.T)
            assert seen.rows == seen.columns == list(VECTORS)
            continue
        close(seen.values, getattr(expected, name))
        assert seen.rows == expected.labels
        assert seen.columns == (expected.labels if name in OF_WORDS else columns(name, link))
        if name not in ("q", "k", "v", "softmax", "mix"):
            assert len(charts(app)) == 1


def test_next_leads_from_the_first_step_to_the_last():
    app = press(visit("qkv", ask="no", weights="random"), "Next")
    for name in (name for name in STEPS[1:] if name not in ("k", "v")):
        press(app, "Next")
        if name == "mix":  # two matrices or one: weights again
            close(heatmap(main(app)).values, computed().softmax)
            press(app, "Next")
        close(heatmap(main(app)).values, getattr(computed(), name))
    with pytest.raises(AssertionError):
        press(app, "Next")


@pytest.mark.parametrize("name", STEPS[1:])
@pytest.mark.promise("pitfall 4")
def test_a_repeated_word_keeps_its_rows_and_its_place(name):
    text = "the cat saw the cat"
    seen = heatmap(main(view(name, text=text, weights="random")))
    assert seen.rows == ["the₁", "cat₂", "saw", "the₄", "cat₅"]
    if name in OF_WORDS:
        assert seen.columns == seen.rows
    if name in ("x", "q", "k", "v"):
        np.testing.assert_array_equal(seen.values[0], seen.values[3])
    close(seen.values, getattr(computed(text), name))


@pytest.mark.parametrize("name", ["x", "projections", "scores", "scaled", "softmax", "mix", "two"])
def test_the_seed_of_a_head_made_by_hand_is_hidden_where_it_changes_no_picture(name, monkeypatch):
    hidden = []
    monkeypatch.setattr(Controls, "leave_out", lambda self, *names: hidden.extend(names))
    one, other = (charts(step("qkv", name, weights="hand-made", seed=seed)) for seed in (3, 44))
    same = all(a.data.equals(b.data) for a, b in zip(one, other, strict=True))
    assert ("seed" in hidden) == same


@pytest.mark.parametrize("name", STEPS[1:])
@pytest.mark.promise("pitfall 6")
def test_colours_stay_while_seed_sentence_and_cell_change(name):
    scenes = (
        {},
        {"seed": "1"},
        {"seed": "9999", "text": "a"},
        {"text": "one two three four five six seven eight nine ten", "q": "nine", "k": "six", "d": "4"},
    )
    found = [domain(main(view(name, **scene))) for scene in scenes]
    assert found == [found[0]] * len(scenes)
    low, high = found[0]
    assert (low, high) == ((0, 1) if name == "softmax" else (-high, high))


def test_scores_have_wider_colours_only_where_d_k_is_larger_and_keep_them_when_divided():
    scores, scaled = (
        [domain(main(view(name, d_k=d_k, weights="random")))[1] for d_k in (1, 4, 16, 32)]
        for name in ("scores", "scaled")
    )
    assert scores == sorted(scores) == scaled
    assert scores[0] < scores[-1]


@pytest.mark.parametrize("link", scenes(list(SCENES)[3:]))
def test_colours_of_matrices_set_by_hand_or_trained_hold_every_number(link):
    for name in ("x", "q", "scores", "scaled", "mix"):
        picture = main(view(name, **link))
        low, high = domain(picture)
        assert low == -high
        assert np.abs(heatmap(picture).values).max() <= high


@pytest.mark.promise("pitfall 7")
def test_each_picture_says_whose_matrices_it_shows():
    assert "random (seed 20)" in said(view("q", weights="random"))
    for job in NAMED_JOBS:
        assert "made by hand so that" in said(view("q", weights="hand-made", job=job))
    assert "from Toy English, a model trained on" in said(view("q", weights="trained"))


@pytest.mark.promise("page 9")
def test_a_trained_model_says_which_words_it_does_not_know():
    app = view("softmax", weights="trained", text="the zebra sat on the <i>mat")
    close(heatmap(main(app)).values, computed("the sat on the mat", "trained").softmax)
    assert f"does not know {', '.join(map(quoted, ['zebra', '<', 'i', '>']))}" in said(app)
    app = view("softmax", weights="trained", text="zebras")
    close(heatmap(main(app)).values, computed("the cat sat on the warm mat", "trained").softmax)
    assert "knows none of these words" in said(app)


@pytest.mark.parametrize("text", ["word", "a b " * 12, "👩‍👩‍👧 مرحبا بالعالم", "x " * 30])
@pytest.mark.promise("pitfall 2", "tutorial 6")
def test_a_sentence_of_any_length_has_a_row_for_each_word(text):
    words = split_words(text)[:24]
    close(heatmap(main(view("softmax", text=text, weights="random"))).values, computed(" ".join(words)).softmax)


@pytest.mark.parametrize("name", STEPS[1:])
def test_a_word_with_markup_stays_a_word(name):
    blocks = " ".join(html_of(view(name, text="<b> & 'x'", q="<")))
    assert "&lt;" in blocks
    assert "<b> &" not in blocks
    assert ">&<" not in blocks


# Choosing a cell


@pytest.mark.parametrize("name", STEPS)
def test_the_chosen_cell_is_outlined_with_its_row_and_column(name):
    app = view(name, weights="random", **choose(name, 2, 3))
    data = main(app).data
    marked = {bit: data[data["mark"] & bit > 0] for bit in (1, 2, 4)}
    assert set(marked[1]["i"]) == {1}
    assert set(marked[2]["j"]) == {2}
    assert chosen_cells(app) == {(1, 2)}


@pytest.mark.parametrize("name", STEPS)
def test_a_click_sets_the_fields_to_its_row_and_column(name):
    app = view(name, weights="random")
    pick = app.page.picked[name.upper()] if name in "qkv" else next(filter(None, app.page.picked.values()))
    seen = heatmap(main(app))
    for i, j in ((2, 0), (0, 2)):
        pick(i, j)
        assert [app.page.controls.known[field].value for field in CHOSEN[name]] == [seen.rows[i], seen.columns[j]]


@pytest.mark.parametrize("name", ["dot", "q", "softmax"])
def test_a_click_chooses_the_cell_and_a_second_click_on_another_too(name):
    app = visit("qkv", **place(name), ask="no", weights="random")
    down, across = CHOSEN[name]
    for i, j in ((2, 0), (0, 2), (0, 2)):
        click(app, i, j)
        assert chosen_cells(app) == {(i, j)}
        seen = heatmap(main(app))
        assert controls(app)[f"qkv_{down}"].value == seen.rows[i]
        assert controls(app)[f"qkv_{across}"].value == seen.columns[j]


def test_a_word_that_was_chosen_and_is_no_longer_there_is_not_complained_of():
    app = visit("qkv", step="softmax", ask="no", q="cat", k="mat")
    set_to(app, qkv_text="dogs bark")
    assert len(chosen_cells(app)) == 1
    assert "could not be used" not in said(app)


# Questions

ASKING = {
    **dict.fromkeys("qkv", ("shape",)),
    "scores": ("cell",),
    "scaled": ("scale",),
    "softmax": ("ratio", "shift"),
    "two": ("mirror",),
    "mix": ("reach",),
}


@pytest.mark.parametrize("name", [*STEPS, "two"])
def test_a_question_comes_before_what_gives_it_away(name):
    app = view(name, unanswered="all", closer="Change one number")
    asked = ASKING.get(name, ())[:1]
    assert tuple(question.name for question in app.page.asked) == asked
    hides_all = bool(asked) and name not in ("q", "k", "v", "two", "mix")  # there it is about what no picture shows
    assert bool(app.thumbnail) is app.ready is (not hides_all)
    assert [blank(shown) for shown in charts(app)] == ([True] if hides_all else [False] * len(charts(app)))


@pytest.mark.parametrize("name", ASKING)
def test_another_question_is_another_one(name):
    link = {"closer": "Change one number"}
    for question in ASKING[name]:
        texts = {view(name, variants={question: i}, **link).question(question).text for i in range(4)}
        assert len(texts) >= 3


def right_answers(**link):
    """Return a right answer to the question that each step asks first, as the lesson makes it."""
    found = {
        name: view(name, **{"weights": "random"} | link).page.asked[0] for name in ("q", "scores", "scaled", "softmax")
    }
    return {
        name: question.right[0] if hasattr(question, "options") else question.right for name, question in found.items()
    }


@pytest.mark.parametrize("name", ["scores", "scaled", "softmax"])
def test_a_right_answer_opens_the_picture_until_another_question_is_asked(name):
    app = visit("qkv", step=name, weights="random")
    assert [blank(shown) for shown in charts(app)] == [True]
    answer(app, right_answers()[name])
    assert "verdict right" in " ".join(html_of(app))
    close(heatmap(main(app)).values, getattr(computed(), name))
    press(app, "Another question")
    assert [blank(shown) for shown in charts(app)] == [True]


def test_an_answer_given_for_another_scene_is_said_to_be():
    app = visit("qkv", step="softmax", weights="random")
    answer(app, right_answers()["softmax"])
    set_to(app, qkv_q="the₁")
    assert "verdict right" in " ".join(html_of(app))
    set_to(app, qkv_text="dogs chased the other small dogs")
    assert main(app)
    assert "You answered this with other settings." in said(app)
    set_to(app, qkv_text=SENTENCE)
    assert "verdict right" in " ".join(html_of(app))


def lesson_label(app):
    return next(link.proto.label for link in app.sidebar.get("page_link") if "Q/K/V" in link.proto.label)


def test_an_answer_counts_in_the_menu_and_is_kept_from_page_to_page():
    app = through_menu("qkv", step="projections", weights="random")
    assert "of 7" not in lesson_label(app)
    answer(app, (right_answers()["q"] + 1) % 2)
    assert "1 of 7" in lesson_label(app)
    go(app, "home", {})
    assert "1 of 7" in lesson_label(app)
    assert "1 of 7 questions answered" in said(app)
    go(app, "qkv", {"qkv_step": "projections", "qkv_weights": "random"})
    assert "1 of 7" in lesson_label(app)
    assert "verdict wrong" in " ".join(html_of(app))
    press(app, "Another question")
    assert "1 of 7" in lesson_label(app)


@pytest.mark.promise("page 2")
def test_all_seven_questions_can_be_answered_and_are_ticked():
    app = through_menu("qkv", step="projections", weights="random")
    for name, right in right_answers().items():
        to_step(app, place(name)["step"])
        answer(app, right)
    assert "4 of 7" in lesson_label(app)
    answer(app, 0)
    assert "5 of 7" in lesson_label(app)
    to_step(app, "two")
    press(app, mirror_question(0).options[0])
    assert "6 of 7" in lesson_label(app)
    to_step(app, "mix")
    answer(set_to(app, qkv_closer="Change one number"), 0)
    assert ":material/check:" in lesson_label(app)


def test_what_was_only_shown_or_left_empty_does_not_count():
    app = through_menu("qkv", step="projections", weights="random")
    press(app, "Check")
    assert "of 7" not in lesson_label(app)
    press(app, "Just show me")
    assert "of 7" not in lesson_label(app)


@pytest.mark.parametrize(
    ("job", "kind", "of", "step_to"),
    [
        ("adjective to noun", ADJECTIVES, NOUNS, 1),
        ("noun to its adjectives", NOUNS, ADJECTIVES, -1),
    ],
)
def test_a_hand_made_head_does_as_the_note_says_for_words_side_by_side(job, kind, of, step_to):
    told = "just after" if step_to > 0 else "just before"
    assert told in said(visit("qkv", step="softmax", ask="no", job=job))
    rng, pool = np.random.default_rng(0), [*ADJECTIVES[:4], *NOUNS[:4], "the", "and", "sat"]
    for _ in range(40):
        words = rng.choice(pool, 7).tolist()  # the clocks of more words repeat themselves
        weights = computed(" ".join(words), "hand-made", job=job).softmax
        for i, word in enumerate(words[:-1] if step_to > 0 else words):
            if word in kind and i + step_to >= 0 and words[i + step_to] in of:
                assert words[int(weights[i].argmax())] in of


def test_the_first_word_has_no_word_before_it_as_the_note_says():
    told = said(visit("qkv", step="softmax", ask="no", job="previous word"))
    assert "each word but the first attends most to the one before it" in told
    best = computed(weights="hand-made", job="previous word").softmax.argmax(axis=-1)
    assert best.tolist() == [0, *range(len(best) - 1)]
