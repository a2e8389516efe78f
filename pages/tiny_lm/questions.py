"""The questions of the lesson on a small language model, with answers computed from what is shown."""

from attention_core.text.corpora import Source, uniform_loss
from pages.look.html import number
from pages.page.questions import Choice


def start_question(source: Source, variant: int) -> Choice:
    """Ask how large the loss is before the first step."""
    n_tokens = len(source.vocabulary)
    uniform = uniform_loss(source)
    right = f"about {number(uniform, 1)}"
    reasons = {
        "0": "A loss of 0 means that every token was certain, and right. That would be the end of training, not its "
        "start.",
        right: "",
        f"about {number(uniform / 4, 1)}": "That is what a model has that already hesitates among few tokens only.",
        str(n_tokens): f"Among {n_tokens} tokens it hesitates, but a loss counts in nats: it is the logarithm of that.",
    }
    return Choice.shuffled(
        "start",
        f"Before its first step the model has random numbers. There are {n_tokens} tokens. How large is its loss?",
        [right],
        f"Knowing nothing, it gives each token about 1/{n_tokens}, and −log(1/{n_tokens}) = {number(uniform)} nats. "
        "Random numbers are a little worse than that: now and then they are sure, and wrong.",
        reasons,
        [variant],
    )
