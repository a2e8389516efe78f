"""A student at a browser: what stands in a part of a page that runs alone (a fragment) runs only this part, as there.

Each of `ACTS` does something that can be done in the view, and returns what it was; None where nothing can be done.
"""

import io
import json
import re
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import streamlit.testing.v1.app_test as app_test
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Expander, Widget
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

import attention_core as core
from attention_core.text.vocabulary import Vocabulary
from pages.page.fields.link_state import query_word
from pages.questions.kinds import Cell, Choice
from tests.app.charts import chart
from tests.app.every_page import some_value
from tests.app.visits import FILES, ROOT, components, controls, labels_of
from tests.lessons import path_of

MAIN, SIDEBAR, DIALOG = 0, 1, 2  # where the parts of a page stand
DEAR = {"tiny_lm_train", "teach_class"}  # buttons that begin to train a model, or a class, which is in no link
WALK = ("_back", "_next", "_share", "_reset")


class Runner(LocalScriptRunner):
    """Runs a whole page, or one part of it, which replaces what that part had drawn before."""

    part, before, sent = None, (), ()

    def request_rerun(self, rerun_data):
        if Runner.part:
            self._requests = ScriptRequests()  # without the first run of all, which would come before that of the part
            inside = [one.delta.fragment_id for one in Runner.before]
            gone = {one for one in inside if self._fragment_storage.has_ancestor_in(one, {Runner.part})} | {Runner.part}
            self.forward_msg_queue._queue = [one for one in Runner.before if one.delta.fragment_id not in gone]
            rerun_data = replace(rerun_data, fragment_id_queue=[Runner.part])
        return super().request_rerun(rerun_data)

    def forward_msgs(self):
        sent = [message for message in super().forward_msgs() if message.HasField("delta")]
        Runner.sent = sorted(sent, key=lambda message: list(message.metadata.delta_path))  # as it stands on the page
        return Runner.sent


@cache
def scripts():
    """Return the compiled scripts, which a server keeps too."""
    return ScriptCache()


class Student(AppTest):
    """A visit to a page by itself, by the words of a link. `state` is what the session knows before."""

    def __init__(self, page, words, state=()):
        super().__init__(ROOT / FILES[page], default_timeout=120)
        self._bidi_component_manager = components()
        self.page, self.messages, self.touched = page, [], set()
        for key, value in dict(state).items():
            self.session_state[key] = value
        self.query_params = dict(words)
        self.run()

    def _run(self, widget_state=None, timeout=None, part=None):
        Runner.part, Runner.before = part, self.messages
        with patch.multiple(app_test, LocalScriptRunner=Runner, ScriptCache=scripts):
            super()._run(widget_state, timeout)
        self.messages = Runner.sent
        return self

    def part_of(self, proto):
        """Return the part of the page that a widget runs, None where it runs all."""
        for message in self.messages:
            delta = message.delta
            kind = delta.new_element.WhichOneof("type") or ""
            block = delta.add_block.expandable
            if proto.id in (getattr(getattr(delta.new_element, kind, None), "id", ""), block.id):
                return delta.fragment_id or None
        return None

    def let_run(self, node):
        """Let the page hear of a widget that was set or pressed, and of all that was filled in before."""
        self.query_params = self.words
        known = {one.key: one for one in self.session_state[f"_{self.page}_known"].values()}
        if node.key in known and node.value == known[node.key].default:
            self.query_params.pop(node.key, None)
        elif node.key in known:  # a browser writes it into the address before the page hears of it
            self.query_params[node.key] = f"{node.value:g}" if is_number(node.value) else query_word(node.value)
        return self._run(self._tree.get_widget_states(), part=self.part_of(node.proto))

    @property
    def path(self):
        """The row of the labels of the path, or nothing."""
        return [row for row in self.segmented_control if row.key == f"{self.page}_path"]

    def to_step(self, name):
        (row,) = self.path
        row.set_value(name)
        self.let_run(row)

    def tell(self, proto, **value):
        """Let the page hear of the state of what is no widget for AppTest."""
        states, self.query_params = self._tree.get_widget_states(), self.words
        states.widgets.add(id=proto.id, **value)
        return self._run(states, part=self.part_of(proto))

    def report(self, proto, event, value):
        """Let the page hear of an event in a component."""
        states, self.query_params = self._tree.get_widget_states(), self.words
        told = json.dumps([{"event": event, "value": value}])
        states.widgets.add(id=_make_trigger_id(proto.id, "events"), json_trigger_value=told)
        return self._run(states, part=self.part_of(proto))

    @property
    def words(self):
        """The words of the link to what is in view, as the address of a browser says them."""
        known = {control.key: control for control in self.session_state[f"_{self.page}_known"].values()}
        address = {key: word for key, word in self.query_params.items() if key not in known}
        return address | {key: query_word(one.value) for key, one in known.items() if one.value != one.default}

    @property
    def values(self):
        """The values of all controls that were drawn so far, as a link says them."""
        return {one.key: query_word(one.value) for one in self.session_state[f"_{self.page}_known"].values()}

    @property
    def step(self):
        return self.words.get(f"{self.page}_step", "")

    def keys_in(self, place):
        """Return the keys of the widgets in the main part of the page or in its sidebar."""
        return {node.key for node in self._tree.children[place] if isinstance(node, Widget) and node.key}

    def component(self, name):
        return [one.proto for one in self.get("bidi_component") if one.proto.component_name.startswith(name)]

    def free(self, widgets):
        """Return the widgets that can be used: those that are neither disabled nor hidden."""
        styles = " ".join(one.proto.body for one in self.get("html") if "display:none" in one.proto.body)
        hidden = set(re.findall(r"\.st-key-(\w+)", styles))
        return [one for one in widgets if not one.disabled and one.key not in hidden]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def one_of(rng, things):
    return things[int(rng.integers(len(things)))] if things else None


