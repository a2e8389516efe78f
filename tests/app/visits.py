"""A student at work: opening a page by its link, reading what it says and shows, clicking."""

import html
import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest

from pages.links.course import TEACH, TEACHING
from pages.practice.feedback import UNDRAWN
from tests.app.charts import Shown, chart
from tests.lessons import names_of, path_of

ROOT = Path(__file__).parents[2]
ENTRY = "streamlit_app.py"
PAGES = sorted(ROOT.glob("pages/?_*.py"))
FILES = {"home": ENTRY, **{path.stem.partition("_")[2]: f"pages/{path.name}" for path in PAGES}}
EVERY = FILES | {TEACH: TEACHING}  # which has no view of its own
KINDS = ("number_input", "slider", "select_slider", "segmented_control", "selectbox", "toggle", "text_input")


class Map(NamedTuple):
    """A heatmap: its numbers, and the names along its axes."""

    values: np.ndarray
    rows: list[str]
    columns: list[str]


@cache
def components():
    """Return the components that are installed, which every visit would look for anew: it takes longer than a page."""
    manager = BidiComponentManager()
    manager.discover_and_register_components(start_file_watching=False)
    return manager


QUICK = {"tiny_lm": {"model": "Toy English"}}  # settings with which a page that is opened a hundred times is drawn fast


def opened(page, query, entry=None):
    """Return a page opened by a link that says `query`, by itself or reached from the entry of the course."""
    app = AppTest.from_file(ROOT / (entry or EVERY[page]), default_timeout=120)
    app._bidi_component_manager = components()
    return go(app.run(), page, query) if entry else go(app, None, query)


def go(app, page, query):
    """Follow a link to another page within the same visit."""
    if page:
        app.switch_page(EVERY[page])
    app.query_params = dict(query)
    app.run()
    assert not app.exception, (query, app.exception[0].value)
    return app


def visit(page, **link):
    """Return a page opened by itself, by a link without the page's prefix."""
    return opened(page, {f"{page}_{name}": value for name, value in link.items()})


def through_menu(page, **link):
    """Return a page reached by the menu, which only then has links."""
    return opened(page, {f"{page}_{name}": value for name, value in link.items()}, ENTRY)


def rerun(app):
    """Run a page again and see that nothing broke."""
    return sound(app.run())


def sound(app):
    """See that nothing broke in the last run of a page."""
    assert not app.exception, app.exception[0].value
    assert not any(UNDRAWN in body for body in html_of(app))
    return app


def press(app, label):
    """Press the button or the pill that a student would find under its label, or a button in code under its key."""
    if rows := [row for row in app.pills if label in labels_of(row)]:
        (row,) = rows
        assert not row.disabled
        row.set_value(None if row.value == label else label)
        return rerun(app)
    (button,) = [button for button in app.button if label in (button.label, button.key)]
    assert not button.disabled
    button.click()
    return rerun(app)


def exercises_offered(app):
    """Return the labels of the tasks and programs of a lesson, those for the step in view first."""
    return [label for row in app.pills if "_exercises" in row.key for label in labels_of(row)]


def examples(app):
    """Return the labels of the scenes that a page offers beside its controls."""
    return [label for row in app.pills if row.key.endswith("_presets") for label in labels_of(row)]


def labels_of(row):
    return [f"{one.content_icon} {one.content}".strip() for one in row.proto.options]


def sent_to(app, component):
    found = [element.proto for element in app.get("bidi_component")]
    return [proto for proto in found if proto.component_name == component]


def sent(app, component):
    (drawn,) = sent_to(app, component)
    return json.loads(drawn.json)


def arcs(app):
    return sent(app, "attention_arcs")


def stages(app):
    """Return the words by which a link calls the steps of a lesson, if it has any."""
    return names_of(page_of(app)) if page_of(app) != "home" else []


def stage(app):
    return app.session_state[f"_{page_of(app)}_step"]


def to_step(app, name):
    """Go to a step of the path by its label if this part has it, and elsewhere as its button does."""
    page = page_of(app)
    rows = [row for row in app.segmented_control if row.key == f"{page}_path"]
    assert not any(row.disabled for row in rows)
    if rows and name in path_of(page):
        rows[0].set_value(name)
        rerun(app)
    if app.session_state[f"_{page}_step"] != name:
        app.query_params[f"{page}_step"] = name
        rerun(app)
    return app


def move(app, component, **words):
    """Let a page hear that sliders of a moving picture were released on the stops of these words."""
    (drawn,) = sent_to(app, component)
    return report(app, drawn, "moved", words)


def report(app, drawn, event, value):
    """Let a page hear of an event in a component, as the browser reports it."""
    states = app._tree.get_widget_states()
    told = json.dumps([{"event": event, "value": value}])
    states.widgets.add(id=_make_trigger_id(drawn.id, "events"), json_trigger_value=told)
    app._run(states)
    return sound(app)


