"""The controls of the lesson on positions: each stage draws those that move its picture, the others rest."""

from typing import Any, NamedTuple

from streamlit.delta_generator import DeltaGenerator

from attention_core.experiments.position_kinds import ADDED, KINDS
from pages.page.page import Page

BASES = ("10", "100", "1000", "10000", "100000", "1000000")
MOVES = {  # which controls move the picture of which stage
    "order": ("d_model", "seed"),  # and once positions are told, the others
    "table": ("kind", "length", "d_model", "base", "seed of a table"),
    "waves": ("length", "d_model", "base"),
    "alike": ("kind", "length", "d_model", "base", "seed of a table"),
    "clocks": ("d_model", "base"),
    "add": ("kind", "d_model", "base of a table", "strength of a table", "seed"),
    "terms": ("kind", "d_model", "base of a table", "strength of a table", "seed"),
    "rope": ("base", "seed"),
    "five": ("d_model", "base", "strength", "seed"),
    "layers": ("kind", "base", "strength of a table", "seed"),
    "norms": ("kind", "d_model", "base of a table", "strength of a table", "seed"),
    "clinic": ("length", "d_model", "base"),
}


NEAR = {"table": "kind", "waves": "base", "alike": "kind", "add": "strength", "terms": "strength"}  # not in the menu


class Settings(NamedTuple):
    """Where the controls of a stage stand; those that it has no use for, at their defaults."""

    kind: str = "sinusoidal"
    length: int = 20
    d_model: int = 64
    base: float = 10000.0
    strength: float = 1.0
    seed: int = 18


TURNED = ("sinusoidal", "RoPE")  # the kinds made of waves
OF_A_TABLE = {"base": ("sinusoidal",), "strength": ADDED, "seed": ("learned",)}  # what moves a table, of which kinds
STRENGTHENED = ("sinusoidal", "learned", "ALiBi")  # the kinds that add something


def settings(
    page: Page,
    own: tuple[str, ...],
    found: Settings | None = None,
    near: str = "",
    beside: DeltaGenerator | None = None,
) -> Settings:
    """Draw the controls of these names and return where they stand; the others stay as found.

    They stand in the menu, but for the one that must be in sight of the picture, which stands `beside` it. What a kind
    has no use for is left out: no slider may seem to do nothing.
    """
    controls, usual = page.controls, Settings()
    found = (found or usual)._asdict()
    spots = {near: beside}
    width: dict[str, Any] = {near: {"width": 200}}
    if "kind" in own:
        with spots.get("kind", page.scene):
            kind = controls.select("kind", "How positions are told", KINDS, usual.kind, **width.get("kind", {}))
        found["kind"] = kind
        unused = {"base"} if kind not in TURNED else set()
        unused |= {"strength"} if kind not in STRENGTHENED else set()
        unused |= {"d_model"} if kind == "ALiBi" and "length" in own else set()
        own = tuple(name for name in own if name not in unused)
    for name, kinds in OF_A_TABLE.items():
        if f"{name} of a table" in own and found["kind"] in kinds:
            own = (*own, name)
    with page.scene:
        if "length" in own:
            found["length"] = controls.slider("length", "Length, in positions", 4, 256, usual.length, 1)
        if "d_model" in own:
            found["d_model"] = controls.slider("d_model", "d_model, the width of a row", 8, 128, usual.d_model, 8)
    if "base" in own:
        with spots.get("base", page.scene):
            label = "Base of the wavelengths"
            found["base"] = float(controls.dial("base", label, BASES, "10000", **width.get("base", {})))
    if "strength" in own:
        with spots.get("strength", page.scene):
            label = "Strength of what is added"
            found["strength"] = controls.slider("strength", label, 0.0, 8.0, 1.0, 0.25, **width.get("strength", {}))
    if "seed" in own:
        with page.scene:
            found["seed"] = controls.whole("seed", "Seed", 0, 9999, usual.seed)
    return Settings(**found)
