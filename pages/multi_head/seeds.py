"""Toy English trained again from other seeds: which head follows which link of its grammar."""

import numpy as np
from numpy.typing import NDArray

from attention_core.arrays import Array
from attention_core.experiments.multi_head.english_heads import CONFIG
from attention_core.experiments.multi_head.retrained import FOLLOWS, SEEDS, links_by_seed
from attention_core.shipped.plans import ENGLISH
from pages.charts.heatmap import SMALL, Axes, frame, heatmap
from pages.look.facts import as_shown, several
from pages.look.html import prose
from pages.multi_head.common import LINKS, N_SENTENCES, SHIPPED, heads_named
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short

ASKED = {  # what a head of the shipped model does that follows a link, as the question says it
    "pronoun": "from *it* and *they* to their noun",
    "cry": "from *meowed* and such verbs to the animal",
    "number": "from *is* and *are* to their noun",
    "state": "from *tired* and such words to their noun",
}  # two heads of it follow hot → chai
STEP = Step(
    "other seeds",
    "Does a head have a fixed job?",
    f"A **seed** fixes what is random, such as the start of a training. Toy English was trained {len(SEEDS) - 1} more "
    "times by one plan. Each time the seed differed, and with it the random start and the sentences. Which head gets "
    "which job then?",
    words="job",
)


def draw(page: Page, _: object) -> None:
    """Show which head follows a link in each of the models that were trained from other seeds."""
    question = page.question("job", asked_place)
    asked = list(ASKED)[page.variant("job") % len(ASKED)]
    if not page.ask(question, then=lambda: page.controls.put(job=LINKS[asked])):
        return
    names = list(LINKS.values())
    name = page.controls.select("job", "Link of the grammar", names, names[0], width=260)
    field = list(LINKS)[names.index(name)]
    short = Short(f"links_by_seed().{field}", links_by_seed)
    weights = page.recipe.given("weights_by_seed", getattr(links_by_seed(), field), short)
    page.prints(f"weight along “{name}” of head 1, seed {SEEDS[0]}", weights, 0, 0)
    chart = heatmap(
        weights,
        [f"seed {seed}{' (of the course)' if place == SHIPPED else ''}" for place, seed in enumerate(SEEDS)],
        [str(head + 1) for head in range(CONFIG.n_heads)],
        Axes("model", "head", "attention weight"),
        frame(follows(weights)),
        SMALL,
        name="trained again",
        sentence=f"Mean attention weight along “{name}” over {N_SENTENCES} new sentences.",
    )
    page.show(chart)
    page.write(
        f"Outlined: {FOLLOWS:.2f} and more. The model of the course has seed {ENGLISH.plan.seed}. It was chosen from "
        f"{several(len(ENGLISH.seeds), 'seed')} because its heads have clear jobs.",
        "note",
    )


def follows(weights: Array) -> NDArray[np.bool_]:
    """Return which heads (N, H) follow a link."""
    return as_shown(weights) >= FOLLOWS


def asked_place(variant: int) -> Choice:
    """Return a variant of the question: another link of the grammar."""
    field = list(ASKED)[variant % len(ASKED)]
    return place_question(follows(getattr(links_by_seed(), field)), variant, ASKED[field])


def place_question(following: NDArray[np.bool_], variant: int, link: str) -> Choice:
    """Ask where the head that follows a link is in the other models; `following` (N, H) says which do in each."""
    places = [np.flatnonzero(row).tolist() for row in following]
    first = places[SHIPPED][0]  # the shipped model was picked for it
    others = [place for i, place in enumerate(places) if i != SHIPPED]
    n = len(others)
    text = prose(
        f"In the model of the course, head {first + 1} attends {link}. In {n} more models, "
        "trained from other seeds, which head does that?"
    )
    always, another = f"Head {first + 1} in all {n}", f"One other head in all {n}"
    differs = "Different heads, or none"
    why = f"In the order of the seeds: {'; '.join(heads_named(place) if place else 'none' for place in others)}."
    mistakes = {
        always: "A head’s number does not decide its job. All heads have the same shape, so training may use any.",
        another: "You expected one new head for the job. The random start decides, and it differs with each seed.",
        differs: "You expected different heads. Here, by chance, all models agree.",
    }
    same = len(others[0]) == 1 and all(place == others[0] for place in others)
    right = differs if not same else always if others[0] == [first] else another
    return Choice.of("job", text, right, why, mistakes, variant)
