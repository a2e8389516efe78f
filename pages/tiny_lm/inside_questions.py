"""Questions on the layers, heads and stream of a model, with answers computed from what is shown."""

from collections.abc import Sequence
from html import escape

import numpy as np

from attention_core.arrays import Array
from attention_core.experiments.logit_lens import Lens, LogitAttribution
from attention_core.experiments.residual_stream import HiddenUnits, NormSteps, StreamShares, StreamWrites
from attention_core.model.activations import Insides
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.page.questions import Choice, Mistake, Number
from pages.tiny_lm.subject import Subject

MOST = 4  # answers to choose from


def distinct(tokens: Sequence[int]) -> list[int]:
    """Return the first few tokens, each once."""
    return list(dict.fromkeys(int(token) for token in tokens))[:MOST]


def said(subject: Subject, token: int) -> str:
    """Return a token in quotation marks, for HTML."""
    return escape(quoted(subject.token(token)))


def asked_place(page: Page, subject: Subject, question: str) -> int:
    """Return the position that a question is about: the last one first, another with each variant."""
    return len(subject.tokens) - 1 - page.variant(question) % len(subject.tokens)


def placed(subject: Subject, position: int) -> str:
    """Return the token of a position in quotation marks, for HTML."""
    return escape(quoted(subject.labels[position]))


def lens_question(subject: Subject, lens: Lens, position: int) -> Choice:
    """Ask what the embedding alone would bet on at a position."""
    bets = lens.bets[0, position]
    best, own, final = int(bets.argmax()), int(subject.tokens[position]), int(lens.likeliest[-1, position])
    ahead = np.argsort(-lens.bets[-1, position], kind="stable")[1:3]
    options = sorted(distinct([best, own, final, *ahead]))
    mistakes = []
    for token in options:
        share = f"Without any layer it has {number(float(bets[token]))}."
        if token == final != best:
            share = f"That is the bet at the end. It takes the layers to get there: {share[0].lower()}{share[1:]}"
        mistakes.append("" if bets[token] == bets[best] else share)
    why = f"{said(subject, best)} has {number(float(bets[best]))}."
    if best == own:
        why += (
            " Input and output use the same matrix here, and a vector agrees best with itself: a model without layers "
            "repeats what it reads. To say something new, something must be added."
        )
    else:
        why += (
            f" Input and output use the same matrix, so that one expects {said(subject, own)} itself "
            f"({number(float(bets[own]))}); position, and the last norm’s gain and bias, have moved it."
        )
    return Choice(
        "lens",
        f"Take all layers away: the last norm and the output matrix read the embedding of {placed(subject, position)} "
        f"directly. On which {subject.unit} would such a model bet?",
        tuple(subject.token(token) for token in options),
        tuple(i for i, token in enumerate(options) if bets[token] == bets[best]),
        why,
        tuple(mistakes),
    )


def push_question(subject: Subject, inside: Insides, pushes: LogitAttribution, position: int, token: int) -> Choice:
    """Ask which part pushes the logit of the likeliest token up most."""
    n_heads = subject.model.config.n_heads
    values = pushes.heads.ravel()
    looks = inside.weights[:, :, position].max(axis=-1).ravel()
    order = np.argsort(-values, kind="stable")
    heads = distinct([int(order[0]), int(looks.argmax()), int(order[-1]), *order[1:]])[: MOST - 1]
    parts = {f"head {h // n_heads + 1}.{h % n_heads + 1}": float(values[h]) for h in sorted(heads)}
    parts = {"the embedding": pushes.embedding, **parts}
    best = max(parts.values())
    mistakes = []
    brightest = int(looks.argmax())
    for name, value in parts.items():
        text = f"It pushes by {number(value)}."
        if name == f"head {brightest // n_heads + 1}.{brightest % n_heads + 1}":
            text = (
                f"It has the brightest weight here, {number(float(looks[brightest]))}, but that says where it reads, "
                f"not what it writes: it pushes by {number(value)}."
            )
        mistakes.append("" if value == best else text)
    right = tuple(i for i, value in enumerate(parts.values()) if value == best)
    name = list(parts)[right[0]]
    return Choice(
        "push",
        f"After {placed(subject, position)} the model bets most on {said(subject, token)}. Which of these parts pushes "
        "its logit up most by what it wrote itself?",
        tuple(parts),
        right,
        f"Of these, {name} pushes most: {number(best)}. All parts together make the logit, {number(pushes.logit)}.",
        tuple(mistakes),
    )


