"""What the steps on the loss, the gradient and the parts ask; every answer is computed from the page as it stands."""

from html import escape

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.text_loss import perplexity
from pages.look.html import number, prose, quoted
from pages.page.questions import Choice, Mistake, Number
from pages.tiny_lm.model_in_view import Subject


def examples_question(subject: Subject, variant: int) -> Number:
    """Ask how many examples a text holds: that of the prompt, or of others of the same kind."""
    length = len(subject.tokens) + (0, 7, 19, 40)[variant % 4]
    which = "The prompt above" if length == len(subject.tokens) else "A text"
    text = f"{which} has {length} {subject.unit}s. From how many examples does a model learn when it is trained on it?"
    why = (
        f"Every {subject.unit} but the first is a target once, and what stands before it is its context: {length - 1}."
    )
    mistakes = (
        Mistake(1, "A whole text is many examples at once: there is a bet, and a loss, after each of its tokens."),
        Mistake(length, f"After the last {subject.unit} nothing comes that could tell whether the bet was good."),
    )
    return Number("examples", text, length - 1, 0.5, why, mistakes, "", 0)


def hesitation_question(loss: float, vocab_size: int) -> Number:
    """Ask among how many tokens, all as likely, a guess would cost as much as the model lost."""
    right = perplexity(loss)
    text = prose(
        f"Guessing among N tokens, all as likely, costs log N (the natural logarithm). The mean loss of these rows is "
        f"{number(loss)} nats. For which N would guessing cost as much?"
    )
    why = f"e to the power of {number(loss)} is {number(right)}: that number is called the perplexity."
    mistakes = (
        Mistake(2.0**loss, "That is 2 to the power of the loss; these logarithms are natural, so take e."),
        Mistake(loss, "That is the loss itself, the logarithm of what is asked."),
        Mistake(float(vocab_size), "That would be a model that knows nothing of its vocabulary."),
    )
    return Number("hesitation", text, right, max(0.06, 0.05 * right), why, mistakes, "")


def rows_question(subject: Subject, norms: Array, variant: int) -> Choice:
    """Ask whether the embedding of a token that does not occur has a gradient."""
    absent = np.setdiff1d(np.arange(len(norms)), subject.tokens)
    token = int(absent[variant % len(absent)]) if len(absent) else int(subject.tokens[0])
    name, present = quoted(subject.token(token)), not len(absent)
    text = (
        f"{escape(name)} {'occurs' if present else 'does not occur'} in this text. Is there a gradient in its row of "
    )
    text += "<code>token_embedding</code>?"
    why = (
        f"Its length is {number(float(norms[token]), 4)}. The embedding is also the output matrix: at each place every "
        f"{subject.unit} of the vocabulary gets a logit, so every row took part in each bet."
    )
    options = {
        "Yes": "",
        f"No: only {subject.unit}s that occur learn": "That would be so if the embedding were only read at the input.",
        f"Only if the {subject.unit} is bet on most": "Every share above 0 counts, and softmax gives no share of 0.",
    }
    return Choice.shuffled("rows", text, ["Yes"], why, options, variant)


def descent_question(loss: float, squared: float, variant: int) -> Number:
    """Ask what the slope promises of a small step."""
    size = 0.5 * max(loss, 0.1) / max(squared, 1e-6)
    size = 2.0 ** np.floor(np.log2(size) - variant % 3)
    right = loss - size * squared
    text = prose(
        f"The loss of this text is {number(loss)}. The squares of all slopes sum to {number(squared)}: so fast the "
        f"loss falls at first, for each unit of the step size η. If that stayed so, what would the loss be after a "
        f"step of η = {size:.4g}?"
    )
    why = f"{number(loss)} − {size:.4g} · {number(squared)} = {number(right)}. A real step is drawn below."
    mistakes = (
        Mistake(loss + size * squared, "The gradient points up; a step goes against it."),
        Mistake(loss - size * float(np.sqrt(squared)), "Take the sum of the squares itself, not its root."),
        Mistake(loss - squared, "The step is only η long: multiply by it."),
    )
    return Number("descent", text, right, max(0.03, 0.03 * abs(size * squared)), why, mistakes, "")


def direction_question(name: str, value: float, slope: float) -> Choice:
    """Ask which way a number has to go, by the sign of its gradient."""
    text = (
        f"One number of <code>{escape(name)}</code> is {number(value, 3)}, and its slope {number(slope, 4)}. Which "
        "way does a step of training move it?"
    )
    options = {
        "up": "Raising it would raise the loss: its slope is above 0.",
        "down": "Lowering it would raise the loss: its slope is below 0.",
        "towards 0": "The slope says nothing of how large a number ought to be, only which way the loss falls.",
        "not at all": "Only a slope of exactly 0 leaves a number where it is.",
    }
    right = "not at all" if slope == 0 else "down" if slope > 0 else "up"
    why = f"A step subtracts η times the slope, {number(slope, 4)}, so this number goes {right}."
    return Choice.shuffled("direction", text, [right], why, options, 0)
