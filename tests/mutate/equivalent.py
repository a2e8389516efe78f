"""Mutants that nobody can tell from the source, each with the reason."""

from tests.mutate.mutants import ROOT, Mutant

EQUIVALENT = (  # path, what the line says, what is put in, why nothing follows
    ("equations/softmax.py", "np.abs(highest) > HIGH", ">=", "whether 40 itself is subtracted changes no weight"),
    ("equations/softmax.py", "sums.min(initial=np.inf) >= LOW", ">", "a sum at the limit itself is exact either way"),
    ("equations/softmax.py", "masked.max(initial=-np.inf)", "np.inf", "each row is looked at, for the same weights"),
    ("look/cards.py", 'format("minus" if product < 0', "<=", "the bar of a product of 0 has no width"),
    ("look/sentences.py", "weighs = (as_shown(weights) > 0).sum(axis=-1)", "1", "of two axes, 1 is the last"),
)


def reason_of(mutant: Mutant) -> str:
    line = (ROOT / mutant.path).read_text(encoding="utf-8").split("\n")[mutant.line - 1]
    known = [one for one in EQUIVALENT if mutant.path.endswith(one[0]) and one[1] in line and one[2] == mutant.after]
    return known[0][3] if known else ""
