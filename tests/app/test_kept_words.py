"""Whatever a word says, it is a word in every file that a student can keep: no script, no formula, no code."""

import ast
import io
import json
import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import vl_convert

import attention_core as core
from attention_core.text.corpora import own_text
from attention_core.text.vocabulary import Vocabulary
from pages.page import canvas
from pages.reproduce import files
from pages.tiny_lm.model_in_view import Own
from tests.app.files import file_of
from tests.app.test_bad_input import Tags, stages
from tests.app.visits import FILES, QUICK, rerun, visit
from tests.tiers import first

pytestmark = pytest.mark.usefixtures("media")

WORDS = [
    *("</script><script>zq()</script>", "<img src=x onerror=zq()>", "<!--<script>zq"),
    *("]]></text><script>zq</script>", "=cmd|zq", "＝zq()", '"""\nimport zq', "'; import zq #", "\\\nzq"),
    *("{zq}", "\u202ezq\u0007"),
]
PICTURE = {"style", "script", "div", "html", "head", "meta", "body", "p"}  # what Altair writes around a picture
PAGE = {"title", "h1", "h2", "h3", "b", "i", "dfn", "sub", "sup", "code", "br", "em", "mark", "span", "pre"}
PAGE |= {"table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "footer", "ul", "ol", "li", "hr"}
PAGE |= {"svg", "path", "rect", "circle"}
DRAWING = {"svg", "g", "path", "text", "rect", "line", "defs", "clipPath", "linearGradient", "stop", "image", "style"}


def own(words, unit="word"):
    """Return a model of a student's own whose tokens are these words; untrained, it bets on any of them."""
    config = core.Config(len(words), d_model=8, n_heads=2, n_layers=2, max_len=9)
    return Own((core.init_model(config, 3),), (1,), Vocabulary(tuple(words)), unit, "zq", " ".join(words[:3]))


OWN_TEXT = own_text(" ".join(WORDS) * 4, "word")
MODELS = {"a brought model": own(WORDS), "a model of an own text": own(OWN_TEXT.vocabulary.tokens)}
EVERYWHERE = [
    *((page, "what is typed") for page in FILES if page not in ("scaling", "tiny_lm")),  # one has no field for words
    *(("tiny_lm", kind) for kind in ("what is typed", *MODELS)),
]


def views(page, kind):
    """Yield stages of a page that show harmful words, the files on offer: all of a model's, a third of the others."""
    for stage in stages(visit(page))[:: 1 if kind in MODELS else 3]:
        link = {name: value for name, value in {"step": stage, "ask": "no"}.items() if value}
        app = visit(page, **link, **({"model": "your own"} if kind in MODELS else QUICK.get(page, {})))
        app.session_state[f"{page}_keep"] = True
        if kind in MODELS:
            app.session_state["tiny_lm_own"] = MODELS[kind]
        else:
            for field in app.text_input:
                field.set_value(" ".join(WORDS))
        rerun(app)
        if app.download_button:
            yield app


def see_that_markup_is_ours(text, tags, n_scripts):
    found = Tags(text).found
    assert {tag for tag, _ in found} <= tags
    assert sum(tag == "script" for tag, _ in found) == n_scripts
    assert not {name for _, names in found for name in names if name.startswith("on")}


def see_that_nothing_is_computed(table):
    texts = [text for name in table.select_dtypes(["object", "string"]) for text in map(str, table[name])]
    assert not [text for text in texts if text[:1] in tuple("=+-@＝＋－＠\t\r") and len(text) > 1]


def run(code, folder):
    """Run a script where Altair is installed; return the picture that it makes."""
    names = {}
    with np.printoptions(), warnings.catch_warnings(action="ignore"):
        exec(compile(code, str(folder / "script.py"), "exec"), names)
    return names.get("picture")


@pytest.mark.parametrize(("page", "kind"), first(2, EVERYWHERE))
def test_no_file_holds_a_word_as_anything_but_a_word(page, kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda: "")  # the same for all, and slow to write
    drawn, n_pictures, draw = [], 0, canvas.draw_chart
    monkeypatch.setattr(
        canvas, "draw_chart", lambda name, chart, *more: drawn.append(chart) or draw(name, chart, *more)
    )
    for app in views(page, kind):
        if "Keep your explanation as a page" in [button.label for button in app.download_button]:
            see_that_markup_is_ours(file_of(app, "Keep your explanation as a page").decode(), PICTURE | PAGE, 2)
            continue
        code = file_of(app, "Script").decode()
        cells = json.loads(file_of(app, "Notebook"))["cells"]
        for source in (code, *("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")):
            assert "zq" not in {name.id for name in ast.walk(ast.parse(source)) if isinstance(name, ast.Name)}
        if (picture := run(code, tmp_path)) is not None:
            n_pictures += 1
            see_that_markup_is_ours((tmp_path / "weights.html").read_text(encoding="utf-8"), PICTURE, 4)
            (shown,) = picture._repr_mimebundle_(None, None).values()
            see_that_markup_is_ours(shown, PICTURE, 1)
        see_that_markup_is_ours(file_of(app, "Page").decode(), PICTURE | PAGE, 2)
        with np.load(io.BytesIO(file_of(app, "Arrays")), allow_pickle=False) as arrays:
            assert all(re.fullmatch(r"[a-z_0-9]+(\.[a-z_0-9]+)*", name) for name in arrays)
        for chart in drawn:
            see_that_nothing_is_computed(
                pd.read_csv(io.BytesIO(files.csv(chart)), keep_default_na=False, encoding="utf-8-sig")
            )
        for table in app.dataframe:  # Streamlit offers what it shows as a file of its own
            see_that_nothing_is_computed(table.value)
        for chart in drawn[:1]:
            drawing = [part.tag.rpartition("}")[2] for part in ElementTree.fromstring(files.svg(chart)).iter()]
            assert set(drawing) <= DRAWING
        drawn.clear()
    assert n_pictures or page == "positional_encoding"
