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
from pages.reproduce.files import document
from tests.app.files import MARKUP, each_view, file_of, keeping, kept

pytestmark = pytest.mark.usefixtures("media")


class Reader(HTMLParser):
    """What a browser finds in a document: its tags, and what stands inside scripts and style sheets."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.open, self.inside = [], [], None, {"script": [], "style": []}
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


LOADS = ("src", "href", "srcset", "data", "action", "poster", "background", "srcdoc", "onerror", "onload")


@each_view
def test_the_page_as_one_file_asks_nobody_for_anything_and_has_every_chart(view):
    app = keeping(**view, text=MARKUP)
    reader = Reader(file_of(app, "Page").decode())
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "video", "audio", "source"), tag
        assert not set(attributes) & set(LOADS), (tag, attributes)
        assert not re.search(r"url\(|@import", attributes.get("style") or "")
    for sheet in reader.inside["style"]:
        assert not re.search(r"url\(|@import|https?:", sheet)
    library, program = reader.inside["script"]
    assert library == vl_convert.javascript_bundle().replace("</script", "<\\/script")
    found = json.loads(re.fullmatch(r"const charts=(\[.*\]);\n.*", program, re.DOTALL)[1])
    shown = kept({**view, "text": MARKUP})
    assert len(found) == len(shown)
    for chart, live in zip(found, shown, strict=True):
        data = pd.DataFrame(chart["data"]["values"])
        drawn = live.data.reset_index(drop=True)
        pd.testing.assert_frame_equal(data[drawn.columns], drawn, check_dtype=False, check_exact=True)
        for layer, live_layer in zip(chart["layer"], live.spec["layer"], strict=True):
            names = {"name": live_layer.get("name")} if "name" in live_layer else {}  # Streamlit gives names of its own
            assert {**layer, **names} == live_layer
    words = " ".join(reader.text)
    for live in shown:
        assert live.alt in words
        if live.alt.endswith("."):  # a whole sentence, no part of a longer one
            assert words.count(live.alt) == sum(other.alt == live.alt for other in shown)
    assert sum(tag == "figure" for tag, _ in reader.tags) == len(shown)
    assert f"qkv_step={view['step']}" in words


def test_a_caption_stands_once_also_where_no_text_below_says_it():
    first, second, third = (
        attention_heatmap(np.eye(2), ["a", "b"], name="weights", sentence=f"{n} < all.") for n in range(3)
    )
    note = Markup('<div class="course note">{} More.</div>').format(second.sentence)
    page = document("title", [first, second, note, Markup("<p>text</p>"), third], Markup("the end"))
    captions = re.findall("<figcaption>(.*?)</figcaption>", page)
    assert captions == ["0 &lt; all.", str(note), "2 &lt; all."]
    assert [page.count(f"{n} &lt; all.") for n in range(3)] == [1, 1, 1]
