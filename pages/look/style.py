"""The style sheet of what the course itself draws."""

from pathlib import Path

from pages.look import colours
from pages.look.colours import ATTENTION, INK, PAPER, RULE, SCORES, SOFT, WEIGHTS, Pair, mix

LEVELS = 12  # shades in a thumbnail
ON_DARK = "svg[style*='rgb({}, {}, {})']".format(*bytes.fromhex(PAPER.dark[1:]))  # a chart that was drawn on dark paper


def shades(prefix: str, ramp: list[Pair]) -> str:
    """Return CSS classes for the shades of a ramp, for thumbnails."""
    steps = [mix(ramp, level / (LEVELS - 1)) for level in range(LEVELS)]
    return "".join(f".thumb .{prefix}{level}{{background:{pair.css}}}" for level, pair in enumerate(steps))


VARIABLES = "ink soft rule masked card attention negative query key value right wrong"  # of style.css
ROOT = f":root{{--paper-ink:{INK.light};--paper-rule:{RULE.light};--attention:{ATTENTION.css}}}"
COLOURS = ";".join(f"--{name}:{getattr(colours, name.upper()).css}" for name in VARIABLES.split())
COURSE = f".course{{{COLOURS}}}"
PRINT = f"@media print{{{ON_DARK},.stApp:has({ON_DARK}) canvas{{filter:invert(1) hue-rotate(180deg)}}}}"
RULES = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
CELLS = ".thumb{display:grid;gap:1px}.thumb i{display:block}.thumb .masked{background:var(--masked)}"
THUMBNAILS = "\n".join((shades("w", WEIGHTS), shades("s", SCORES), CELLS))
LOCKED = (
    ":is([data-testid=stWidgetLabel][disabled] *,label:has(:disabled) *,[data-testid=stSliderThumbValue][disabled],"
    ":is(input,[role=radio]):disabled,[role=radio]:disabled *)"
)
OFF = f"{LOCKED}{{color:{SOFT.css}!important;-webkit-text-fill-color:{SOFT.css}}}"  # what is locked can be read
TOOLS = "[data-testid=stElementToolbar]:not(:has([aria-label^='Close fullscreen']))"
# the tools of a picture: above it they cover what is to be pressed; under it they have room before the caption
UNDER = f"{TOOLS}{{top:calc(100% - 11px)!important}}[data-testid=stFullScreenFrame]{{margin-bottom:12px}}"
STYLE = "\n".join((ROOT, COURSE, THUMBNAILS, RULES, OFF, UNDER, PRINT))

# what is drawn as something else, or in two places
PARTS = {"step": ("strip", "walk", "walk_on"), "walk": ("walk", "walk_on"), "exercise": ("practice",)}


def hiding(page: str, names: frozenset[str]) -> str:
    """Return CSS that hides controls and parts of a page. They are still there, with the values of the link."""
    keys = [f".st-key-{page}_{part}" for name in sorted(names) for part in PARTS.get(name, (name,))]
    return f"{','.join(keys)}{{display:none!important}}" if keys else ""


def class_style() -> str:
    return Path(__file__).with_name("class.css").read_text(encoding="utf-8")
