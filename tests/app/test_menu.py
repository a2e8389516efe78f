"""The menu: what its links carry, and that it leads back to a page as it was left."""

from urllib.parse import parse_qsl

from tests.app.visits import EVERY, charts, controls, go, reveal, said, set_to, through_menu, to_step, visit


def links(app):
    """Return the links of the menu by the file that they lead to: what each says."""
    found = {}
    for link in app.sidebar.get("page_link"):
        found["home" if link.proto.page == "" else link.proto.page] = dict(parse_qsl(link.proto.query_string))
    return found


def test_the_menu_carries_the_sentence_to_pages_that_have_one_and_no_seed():
    app = through_menu("qkv", step="x", text="tea & milk", seed="5", d_k="7")
    assert links(app)["home"] == {"home_text": "tea & milk"}
    assert set(links(app)) == set(EVERY)
    assert links(app)["scaling"] == {"scaling_text": "tea & milk"}  # its seed was chosen: a trial contradicts a claim
    go(app, "home", links(app)["home"])
    assert controls(app)["home_text"].value == "tea & milk"
    assert links(app)["qkv"] == {"qkv_step": "x", "qkv_text": "tea & milk", "qkv_seed": "5", "qkv_d_k": "7"}


def test_the_menu_leads_back_to_the_page_as_it_was_left():
    app = reveal(through_menu("qkv", step="match", weights="random", seed="5", d_k="7"))
    before = charts(app)
    go(app, "home", links(app)["home"])
    reveal(go(app, "qkv", links(app)["qkv"]))
    for one, other in zip(before, charts(app), strict=True):
        assert one.data.equals(other.data)
    set_to(app, qkv_seed=6.0)
    go(app, "home", links(app)["home"])
    set_to(app, home_weights="random", home_seed=8.0, home_text="fresh tea")
    go(app, "qkv", links(app)["qkv"])
    assert controls(app)["qkv_seed"].value == 6
    assert controls(app)["qkv_text"].value == "fresh tea"
    assert controls(app)["qkv_d_k"].value == 7


def test_a_lock_holds_when_a_student_walks_through_the_menu():
    app = through_menu("qkv", step="x", lock="text", text="tea is hot")
    go(app, "home", links(app)["home"])
    set_to(app, home_text="dogs bark")
    go(app, "qkv", links(app)["qkv"])
    assert controls(app)["qkv_text"].value == "tea is hot"
    assert controls(app)["qkv_text"].disabled


def test_what_a_link_says_of_one_step_is_not_complained_of_in_another_to_which_one_walks():
    assert "could not be used" in said(visit("qkv", step="mix", d="early"))
    assert "could not be used" not in said(to_step(visit("qkv", step="match", d="early"), "mix"))
