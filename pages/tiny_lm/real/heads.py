"""All heads of the pretrained model in one picture, and any one of them enlarged and switched off."""

from attention_core.arrays import Tokens
from attention_core.experiments.inside.real_reading import real_head, real_patterns, real_predictions, real_without_head
from attention_core.text.word_vectors import position_labels
from pages.charts.heatmap import CLICK, SMALL, Axes, heatmap, outline
from pages.heads.side_by_side import ALL, enlarged_head
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.look.sentences import brightest_cell
from pages.page.page import Page
from pages.server.pretrained import ModelInWorker
from pages.tiny_lm.common import head_names
from pages.tiny_lm.heads_view import LONG, SHORT, head_word
from pages.tiny_lm.real.measured import read_by_stories
from pages.tiny_lm.real.model import computed, pieces_of, record_toy

ENLARGED = 24  # last tokens of an enlarged map
HEAD_AXES = Axes("head", "layer", "mean weight")

LARGEST = "largest"  # in the list of heads: the one with the largest value


def draw_heads(page: Page, real: ModelInWorker, ids: Tokens) -> None:
    layer, head = chosen_of_all(page, real, ids)
    attention = computed(page, "one_head", real_head, real, ids, layer, head)
    predicted = computed(page, "predictions", real_predictions, real, ids)
    best_token = int(predicted.tokens[-1, 0])
    without = computed(page, "without", real_without_head, real, ids, layer, head, best_token)
    labels = position_labels(pieces_of(real, ids))
    first = max(0, len(labels) - ENLARGED)
    shown = attention.weights[first:, first:]
    page.heading(f"Layer {layer + 1}, head {head + 1}", small=True)
    among = f", among the last {ENLARGED} of {len(labels)} tokens" if first else ""
    enlarged_head(
        page,
        attention,
        labels,
        labels,
        lambda row: f"Head {head_word(layer, head)}{among}: {brightest_cell(shown, labels[first:], row)}",
        "Queries and keys are after RoPE. Click a cell to see its computation.",
        usual=(len(shown) - 1, largest(shown[-1]).first),
        first=first,
    )
    token, before = quoted(pieces_of(real, predicted.tokens[-1, :1])[0]), float(predicted.probabilities[-1, 0])
    page.write(
        f"The top prediction after the text is {token}, with probability {number(before, 3)}. With head "
        f"{head_word(layer, head)} switched off it is {number(without, 3)}.",
        "note",
    )


def named_head(page: Page, n_layers: int, n_heads: int) -> tuple[int, int] | None:
    """Draw the list of all heads, and return the one that is named; None where it is the one with the largest value."""
    words = {head_word(layer, head): (layer, head) for layer in range(n_layers) for head in range(n_heads)}
    word = page.controls.select(
        "real_head", "Head", [ALL, *words], ALL, width=150, format_func=lambda word: LARGEST if word == ALL else word
    )
    return words.get(word)


def chosen_of_all(page: Page, real: ModelInWorker, ids: Tokens) -> tuple[int, int]:
    """Draw all heads by a pattern; return the layer and the number of the one that is clicked, or of the largest."""
    n_layers, n_heads = real.config.n_layers, real.config.n_heads
    chosen = page.controls.choice("real_pattern", "Pattern", list(SHORT.values()), SHORT["previous"])
    named = named_head(page, n_layers, n_heads)
    field = next(field for field, word in SHORT.items() if word == chosen)
    found = computed(page, "patterns", real_patterns, real, ids)
    stories = record_toy(page, "stories", "stories")
    own = page.recipe.given("pieces", read_by_stories(real.tokeniser.decode(ids)))
    toy = getattr(page.recipe.run_once("toy_patterns", real_patterns, stories, own), field)
    values = getattr(found, field)  # (L, H)
    best = divmod(largest(values).first, n_heads)
    layer, head = named or best
    page.heading(f"All {n_layers * n_heads} heads", small=True)
    measure = "entropy as a fraction of its maximum" if field == "spread" else f"mean weight on {LONG[field]}"
    in_toy = head_names(*toy.shape)[largest(toy).first]
    layers = outline(head, layer), CLICK, SMALL
    page.show(
        heatmap(
            values.T,
            [str(number + 1) for number in range(n_heads)],
            [str(number + 1) for number in range(n_layers)],
            HEAD_AXES,
            *layers,
            name="all heads",
            sentence=f"Each head’s {measure}. Largest: {number(float(values[best]))} in head {head_word(*best)}.",
        ),
        lambda i, j: page.controls.put(real_head=head_word(j, i)),
        note=f"Largest in Small Stories: {number(float(toy.max()))} in head {in_toy}. Click a head to enlarge it.",
    )
    return layer, head
