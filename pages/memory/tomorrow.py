"""Come back tomorrow: a calendar file whose link asks the questions from memory again, in other variants."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from hashlib import sha256
from zoneinfo import ZoneInfo

import streamlit as st

from pages.links.course import COURSE
from pages.page.page import Page

FOLDED = 73  # octets of a line, as RFC 5545 wants it
REMINDER = "A day later, {title}: what do you still know?"


def offer_tomorrow(page: Page) -> None:
    """Offer a calendar file for tomorrow, with the link to this end of the path and its questions in other variants."""
    link = page.controls.link(later=page.controls.known["step"].value)
    st.download_button(
        "Ask me again tomorrow",
        calendar(REMINDER.format(title=page.title), link),
        f"attention-{page.name}-tomorrow.ics",
        "text/calendar",
        key=f"{page.name}_tomorrow",
        icon=":material/event:",
        type="tertiary",
        help="A file for your calendar, with a link that asks from memory again, with other numbers",
        on_click="ignore",
    )


def tomorrow() -> date:
    """Return the day after today where the student is."""
    try:
        zone: tzinfo = ZoneInfo(st.context.timezone or "UTC")
    except (ValueError, OSError, LookupError):  # the browser says it, so it may be anything
        zone = UTC
    return datetime.now(zone).date() + timedelta(days=1)


def calendar(title: str, link: str) -> str:
    day, now = tomorrow(), datetime.now(UTC)
    lines = (
        *("BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//{COURSE}//EN".replace(",", ""), "BEGIN:VEVENT"),
        *(f"UID:{sha256(f'{day}{link}'.encode()).hexdigest()[:24]}@attention", f"DTSTAMP:{now:%Y%m%dT%H%M%SZ}"),
        *(f"DTSTART;VALUE=DATE:{day:%Y%m%d}", f"SUMMARY:{escaped(title)}"),
        *(f"DESCRIPTION:{escaped(link)}", f"URL:{link}", "END:VEVENT", "END:VCALENDAR"),
    )
    return "".join(f"{folded(line)}\r\n" for line in lines)


def escaped(text: str) -> str:
    for character in "\\;,":
        text = text.replace(character, f"\\{character}")
    return text


def folded(line: str) -> str:
    """Return a line in parts, each of so many octets at most, and the next one after a space."""
    parts, rest = list[str](), line
    while rest:
        parts.append(rest.encode()[:FOLDED].decode(errors="ignore"))
        rest = rest[len(parts[-1]) :]
    return "\r\n ".join(parts)
