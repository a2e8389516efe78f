"""Lesson 3: what heads read and write, and which of them a prediction needs."""

import re

import numpy as np

from tests.answers.oracle import Found, oracle
from tests.answers.view import numbers, quoted

LINKS = {  # a part of the question on a link of the grammar: how the field calls it
    "it and they": "it, they → noun",
    "meowed": "meowed → animal",
    "is and are": "is, are → noun",
    "tired": "tired, wide → noun",
    "hot": "hot → chai",
}


@oracle("multi_head", "needed")
def needed(view):
    """Who switches each head off sees what is left of the probability."""
    word, following, *_ = quoted(view.text)
    usual, *left = (
        view.tried(at=word, without=off).chart("label", "value", "expected").data.set_index("label")["value"]
        for off in ("none", *(option.removeprefix("head ") for option in view.options))
    )
    rest = {option: probabilities[following] for option, probabilities in zip(view.options, left, strict=True)}
    least = min(rest.values())
    assert usual.max() == usual[following] > least
    right = {option for option in view.options if rest[option] == least}
    told = {option: f"is {left:.2f} without it, and {usual[following]:.2f} with" for option, left in rest.items()}
    return Found(right, told, why=f"is {least:.2f}")


@oracle("multi_head", "reads")
def reads(view):
    entries, own = map(int, re.findall(r"has (\d+)", view.text))
    return Found(entries, {"entries of the query": own}, why=f"has {entries} entries")


@oracle("multi_head", "sum")
def sum_of_parts(view):
    """What a head wrote is missing when it is off; what the others write stands in the same row of the bars."""
    (head, part, entry) = re.findall(r"Head (\d+) writes ([−\d.]+) into entry (\d+)", view.text)[0]
    (part,), bars = numbers(part), view.charts[0].data
    parts = bars[(bars["kind"] == "part") & (bars["label"] == entry)].set_index("part")["value"]
    assert abs(parts[head] - part) < 0.00056
    others = parts.sum() - parts[head]
    size = f"{abs(part):.3f}"
    truth = {f"It falls by {size}": part > 0, f"It rises by {size}": part < 0, "It becomes 0": abs(others) < 0.0005}
    mistakes = dict.fromkeys(truth, "other sign") | {"It becomes 0": "Other heads write into"}
    mistakes["The other heads fill the gap"] = "its own matrices"
    return Found({option for option in view.options if truth.get(option)}, mistakes, why=f"{size}")


@oracle("multi_head", "missed")
def missed(view):
    """A weight, a value of its own and one of another key each change by themselves how far a removal moves the sum."""
    word, top, *_ = quoted(view.text)
    head = re.findall(r"In head (\d+)", view.text)[0]
    weights = view.chart("measure", "key", "text").table.loc["weight"]
    assert [*weights.index[weights == weights.max()]] == [top], (view.text, weights)
    effects = view.tried(head=head, q=word).chart("measure", "key", "text").table.loc["effect"]
    most = effects.idxmax()
    shares, values = np.array([0.5, 0.3, 0.2]), np.array([[1.0, 0.0], [0.2, 0.5], [0.4, 0.9]])
    cases = [(shares, values), (shares**2, values), *((shares, values + np.eye(3)[:, [i]]) for i in (0, 2))]
    moved = [np.linalg.norm(w[1:] @ v[1:] / w[1:].sum() - w @ v / w.sum()) for w, v in cases]
    assert len({*np.round(moved, 6).tolist()}) == 4
    weight, value, both, every = view.options_by("Only its w", "Only its v", "Its weight and its", "Its weight and all")
    why = f"effect of “{top}” is {effects[top]:.2f}"
    if effects[most] > effects[top] + 0.0101:  # of less the page may say nothing
        why += f", and that of “{most}” is {effects[most]:.2f}"
    wrong = {weight: "close to the average", value: "weight 0 adds nothing", both: "goes to the other keys"}
    return Found({every}, wrong, why=why)


def named(heads):
    return f"head{'s' * (len(heads) > 1)} {' and '.join(map(str, heads))}" if heads else "none"


@oracle("multi_head", "job")
def job(view):
    (link,) = [name for part, name in LINKS.items() if part in view.text]
    first = int(re.findall(r"head (\d+) attends", view.text)[0])
    chart = view.tried(job=link).chart("model", "head", "moved")
    table, outlined = chart.table, chart.data["moved"].to_numpy().reshape(chart.table.shape)
    found = [[int(head) for head in table.columns[marks]] for marks in outlined > 0]
    own = [model for model, name in enumerate(table.index) if "of the course" in name]
    assert [found[model] for model in own] == [[first]]
    others = [head for model, head in enumerate(found) if model not in own]
    always, another = f"Head {first} in all {len(others)}", f"One other head in all {len(others)}"
    same = len(others[0]) == 1 and all(heads == others[0] for heads in others)
    right = "Different heads, or none" if not same else always if others[0] == [first] else another
    mistakes = {always: "does not decide its job", another: "one new head", "Different heads, or none": "all models"}
    return Found({right}, mistakes, why=f"seeds: {'; '.join(map(named, others))}.")


@oracle("multi_head", "split")
def split(view):
    length, width, heads = map(int, re.findall(r"\d+", view.text)[:3])
    own = width // heads
    given = [
        ((heads, length, width), f"all {width} columns"),
        ((heads, own, length), "transposed"),
        ((length, heads, own), "words first"),
    ]
    mistakes = {
        option: "|".join(how for sizes, how in given if " × ".join(map(str, sizes)) == option)
        for option in view.options
    }
    return Found({f"{heads} × {length} × {own}"}, mistakes, why=f"{length} · {width} = {length * width:,}")


@oracle("multi_head", "numbers")
def parameters(view):
    _, width, _, one, heads, own = map(int, numbers(view.text)[-6:])
    assert (one, own) == (4 * width * width, width // heads)
    return Found(one, {f"all {width} columns to every head": one * heads, "counted one head": one / heads})


@oracle("multi_head", "rectangle")
def rectangle(view):
    rows, columns = map(int, re.findall(r"of (\d+) words?", view.text))
    given = [(columns, rows, "transposed"), (rows, rows, "second sentence"), (rows + columns, rows + columns, "joined")]
    mistakes = {option: "|".join(how for i, j, how in given if f"{i} × {j}" == option) for option in view.options}
    return Found({f"{rows} × {columns}"}, mistakes, why=rf"row \({rows}\).*column \({columns}\)")
