"""Text on its way to the page: our own sentences keep their marks, a student's words stay as they were typed."""

import re
import tomllib
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from attention_core.text.characters import WORD_JOINER
from pages.look import html as look
from pages.look.html import caption, number, plain, prose, quoted, seen

MARKS = Path(__file__).with_name("marks.toml").read_text("utf-8")
TYPED = ["*a*", "**a**", "`a`", "{a}", "{word}", "{", ":query[a]", "a\n\nb", "\\1", "%s", "$a$", "مرحبا", "👩‍👩‍👧"]
HOSTILE = ["<b>", "</p>", "a & b", "&amp;", '"', "'", "<script>alert(1)</script>", "<i class='x'>"]


@pytest.mark.parametrize(("text", "html"), tomllib.loads(MARKS)["marks"])
def test_our_own_marks(text, html):
    assert prose(text) == html


def test_a_word_is_put_where_its_name_stands_in_any_order_and_twice():
    html = prose("{b} asks *{a}*, {b}\n\n**{a}**", a="cat", b="mat")
    cat, mat = quoted("cat"), quoted("mat")
    assert html == f"<p>{mat} asks <i>{cat}</i>, {mat}</p><p><b>{cat}</b></p>"


@pytest.mark.parametrize("word", TYPED)
def test_no_mark_in_a_word_counts(word):
    assert prose("The word {word} is **ours**.", word=word) == f"<p>The word {quoted(word)} is <b>ours</b>.</p>"
    assert prose("{a} {word}", a="x", word=word) == f"<p>{quoted('x')} {quoted(word)}</p>"


@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_is_escaped(word):
    html = prose("The word {word}.", word=word)
    assert re.findall("<[^>]*>", html) == ["<p>", "</p>"]
    assert unescape(html) == f"<p>The word {quoted(word)}.</p>"
    assert '"' not in html
    assert "'" not in html


@pytest.mark.parametrize("word", [*TYPED, *HOSTILE, "", "“"])
def test_a_quoted_word_is_isolated_from_the_sentence_around_it(word):
    assert quoted(word) == f"“\u2068{word}\u2069”"


def test_a_name_without_a_word_is_a_mistake_of_ours():
    with pytest.raises(KeyError):
        prose("{one} {other}", one="cat")


