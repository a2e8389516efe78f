"""What is asked of every page: its controls and their ends, and the places where it can stand."""

from functools import cache

import pytest

from tests.app.visits import FILES, QUICK, charts, controls, html_of, opened, reveal, stages, visit

# What is found out about a page is found out once, by one process.
IN_ONE = {page: pytest.mark.xdist_group(page) for page in FILES}


def of_pages(n):
    """Return pages as the parameter of a test; all but the first few are nightly."""
    nightly = [[pytest.mark.nightly] if i >= n else [] for i in range(len(FILES))]
    cases = [pytest.param(page, marks=[IN_ONE[page], *more]) for page, more in zip(FILES, nightly, strict=True)]
    return pytest.mark.parametrize("page", cases)


each_page = of_pages(len(FILES))
some_pages = of_pages(3)
each_walk = pytest.mark.parametrize(  # through three steps of a page, and at night through all, in each of their modes
    ("page", "whole"),
    [pytest.param(page, False, marks=IN_ONE[page], id=page) for page in FILES]
    + [pytest.param(page, True, marks=[IN_ONE[page], pytest.mark.nightly], id=f"{page}, whole") for page in FILES],
)


TEXTS = [
    "tea is hot",
    "the the the",
    "<b>bold</b> & 100% + $x$",
    "ein Löwe, 獅子 🦁",
    "a" * 60,
    "",
    "?a=b&c#d",
    "0.5 1",
]


def same(first, second):
    """Tell whether two visits show the same pictures, bit for bit."""
    one, two = charts(first), charts(second)
    return len(one) == len(two) and all(
        a.spec == b.spec and a.alt == b.alt and a.data.equals(b.data) for a, b in zip(one, two, strict=True)
    )


def ends(widget):
    """Return the values at both ends of a control."""
    if widget.type == "toggle":
        return False, True
    if widget.type == "text_input":
        return "", "word " * 40
    if widget.type in ("number_input", "slider"):
        return widget.min, widget.max
    return widget.options[0], widget.options[-1]


def some_value(widget, rng):
    if widget.type == "toggle":
        return bool(rng.integers(2))
    if widget.type == "text_input":
        return str(rng.choice(TEXTS))
    if widget.type in ("number_input", "slider"):
        n_steps = round((widget.max - widget.min) / widget.step)
        return type(widget.step)(round(widget.min + int(rng.integers(n_steps + 1)) * widget.step, 9))
    return widget.options[rng.integers(len(widget.options))]


def last_place(page):
    """Return a link to the last stage of a page, which has most controls, without its questions, which set some."""
    places = (place_at(page, step) | {f"{page}_ask": "no"} for step in reversed(steps_in_order(page)) if step)
    return next((place for place in places if len(controls(opened(page, place))) > 2), {})


def quick(page):
    return {f"{page}_{name}": value for name, value in QUICK.get(page, {}).items()}


@cache
def steps_in_order(page):
    return stages(visit(page)) or [None]


def place_at(page, step):
    return quick(page) | ({f"{page}_step": step} if step else {})


@cache
def places(page, whole):
    """Return links to some steps of a page; to the whole, at each step in each of its modes that is in the link."""
    steps = steps_in_order(page)
    if not whole:
        return [place_at(page, step) for step in dict.fromkeys((steps[0], steps[len(steps) // 2], steps[-1]))]
    found, done = [], set()
    for step in steps:
        here = place_at(page, step)
        found.append(here)
        for key, box in controls(reveal(opened(page, here))).items():
            modes = box.options if box.type in ("button_group", "selectbox") and len(box.options) <= 5 else ()
            for option in modes:
                if option != box.value and (key, option) not in done:
                    done.add((key, option))
                    found.append(here | {key: option})
    return found


def everywhere(page, whole):
    """Yield a page at each of these places, its pictures shown."""
    for place in places(page, whole):
        yield reveal(opened(page, place))


def pictured(app):
    """Tell whether a page shows a chart, or a picture that it draws by itself."""
    if charts(app) or app.main.get("bidi_component"):
        return True
    return any("<i style" in block or "<table" in block or "<i class" in block for block in html_of(app))


def asked(app):
    return any('"course ask"' in block for block in html_of(app))
