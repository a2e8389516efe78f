"""Questions from memory, at the end of a path and before the next: all of their numbers stand in the text."""

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers


def softmax(scores):
    powers = np.exp(np.asarray(scores, float) - np.max(scores))
    return powers / powers.sum()


def size_of_slopes(weights):
    """Return the norm of the derivatives of a row of weights with respect to its scores."""
    return np.sqrt(sum((w * ((i == j) - v)) ** 2 for i, w in enumerate(weights) for j, v in enumerate(weights)))


@oracle("qkv", "now_score")
def score(view):
    query, key = np.reshape(numbers(view.text)[:4], (2, 2))
    products = query * key
    mistakes = {"added the entries": sum(query + key), "multiplied the products": products[0] * products[1]}
    mistakes |= {"one of the two products": products.max(), "divided by √2": products.sum() / np.sqrt(2)}
    return Found(products.sum(), mistakes, why=f"= {products.sum():.0f}$|= {products.sum():.0f}\\.$")


@oracle("qkv", "now_raised")
def raised(view):
    *scores, rise = numbers(view.text)
    before, after = softmax(scores), softmax(np.add(scores, [rise, 0, 0]))
    times = after[0] / after[1] / (before[0] / before[1])
    right, mistakes = set(), {}
    for option in view.options:
        said = (numbers(option) or [0])[0]
        if "multiplied" in option:
            true, reason = abs(times - said) <= 0.05, "You added" if said == 1 + rise else "?"
        elif "grows by" in option:
            true, reason = abs(after[0] - before[0] - said) < 0.05, "Softmax raises e"
        else:
            true, reason = not (after - before)[1:].any(), "sum to 1"
        right |= {option} if true else set()
        mistakes[option] = reason
    return Found(right, mistakes, why=rf"^e\^{rise} is about {times:.1f}")


@oracle("scaling", "now_spread")
def spread(view):
    width = numbers(view.text)[0]
    mistakes = {"That is the variance": width, "after dividing by the root": 1, "not multiplied": width**2}
    return Found(np.sqrt(width), mistakes | {"Each pair of entries": 2 * width}, why=f"= {np.sqrt(width):.0f}")


@oracle("scaling", "now_divisor")
def divisor(view):
    """Random scores with the standard deviation that is left, through softmax."""
    width = numbers(view.text)[0]
    deviation = np.sqrt(width) if "without dividing" in view.text else np.sqrt(width) / width
    rng = np.random.default_rng(5)
    largest = np.mean([softmax(rng.normal(0, deviation, 8)).max() for _ in range(400)])
    peaked, flat, usual = view.options_by("One key", "All keys", "As with")
    right = peaked if largest > 0.75 else flat if largest < 0.2 else usual
    mistakes = {peaked: "lie far apart\\. Dividing", flat: "be nearly equal", usual: "Only √dk"}
    return Found({right}, mistakes, why=f"deviation of {deviation:.2f}")


@oracle("multi_head", "now_read")
def read(view):
    width, heads = numbers(view.text)
    return Found(width, {"width of the head": width // heads, "number of heads": heads}, why=f"has {width:.0f} entries")


@oracle("multi_head", "now_written")
def written(view):
    *parts, off = numbers(view.text)
    part, right = parts[int(off) - 1], sum(parts) - parts[int(off) - 1]
    mistakes = {"all heads on": sum(parts), "part that is missing": part, "took a mean": right / 2}
    return Found(right, mistakes | {"once more": sum(parts) + part}, why=f"add up to {right:.0f}".replace("-", "−"))
