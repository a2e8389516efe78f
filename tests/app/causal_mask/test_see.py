"""mask: the weights without the mask and with it."""

from functools import partial

from tests.app.causal_mask.scene import every_scene
from tests.app.steps import step

show = partial(step, "causal_mask", "see")


@every_scene
def test_where_no_weight_changes_or_all_change_alike_nothing_is_asked(scene):
    assert show(text="the the the", **scene).page.asked == [] or scene.get("weights", "hand-made") != "random"
    assert show(text="one", **{**scene, "weights": "random"}).page.asked == []


def test_what_a_head_was_made_for_is_said_of_it_without_a_mask():
    scene = show().scene
    best = scene.plain.weights.argmax(axis=1)
    assert scene.blocked[scene.words.index("warm"), best[scene.words.index("warm")]]
    assert "without a mask" in scene.origin


def test_a_small_divisor_is_written_without_a_tag_that_a_student_reads():
    seen = show(weights="trained", text="the big cat and the small dog saw it and they", q="the₁")
    assert "&lt;" not in " ".join(seen.html)
    assert not any("<" in question.why for question in seen.page.asked)