def shown(text):
    """Return what a reader of Markdown shows of a text: a backslash is dropped before ASCII punctuation."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


@pytest.mark.parametrize(
    "word", [*TYPED, *HOSTILE, "1. one", "# x", "- x", "a_b_", "~~a~~", "a@b.c", "http://a.b", "C:\\", "x^2"]
)
def test_a_plain_word_shows_what_was_typed_and_marks_nothing(word):
    text = plain(word)
    assert shown(text) == seen(word)
    special = [match.start() for match in re.finditer(r"[*_`\[\]<>#~$:&]", text)]
    backslashes = [len(re.search(r"\\*$", text[:at])[0]) for at in special]
    assert all(n % 2 == 1 for n in backslashes)


@pytest.mark.parametrize("word", ["->", "<-", "<->", "--", ">=", "<=", "~=", "a --> b", ":streamlit:"])
def test_what_streamlit_draws_after_reading_the_markdown_is_kept_apart(word):
    assert shown(plain(word)) != word
    assert shown(plain(word)).replace(WORD_JOINER, "") == word


@pytest.mark.parametrize("text", ["    x", "\tx", "x\n\n# y", "\x00x", "x\u2028- y", "x\r\n---"])
def test_no_space_begins_a_block_of_markdown(text):
    assert not re.search(r"^ |[\x00-\x1f\u2028]", plain(text))


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        *[(text, text) for text in ("", "cat", "a b", "é", "e\u0301", "👩\u200d👩\u200d👧", "नमस्ते", "مرحبا")],
        *[("\x00", "␀"), ("a\x1b[2J", "a␛[2J"), ("\x7f", "U+007F"), ("\x85", "U+0085"), ("\u2028", "U+2028")],
        *[("\u202eabc", "U+202Eabc"), ("a\u2069", "aU+2069"), ("\ufeffx", "U+FEFFx"), ("\ud83d", "U+D83D")],
        *[(" ", "U+0020"), ("\u00a0", "U+00A0"), ("\u200d", "U+200D"), ("\u200b", "U+200B"), ("\u0301", "◌\u0301")],
    ],
)
def test_what_steers_the_writing_is_seen(text, sign):
    assert seen(text) == sign


def test_every_character_that_markdown_may_read_is_escaped():
    assert plain("\\`*_{}[]()<>#+-.!|~$:^=&@/") == r"\\\`\*\_\{\}\[\]\(\)\<\>\#\+\-\.\!\|\~\$\:\^\=\&\@\/"
    assert plain("the cat₁, ‘quoted’ 5 × 3?") == "the cat₁, ‘quoted’ 5 × 3?"


@pytest.mark.parametrize("word", [*TYPED, *HOSTILE, "d_k", "W_Q"])
def test_symbols_of_a_caption_are_set_and_a_students_words_stay(word):
    html = caption(f"At d_k = 4, divided by √d_v: W_Q and x_k of {quoted(word)}.")
    said = html.replace("d<sub>k</sub>", "d_k", 1).replace("d<sub>v</sub>", "d_v", 1).replace("W<sub>Q</sub>", "W_Q", 1)
    assert html.count("<") == 6
    assert unescape(said) == f"At d_k = 4, divided by √d_v: W_Q and x_k of {quoted(word)}."


AS_READ = """
short 100 100|short 99.996 100.00|short 0.0951 0.10|short 0.0949 0.095|short 0.0625 0.063|short 0.0001 0.00010
short 0.00009 0.000090|short 0.00005 0.000050|short 0.000049 0.00|significant 0 0.00|significant inf ∞
significant 9999.4 9,999|significant 1.23456 1.235|significant -0.0012341 −0.001234|significant 12.3456 12.35
significant 0.001 0.001000|significant 0.00099 9.9·10⁻⁴|significant 10000 1.0·10⁴|percent 0.256 26%|percent -0.004 0%
commas 1234567.4 1,234,567|commas 999.5 1,000|memory 0 0B|residual 1e-13 below10⁻¹²|residual 2e-12 2.0·10⁻¹²
tiny 0 0|tiny 1.5 1.50|tiny 0.01 0.01|tiny 0.0099 9.9·10⁻³|tiny 8.3e-16 8.3·10⁻¹⁶|tiny 9999999 9,999,999.00
number -0.0 0.00|number 0.004 0.00|number -0.006 −0.01|number 1.5 1.50|number 999.999 1,000.00|number inf ∞
number -1234567.8 −1,234,567.80|number -inf −∞|number nan NaN|number -nan NaN|number:0 -0.4 0|number:0 -0.6 −1
number:1 0.05 0.1|number:1 -0.04 0.0|number:3 1234.5678 1,234.568|number:0 1e16 10,000,000,000,000,000
number:0 10 10|number:2 -9007199254740992 −9,007,199,254,740,992.00
tiny 1e7 1.0·10⁷|power_of_ten -2.96e23 −3.0·10²³|residual 0 below10⁻¹²|residual 2e-6 2.0·10⁻⁶
memory 999 999B|memory 1000 1.0kB|memory 1250000 1.3MB|memory 999949 999.9kB|memory 3.4e9 3.4GB|memory 5e12 5,000.0GB
"""


def test_numbers_of_any_size_are_read_with_few_digits():
    for line in AS_READ.replace("|", "\n").strip().split("\n"):
        named, value, text = line.split()
        name, *digits = named.split(":")
        assert getattr(look, name)(float(value), *map(int, digits)).replace(" ", "") == text, line
    assert (number(np.float32("-inf")), number(7)) == ("−∞", "7.00")


def test_a_table_aligns_numbers_right_and_one_row_may_be_bold():
    html = look.table(("a", "b"), [("x", "1"), ("<y>", "2")], bold=1)
    right = '<{0} style="text-align:right">{1}</{0}>'
    rows = [f"<tr><th>a</th>{right.format('th', 'b')}</tr>", f"<tr><td>x</td>{right.format('td', '1')}</tr>"]
    rows.append(f"<tr style=font-weight:600><td>&lt;y&gt;</td>{right.format('td', '2')}</tr>")
    assert html == f'<div class="wide" tabindex="0"><table>{"".join(rows)}</table></div>'
    assert "text-align" not in look.table(("a", "b"), [("x", "1")], left=2)
    long = look.table(("a", "b"), [("x", "1")], left=(1,), long=1, folds=True)
    assert (long.count("text-align"), long.count("overflow-wrap"), long.count("wide folds")) == (2, 2, 1)
