"""Plans that ship with the course: each lesson in twenty minutes, with what a teacher may say and ask."""

from pages.links.address import address

TWENTY: dict[str, tuple[tuple[str, int, str, str], ...]] = {  # of each view its step, minutes, title and note
    "qkv": (
        ("it", 3, "What does “it” refer to?", "First press B, for black: which word does “it” mean? Then B again."),
        ("x", 2, "Words become vectors", "Ask for the answer by hand signs. Then point at the row of a word."),
        ("projections", 4, "Three matrices", "Let them multiply the row of “it” by W_Q on paper: most entries are 0."),
        ("match", 3, "Queries and keys", "Let them compute one dot product on paper. Then click other cells."),
        ("softmax", 4, "Scores become weights", "Neighbours explain to each other why a difference counts, then vote."),
        ("mix", 3, "Weights mix the values", "Read the table from top to bottom: each line is a weight times a value."),
    ),
    "scaling": (
        ("collapse", 4, "A row collapses", "Take the vote, then drag dₖ slowly. Try each divisor at the end."),
        ("spread", 5, "Why scores grow", "Ask for the variance of a sum of two independent numbers first."),
        ("train", 4, "Does it learn?", "Vote, then move through the steps of training: watch both losses."),
        ("gradient", 3, "Why it gets stuck", "Let them compute w · (1 − w) for a weight near 1 and for one half."),
    ),
    "multi_head": (
        ("off", 4, "Switch a head off", "Vote on the head, then switch off one after the other."),
        ("reads", 5, "What a head reads", "A usual mistake: a head reads a slice of the word. Let them argue."),
        ("writes", 4, "What heads write", "Switch off one part of the sum and ask what is left. Then take W_O away."),
        ("matters", 3, "Weight and effect", "Compare the three measures in the row: do they agree on one word?"),
    ),
    "causal_mask": (
        ("predictions", 4, "Many predictions", "Count aloud how many predictions the text checks."),
        ("cheats", 4, "A model that cheats", "Ask why a low loss in training may be bad news here."),
        ("see", 3, "The mask", "Cover the upper triangle with your hand, then reveal the picture."),
        ("laboratory", 4, "Five ways to mask", "Ask which of the five ways they would have written."),
        ("leak", 3, "Every layer", "Let them follow one changed word through the layers before you switch a mask off."),
    ),
    "positional_encoding": (
        ("order", 3, "Who bites whom?", "Vote before you change the order. Then switch on the positions."),
        ("simple", 3, "Count the positions", "Ask what a large number does to the entries of a word."),
        ("waves", 4, "Waves", "Let them find the fastest and the slowest pair of columns."),
        ("clocks", 4, "Clocks", "Drag t with k fixed: ask what stays the same."),
        ("rope", 3, "RoPE", "Shift both words by the same distance, then only one of them."),
    ),
    "tiny_lm": (
        ("tokens", 3, "Tokens", "Let them guess where a long word is cut, then type it."),
        ("bet", 4, "The next token", "Take beginnings from the class. Let them guess the next token."),
        ("draw", 4, "Sampling", "Change the temperature and ask what it does before the picture shows it."),
        ("loss", 3, "Many examples", "Ask for the loss of a token with probability one half."),
        ("time", 3, "During training", "Drag through the checkpoints and let them read the texts aloud."),
        ("copy", 3, "Induction", "Follow one letter by hand before you show the head."),
    ),
}
NOW = ("now", "From memory", "One question is enough. They answer the others at home.")  # in what is left of the time


def lines(lesson: str) -> str:
    """Return the plan of a lesson as a link could say it, a view a line."""
    views = []
    left = 20 - sum(minutes for _, minutes, _, _ in TWENTY[lesson])
    for step, minutes, title, note in (*TWENTY[lesson], *([(NOW[0], left, *NOW[1:])] if left else ())):
        words = {f"{lesson}_step": step, "title": title, "minutes": str(minutes), "note": note}
        views.append(address(lesson, words))
    return "\n".join(views)


READY = {f"teach-{lesson}": lines(lesson) for lesson in TWENTY}  # by the word that a link has for it
