"""The settings of random blocks, of which a look draws those that change its picture."""

from typing import NamedTuple

import streamlit as st

from attention_core.experiments.positions.position_kinds import ADDED, KINDS
from pages.page.page import Page

BASES = ("10", "100", "1000", "10000", "100000", "1000000")


class Settings(NamedTuple):
    """How positions enter, and the seed of all vectors and matrices."""

    kind: str  # the position encoding
    base: float
    strength: float
    seed: int
    d_model: int = 64


def choose_settings(page: Page, rotated: tuple[str, ...], with_width: bool = False) -> Settings:
    """Draw the settings in the menu; the base of wavelengths only for the kinds whose waves change the picture."""
    controls = page.controls
    with page.sidebar:
        st.subheader("Settings", anchor=False)
        kind = controls.select("encoding", "Position encoding", KINDS, "sinusoidal")
        d_model = controls.slider("d_model", "d_model (width)", 8, 128, 64, 8) if with_width else 64
        base = controls.dial("base", "Base of wavelengths", BASES, "10000") if kind in rotated else "10000"
        strength = 1.0
        if kind in ADDED:
            strength = controls.slider("encoding_scale", "Scale of the encoding", 0.0, 8.0, 1.0, 0.25)
        seed = controls.integer("block_seed", "Seed", 0, 9999, 18)
    return Settings(kind, float(base), strength, seed, d_model)
