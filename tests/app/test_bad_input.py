"""Bad input: whatever is typed, linked or uploaded, the page stands, and shows it as text or says what is wrong."""

import io
import re
from html.parser import HTMLParser
from unicodedata import category

import pytest

from attention_core.text.characters import DIRECTIONS
from pages.links.course import LESSONS
from pages.page.fields.link_state import LONGEST_TEXT
from pages.practice.feedback import UNDRAWN
from pages.tiny_lm.train.form import text_source
from tests.app import visits
from tests.app.charts import titles_in
from tests.app.steps import TEXT_ENDS, step
from tests.app.visits import FILES, QUICK, charts, html_of, opened, report, rerun, said, shared, sound, visit
from tests.lessons import steps_of
from tests.tiers import first

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
HARSH = {
    "markup": "<u>zq</u> <script>zq</script> <img src=x onerror=zq> &amp; </div> "
    "[zq](javascript:zq) **zq** zq_zq_zq ~~zq~~",
    "formulas": "$zq^2$ $$x$$ \\(x\\) =1+1 @SUM(A1) :red[zq] :material/home: :streamlit: -> {0} {word} %s",
    "scripts": f"{FAMILY} 👍🏽 🇩🇪🇫🇷 q\u0323\u0307 नमस्ते 각 مرحبا \u202eabc\u2067 שלום\u2066 \u200dx \ufeff",
    "high and long": "Z" + "\u0300\u0316" * 90 + "algo " + "\U0001d504" * 600,
    "control": "a\x00b\x07 \x1b[2J\u2028c\u2029 \r\n# d\t\U0010ffff \ufdd0 \"'\\\"\"\" '''",
    "too long": "獅" * 10_000,
    "many": "W" * 39 + " " + ("W" * 39 + " ") * 250,
}
DEAR = {"layers", "cheats"}  # steps in which models of the course go on from the text
FOREIGN = {"u", "script"}  # an image of our own is in the dialog that shares a view


