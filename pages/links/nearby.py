"""A link for those near by: an address that they can reach, and a code for the cameras of their phones."""

from urllib.parse import urlsplit

import streamlit as st
from markupsafe import Markup

from pages.server.streamlit_private import get_internal_ip

HERE = ("localhost", "127.0.0.1", "::1")  # what a computer calls itself
ONLY_HERE = "Phones cannot open this address. It works on this computer only."


def in_network(link: str) -> str:
    """Return the address under which others in the same network reach a link to this computer, if there is one."""
    parts = urlsplit(link)
    if not is_only_here(link) or st.get_option("server.address") in HERE:
        return link
    near = get_internal_ip()
    return link if near in (None, *HERE) else parts._replace(netloc=f"{near}:{parts.port or 80}").geturl()


def is_only_here(link: str) -> bool:
    """Return whether a link leads each computer to itself."""
    return urlsplit(link).hostname in HERE


def qr_code(link: str, alt: str) -> Markup | None:
    """Return a link as an image, or None if it is too long for a code."""
    import segno  # slow to load, and rarely asked for

    try:
        code = segno.make_qr(link, error="m")
    except segno.DataOverflowError:
        return None
    return Markup('<img alt="{}" src="{}">').format(alt, code.svg_data_uri(border=4, light="#fff", omitsize=True))
