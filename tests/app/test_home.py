import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core.equations.softmax import softmax
from attention_core.experiments.language.shape_table import attention_shapes
from attention_core.experiments.multi_head.english_heads import grammar_model, trained_head
from attention_core.experiments.qkv.one_head import JOBS, attend, one_head
from attention_core.experiments.scaling.head_metrics import entropy
from attention_core.model.forward import logits
from attention_core.text.characters import split_words
from attention_core.text.word_vectors import position_labels
from pages.home.sentence import SENTENCE, trained_maps
from pages.look.html import inline
from pages.look.sentences import brightest_cell
from pages.page.links.course import LESSONS
from tests.app.charts import chart
from tests.app.visits import sent_to

ROOT = Path(__file__).parents[2]


def home(**link: str) -> AppTest:
    app = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=120)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def shown_weights(app: AppTest) -> np.ndarray:
    data = chart(app)[1]
    n_words = round(len(data) ** 0.5)
    return data["weight"].to_numpy().reshape(n_words, n_words)


def arcs(app: AppTest) -> dict[str, Any]:
    """Return what the picture with the arcs is given."""
    (proto,) = sent_to(app, "attention_arcs")
    return json.loads(proto.json)


def small_prints(app: AppTest) -> str:
    return " ".join(element.proto.body for element in app.get("html") if "<style>" not in element.proto.body)


@pytest.mark.parametrize("kind", ["random", *JOBS])
@pytest.mark.promise("home 1", "pitfall 2", "tutorial 6")
def test_the_heatmap_holds_the_weights_of_the_core(kind):
    app = home(home_text="the cat sat on the warm mat", home_weights=kind, home_seed="3")
    words = split_words("the cat sat on the warm mat")
    expected = one_head(words, None if kind == "random" else kind, 3).weights
    np.testing.assert_allclose(shown_weights(app), expected, rtol=0, atol=1e-12)


@pytest.mark.promise("pitfall 4")
def test_rows_are_queries_and_repeated_words_keep_their_place():
    data = chart(home(home_text="the cat saw the dog"))[1]
    assert data["query"].tolist()[::5] == ["the₁", "cat", "saw", "the₄", "dog"]
    assert data["key"].tolist()[:5] == ["the₁", "cat", "saw", "the₄", "dog"]


@pytest.mark.parametrize("head", "1234")
def test_the_arcs_carry_the_weights_of_the_trained_head_and_a_sentence_for_each_word(head):
    app = home(home_head=head)
    words = split_words(SENTENCE)
    trained = trained_head(words, int(head) - 1)
    expected = attend(trained.x, trained.matrices, trained.mask).weights
    np.testing.assert_allclose(shown_weights(app), expected, rtol=0, atol=1e-6)
    data = arcs(app)
    np.testing.assert_allclose(data["weights"], expected, rtol=0, atol=5.1e-5)
    assert data["words"] == words
    assert words[data["asks"]] == "it"
    for row, sentence in enumerate(data["sentences"]):
        assert sentence == brightest_cell(expected, position_labels(words), row)


@pytest.mark.promise("home 1")
def test_it_attends_to_the_animal_on_the_first_view():
    data = arcs(home())
    row = data["weights"][data["words"].index("it")]
    assert data["words"][int(np.argmax(row))] == "cat"
    assert max(row) > 0.9


def test_without_the_word_it_the_word_with_the_largest_weight_on_another_asks():
    app = home(home_text="the cat sat on the warm mat", home_weights="previous word")
    weights, data = shown_weights(app), arcs(app)
    others = weights * (1 - np.eye(len(weights)))
    assert others[data["asks"]].max() == others.max() > 0.5


def test_words_that_the_model_does_not_know_are_named_and_none_of_them_is_shown():
    app = home(home_text="the zebra saw the cat")
    assert arcs(app)["words"] == ["the", "saw", "the", "cat"]
    assert "“\u2068zebra\u2069”" in small_prints(app)
    app = home(home_text="zebra")
    assert arcs(app)["words"] == split_words(SENTENCE)
    assert "knows none of these words" in small_prints(app)


def cards(app: AppTest) -> dict[str, str]:
    """Return the HTML of the card of each lesson."""
    found = [block.proto.body for block in app.get("html") if 'class="course card"' in block.proto.body]
    return dict(zip((lesson.name for lesson in LESSONS), found, strict=True))


def test_the_cards_carry_pictures_of_the_numbers_in_view():
    one, other = cards(home()), cards(home(home_head="1"))
    assert all('class="shot' in card for card in one.values())
    assert [name for name in one if one[name] != other[name]] == ["qkv", "scaling", "causal_mask"]


