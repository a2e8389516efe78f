"""What several steps of the lesson on heads share: their buttons, and the numbers under a question."""

from collections.abc import Callable, Iterable, Sequence

from markupsafe import Markup

from attention_core.arrays import Array
from attention_core.equations.attention import AttentionCache
from attention_core.experiments.several_heads import select_head
from pages.look.html import quoted
from pages.multi_head.scene import HeadScene
from pages.page.heads_view import head_buttons
from pages.page.page import Page


def names_of_heads(scene: HeadScene) -> dict[str, str]:
    """Return the heads by their words in the link."""
    return {str(head + 1): f"head {head + 1}" for head in range(scene.n_heads)}


def choose_head(page: Page, scene: HeadScene) -> int:
    """Draw a button for each head, and return the one that is chosen; where all are looked at, the first."""
    head = scene.head or 0
    head_buttons(page, names_of_heads(scene), str(head + 1))
    return head


def attention_of_head(page: Page, attention: AttentionCache, head: int) -> AttentionCache:
    """Return what one head computed."""
    return page.recipe.run("one_head", select_head, attention, head)


def row_sentence(weights: Array, rows: Sequence[str], columns: Sequence[str]) -> Callable[[int], str]:
    """Return a function that says where a row has its largest weight."""

    def sentence(row: int) -> str:
        place = int(weights[row].argmax())
        return f"{quoted(rows[row])} looks most at {quoted(columns[place])}: {weights[row, place]:.2f}."

    return sentence


def shape(*sizes: int) -> str:
    """Return a shape as a student reads it."""
    return " × ".join(map(str, sizes))


def given_numbers(lines: Iterable[str]) -> Markup:
    """Return what a question gives, side by side under its text."""
    spans = Markup("").join(Markup("<span>{}</span>").format(line) for line in lines)
    return Markup('<div class="course chips" style="margin-top:8px">{}</div>').format(spans)
