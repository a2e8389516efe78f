"""What can change with one number of X or of a matrix."""

from pages.look.html import inline, prose
from pages.page.questions.kinds import Choice

PRODUCTS = {"X": "Q, K and V", "W_Q": "only Q", "W_K": "only K", "W_V": "only V"}
MATRICES = tuple(PRODUCTS)


def reach_question(moves: dict[str, tuple[str, ...]], matrix: str) -> Choice:
    """Ask what changes with one number of a matrix; `moves` says it of every matrix, as it was computed."""
    options = list(dict.fromkeys(together(names) for names in moves.values()))
    right = together(moves[matrix])
    if len(options) == 1:
        options.append("only W_K")
    text = prose(f"One number of {matrix} is changed. What else can change with it?")
    why = f"Here a number of {matrix} can change {right}."
    reasons = []
    for option in options:
        others = [name for name, names in moves.items() if together(names) == option]
        mistaken = f"That is right for {' or '.join(others)}." if others else "W_K is given, not computed."
        reasons.append(inline(f"{mistaken} {matrix} is a factor of {PRODUCTS[matrix]}."))
    return Choice("reach", text, tuple(options), (options.index(right),), inline(why), tuple(reasons))


def together(names: tuple[str, ...]) -> str:
    """Return what changes as it is said."""
    *most, last = names or ("nothing",)
    return f"{', '.join(most)} and {last}" if most else last