def missed_question(
    subject: Subject, fell: Array, pushes: LogitAttribution | None, position: int, token: int
) -> Choice:
    """Ask which head the bet would miss most."""
    n_heads, values = subject.model.config.n_heads, fell.ravel()
    direct = values if pushes is None else pushes.heads.ravel()
    order = np.argsort(-values, kind="stable")
    heads = sorted(distinct([int(order[0]), int(direct.argmax()), int(np.abs(direct).argmax()), *order[1:]]))
    best = float(values.max())
    mistakes = []
    for head in heads:
        text = f"Without it the logit falls by {number(float(values[head]))}."
        if values[head] < 0:
            text = f"Without it the logit even rises, by {number(float(-values[head]))}."
        if pushes is not None:
            text += f" Its own push is {number(float(direct[head]))}."
        mistakes.append("" if values[head] == best else text)
    right = tuple(i for i, head in enumerate(heads) if values[head] == best)
    winner = heads[right[0]]
    own = "" if pushes is None else f"; its own push is {number(float(direct[winner]))}"
    name = f"{winner // n_heads + 1}.{winner % n_heads + 1}"
    return Choice(
        "missed",
        f"After {placed(subject, position)} the model bets most on {said(subject, token)}. One head at a time is taken "
        "out, and the model runs again. Without which one does that logit fall furthest?",
        tuple(f"head {head // n_heads + 1}.{head % n_heads + 1}" for head in heads),
        right,
        f"Without head {name} it falls by {number(best)}{own}.",
        tuple(mistakes),
    )


def written_question(subject: Subject, found: StreamWrites, layer: int, position: int) -> Number:
    """Ask how long the stream is once the attention of a layer has added to it."""
    before, added = float(found.before[layer, position]), float(found.attention[layer, position])
    cosine = float(found.attention_cosine[layer, position])
    right = float(found.middle[layer, position])
    if subject.model.config.norm == "pre":
        why = (
            "With x for the stream and a for what is added: |x + a|² = |x|² + |a|² + 2 |x| |a| cos. "
            + ("The two point in opposite directions: what is added erases." if cosine < -0.5 else "")
            + ("They nearly stand at a right angle: something new is added." if abs(cosine) <= 0.5 else "")
            + ("They point the same way: more of the same." if cosine > 0.5 else "")
        )
    else:
        why = "Here a norm follows and brings every number near 1, so that the length says little of what was added."
    mistakes = (
        Mistake(before + added, "Lengths add up only where both vectors point the same way."),
        Mistake((before**2 + added**2) ** 0.5, "So it would be if the two stood at a right angle."),
        Mistake(added, "That would be the addition alone. It is added to the stream, which stays."),
        Mistake(abs(before - added), "So it would be if they pointed in exactly opposite directions."),
    )
    end = "." if subject.model.config.norm == "pre" else ", after the norm that follows?"
    return Number(
        "written",
        f"At {placed(subject, position)}, the attention of layer {layer + 1} adds a vector of length "
        f"{number(added, 3)} to a stream of length {number(before, 3)}, and the cosine between the two is "
        f"{number(cosine, 3)}. How long is the sum" + ("?" if end == "." else end),
        right,
        max(0.04 * right, 0.006),
        why,
        mistakes,
        "Draw the two as arrows, the second from the tip of the first.",
    )


def share_names(n_layers: int, n_heads: int, fed: bool) -> list[str]:
    """Return the parts of the stream in the order in which they are written."""
    names = ["token", "position"]
    for layer in range(1, n_layers + 1):
        names += [f"head {layer}.{head}" for head in range(1, n_heads + 1)]
        names += [f"feed-forward {layer}"] if fed else []
    return names


def share_values(shares: StreamShares, fed: bool) -> list[float]:
    """Return the shares in the same order."""
    values = [shares.token, shares.place]
    for heads, feed_forward in zip(shares.heads.tolist(), shares.feed_forwards.tolist(), strict=True):
        values += [*heads, *([feed_forward] if fed else [])]
    return values


