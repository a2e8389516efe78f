"""Calculations that a page writes down, `0.7 · 10 + 0.2 · 5 = 8.00`, computed again with the digits that are shown."""

import re
from html import unescape
from itertools import pairwise, product

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
TERM = rf"[−-]?√?{NUMBER}[²³]?"
SIDE = rf"{TERM}(?: [·×÷/+−-] {TERM})*"
CALCULATION = re.compile(
    rf"(?<![\w.,^₀-₉(√])(?<![·×÷/+−-] )(?<![−-]){SIDE}(?: [=≈] {SIDE})+(?![\w(]|[.,]\d| [·×÷/+−-])"
)
SIGNS = str.maketrans({"·": "*", "×": "*", "÷": "/", "−": "-", "²": "**2", "³": "**3", ",": ""})
INSIDE = re.compile(r"</?(?:b|i|sub|sup|span|code)\b[^>]*>")  # a line; other tags end it


def ends(number):
    """Return between which numbers one lies that is shown with these digits; a whole number is exact."""
    decimals = len(number.partition(".")[2])
    around = 0.5 * 10.0**-decimals if decimals else 0.0
    return float(number) - around, float(number) + around


def between(side):
    texts = re.split(f"({NUMBER})", side)
    signs = [text.translate(SIGNS) for text in texts[::2]]
    found = []
    for numbers in product(*(ends(number.replace(",", "")) for number in texts[1::2])):
        said = signs[0]
        for number, sign in zip(numbers, signs[1:], strict=True):
            said = f"{said[:-1]}{number}**0.5{sign}" if said.endswith("√") else f"{said}{number}{sign}"
        found.append(eval(said))  # numbers and signs alone
    return min(found), max(found)


def wrong_calculations(*texts):
    """Return each calculation in HTML or in plain texts whose sides cannot be equal."""
    found = []
    for text in texts:
        plain = unescape(re.sub("<[^>]*>", " | ", INSIDE.sub("", text)))
        for said in CALCULATION.findall(" ".join(plain.split())):
            sides = [between(side) for side in re.split(" [=≈] ", said)]
            slack = 0.01 * abs(sides[0][0]) if "≈" in said else 1e-9
            apart = [max(low - most, least - high) for (low, high), (least, most) in pairwise(sides)]
            found += [said] * (max(apart) > slack)
    return found


def wrong_in(question):
    reasons = [one if isinstance(one, str) else one.text for one in getattr(question, "mistakes", ())]
    return wrong_calculations(question.text, question.told, *reasons)
