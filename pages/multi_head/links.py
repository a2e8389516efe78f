"""Which links of its grammar the heads of Toy English follow."""

from markupsafe import Markup

from attention_core.experiments.multi_head.retrained import FOLLOWS, SEEDS, links_by_seed
from attention_core.shipped.plans import ENGLISH
from pages.look.html import number

N_SENTENCES = 97  # over which the links were measured
LINKS = {  # by the fields of `LinkWeights`: from which word to which
    "pronoun": "it, they → noun",
    "cry": "meowed → animal",
    "number": "is, are → noun",
    "state": "tired, wide → noun",
    "fact": "hot → chai",
    "adjective": "noun → adjective",
    "same": "thing → same thing",
    "colour": "colour → colour before",
}
SHIPPED = SEEDS.index(ENGLISH.plan.seed)


def jobs_of_head(head: int) -> Markup:
    """Return which links a head of the shipped model follows."""
    weights = links_by_seed()
    own = {name: getattr(weights, field)[SHIPPED, head] for field, name in LINKS.items()}
    kept = [f"{name} {number(weight)}" for name, weight in own.items() if weight >= FOLLOWS]
    kept = kept or [f"no link of {FOLLOWS:.2f} or more"]
    return Markup('<div class="course note">{}</div>').format(Markup("<br>").join(kept))
