"""What the steps on the loss, the gradient and the parts ask; every answer is computed from the page as it stands."""

from html import escape

from attention_core.experiments.costs import GPT_2, GPT_3
from attention_core.model.config import Config
from attention_core.model.parameters import attention_parameters, parameter_parts
from pages.look.html import number, prose
from pages.page.questions import Choice, Mistake, Number

KINDS = {
    "token_embedding": "the embedding of the tokens",
    "position_embedding": "the embedding of the positions",
    "attention": "attention",
    "feed_forward": "the feed-forward layers",
    "norms": "the norms",
}


def attention_question(config: Config) -> Number:
    """Ask how many numbers the attention of one layer holds."""
    width, right = config.d_model, attention_parameters(config.d_model)
    text = prose(
        f"This model is {width} wide and has {config.n_heads} head{'s' * (config.n_heads > 1)} a layer. How many "
        "numbers do W_Q, W_K, W_V and W_O of one layer hold together?"
    )
    why = f"Four matrices of {width} × {width}: {number(right, 0)}."
    mistakes = (
        Mistake(right * config.n_heads, "Heads share the four matrices: each owns some columns."),
        Mistake(width * width, "That is one of the four."),
        Mistake(3 * width * width, "W_O is a fourth, as large as the others."),
        Mistake(4 * width, f"A matrix has as many rows as columns here: {width} times {width} numbers."),
    )
    return Number("matrices", text, right, 0.5, why, mistakes, "", 0)


def largest_question(config: Config, name: str, variant: int) -> Choice:
    """Ask which part of a model holds most numbers: of this one, then of those everybody knows."""
    asked = ((name, config), ("GPT-2", GPT_2), ("GPT-3", GPT_3))[variant % 3]
    held = parameter_parts(asked[1])._asdict()
    total = sum(held.values())
    best = max(held, key=lambda part: held[part])
    text = f"Of all numbers that {escape(asked[0])} holds, which part has the most?"
    options = {
        words: f"It has {number(100 * held[part] / total, 1)} % of them."
        for part, words in KINDS.items()
        if part != "norms"
    }
    why = f"{KINDS[best].capitalize()}: {number(held[best], 0)} of {number(total, 0)} numbers, by formula."
    right = KINDS[best] if best != "norms" else next(iter(options))
    return Choice.shuffled("largest", text, [right], why, options, variant)
