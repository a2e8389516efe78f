"""The transformer in one line: the residual stream above, what is added to it below, and the lesson of each part.

It is drawn twice, wide and narrow, and scales with the page; the style sheet shows the one that fits.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from pages.look.html import inline

MODEL = "tiny_lm"  # the lesson on the model as a whole
PARTS = {  # what each part is called, and the lesson on it
    "tokens": ("tokens", MODEL),
    "embedding": ("embedding", MODEL),
    "position": ("position", "positional_encoding"),
    "projections": ("Q K V", "qkv"),
    "scores": ("QKᵀ", "qkv"),
    "scale": ("÷ √d_k", "scaling"),
    "mask": ("mask", "causal_mask"),
    "softmax": ("softmax", "qkv"),
    "values": ("× V", "qkv"),
    "heads": ("heads", "multi_head"),
    "mlp": ("MLP", MODEL),
    "layers": ("× N", MODEL),
    "prediction": ("prediction", MODEL),
}
MET = {"tokens": "qkv", "embedding": "qkv"}  # parts that a lesson before their own speaks of


class Wire(NamedTuple):
    """A line of the drawing, the lesson that lights it, where its arrow points, and how it is drawn."""

    path: str
    lesson: str = ""
    points: str = "right"
    look: str = ""


class Layout(NamedTuple):
    """A form of the drawing: its size, the middle and the width of each part, its lines, its sums and its frames."""

    name: str
    size: tuple[int, int]
    parts: dict[str, tuple[float, float, float]]  # x and y of the middle, width
    wires: tuple[Wire, ...]
    sums: tuple[tuple[float, float, str], ...]  # x, y and the lesson
    block: tuple[float, float, float, float]  # x, y, width, height of what is repeated
    head: tuple[float, float, float, float]  # of one head, with the others behind it


def row(y: float, **parts: tuple[float, float]) -> dict[str, tuple[float, float, float]]:
    """Return parts in one row, each from its left end with its width."""
    return {name: (left + width / 2, y, width) for name, (left, width) in parts.items()}


WIDE = Layout(
    "wide",
    (800, 60),
    row(11, tokens=(0, 46), embedding=(58, 74), prediction=(737, 63))
    | row(43, position=(122, 56), projections=(223, 42), scores=(279, 34), scale=(327, 44), mask=(385, 40))
    | row(43, softmax=(439, 58), values=(511, 32), heads=(570, 46), mlp=(657, 38), layers=(721, 28)),
    (
        Wire("M46 11H56"),
        Wire("M132 11H141"),
        Wire("M157 11H618", MODEL),
        Wire("M633 11H696", MODEL),
        Wire("M711 11H734", MODEL),
        Wire("M150 32V20", "positional_encoding", "up"),
        Wire("M180 47H217", "positional_encoding", "right", "dashed"),
        Wire("M195 11V32Q195 38,201 38H217"),
        Wire("M266 43H277", "qkv"),
        Wire("M315 43H325"),
        Wire("M373 43H383"),
        Wire("M427 43H437"),
        Wire("M499 43H509", "qkv"),
        Wire("M558 43H568", "multi_head"),
        Wire("M618 43H620Q626 43,626 37V20", "", "up"),
        Wire("M643 11V37Q643 43,649 43H655", MODEL),
        Wire("M697 43H698Q704 43,704 37V20", MODEL, "up"),
    ),
    ((150, 11, "positional_encoding"), (626, 11, MODEL), (704, 11, MODEL)),
    (184, 1, 533, 58),
    (219, 31, 330, 22),
)
NARROW = Layout(
    "narrow",
    (360, 116),
    row(11, tokens=(0, 40), embedding=(51, 66), position=(155, 50), prediction=(300, 60))
    | row(61, projections=(26, 40), scores=(80, 38), scale=(132, 44), mlp=(288, 30), layers=(336, 24))
    | row(95, mask=(26, 36), softmax=(76, 54), values=(144, 32), heads=(206, 42)),
    (
        Wire("M40 11H49"),
        Wire("M117 11H124"),
        Wire("M154 11H142", "positional_encoding", "left"),
        Wire("M133 18V33", points=""),
        Wire("M133 33H258", MODEL),
        Wire("M133 33H13Q6 33,6 40V55Q6 61,12 61H23"),
        Wire("M68 61H77", "qkv"),
        Wire("M120 61H129"),
        Wire("M178 61H180Q184 61,184 65V74Q184 78,180 78H21Q17 78,17 82V91Q17 95,21 95H23"),
        Wire("M64 95H73"),
        Wire("M132 95H141", "qkv"),
        Wire("M178 95H203", "multi_head"),
        Wire("M250 95H260Q266 95,266 89V42", "", "up"),
        Wire("M273 33H315", MODEL),
        Wire("M280 33V55Q280 61,283 61H287", MODEL),
        Wire("M317 61Q323 61,323 55V42", MODEL, "up"),
        Wire("M330 33H338Q344 33,344 28V24", MODEL, "up"),
    ),
    ((133, 11, "positional_encoding"), (266, 33, MODEL), (323, 33, MODEL)),
    (2, 25, 331, 90),
    (12, 46, 178, 62),
)
BEHIND = 3, 6  # pixels by which the other heads look out from behind the first
TIPS = {  # the head of an arrow, by where it points
    "right": "m-3.5 -3.5l3.5 3.5l-3.5 3.5",
    "left": "m3.5 -3.5l-3.5 3.5l3.5 3.5",
    "up": "m-3.5 3.5l3.5 -3.5l3.5 3.5",
    "": "",
}


def transformer(lesson: str) -> Markup:
    """Return the transformer with the parts of a lesson lit."""
    pictures = Markup("").join(as_svg(layout, lesson) for layout in (WIDE, NARROW))
    return Markup('<div class="whole">{}</div>').format(pictures)


def as_svg(layout: Layout, lesson: str) -> Markup:
    lit = Markup(' class="lit"')
    frame = Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="5"/>')
    x, y, width, height = layout.head
    look = "head lit" if lesson == "multi_head" else "head"
    lines = [frame.format("block", *layout.block)]
    lines += [frame.format(look, x + by, y + by, width, height) for by in (*BEHIND[::-1], 0)]
    for wire in layout.wires:
        look = f"{wire.look} lit" if wire.lesson == lesson else wire.look
        lines.append(Markup('<path d="{}" class="{}"/>').format(wire.path + TIPS[wire.points], look))
    for x, y, whose in layout.sums:
        plus = Markup('<g{}><circle cx="{}" cy="{}" r="6.5"/><path d="M{} {}h7m-3.5 -3.5v7"/></g>')
        lines.append(plus.format(lit if whose == lesson else "", x, y, x - 3.5, y))
    lines += [part(name, place, lesson) for name, place in layout.parts.items()]
    svg = Markup('<svg class="{}" viewBox="-1 0 {} {}" role="img" aria-label="The transformer">{}</svg>')
    return svg.format(layout.name, layout.size[0] + 2, layout.size[1], Markup("").join(lines))


def part(name: str, place: tuple[float, float, float], lesson: str) -> Markup:
    """Return a part with its name, lit if the lesson is about it."""
    text, whose = PARTS[name]
    x, y, width = place
    shape = Markup('<g class="{}"><rect x="{}" y="{}" width="{}" height="24" rx="4"/><text x="{}" y="{}">{}</text></g>')
    look = "part lit" if whose == lesson else "part"
    return shape.format(look, x - width / 2, y - 12, width, x, y, lowered(text))


def you_are_here(lessons: Sequence[str]) -> Markup:
    """Return the way from words to a prediction, as far as these lessons tell of it, the last one’s part lit."""
    met = [(text, whose) for name, (text, whose) in PARTS.items() if MET.get(name, whose) in lessons]
    lit, other = Markup("<b>{}</b>"), Markup("{}")
    way = [(lit if whose == lessons[-1] else other).format(inline(text)) for text, whose in met]
    return Markup('<div class="course note">This lesson in bold: {}</div>').format(Markup(" → ").join(way))


def lowered(text: str) -> Markup:
    """Return a name with its index lowered, as SVG writes it."""
    start = Markup('<tspan class="sub" dy="3">')
    return inline(text).replace(Markup("<sub>"), start).replace(Markup("</sub>"), Markup("</tspan>"))
