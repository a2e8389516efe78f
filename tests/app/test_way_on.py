"""The way on at the end of a step: to the next step, and after the last one to the next lesson."""

from pages.causal_mask import added, laboratory, leak
from pages.look.html import plain
from tests.app.visits import press, reveal, said, through_menu
from tests.lessons import doors_of, path_of

LAST, NEXT = "now", "causal_mask_on"


def way_on(app):
    """Return the label and the look of the button that leads on, or None."""
    return next(((one.label, one.proto.type) for one in app.button if one.key == NEXT), None)


def leads_to_another_lesson(app):
    return [link.proto.page for link in app.main.get("page_link") if link.proto.label.startswith("Next lesson")]


def test_a_step_ends_with_the_next_one_and_the_last_with_the_next_lesson():
    app = through_menu("causal_mask", ask="no", step="see")
    assert way_on(app) == (f"Next: {plain(laboratory.STEP.asks)}", "primary")
    assert not leads_to_another_lesson(app)
    press(app, NEXT)
    assert app.query_params["causal_mask_step"] == "laboratory"
    app = through_menu("causal_mask", ask="no", step=LAST)
    assert (way_on(app), leads_to_another_lesson(app)) == (None, ["positional_encoding"])


def test_the_way_on_gives_no_answer_away():
    app = through_menu("causal_mask", step="see")
    assert way_on(app) == (f"Next: {laboratory.STEP.label}", "primary")
    assert way_on(reveal(app)) == (f"Next: {laboratory.STEP.asks}", "primary")  # which has a question of its own


def test_who_stays_on_a_step_is_led_on_nowhere():
    for fixed in ({"lock": "step"}, {"hide": "strip.walk"}):
        app = through_menu("causal_mask", **fixed)
        assert (way_on(app), leads_to_another_lesson(app)) == (None, [])
    assert not leads_to_another_lesson(through_menu("causal_mask", hide="walk", ask="no"))


def test_a_door_is_offered_at_its_step_and_leads_back_to_the_path():
    app = through_menu("causal_mask", ask="no", step="laboratory")
    press(app, "causal_mask_door_added")
    assert app.query_params["causal_mask_step"] == "added"
    assert way_on(app) == (f"Next: {plain(leak.STEP.asks)}", "primary")
    press(app, "causal_mask_back")
    assert app.query_params["causal_mask_step"] == "laboratory"


def test_who_was_told_an_answer_is_offered_first_the_door_that_treats_the_mistake():
    def doors(app):
        return [(one.key, one.proto.type) for one in app.button if "_door_" in one.key]

    app = through_menu("qkv", step="softmax", ask="ratio")
    assert doors(app) == [("qkv_door_detail", "tertiary")]
    assert doors(reveal(app)) == [("qkv_door_detail", "secondary")]
    assert "This may help:" in said(app)
    assert {kind for _, kind in doors(through_menu("causal_mask", ask="no", step="leak"))} == {"tertiary"}


def test_all_doors_are_offered_at_the_end():
    app = through_menu("causal_mask", ask="no", step=LAST)
    tips = {one.key.removeprefix("causal_mask_door_"): one.help for one in app.button if "_door_" in one.key}
    assert [*tips] == doors_of("causal_mask")
    assert tips["added"] == added.STEP.asks
    press(press(app, "causal_mask_door_paint"), "causal_mask_back")
    assert app.query_params["causal_mask_step"] == LAST


def test_a_part_shows_its_steps_and_the_names_of_the_others_and_ends_at_the_next_one():
    def strip(app):
        (control,) = [one for one in app.get("button_group") if one.key == "tiny_lm_path"]
        return control.options

    names, starts = path_of("tiny_lm"), ["tokens", "loss", "copy"]
    begins = [names.index(start) for start in starts] + [len(names)]
    for i in range(3):
        shown = names[begins[i] : begins[i + 1]]
        for name in (shown[0], shown[-1]):
            app = through_menu("tiny_lm", step=name, ask="no", model="Toy English")
            assert len(strip(app)) == len(shown) + 2
        if i < 2:
            press(app, "tiny_lm_on")
            assert app.query_params["tiny_lm_step"] == starts[i + 1]