def set_control(student, rng, heard):
    """Set a control to one of its ends, to a value between them, or to one that the browser would refuse."""
    linked = student.free([one for one in controls(student).values() if one.proto.query_param_key])
    widget = one_of(rng, [one for one in linked if one.key not in student.touched] or linked)
    if widget is None:
        return None
    student.touched.add(widget.key)
    kind = rng.random()
    if widget.type == "text_input":
        value = some_value(widget, rng) if kind < 0.5 else "the dog saw the cat and it slept"
    elif widget.type == "toggle":
        value = not widget.value
    elif widget.type in ("number_input", "slider"):
        beyond = widget.max + 1 if widget.type == "number_input" else widget.max
        value = widget.min if kind < 0.3 else widget.max if kind < 0.6 else beyond if kind < 0.65 else 0
        value = value if kind < 0.65 else some_value(widget, rng)
    else:
        value = widget.options[-1] if kind < 0.4 else widget.options[0] if kind < 0.6 else some_value(widget, rng)
    widget.set_value(value)
    student.let_run(widget)
    return f"set {widget.key} to {value!r}"


def answer(student, rng, heard):
    """Answer a question rightly or not, or ask to be shown the answer."""
    buttons = [one for one in student.button if one.key and one.key.startswith("FormSubmitter:") and not one.disabled]
    buttons += [one for one in student.button if one.key and re.search(r"_option_\d+$", one.key)]
    button = one_of(rng, buttons)
    if button is None:
        return None
    if button.label == "Check":
        place = button.key.removeprefix("FormSubmitter:").removesuffix("_form-Check")
        question = next((one for one in heard if f"{student.page}_{one.name}" == place), None)
        rightly = rng.random() < 0.6
        if isinstance(question, Cell):
            cell = question.right if rightly else rng.integers(len(question.labels), size=2).tolist()
            for field, at in zip(("row", "column"), cell, strict=True):
                student.selectbox(key=f"{place}_{field}").select_index(at)
        elif isinstance(question, Choice):
            at = question.right[0] if rightly else int(rng.integers(len(question.options)))
            student.radio(key=f"{place}_given").set_value(student.radio(key=f"{place}_given").options[at])
        elif question:
            field = student.number_input(key=f"{place}_given")
            field.set_value(float(question.right) if rightly else float(rng.integers(20)))
    button.click()
    student.let_run(button)
    return f"press {button.key}"


def ask_again(student, rng, heard):
    button = one_of(rng, [one for one in student.button if (one.key or "").endswith("_again")])
    return press(student, button)


def press(student, button):
    if button is None:
        return None
    button.click()
    student.let_run(button)
    return f"press {button.key}"


def click(student, rng, heard):
    drawn = [(i, one.proto) for i, one in enumerate(student.get("vega_lite_chart")) if one.proto.id]
    if not drawn:
        return None
    number, proto = one_of(rng, drawn)
    data = chart(student, number)[1]
    if not {"i", "j"} <= {*data}:
        return None
    row = data.iloc[int(rng.integers(len(data)))]
    cell = {"i": int(row["i"]), "j": int(row["j"])}
    student.tell(proto, string_value=json.dumps({"selection": {"cell": [cell]}}))
    return f"click {tuple(cell.values())} in {proto.id.rpartition('-')[2]}"


