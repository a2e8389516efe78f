"""Come back tomorrow: a calendar file with a link that asks from memory again, with other numbers."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.memory import qkv
from pages.memory.now import OFFSET
from pages.memory.tomorrow import calendar, folded
from tests.app.files import file_of
from tests.app.visits import html_of, opened, press, reveal, said, visit


def unfolded(text):
    return text.replace("\r\n ", "")


@pytest.mark.usefixtures("media")
def test_the_day_after_asks_the_same_in_another_variant_and_counts_first_tries():
    text = unfolded(file_of(reveal(visit("qkv", step="now")), "Ask me again tomorrow").decode())
    link = re.search("^URL:(.*)\r$", text, re.MULTILINE)[1]
    words = dict(parse_qsl(urlsplit(link).query))
    assert words == {"qkv_step": "now", "qkv_later": "now"}
    app = opened("qkv", words)
    asked = [make(2 * OFFSET) for _, make in qkv.QUESTIONS]
    assert asked[0].text in " ".join(html_of(app))
    app.number_input[0].set_value(asked[0].right)
    app = reveal(press(app, "Check"))
    assert "From memory, right at once: 1 of 2 questions." in said(app)
    assert "From memory, right at once" not in said(reveal(visit("qkv", step="now")))


def test_a_calendar_has_one_whole_day_and_lines_that_every_calendar_reads():
    text = calendar("A day later, Q; K\\V", "https://a.example/qkv?qkv_text=" + "%C3%A9" * 60)
    lines = text.split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert all(len(line.encode()) <= 75 for line in lines)
    assert "\n" not in text.replace("\r\n", "")
    assert r"SUMMARY:A day later\, Q\; K\\V" in unfolded(text)
    day = re.search(r"DTSTART;VALUE=DATE:(\d{8})", text)[1]
    assert 0 <= (datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC) - datetime.now(UTC)) / timedelta(days=1) + 1 <= 2


def test_a_long_line_is_parted_between_characters():
    line = "DESCRIPTION:" + "é" * 99
    assert unfolded(folded(line)) == line
    assert max(len(part.encode()) for part in folded(line).split("\r\n")) <= 75