def whose_question(subject: Subject, shares: StreamShares, position: int) -> Choice:
    """Ask which part makes up most of the last stream at a position."""
    config = subject.model.config
    fed = config.d_hidden > 0
    names, values = share_names(config.n_layers, config.n_heads, fed), share_values(shares, fed)
    order = np.argsort(-np.array(values), kind="stable")
    shown = sorted(distinct([0, 1, int(order[0]), *order[1:]]))
    best = max(values)
    mistakes = tuple("" if values[i] == best else f"Its share is {number(values[i])}." for i in shown)
    return Choice(
        "whose",
        f"The last stream at {placed(subject, position)} is a sum: the token’s embedding, its position’s, and "
        "all that heads and feed-forwards wrote. Which part makes up most of it?",
        tuple(names[i] for i in shown),
        tuple(place for place, i in enumerate(shown) if values[i] == best),
        f"The share of {names[int(order[0])]} is {number(best)}. All shares sum to 1; one below 0 points against the "
        "sum, and lets others exceed 1.",
        mistakes,
    )


def norm_question(subject: Subject, steps: NormSteps, position: int, variant: int) -> Number:
    """Ask what the norm makes of one number, before gain and bias."""
    order = np.argsort(-np.abs(steps.normal), kind="stable")
    place = int(order[variant % min(8, len(order))])
    x, right = float(steps.x[place]), float(steps.normal[place])
    mistakes = (
        Mistake(float(steps.centred[place]), "You took the mean away, and did not divide."),
        Mistake(x / steps.deviation, "You divided, and did not take the mean away first."),
        Mistake(-right, "The sign is turned: it is the number minus the mean."),
        Mistake(float(steps.out[place]), "That is after gain and bias, which come later."),
    )
    return Number(
        "norm",
        f"Before the first norm, number {place + 1} of the row at {placed(subject, position)} is {number(x, 4)}. The "
        f"mean of the row is {number(steps.mean, 4)}, its deviation {number(steps.deviation, 4)}. What does the norm "
        "make of it, before gain and bias?",
        right,
        max(0.02, 0.02 * abs(right)),
        f"({number(x, 4)} − {number(steps.mean, 4)}) / {number(steps.deviation, 4)} = {number(right)}: so many "
        "deviations from the mean.",
        mistakes,
        "Take the mean away, then divide by the deviation.",
    )


def off_question(subject: Subject, units: HiddenUnits, position: int) -> Choice:
    """Ask which share of the hidden units is off at a position."""
    off, relu = float(units.off[position]), subject.model.config.activation == "relu"
    right = round(off, 1)
    options = sorted({right, 0.0, 0.5, 1.0} if right not in (0.0, 0.5, 1.0) else {0.0, 0.3, 0.5, 0.8, 1.0})
    mistakes = []
    for option in options:
        text = "So it would be if the layer were one straight product: then nothing would be gained by a second one."
        if option == 0.5:
            text = "So it is before training, when the inputs fall to either side of 0 alike."
        elif option == 1.0:
            text = "Then the layer would add the same vector at every position."
        elif option != 0.0:
            text = "It is another share."
        mistakes.append("" if option == right else text)
    how = "are exactly 0" if relu else "come out between −0.17 and 0"
    return Choice(
        "silent",
        f"Each of the {units.before.shape[-1]} hidden units of the first feed-forward gets a number; at or below 0 "
        f"it is off. Which share of them is off at {placed(subject, position)}?",
        tuple(f"{option:.0%}".replace("%", " %") for option in options),
        tuple(i for i, option in enumerate(options) if option == right),
        f"{number(100 * off, 0)} % are off: they {how}, and write next to nothing.",
        tuple(mistakes),
    )


def left_out_question(subject: Subject, without: Array, bets: Array, position: int) -> Choice:
    """Ask what the model bets on if the attention of its first layer adds nothing; both are shares of all tokens."""
    best, final, own = int(without.argmax()), int(bets.argmax()), int(subject.tokens[position])
    options = sorted(distinct([best, final, own]))
    mistakes = []
    for token in options:
        text = f"It then has {number(float(without[token]))}."
        if token == final:
            text = f"That is the bet of the whole model. {text}"
        mistakes.append("" if without[token] == without[best] else text)
    nothing = "no bet: all tokens alike"
    mistakes.append(
        "So it would be if a layer replaced what it reads. It only adds: without it the stream passes by as it was."
    )
    alike = bool(np.ptp(without) < 1e-9)
    right = tuple(i for i, token in enumerate(options) if without[token] == without[best])
    return Choice(
        "left_out",
        "Let the attention of layer 1 add nothing at all, at any position. What does the model then bet on after "
        f"{placed(subject, position)}?",
        (*(subject.token(token) for token in options), nothing),
        (*right, len(options)) if alike else right,
        f"It bets on {said(subject, best)}, {number(float(without[best]))}. A residual path adds and does not replace.",
        tuple(mistakes),
    )
