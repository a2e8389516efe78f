"""The page as one file: it asks nobody for anything, holds every chart, and no word can break out of it."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import vl_convert
from markupsafe import Markup

from pages.charts.heatmap import attention_heatmap
from pages.reproduce.files import document, svg
from tests.app.files import MARKUP, each_view, file_of, keeping
from tests.app.visits import charts

pytestmark = pytest.mark.usefixtures("media")


class Reader(HTMLParser):
    """What a browser finds in a document: its tags, and what stands inside scripts and style sheets."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.inside = {"script": [], "style": []}
        self.text = []
        self.open = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open = tag if tag in self.inside else None
        if self.open:
            self.inside[tag].append("")

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open:
            self.inside[self.open][-1] += data
        else:
            self.text.append(data)


def opened_charts(reader):
    """Return the charts in a document, each with its data."""
    library, program = reader.inside["script"]
    assert library == vl_convert.javascript_bundle().replace("</script", "<\\/script")
    return json.loads(re.fullmatch(r"const charts=(\[.*\]);\n.*", program, re.DOTALL)[1])


LOADS = ("src", "href", "srcset", "data", "action", "poster", "background", "srcdoc", "onerror", "onload")


@pytest.mark.parametrize("text", ["the cat saw the cat", MARKUP], ids=["words", "markup"])
@each_view
@pytest.mark.promise("page 7")
def test_the_page_as_one_file_asks_nobody_for_anything_and_has_every_chart(view, text):
    app = keeping(**view, text=text)
    reader = Reader(file_of(app, "Page").decode())
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "video", "audio", "source"), tag
        assert not set(attributes) & set(LOADS), (tag, attributes)
        assert not re.search(r"url\(|@import", attributes.get("style") or "")
    for sheet in reader.inside["style"]:
        assert not re.search(r"url\(|@import|https?:", sheet)
    found = opened_charts(reader)
    shown = charts(app)
    assert len(found) == len(shown)
    for chart, live in zip(found, shown, strict=True):
        data = pd.DataFrame(chart["data"]["values"])
        pd.testing.assert_frame_equal(data[live.data.columns], live.data, check_dtype=False, check_exact=True)
        for layer, live_layer in zip(chart["layer"], live.spec["layer"], strict=True):
            names = {"name": live_layer.get("name")} if "name" in live_layer else {}  # Streamlit gives names of its own
            assert {**layer, **names} == live_layer
    words = " ".join(reader.text)
    for live in shown:
        assert live.alt in words
    assert sum(tag == "figure" for tag, _ in reader.tags) == len(shown)
    assert f"qkv_step={view['step']}" in words


def test_no_word_can_end_the_script_that_it_stands_in():
    words = ["</script>", "<!--<script>", "</ScRiPt >", "]]>"]
    chart = attention_heatmap(np.eye(4), words, sentence="<img src=x> </figcaption>")
    page = document("<b>title</b> </title>", [chart, Markup("<p>text</p>")], Markup("the end"))
    reader = Reader(page)
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert not re.search("<!--|<script", reader.inside["script"][1])  # either would hide the end of the script
    assert [row["query"] for row in opened_charts(reader)[0]["data"]["values"][::4]] == words
    assert "img" not in dict(reader.tags)
    assert reader.text.count("<b>title</b> </title>") == 2
    for word in words:
        assert word.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in svg(chart)
