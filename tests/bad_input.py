"""A long walk through the course by somebody who means no good: python -m tests.bad_input [seed] [minutes].

Random links, texts, numbers, answers, uploads, programs and clicks on every page; it says what broke, and how to do it
again.
"""

import json
import sys
import time
import traceback
import warnings
from collections import Counter

import numpy as np
from streamlit.components.v2.bidi_component.main import _make_trigger_id

import attention_core  # noqa: F401  before NumPy, whose threads it bounds
from pages.exercises.catalogue import EXERCISES, exercises_of, tasks_of
from pages.exercises.grading.grade import CRASHED
from pages.look.html import plain
from tests.app.test_bad_input import HARSH, NO_MODELS, NO_TEXTS, TEXTS, link_to, see_that_it_stands, stages
from tests.app.visits import FILES, components, controls, opened, page_of, press, rerun, said, visit, words_of_link

UPLOADS = [*NO_MODELS.values(), *NO_TEXTS.values(), *TEXTS.values()]
BLOCKS = (0x20, 0x80, 0x300, 0x590, 0x600, 0x900, 0xE00, 0x1100, 0x1F1E6, 0x1F468, 0x1F3FB, 0x2000, 0xFE00, 0x1D504)
CLICKS = 6  # in a visit
RAISED = (  # in place of it: words that begin like NumPy's, and go on
    "could not be broadcast together with shapes (",
    "cannot reshape array of size 1 into shape (",
    "size 1",
    "name '",
    "float",
)
RETURNED = (  # in place of `x`, the right answer
    *("x * np.finfo(float).max", "x * np.inf", "x * np.nan", "x / 0", "np.where(x > 0, np.finfo(float).min, x)"),
    *("np.triu(np.full((4, 4), np.finfo(float).min), 1)", "np.full(x.shape, 5e-324)", "x * 1j", "x.astype(str)"),
    *("np.zeros((10**9, 0))", "np.zeros((2, 10**8, 0))", "np.zeros((1,) * 33)", "np.zeros((64, 64))"),
    *("x[..., :0]", "x[:0]", "(x[:0], x[:0])", "(x, np.zeros((2, 5, 3)))", "(x, np.zeros((3, 0, 0)))", "(x, x)"),
    *("[x, [x, [x]]]", "[[{}] * 64] * 64", "print(x, end=x)", "{1: x}", "x == x", "x", "(lambda: x)"),
)


def text(rng):
    """Return a text of pieces of the harsh ones, and of characters from all of Unicode."""
    pieces = []
    for _ in range(rng.integers(1, 9)):
        if rng.random() < 0.5:
            harsh = HARSH[rng.choice(list(HARSH))]
            start = int(rng.integers(len(harsh)))
            pieces.append(harsh[start : start + int(rng.integers(1, 60))])
        else:
            pieces += [chr(int(rng.choice(BLOCKS) + rng.integers(48))) for _ in range(rng.integers(1, 12))]
        pieces += [" "] * int(rng.integers(2))
    return "".join(pieces) * int(rng.choice([1, 1, 1, 9, 200]))


def number(rng, field):
    """Return a number for a field, often at an end of it."""
    low, high = (-1e308 if field.min is None else field.min), (1e308 if field.max is None else field.max)
    return type(field.step or 1.0)(rng.choice([low, high, min(max(0, low), high), min(max(7, low), high)]))


def run_program(rng, app):
    """Run a program on the exercise that is open, if one is, and return how it ends."""
    page = page_of(app)
    opened = [row.value for row in app.pills if row.value]
    names = [one.id for one in exercises_of(page) if any(plain(one.title) in label for label in opened)]
    runs = [button for button in app.button if button.key == f"{page}_run"]
    if not names or not runs:
        return None
    exercise, last = EXERCISES[names[0]], f"return {rng.choice(RETURNED)}"
    if rng.random() < 0.2:
        again = str(rng.choice(["1", "1, ", "(", "(1)", "x", "\n"]))
        last = f"raise ValueError({str(rng.choice(RAISED))!r} + {again!r} * 300)"
    arguments = exercise.signature.partition("(")[2].rstrip(")")
    app.session_state["exercises"][exercise.id].text = (
        f"{exercise.solution}\n\nright = {exercise.entry}\n\n\ndef {exercise.signature}:\n"
        f"    x = right({arguments})\n    x = np.asarray(x[0] if isinstance(x, tuple) else x)\n    {last}\n"
    )
    runs[0].click()
    return f"run a program that ends with {last}"


def anything(rng, depth=0):
    """Return a value that JSON can say."""
    simple = [None, True, -1, 0, 7, 10**300, 1e308, float("nan"), float("inf"), "", "\ud800", "0", text(rng)]
    if depth < 3 and rng.random() < 0.5:
        parts = [anything(rng, depth + 1) for _ in range(rng.integers(4))]
        return parts if rng.random() < 0.5 else {text(rng)[:9]: part for part in parts}
    return simple[rng.integers(len(simple))]


