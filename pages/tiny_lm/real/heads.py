"""All heads of the pretrained model in one picture, and any one of them enlarged and switched off."""

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_reading import real_head, real_patterns, real_predictions, real_without_head
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import CLICK, SMALL, Axes, heatmap, outline
from pages.heads.side_by_side import ALL, enlarged_head
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.page.page import Page
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.common import head_names, head_word
from pages.tiny_lm.heads_view import LONG, SHORT
from pages.tiny_lm.real.measured import read_by_stories
from pages.tiny_lm.real.model import computed, pieces_of, record_toy

ENLARGED = 24  # last tokens of an enlarged map
HEAD_AXES = Axes("head", "layer", "mean weight")
LARGEST = "largest"  # in the list of heads: the one with the largest value
OFF = "The top prediction is {token}, with probability {before}. With head {head} switched off it is {after}."
IN_TOY = "Largest in Small Stories: {value} in head {head}. Click a head to enlarge it."


def draw_heads(page: Page, real: ModelInWorker, ids: Tokens) -> None:
    """Draw all heads by a pattern and one of them large, and say what the prediction is without it."""
    layer, head = chosen_of_all(page, real, ids)
    attention = computed(page, "one_head", real_head, real, ids, layer, head)
    predicted = computed(page, "predictions", real_predictions, real, ids)
    without = computed(page, "without", real_without_head, real, ids, layer, head, int(predicted.tokens[-1, 0]))
    labels, word = position_labels(pieces_of(real, ids)), head_word(layer, head)
    first = max(0, len(labels) - ENLARGED)
    page.heading(f"Layer {layer + 1}, head {head + 1}")
    among = f", among the last {ENLARGED} of {len(labels)} tokens" if first else ""
    note, name = "Queries and keys are after RoPE.", f"Head {word}{among}"
    enlarged_head(page, attention, labels, labels, note, name=name, first=first)
    token, before = quoted(pieces_of(real, predicted.tokens[-1, :1])[0]), float(predicted.probabilities[-1, 0])
    page.write(OFF.format(token=token, before=number(before, 3), head=word, after=number(without, 3)), "note")


def chosen_of_all(page: Page, real: ModelInWorker, ids: Tokens) -> tuple[int, int]:
    """Draw all heads by a pattern; return the layer and the number of the one that is clicked, or of the largest."""
    n_layers, n_heads = real.config.n_layers, real.config.n_heads
    chosen = page.controls.choice("real_pattern", "Pattern", list(SHORT.values()), SHORT["previous_word"])
    words = {head_word(layer, head): (layer, head) for layer in range(n_layers) for head in range(n_heads)}
    named = page.controls.select(
        "real_head", "Head", [ALL, *words], ALL, width=150, format_func=lambda word: LARGEST if word == ALL else word
    )
    field = next(field for field, word in SHORT.items() if word == chosen)
    stories = record_toy(page, "stories", "stories")
    own = page.recipe.given("pieces", read_by_stories(real.tokeniser.decode(ids)))
    values = getattr(computed(page, "patterns", real_patterns, real, ids), field)  # (L, H)
    toy = getattr(page.recipe.run_once("toy_patterns", real_patterns, stories, own), field)
    layer, head = words.get(named) or divmod(largest(values).first, n_heads)
    page.heading(f"All {n_layers * n_heads} heads")
    measure = "entropy as a fraction of its maximum" if field == "entropy" else f"mean weight on {LONG[field]}"
    in_toy = head_names(*toy.shape)[largest(toy).first]
    rows, columns = ([str(place + 1) for place in range(size)] for size in (n_heads, n_layers))
    layers = outline(head, layer), CLICK, SMALL
    chart = heatmap(values.T, rows, columns, HEAD_AXES, *layers, name="all heads", sentence=f"Each head’s {measure}.")
    note = IN_TOY.format(value=number(float(toy.max())), head=in_toy)
    page.show(chart, lambda i, j: page.controls.put(real_head=head_word(j, i)), note)
    return layer, head