def forge(app, component, state):
    """Let a page hear of a component's state, which may be anything that JSON can say."""
    (drawn,) = sent_to(app, component)
    states = app._tree.get_widget_states()
    states.widgets.add(id=drawn.id, json_value=json.dumps(state))
    app._run(states)
    return sound(app)


def controls(app):
    found = {widget.key: widget for kind in KINDS for widget in getattr(app, kind)}
    prefix = page_of(app) + "_"
    return {
        key: widget
        for key, widget in found.items()
        if key.startswith(prefix) and key != f"{prefix}path" and not widget.proto.form_id
    }


def page_of(app):
    """Return the name of the page that is open: every page has a button to begin afresh."""
    (page,) = [page for page in FILES if f"{page}_reset" in [button.key for button in app.button]] or [TEACH]
    return page


def set_to(app, **values):
    """Set controls one after the other, as a student does, by the words that stand for them in a link."""
    for key, value in values.items():
        widget = controls(app)[key]
        assert not widget.disabled, key
        widget.set_value(value)
        rerun(app)
    return app


def html_of(app):
    """Return the HTML that a page, or a step called by itself, wrote, without its style sheet."""
    if not isinstance(app, AppTest):
        return app.html
    return [element.proto.body for element in app.get("html") if "<style>" not in element.proto.body]


def said(app):
    """Return what a page says, as a reader reads it."""
    return html.unescape(re.sub("<[^>]*>", "", " ".join(html_of(app))))


def charts(app):
    if not isinstance(app, AppTest):
        return app.charts
    protos = [element.proto for element in app.get("vega_lite_chart")]
    return [Shown(*chart(app, i), proto.alt) for i, proto in enumerate(protos)]


def heatmap(shown):
    """Return the numbers of a heatmap as a matrix, by the indices that its cells carry."""
    row, column, value = shown.data.columns[:3]
    i, j = shown.data["i"].to_numpy(), shown.data["j"].to_numpy()
    shape = (i.max() + 1, j.max() + 1)
    assert len(shown.data) == shape[0] * shape[1]
    assert list(zip(i, j, strict=True)) == list(np.ndindex(*shape))  # in the order of positions, none missing
    rows, columns = shown.data[row].tolist(), shown.data[column].tolist()
    assert rows == [name for name in rows[:: shape[1]] for _ in range(shape[1])]
    assert columns == columns[: shape[1]] * shape[0]
    return Map(shown.data[value].to_numpy().reshape(shape), rows[:: shape[1]], columns[: shape[1]])


def blank(shown):
    """Return whether a chart has axes alone: no number in any cell, or no line."""
    if "hidden" in shown.data:
        return bool(shown.data.iloc[:, 2].isna().all() and shown.data["hidden"].all())
    return {"kind", "series"} <= {*shown.data} and not (shown.data["kind"] == "line").any()


def main(app):
    """Return the heatmap of a lesson that can be clicked, of several the one with the chosen cell; None without one."""
    found = [shown for shown in charts(app) if "turn" in shown.data.columns]
    found.sort(key=lambda shown: (shown.data["mark"] < 4).all())
    return found[0] if found else None


def domain(shown):
    return shown.spec["layer"][0]["encoding"]["color"]["scale"]["domain"]


def click(app, i, j, picture=None):
    """Click a cell of the main heatmap, or of another one, as the browser reports it."""
    picture = picture or main(app)
    (proto,) = [
        element.proto
        for element, shown in zip(app.get("vega_lite_chart"), charts(app), strict=True)
        if element.proto.id and shown.alt == picture.alt
    ]
    turn = int(picture.data["turn"].iloc[0])
    states = app._tree.get_widget_states()
    cell = {"selection": {"cell": [{"i": i, "j": j, "turn": turn}]}}
    states.widgets.add(id=proto.id, string_value=json.dumps(cell))
    app._run(states)
    assert not app.exception, app.exception[0].value
    return app


def reveal(app):
    """Ask to be shown whatever a question still hides."""
    while any(button.label == "Just show me" for button in app.button):
        press(app, next(button.key for button in app.button if button.label == "Just show me"))
    return app


def afresh(app):
    """Go back to where the visit began, and from there to where the page does."""
    for _ in range(2):
        if not app.button(key=f"{page_of(app)}_reset").disabled:
            press(app, f"{page_of(app)}_reset")
    return app


def shared(app, *locks, hides=(), ask=None):
    """Return what "Share this view" says, as the words of a link; some controls may be locked or hidden in it."""
    page = page_of(app)
    app.session_state[f"_{page}_lock"], app.session_state[f"_{page}_hide"] = list(locks), list(hides)
    if ask:
        app.session_state[f"_{page}_ask"] = ask
    press(app, f"{page}_share")
    (address, _) = [code.proto.code_text for code in app.code]
    rerun(app)
    return words_of_link(address)


def words_of_link(address):
    query = urlsplit(address).query
    found = parse_qs(query, keep_blank_values=True, strict_parsing=bool(query))
    assert all(len(values) == 1 for values in found.values())
    return {name: values[0] for name, values in found.items()}