def drag(student, rng, heard):
    """Drag something in a component, or click a word in one."""
    parts = [
        one
        for kind in ("attention_moving", "attention_line_order", "attention_arcs")
        for one in student.component(kind)
    ]
    proto = one_of(rng, [one for one in parts if "tells" not in json.loads(one.json) or json.loads(one.json)["tells"]])
    if proto is None:
        return None
    data = json.loads(proto.json)
    if "sliders" in data:
        moved = {}
        if slider := one_of(rng, [one for one in data["sliders"] if not one["disabled"]]):
            moved = {slider["name"]: slider["stops"][one_of(rng, slider["rests"])]}
        if (choice := data["choice"]) and rng.random() < 0.4:
            moved = {choice["name"]: one_of(rng, choice["options"])}
        event = "moved", moved
    elif "order" in data:
        event = "order", rng.permutation(len(data["lines"])).tolist()
    else:
        event = "picked", int(rng.integers(len(data["words"])))
    student.report(proto, *event)
    return f"drag {proto.component_name}: {event}"


def press_button(student, rng, heard):
    """Press a button of a step that begins no training."""
    buttons = [one for one in student.free(student.button) if one.key and one.key in student.keys_in(MAIN)]
    buttons = [one for one in buttons if one.key not in DEAR and not one.key.endswith((*WALK, "_again", "_run"))]
    return press(student, one_of(rng, [one for one in buttons if "FormSubmitter" not in one.key]))


def choose_pill(student, rng, ending):
    row = one_of(rng, [one for one in student.pills if ending in one.key and not one.disabled])
    if row is None:
        return None
    label = one_of(rng, labels_of(row))
    row.set_value(label)
    student.let_run(row)
    return f"choose {label!r}"


def take_example_or_exercise(student, rng, heard):
    return choose_pill(student, rng, one_of(rng, ["_presets", "_presets", "_exercises_"]))


def go_on(student, rng, heard):
    """Go to the next step, to the one before, or to any."""
    way = rng.random()
    if way > 0.6 and student.path:
        step = one_of(rng, path_of(student.page))
        student.to_step(step)
        return f"go to {step}"
    key = f"{student.page}_{'next' if way < 0.4 else 'back'}"
    return press(student, one_of(rng, [one for one in student.button if one.key == key and not one.disabled]))


def unfold(student, rng, heard, label=""):
    """Open or close a part that is folded: the code, the files, how a number arose, a model from a file."""
    folded = [one for one in student._tree if isinstance(one, Expander) and one.proto.id]
    part = one_of(rng, [one for one in folded if label in one.label])
    if part is None:
        return None
    student.tell(part.proto, bool_value=not part.proto.expanded)
    return f"unfold {part.label}"


def reset(student, rng, heard):
    buttons = [one for one in student.button if one.key.endswith("_reset") and not one.disabled]
    return press(student, one_of(rng, buttons))


def open_share(student, rng, heard):
    press(student, student.button(key=f"{student.page}_share"))
    if box := one_of(rng, [one for one in student.checkbox if one.key.endswith("_key")]):
        box.check()
        student.let_run(box)
    student.messages = [one for one in student.messages if one.metadata.delta_path[0] != DIALOG]  # and close it
    return "open the dialog with the link"


def upload(student, rng, heard):
    """Upload a model or a text, of which some are broken; open what is folded around the field first."""
    field = one_of(rng, student.free(student.file_uploader))
    if field is None:
        return unfold(student, rng, heard, "Load a model")
    what = one_of(rng, ["a model", "a text", "nothing"])
    content = {"a model": model_file(), "a text": b"a rose is a rose is a rose. " * 40, "nothing": b""}[what]
    field.set_value((what + (".safetensors" if field.key == "tiny_lm_file" else ".txt"), content, ""))
    student.let_run(field)
    return f"upload {what} to {field.key}"


@cache
def model_file():
    target = io.BytesIO()
    config = core.Config(vocab_size=4, d_model=8, n_heads=2, n_layers=2, max_len=8)
    core.save(target, core.init_model(config, seed=1), Vocabulary(("a", "b", "c", "d")))
    return target.getvalue()
