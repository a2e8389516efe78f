"""The lesson on scaling as a whole: its controls, its questions and its links."""

import re
from collections import defaultdict

import pytest

from pages.page.links.course import LESSONS
from pages.scaling.claims import CLAIMS
from tests.app.scaling.scene import FEW, OVER_D_K, SEED, STEPS, of_step, page, step
from tests.app.visits import blank, charts, controls, press, said, shared, visit

CONTROLS = {  # of each step, in their order
    "collapse": "seed d_k divide",
    **dict.fromkeys(OVER_D_K, "length draws seed d_k divide"),
    "gradient": "length draws seed d_k divide up q",
    "train": "seed train_d_k rate train_step",
    "scores": "length seed d_k divide q k",
    "claims": "draws seed claim draw",
    "d_v": "length seed d_k d_v",
    "overflow": "length seed d_k add q divided subtract",
    "constant": "length seed d_k experiment amount q",
}


BLANK = {  # what is shown beside an open question: what it states, and the rest blank
    "gradient": [False, False],
    "train": [],
    "d_v": [False, True],
    "constant": [False, True],
}


def questions(variant):
    """Return every question of the lesson."""
    views = [*((name, {}) for name in STEPS), *(("claims", {"claim": claim}) for claim in CLAIMS)]
    asked = [
        question
        for name, link in views
        for question in step("scaling", name, variants=defaultdict(lambda: variant), **link).page.asked
    ]
    return {question.name: question for question in asked}


@pytest.mark.parametrize("variant", range(6))
@pytest.mark.promise("page 2")
def test_every_right_answer_is_right_and_every_mistake_is_explained(variant):
    for name, question in questions(variant).items():
        if hasattr(question, "options"):
            for option in range(len(question.options)):
                verdict = question.judge(option)
                assert verdict.right == (option in question.right), name
                assert verdict.right or question.mistakes[option], (name, option)
        else:
            assert question.judge(question.right).right
            for mistake in question.mistakes:
                if abs(mistake.value - question.right) > question.tolerance:
                    assert not question.judge(mistake.value).right, name


def test_the_course_lists_every_question():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "scaling"]
    assert set(lesson.questions) == questions(0).keys()


@pytest.mark.parametrize("name", [name for name in STEPS if name not in ("collapse", "scores")])
def test_no_picture_is_shown_before_its_question_is_answered(name):
    asked = step("scaling", name, unanswered="all", **FEW)
    assert not asked.ready
    if name == "overflow":
        (grid,) = [block for block in asked.html if "divide and subtract</div>" in block]
        assert "%;background" not in grid
        assert not re.search(r"✓|✕|>\d\.\d\d<", grid)
    else:  # what a question states may be shown
        assert [blank(shown) for shown in asked.charts] == BLANK.get(name, [True])
    answered = step("scaling", name, **FEW)
    assert not any(map(blank, answered.charts))
    assert answered.charts or name == "overflow"


def test_a_right_answer_counts_and_another_is_asked():
    app = visit("scaling", step="spread", **FEW)
    app.number_input(key="scaling_variance_given").set_value(16.0)
    press(app, "Check")
    assert "✓ 16 is right." in said(app)
    assert "scaling_variance" in app.session_state["answered"]
    press(app, "Another question")
    assert "have 64 numbers each" in re.sub(r"\s+", " ", said(app))


@pytest.mark.parametrize("name", STEPS)
def test_a_step_has_no_control_that_moves_nothing(name):
    controls = of_step(name, **dict.fromkeys(CONTROLS[name].split()))
    assert [*step("scaling", name, **FEW).page.controls.made] == ["step", *controls]


def test_the_link_brings_back_what_was_set():
    app = page(step="scores", length="5", seed="3", **of_step("scores", divide="d_k", q="2", d_k="256"))
    link = shared(app)
    assert link == {
        "scaling_step": "scores",
        "scaling_scores_divide": "d_k",
        "scaling_length": "5",
        "scaling_seed": "3",
        "scaling_scores_q": "2",
        "scaling_scores_d_k": "256",
    }
    again = page(**{name.removeprefix("scaling_"): value for name, value in link.items()})
    for first, second in zip(charts(app), charts(again), strict=True):
        assert first.data.equals(second.data)


def test_what_a_teacher_locked_is_disabled():
    app = page(step="claims", draws="100", lock="draw.claim.step")
    assert controls(app)["scaling_draw"].disabled
    assert controls(app)["scaling_claim"].disabled
    assert next(button for button in app.button if button.label == "New trial").disabled
    assert "Set by your teacher" in said(app)


@pytest.mark.parametrize("name", STEPS)
def test_the_same_link_gives_the_same_numbers_and_another_seed_others(name):
    first, again, other = (step("scaling", name, **FEW, seed=seed) for seed in (5, 5, 6))
    assert [shown.data.to_json() for shown in first.charts] == [shown.data.to_json() for shown in again.charts]
    assert first.html == again.html
    assert first.html != other.html
    assert first.thumbnail == other.thumbnail != ""


@pytest.mark.promise("pitfall 7")
def test_every_picture_says_that_its_numbers_are_random():
    for name in STEPS:
        if name != "overflow":
            assert f"(seed {SEED})" in said(step("scaling", name, **FEW)), name
