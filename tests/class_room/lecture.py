"""A lecture without browsers: a teacher's tab and students' tabs of the real pages."""

import json
import re

from tests.app.visits import ENTRY, forge, go, opened, page_of, press, rerun, sent_to


def open_class():
    """Return the tab of a teacher who has just opened a class, and its word."""
    app = go(opened("home", {}, ENTRY), "teach", {})
    press(app, "teach_class")
    return app, member_of(app).word


def meet(n):
    """Return the tabs of a teacher who asks a question and of so many students, and the word of their class."""
    teacher, word = open_class()
    teach(teacher, "qkv", step="softmax")
    return teacher, word, [come(word, "qkv", step="softmax") for _ in range(n)]


def member_of(app):
    return app.session_state["class_room"]


def heard(app):
    """Return all that a browser has of a page: each element with its data, and the address."""
    protos = filter(None, (getattr(element, "proto", None) for element in app._tree))
    sent = [proto.SerializeToString().decode("utf-8", "replace") for proto in protos]
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), " ".join([*sent, str(app.query_params)]))


def is_in_class(app):
    return "class_room" in app.session_state


def teach(app, page, **link):
    return go(app, page, {f"{page}_{name}": value for name, value in link.items()})


def open_console(teacher):
    """Return the console of a teacher's class, on another screen."""
    member = member_of(teacher)
    return opened("home", {"console": "on", "teach": f"{member.word}.{member.key}"})


def come(word, page="home", **link):
    """Return the tab of a student who has opened a link to a class."""
    return opened(page, {"class": word} | {f"{page}_{name}": value for name, value in link.items()})


def vote(app, place, given):
    """Choose an answer to a question and send it."""
    if isinstance(given, tuple):
        for field, value in zip(("row", "column"), given, strict=True):
            app.selectbox(key=f"{place}_{field}").set_value(value)
    elif options := [button for button in app.button if button.key == f"{place}_option_{given}"]:
        return rerun(options[0].click())
    elif radios := [radio for radio in app.radio if radio.key == f"{place}_given"]:
        radios[0].set_value(given)
    else:
        app.number_input(key=f"{place}_given").set_value(given)
    (send,) = [button for button in app.button if f"{place}_ballot" in button.key]
    assert send.label in ("Send", "Change my vote")
    return rerun(send.click())


def reload(app, page=None):
    """Return the tab as it is after a reload: a new session, told what the browser kept."""
    (before,) = sent_to(app, "attention_progress")
    fresh = opened(page or page_of(app), dict(app.query_params))
    return forge(fresh, "attention_progress", {"kept": json.loads(before.json)["state"]})
