"""What a student takes home: each file holds the numbers that the page showed, and opens where it is meant to."""

import io
import json
import re
import struct

import numpy as np
import pandas as pd
import pytest

from pages.page.steps import NOW
from tests.app.bare import printed, run_bare
from tests.app.files import MARKUP, download, each_view, file_of, keeping, kept
from tests.app.qkv.scene import place
from tests.app.visits import FILES, charts, heatmap, rerun, said, stages, visit

pytestmark = pytest.mark.usefixtures("media")

LINKS = [
    {**place("detail"), "weights": "random", "text": '"""quoted""" \\ {braces} \\n \'x\'', "d_k": "3"},
    {**place("lookup"), "weights": "hand-made", "text": "ein Löwe 獅子 🦁 ½", "angle": "30"},
    {**place("change"), "weights": "trained", "change": "X", "change_column": "1", "change_by": "2.5"},
    *({**place(step), "weights": "random", "text": MARKUP, "d_model": "5"} for step in ("x", "q", "match", "softmax")),
]


def see_that_it_prints(code, arrays):
    """See that a script prints the arrays of a file, and no other; a model's numbers as far as float32 holds them."""
    numbers = printed(run_bare(code))
    assert numbers.keys() == arrays.keys()
    is_of_model = "unpack(" in code
    for name, array in arrays.items():
        assert numbers[name].shape == array.shape
        near = 5e-6 * np.abs(array[np.isfinite(array)]).max(initial=1) if is_of_model else 1e-6
        np.testing.assert_allclose(numbers[name], array, rtol=1e-6, atol=near, err_msg=name)


def arrays_in(app):
    with np.load(io.BytesIO(file_of(app, "Arrays")), allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link["step"])
def test_script_and_notebook_print_the_arrays_of_the_page(link):
    app = keeping(**link)
    assert "could not be used" not in said(app)
    notebook = json.loads(file_of(app, "Notebook"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for code in (file_of(app, "Script").decode(), "\n\n".join(cells)):
        see_that_it_prints(code, arrays_in(app))
    assert f"qkv_step={link['step']}" in file_of(app, "Script").decode().split('"""')[1]


# Tables and pictures


def pictures(app):
    """Yield the name of each picture on offer, with the page at which it is chosen."""
    for name in app.selectbox(key="qkv_keep_chart").options:
        app.selectbox(key="qkv_keep_chart").set_value(name)
        yield name, rerun(app)


@each_view
def test_a_table_holds_the_numbers_of_its_picture(view):
    link = {**view, "text": 'a "b" , NA null a\'b'}
    app = keeping(**link)
    offered = list(app.selectbox(key="qkv_keep_chart").options)
    shown = kept(link)
    assert len(offered) == len(set(offered)) == len(shown)
    for (_, page), chart in zip(pictures(app), shown, strict=True):
        content = file_of(page, "CSV")
        assert content.startswith(b"\xef\xbb\xbf")
        table = pd.read_csv(io.BytesIO(content), keep_default_na=False)
        assert {"weight", "value", "x", "q", "k", "v", "output"} & set(table)
        for column in table:
            seen = chart.data[column]
            if seen.dtype.kind == "f":  # a number is written in full, but read to its last bit or the one before
                np.testing.assert_allclose(table[column], seen, rtol=1e-15, atol=0)
            else:
                assert table[column].astype(str).tolist() == seen.astype(str).tolist()
        (shown_table,) = [frame.value for frame in page.dataframe]
        assert shown_table.columns.tolist() == table.columns.tolist()


def written(picture):
    return re.findall("<text[^>]*>([^<]*)</text>", picture)


def test_a_drawing_has_the_words_and_the_numbers():
    app = keeping(step="x", weights="random", text="the cat & the dog")
    values = heatmap(charts(app)[0]).values
    texts = written(file_of(app, "SVG").decode())
    for word in ("the₁", "cat", "&amp;", "the₄", "dog"):
        assert texts.count(word) == 1
    numbers = [f"{value:.2f}".replace("-", "−") for value in values.ravel()]
    assert (values < 0).any()
    assert [text for text in texts if re.fullmatch(r"−?\d+\.\d\d", text)] == numbers


@each_view
def test_every_picture_can_be_kept(view):
    app = keeping(**view, text="tea is hot")
    for name, page in pictures(app):
        drawing = file_of(page, "SVG").decode()
        assert drawing.startswith("<svg"), name
        assert written(drawing), name
        assert "NaN" not in drawing
        image = file_of(page, "PNG")
        assert image[:8] == b"\x89PNG\r\n\x1a\n"
        assert image[-8:-4] == b"IEND"
        width, height = struct.unpack(">II", image[16:24])
        assert 640 <= width <= 2000, name
        assert 200 <= height <= 2000, name


# The page as one file


WATCHED = {("tiny_lm", "train")}  # where a run goes on while it is watched: what it learns is saved as a model


@pytest.mark.nightly
@pytest.mark.parametrize("page", FILES)
def test_at_every_stage_of_every_page_the_script_prints_the_arrays_of_the_view(page):
    for step in stages(visit(page, ask="no")) or [None]:
        app = keeping(page, **({"step": step} if step else {}))
        if (page, step) in WATCHED or (step or "").startswith(NOW):  # which computes nothing
            offered = {"Keep your explanation as a page", "Ask me again tomorrow"}
            assert {button.label for button in app.download_button} <= offered
            continue
        see_that_it_prints(file_of(app, "Script").decode(), arrays_in(app))


def test_a_file_is_called_by_its_page_its_step_and_its_picture():
    app = keeping(step="match")
    assert download(app, "Script").filename == "attention-qkv-match.py"
    assert download(app, "CSV").filename == "attention-qkv-match-scores.csv"
    assert download(keeping("home"), "Script").filename == "attention-home.py"


def test_a_page_as_one_file_is_titled_once_and_says_what_is_missing_in_it():
    found = file_of(keeping("home"), "Page").decode()
    assert re.search("<title>(.*)</title>", found)[1] == "Attention, from scratch"
    (footer,) = re.findall("<footer>(.*)</footer>", found)
    assert "Sliders" in footer