class Tags(HTMLParser):
    """The tags of a piece of HTML, each with the names of its attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, {name for name, _ in attributes}))


def stages(app):
    """Return the words by which a link calls the stages of a page; None for its only one."""
    return visits.stages(app) or [None]


def link_to(page, stage, **more):
    words = QUICK.get(page, {}) | {"step": stage} | more
    return {f"{page}_{name}": value for name, value in words.items() if value is not None}


def unsound(text):
    """Return the characters of a text that steer what stands around it."""
    isolated = text.replace("\u2068", "").replace("\u2069", "")
    return [char for char in isolated if category(char) in ("Cc", "Cs") or char in DIRECTIONS]


def see_that_it_stands(app, typed):
    blocks = " ".join(html_of(app))
    tags = Tags(blocks).found
    assert not FOREIGN & {tag for tag, _ in tags}, typed
    assert UNDRAWN not in blocks, typed
    assert not {name for _, names in tags for name in names if name.startswith("on")}, typed
    assert not any(char in DIRECTIONS and char not in "\u2068\u2069" for char in said(app)), typed
    for chart in charts(app):
        assert not unsound(chart.alt), typed
        assert not [title for title in titles_in(chart.spec) if unsound(title)], typed
        for column in chart.data.select_dtypes(["object", "string"]):
            for text in set(map(str, chart.data[column])):
                if text.startswith("data:image"):
                    continue
                assert not unsound(text), (typed, column, text)
                assert len(text) <= 80 or ", " in text, (typed, column)  # or of several words that are one point
                assert category(text[:1] or "a")[0] != "M", (typed, column, text)


@pytest.mark.parametrize("harsh", first(2, HARSH))
@pytest.mark.parametrize("lesson", [lesson.name for lesson in LESSONS])
def test_no_text_breaks_a_step_or_becomes_a_part_of_it(lesson, harsh):
    for name in set(steps_of(lesson)) - DEAR:
        fields = [field for field, ends in step(lesson, name).page.controls.ends.items() if ends == TEXT_ENDS]
        seen = step(lesson, name, **dict.fromkeys(fields, HARSH[harsh]))
        see_that_it_stands(seen, (name, harsh))
        asked = [part for question in seen.page.asked for part in (question.text, question.told)]
        assert not FOREIGN & {tag for part in asked for tag, _ in Tags(part).found}


@pytest.mark.parametrize("page", first(1, FILES))
def test_no_text_that_is_typed_breaks_a_page_and_its_link_is_short(page):
    for turn in range(len(HARSH)):
        app = opened(page, link_to(page, None))
        texts = [*HARSH.values()][turn:] + [*HARSH.values()][:turn]
        for field, text in zip([field for field in app.text_input if not field.disabled], texts, strict=False):
            field.set_value(text)
        see_that_it_stands(rerun(app), turn)
        for radio in app.radio:
            assert not [option for option in radio.options if re.search(r"(?<!\\)[$<_~`]zq|zq(?<!\\)[$_~`]", option)]
        link = shared(app)
        assert all(len(value) <= LONGEST_TEXT for value in link.values())
        see_that_it_stands(opened(page, {**link, f"{page}_ask": "no"}), link)


FORGED = [None, True, 10**300, float("nan"), "\ud800", "x" * 99_999, [], [["a"]], {"a": {"b": []}}]
FORGED += ['{"given": {"a": 5}}']
EVENTS = {"attention_progress": "kept", "attention_arcs": "picked", "attention_line_order": "order"}


@pytest.mark.parametrize(
    ("page", "link"), [("qkv", {"step": "it"}), ("scaling", {"step": "collapse"}), ("causal_mask", {"step": "shuffle"})]
)
def test_whatever_a_component_is_made_to_say_breaks_nothing(page, link):
    app = visit(page, ask="no", **link)
    drawn = [element.proto for element in app.get("bidi_component")]
    assert len(drawn) > 1
    for one in drawn:
        for forged in FORGED:
            report(app, one, EVENTS.get(one.component_name, "moved"), forged)


def test_a_word_that_is_exchanged_is_whole():
    app = visit("causal_mask", step="leak", new=FAMILY * 8)
    (asked,) = [block for block in html_of(app) if 'class="course ask"' in block]
    assert FAMILY in asked
    assert "\u200d" not in asked.replace(FAMILY, "")


@pytest.mark.parametrize("page", FILES)
def test_what_is_too_long_in_a_link_is_not_carried_on(page):
    long = "x" * 100_000
    app = opened(
        page, {f"{page}_{name}": long for name in ("text", "lock", "step", "nobody", "paint", "seed", "exercise")}
    )
    see_that_it_stands(app, "long link")
    assert sum(map(len, shared(app).values())) <= 3 * LONGEST_TEXT
    assert max(map(len, html_of(app))) < 20_000


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
PROSE = "the cat sat on the warm mat and slept. " * 30


NO_TEXTS = {
    "empty": b"",
    "a picture": PNG,
    "UTF-16": PROSE.encode("utf-16"),
    "Latin-1": ("é" + PROSE).encode("latin-1"),
    "cut within a character": ("獅" * 99).encode()[:-1],
    "one character": b"x",
    "one emoji without end": ("👩\u200d" * 5000).encode(),
    "half of a character": b"\xed\xa0\xbd" * 99,
    "too long": b"x" * 600_000,
}
TEXTS = {
    "with a mark": PROSE.encode("utf-8-sig"),
    "lines of Windows": PROSE.replace(". ", ".\r\n").encode(),
    "spaces": b" " * 500,
    "one letter": b"x" * 500,
    "control characters": bytes(range(1, 32)) * 30,
    "marks of direction": "\u202e\u2066\u200f\u200d\u0301".encode() * 99,
    "all of Unicode": "".join(map(chr, (*range(0x20, 0xD800, 3), *range(0x10000, 0x20000)))).encode(),
}


@pytest.mark.parametrize("content", [*NO_TEXTS.values(), *TEXTS.values()], ids=[*NO_TEXTS, *TEXTS])
def test_what_is_no_text_to_learn_from_is_refused_with_a_reason_and_any_other_is_not(content):
    source, problem = text_source(io.BytesIO(content), "character")
    assert bool(problem) == (source is None) == (content in NO_TEXTS.values())


def test_uploads_are_refused_or_shown_on_the_page():
    app = visit("tiny_lm", step="train", ask="no")
    app.session_state["tiny_lm_bring"] = True
    rerun(app).file_uploader(key="tiny_lm_file").upload("../<u>zq</u>.safetensors", PNG, "application/octet-stream")
    see_that_it_stands(rerun(app), "a model")
    assert "This file cannot be used: " in said(app)
    assert "tiny_lm_own" not in app.session_state
    states = app._tree.get_widget_states()
    forged = states.widgets.add(id=app.file_uploader(key="tiny_lm_file").proto.id).file_uploader_state_value
    forged.uploaded_file_info.add(file_id="of a server before this one", name="a.safetensors")
    sound(app._run(states))
    app = visit("tiny_lm", step="train", learn="a text of your own", ask="no")
    for content in (NO_TEXTS["UTF-16"], TEXTS["all of Unicode"]):
        app.file_uploader(key="tiny_lm_own_file").upload("../<u>zq</u>.txt", content, "text/plain")
        see_that_it_stands(rerun(app), "a text")
        assert app.button(key="tiny_lm_train").disabled == (content in NO_TEXTS.values())
