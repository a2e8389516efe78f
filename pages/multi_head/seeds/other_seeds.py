"""The measures of random heads under other seeds, beside those of the heads in view."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from attention_core.experiments.multi_head.head_parts import measures_by_seed
from attention_core.experiments.scaling.head_metrics import HeadMeasures
from pages.charts.heatmap import SMALL, Axes, heatmap, outline
from pages.look.head_cards import MEASURES
from pages.look.html import prose
from pages.multi_head.scene import HeadScene
from pages.page.page import Page
from pages.page.questions.kinds import Choice

OTHER_SEEDS = 5
FROM = {
    "random": "Your heads come from random matrices.",
    "hand-made": "Your heads were each made for one job.",
}


def compare_seeds(page: Page, scene: HeadScene, measures: HeadMeasures) -> None:
    """Show one measure of every head for these matrices and for some random ones."""
    text = st.container()
    names = list(MEASURES.values())
    name = page.controls.choice("measure", "Compare", names, names[1])
    field = list(MEASURES)[names.index(name)]
    start = scene.seed if scene.is_random else 0
    seeds = list(range(start + 1, start + 1 + OTHER_SEEDS))
    causal = scene.blocked is not None
    others = page.recipe.run("other_seeds", measures_by_seed, scene.words, scene.d_model, scene.n_heads, seeds, causal)
    values = np.vstack([getattr(measures, field), getattr(others, field)])
    page.prints(f"“{name}” of head 1, of the first new set", f"other_seeds.{field}[0, 0]")
    leaders = [int(leader) for leader in values.argmax(axis=1)]
    best = [str(head + 1) for head in leaders]
    equal = bool((np.ptp(values, axis=1) == 0).all())  # one head, one word, or no word twice
    fixed = f"If the number of a head set its job, head {best[0]} would lead every time."
    if equal:
        fixed = "There is only one head, so none leads." if scene.n_heads == 1 else "With these words, no head leads."
    with text:
        page.say(f"{FROM[scene.kind]} Compare them with {OTHER_SEEDS} new sets of random matrices. {fixed}", "")
    sentence = f"Highest “{name}”: head {best[0]} of yours. With new random matrices, heads {', '.join(best[1:])}."
    if equal:
        sentence = f"“{name}”: all heads have the same value."
    else:
        if not page.ask(page.question("job", partial(job_question, name, leaders, scene.n_heads))):
            return
    heads = [str(head + 1) for head in range(scene.n_heads)]
    rows = [f"seed {start}" if scene.is_random else "hand-made", *(f"seed {seed}" for seed in seeds)]
    axes = Axes("matrices", "head", name)
    page.show(heatmap(values, rows, heads, axes, outline(0), SMALL, name="other seeds", sentence=sentence))


def job_question(measure: str, leaders: Sequence[int], n_heads: int, variant: int) -> Choice:
    """Ask which head leads in a measure under other seeds; `leaders` are those of these matrices and of the others."""
    first, others = leaders[0] + 1, [leader + 1 for leader in leaders[1:]]
    text = prose(
        f"Of your {n_heads} heads, head {first} has the highest “{measure}”. Now the heads get {len(others)} new "
        "sets of random matrices, with the same words. Which head leads then?"
    )
    same = sum(leader == first for leader in others)
    why = f"Heads {', '.join(map(str, others))} lead, so head {first} leads in {same} of {len(others)}."
    always, any_head = f"Head {first} every time", "Different heads, from set to set"
    another = "Another single head every time"
    mistakes = {
        always: "A head’s number does not decide its job. Its attention comes from its matrices, and these are new.",
        another: "You expected one new leader. Random matrices give every head the same chance, each time.",
        any_head: "You expected different leaders, which is likely. Here, by chance, one head leads every time.",
    }
    right = always if same == len(others) else another if same == 0 and len(set(others)) == 1 else any_head
    return Choice.shuffled("job", text, [right], why, {right: ""} | mistakes, variant)