def test_the_card_of_queries_and_keys_names_the_largest_weights_of_the_word_that_asks():
    app = home()
    data = arcs(app)
    row = np.array(data["weights"][data["asks"]])
    shown = re.findall(r"<span>([^<]+)</span><b>([^<]+)</b>", html.unescape(cards(app)["qkv"]))
    assert shown == [(data["words"][i], f"{row[i]:.2f}") for i in sorted(np.argsort(-row)[:3])]


def test_the_card_of_several_heads_names_the_word_that_each_of_them_attends_to_most():
    words = split_words(SENTENCE)
    rows = [trained_maps(words)[head, words.index("it")] for head in range(4)]
    shown = re.findall(r"<span>(\d)</span>.*?<b>([^<]+)</b>", cards(home())["multi_head"])
    assert shown == [(str(head), words[int(row.argmax())]) for head, row in enumerate(rows, start=1)]
    for head, row in enumerate(rows):
        trained = trained_head(words, head)
        np.testing.assert_allclose(row, attend(trained.x, trained.matrices, trained.mask).weights[words.index("it")])


def test_the_card_of_scaling_draws_both_rows_on_one_scale():
    words = split_words(SENTENCE)
    trained = trained_head(words, 3)
    attention = attend(trained.x, trained.matrices, trained.mask)
    row = int(entropy(attention.weights).argmax())
    undivided = softmax(attention.scores[row] / attention.scale + attention.mask[row])
    rows = np.concatenate([undivided, attention.weights[row]])
    heights = [float(height) for height in re.findall(r"height:([\d.]+)%", cards(home())["scaling"])]
    np.testing.assert_allclose(heights, 100 * rows / rows.max(), atol=0.0501)


def test_the_card_of_the_model_shows_the_probabilities_after_one_of_the_words():
    model, vocabulary = grammar_model()
    words = split_words(SENTENCE)
    predicted = softmax(logits(model, vocabulary.encode(words)))
    after = int(entropy(predicted).argmax())
    card = cards(home())["tiny_lm"]
    assert f"… {words[after]} →" in card
    shown = re.findall(r"<span>([^<]+)</span><div>.*?<b>([^<]+)</b>", card)
    assert shown == [
        (vocabulary.tokens[token], f"{100 * predicted[after, token]:.0f} %")
        for token in np.argsort(-predicted[after])[:4]
    ]


@pytest.mark.parametrize("text", [SENTENCE, "the small dog found a kite and it"])
def test_another_head_is_compared_with_the_fourth_after_an_invitation(text):
    words = split_words(text)
    most = [words[int(row.argmax())] for row in trained_maps(words)[:, words.index("it")]]
    assert len(set(most)) > 1  # or there is nothing to be found
    app = home(home_text=text)
    assert re.search(
        rf"In head 4, <i>it</i> attends most to <i>{most[3]}</i>\..*there too\?", small_prints(app), re.DOTALL
    )
    for head in range(3):
        app.segmented_control(key="home_head").set_value(str(head + 1)).run()
        said = small_prints(app)
        assert "there too?" not in said
        assert f"<i>it</i> attends most to <i>{most[head]}</i> in head {head + 1}" in said  # whoever is pointed at
        assert (f"to <i>{most[3]}</i> in head 4" in said) == (most[head] != most[3])
        assert "no reason for a prediction" in said


@pytest.mark.parametrize("link", [{"home_weights": "random"}, {"home_lock": "head"}, {"home_text": "cat"}])
def test_nobody_is_invited_where_there_is_nothing_to_compare(link):
    assert "Press head" not in small_prints(home(**link))


def test_only_what_does_something_is_offered():
    assert "home_seed" not in {field.key for field in home().number_input}
    app = home(home_weights="random")
    assert "home_seed" in {field.key for field in app.number_input}
    assert "Trained head" not in {group.label for group in app.segmented_control}


@pytest.mark.parametrize("kind", ["random", *JOBS])
def test_a_seed_is_hidden_where_it_changes_nothing(kind):
    one, other = (home(home_weights=kind, home_seed=seed) for seed in ("3", "44"))
    styles = [element.proto.body for element in one.get("html") if "<style>" in element.proto.body]
    hidden = any(".st-key-home_seed{display:none!important}" in style for style in styles)
    assert hidden == np.array_equal(shown_weights(one), shown_weights(other))


@pytest.mark.parametrize("kind", ["trained", "random", *JOBS])
def test_later_words_are_said_to_have_weight_0_where_they_have(kind):
    app = home(home_weights=kind)
    told = " ".join(element.value for element in app.markdown) + small_prints(app)
    assert ("so later words have weight 0" in told) == (not np.triu(shown_weights(app), 1).any())
    assert "left to right" not in told  # of training and of a mask that is not so


