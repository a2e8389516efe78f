"""The formula above the strip: each symbol opens its step, and stands out where it is in view."""

import pytest

from pages.qkv.formula import FORMULA, SYMBOLS
from tests.app.visits import controls, press, stage, visit

IN_VIEW = {
    "dot": ["·"],
    "x": [],
    "projections": ["*Q*", "*K*ᵀ", "*V*"],
    "scores": ["*Q*", "·", "*K*ᵀ"],
    "scaled": ["/ √*d*ₖ"],
    "softmax": ["softmax"],
    "mix": ["output", "*V*"],
}
LEADING = [symbol for symbol in SYMBOLS if symbol.step]


def symbols(app):
    return [button for button in app.button if button.key and button.key.startswith("qkv_formula_")]


def test_the_symbols_in_their_order_are_the_formula_of_the_course():
    drawn = "".join(symbol.text for symbol in SYMBOLS).replace("*", "").replace("ₖ", "_k")
    assert drawn.replace(" ", "") == FORMULA.replace(" ", "")
    assert {symbol.step for symbol in LEADING} == set(IN_VIEW) - {"dot", "x"}


@pytest.mark.parametrize("name", ["dot", "projections", "softmax", "mix"])
def test_the_symbols_of_the_step_in_view_stand_out(name):
    app = visit("qkv", step=name, ask="no")
    found = symbols(app)
    assert [button.label for button in found] == [symbol.text for symbol in LEADING]
    assert [button.label for button in found if button.proto.type == "secondary"] == IN_VIEW[name]
    assert all(button.proto.type in ("secondary", "tertiary") for button in found)


def test_each_symbol_opens_its_step():
    app = visit("qkv", step="dot", ask="no")
    for symbol in LEADING:
        press(app, f"qkv_formula_{symbol.name}")
        assert app.query_params["qkv_step"] == symbol.step
        if symbol.matrix:
            assert controls(app)["qkv_matrix"].value == symbol.matrix
        assert stage(app) == symbol.step


@pytest.mark.parametrize("fixed", [{"lock": "step"}, {"hide": "strip"}])
def test_where_the_strip_cannot_be_used_neither_can_the_formula(fixed):
    app = visit("qkv", step="softmax", ask="no", **fixed)
    assert len(symbols(app)) == len(LEADING)
    assert all(button.disabled for button in symbols(app))
