"""What one can do after the first two parts of the lesson on a language model: how it writes, and how it learns."""

import numpy as np

from attention_core.experiments.language.next_token import nucleus_size
from pages.look.html import commas, number
from pages.questions.kinds import Choice

LENGTHS = (40, 12, 25, 100)
CERTAIN = [[0.95, 0.03, 0.02], [0.6, 0.39, 0.01], [0.5, 0.46, 0.04]]  # predictions, beside an uncertain one
UNCERTAIN = [0.4, 0.2, 0.15, 0.13, 0.07, 0.05]
SIZES = (50, 1000, 200, 30_000)  # of a vocabulary


def used_question(variant: int) -> Choice:
    """Ask which of the predictions of a pass generate the next token."""
    length = LENGTHS[variant % len(LENGTHS)]
    text = f"A model reads a prompt of {length} tokens in one pass. Which of its predictions does it use to write on?"
    reasons = {
        f"all {length} of them": "The others predict tokens that are in the prompt already.",
        f"the first {length - 1}": "Those have their next token in the prompt already. In training they have a target.",
        "their mean": "Each position predicts another token, so a mean of them predicts none.",
    }
    why = "Only this one is about a token that is not there yet. In training, the others have targets and count too."
    return Choice.of("now_used", text, "that of the last position", why, reasons, variant)


def kept_question(variant: int) -> Choice:
    """Ask how many tokens top-p keeps of a prediction, beside another one."""
    one = CERTAIN[variant % len(CERTAIN)]
    first, right = (nucleus_size(row, 0.9) for row in (UNCERTAIN, one))
    listed = [", ".join(number(share) for share in row) for row in (UNCERTAIN, one)]
    text = (
        f"Of the probabilities {listed[0]}, top-p = 0.9 keeps {first} tokens. At the next position they are "
        f"{listed[1]}. How many does it keep there?"
    )
    reasons = {
        str(first): "Top-p fixes a sum of probabilities, not a number of tokens.",
        "1": "The likeliest alone does not reach the sum.",
        "2": "The likeliest alone reaches the sum already.",
        "0": "Top-p always keeps the likeliest token.",
    }
    why = "It keeps the fewest tokens, likeliest first, whose probabilities sum to at least 0.9."
    return Choice.of("now_kept", text, str(right), why, reasons, variant)


def start_question(variant: int) -> Choice:
    """Ask how large the loss of an untrained model is."""
    size = SIZES[variant % len(SIZES)]
    right = f"about {number(float(np.log(size)), 1)}"
    text = f"A model with a vocabulary of {commas(size)} has small random parameters. What is its mean loss in nats?"
    reasons = {
        "0": "Then each prediction would be certain and right.",
        f"about {number(float(np.log(size)) / 4, 1)}": "Then it would exclude most tokens. Random parameters cannot.",
        commas(size): "That is the number of tokens. The loss is the logarithm of it.",
    }
    why = f"Each token has a probability near 1/{commas(size)}, and −ln(1/{commas(size)}) = {number(np.log(size), 1)}."
    return Choice.of("now_start", text, right, why, reasons, variant)


def stop_question(variant: int) -> Choice:
    """Ask which checkpoint of a run predicts new text best."""
    rng = np.random.default_rng([variant, 62])
    best, steps = int(rng.integers(1, 3)), (100, 200, 400, 800)
    learned = np.sort(rng.choice(np.arange(2, 30), 4, replace=False))[::-1] / 10
    away = np.abs(np.arange(4) - best)
    tested = 2.0 + 0.1 * float(rng.integers(0, 5)) + away * 0.4 + learned[best] / 2
    listed = "; ".join(
        f"step {step}: {number(low, 1)} and {number(high, 1)}"
        for step, low, high in zip(steps, learned, tested, strict=True)
    )
    text = f"Training and validation loss of a run, in nats: {listed}. Which checkpoint predicts new text best?"
    reasons = {f"step {step}": "Its validation loss is not the lowest." for step in steps}
    reasons[f"step {steps[-1]}"] = "Its training loss is the lowest: it has memorised. Look at the text kept out."
    right = f"step {steps[best]}"
    why = "There the validation loss is lowest. After it the model memorises the training text (overfitting)."
    return Choice.of("now_stop", text, right, why, reasons, variant)


QUESTIONS_WRITES = (("now_used", used_question), ("now_kept", kept_question))
QUESTIONS_LEARNS = (("now_start", start_question), ("now_stop", stop_question))
