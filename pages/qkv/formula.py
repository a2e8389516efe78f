"""The formula of attention: each symbol leads to its step, and those of the step in view stand out."""

from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from pages.look.html import inline
from pages.page.steps import Steps

FORMULA = "output = softmax(Q · Kᵀ / √d_k) V"


class Symbol(NamedTuple):
    """A piece of the formula, and the step that it leads to; it stands out there and in other steps."""

    text: str
    step: str = ""  # none: a sign between the symbols
    others: tuple[str, ...] = ()
    matrix: str = ""  # of Q, K and V, which it chooses there

    @property
    def name(self) -> str:
        """What its button is called: of those that lead to one step, each has a name of its own."""
        return self.matrix.lower() or self.step

    @property
    def leads_to(self) -> dict[str, str]:
        """The controls that it sets."""
        return {"step": self.step} | ({"matrix": self.matrix} if self.matrix else {})


SYMBOLS = (
    Symbol("output", "mix"),
    Symbol("="),
    Symbol("softmax", "softmax"),
    Symbol("(", others=("softmax",)),
    Symbol("*Q*", "projections", ("scores",), "Q"),
    Symbol("·", "scores", ("dot",)),
    Symbol("*K*ᵀ", "projections", ("scores",), "K"),
    Symbol("/ √*d*ₖ", "scaled"),
    Symbol(")", others=("softmax",)),
    Symbol("*V*", "projections", ("mix",), "V"),
)


def draw_formula(steps: Steps) -> None:
    """Draw the formula as one row between the text of the step and the strip."""
    page, sign = steps.page, Markup('<div class="course sign {}">{}</div>')
    page.shown.append(Markup('<div class="course">{}</div>').format(inline(FORMULA)))
    fixed = bool(page.controls.locked & {"step", "strip"})
    with steps.notes, st.container(horizontal=True, gap=None, vertical_alignment="center", key=f"{page.name}_formula"):
        for symbol in SYMBOLS:
            in_view = steps.name in (symbol.step, *symbol.others)
            if not symbol.step:
                st.html(sign.format("in-view" if in_view else "", symbol.text), width="content")
                continue
            st.button(
                symbol.text,
                key=f"{page.name}_formula_{symbol.name}",
                type="secondary" if in_view else "tertiary",
                disabled=fixed,
                on_click=page.controls.put,
                kwargs=symbol.leads_to,
            )