def test_the_model_has_as_many_layers_and_heads_as_the_page_says():
    config = grammar_model()[0].config
    assert ("single layer of four heads" in small_prints(home())) == ((config.n_layers, config.n_heads) == (1, 4))


def test_the_weights_have_a_fixed_scale_from_0_to_1():
    spec, _ = chart(home())
    assert spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, 1]


def test_the_sentence_under_the_picture_names_the_largest_weight():
    app = home(home_text="tea is hot", home_weights="random")
    weights = shown_weights(app)
    query, key = np.unravel_index(weights.argmax(), weights.shape)
    words = ["tea", "is", "hot"]
    where = f"from “\u2068{words[query]}\u2069” to “\u2068{words[key]}\u2069”"
    expected = f"The largest weight is {weights[query, key]:.2f}, {where}."
    assert expected in small_prints(app)
    assert app.get("vega_lite_chart")[0].proto.alt == expected


def test_the_same_link_gives_the_same_numbers_and_another_seed_others():
    first, again, other = (shown_weights(home(home_weights="random", home_seed=seed)) for seed in ("5", "5", "6"))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.01


@pytest.mark.parametrize("seed", ["1e309", "nan", "-4", "99999", "x", "9" * 400])
def test_a_link_with_a_nonsense_seed_falls_back(seed):
    app = home(home_weights="random", home_seed=seed)
    np.testing.assert_array_equal(shown_weights(app), shown_weights(home(home_weights="random")))


@pytest.mark.parametrize("text", ["", "   ", "\x00\x07"])
def test_without_a_word_the_page_shows_its_usual_sentence_and_says_so(text):
    app = home()
    usual = shown_weights(app)
    app.text_input(key="home_text").set_value(text).run()
    assert not app.exception
    np.testing.assert_array_equal(shown_weights(app), usual)
    assert "The field is empty" in small_prints(app)


@pytest.mark.parametrize(
    "text", ["word " * 2000, "👩‍👩‍👧 مرحبا بالعالم", "<b>bold</b> & $x^2$ **stars**", "e\u0301 " * 3, "a", "." * 10_000]
)
@pytest.mark.promise("page 10")
def test_any_text_is_shown_as_text(text):
    app = home()
    app.text_input(key="home_text").set_value(text).run()
    assert not app.exception
    weights = shown_weights(app)
    assert 1 <= len(weights) <= 24
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert "<b>bold</b>" not in small_prints(app)


def test_a_long_sentence_is_cut_with_a_note():
    app = home(home_text="one two three " * 10, home_weights="random")
    assert len(shown_weights(app)) == 24
    assert "first 24 of your 30 words" in small_prints(app)


@pytest.mark.parametrize("kind", JOBS)
def test_matrices_set_by_hand_are_said_to_be(kind):
    assert "made by hand so that" in small_prints(home(home_weights=kind))


@pytest.mark.parametrize(("length", "heads", "width"), [(7, "4", 16), (3, "2", 5), (100_000, "32", 1024)])
@pytest.mark.promise("home 3")
def test_the_calculator_of_shapes_is_the_cores(length, heads, width):
    app = home(home_length=str(length), home_heads=heads, home_width=str(width))
    table = next(block for block in small_prints(app).split("<table>")[1:] if "<th>shape</th>" in block)
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]]
    shapes = attention_shapes(length, int(heads) * width, int(heads))
    assert len(rows) == len(shapes)
    for row, shape in zip(rows, shapes, strict=True):
        name, letters, sizes, numbers = row
        assert name == f'<b>{inline(shape.name)}</b> <span class="soft">{shape.meaning}</span>'
        assert letters == " × ".join(shape.letters)
        assert tuple(int(size.replace(",", "")) for size in sizes.split(" × ")) == shape.sizes
        assert int(numbers.replace(",", "")) == shape.numbers == np.prod(shape.sizes, dtype=object)


@pytest.mark.promise("home 2")
def test_the_map_has_every_lesson_with_what_it_lets_one_do_and_how_long_it_takes():
    text = html.unescape(small_prints(home()))
    for lesson in LESSONS:
        assert str(inline(lesson.promise)) in text
    assert re.findall(r"(\d+) minutes · (\d+) questions", text) == [
        (str(lesson.minutes), str(len(lesson.questions))) for lesson in LESSONS
    ]


@pytest.mark.promise("home 4")
def test_teachers_and_readers_find_their_notes():
    app = home()
    assert {"For teachers", "Further reading"} <= {part.label for part in app.expander}
    app.session_state["home_teachers"] = True
    app.run()
    notes = " ".join(block.value for block in app.markdown)
    for part in ("Before class", "Without a network", "Attention Is All You Need", "Formal Algorithms"):
        assert part in notes