def forge(rng, app):
    """Have a component say what its script never says, and return what it was."""
    drawn = [element.proto for element in app.get("bidi_component")]
    one = drawn[rng.integers(len(drawn))]
    event = str(rng.choice(["text", "run", "moved", "order", "picked", "step", "lesson", "kept"]))
    value = anything(rng) if rng.random() < 0.5 else [anything(rng) for _ in range(2)]
    states = app._tree.get_widget_states()
    if rng.random() < 0.5:
        states.widgets.add(id=one.id, json_value=json.dumps({event: value}))
    else:
        told = json.dumps([{"event": event, "value": value}])
        states.widgets.add(id=_make_trigger_id(one.id, "events"), json_trigger_value=told)
    app._run(states)
    return f"{one.component_name} says {event} {value!r}"[:300]


def act(rng, app):
    """Do one thing on a page, and return what it was."""
    if rng.random() < 0.2 and app.get("bidi_component"):
        return forge(rng, app)
    if rng.random() < 0.5 and (done := run_program(rng, app)):
        return done
    kinds = ["text_input", "text_area", "number_input", "slider", "selectbox", "select_slider", "segmented_control"]
    kinds += ["toggle", "radio", "multiselect", "checkbox", "file_uploader", *["button"] * 6]
    free = [one for kind in kinds for one in getattr(app, kind) if not one.disabled]
    if not free:
        return "nothing"
    one = free[rng.integers(len(free))]
    if one.type == "button":
        one.click()
        return f"press {one.key}"
    if one.type == "file_uploader":
        content = UPLOADS[rng.integers(len(UPLOADS))]
        one.upload(text(rng)[:20] + (".safetensors" if one.key == "tiny_lm_file" else ".txt"), content)
        return f"upload {content[:20]!r} to {one.key}"
    if one.type in ("text_input", "text_area"):
        value = text(rng)
    elif one.type in ("number_input", "slider"):
        value = number(rng, one)
    elif one.type in ("toggle", "checkbox"):
        value = bool(rng.integers(2))
    elif one.type == "multiselect":
        value = [one.options[i] for i in rng.permutation(len(one.options))[: rng.integers(len(one.options) + 1)]]
    else:
        value = one.options[rng.integers(len(one.options))]
    one.set_value(value)
    return f"set {one.key} to {value!r}"


def walk(seed, known):
    """Visit one page and do some things there; return on which page and what was done, and what broke if it did."""
    rng = np.random.default_rng(seed)
    page = str(rng.choice(list(FILES)))
    names = sorted(known[page])
    query = {key: text(rng) for key in rng.permutation(names)[: rng.integers(4)]}
    query |= {key: value for key, value in link_to(page, rng.choice(known[f"{page} stages"])).items() if value}
    exercises = [*(one.id for one in exercises_of(page)), *(f"task{i + 1}" for i, _ in enumerate(tasks_of(page)))]
    if exercises and rng.random() < 0.5:
        query[f"{page}_exercise"] = str(rng.choice(exercises))
    done = [f"open {query!r}"]
    try:
        app = opened(page, query)
        see_that_it_stands(app, query)
        known[page] |= set(controls(app))
        for _ in range(CLICKS):
            done.append(act(rng, app))
            see_that_it_stands(rerun(app), done)
            assert CRASHED not in said(app)
        press(app, f"{page}_share")
        links = [code.proto.code_text for code in app.code if code.proto.code_text.startswith(("?", "http"))]
        see_that_it_stands(opened(page, words_of_link(links[0] if links else "")), done)
    except Exception:
        return page, done, traceback.format_exc(limit=-4)[:2000]
    return page, done, ""


def main(seed=1, minutes=10.0):
    """Walk until the time is over, and return how many visits broke something."""
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", category=ResourceWarning)
    components()
    known = {page: {f"{page}_{name}" for name in ("step", "lock", "ask", "exercise")} for page in FILES}
    known |= {f"{page} stages": [name or "" for name in stages(visit(page))] for page in FILES}
    visits, broken = Counter(), []
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        page, done, problem = walk([seed, visits.total()], known)
        visits[page] += 1
        if problem:
            broken.append(problem)
            print(f"visit {visits.total() - 1} of seed {seed}, page {page}:", *done, problem, sep="\n  ", flush=True)
    each = ", ".join(f"{page} {n}" for page, n in sorted(visits.items()))
    print(f"{visits.total()} visits of {CLICKS} actions ({each}); {len(broken)} broke something")
    return len(broken)


if __name__ == "__main__":
    given = [kind(word) for kind, word in zip((int, float), sys.argv[1:], strict=False)]
    sys.exit(bool(main(*given)))
