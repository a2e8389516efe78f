"""What one drawing of a page computed, showed and asked; its code and its files are made from it."""

from dataclasses import dataclass, field, replace

from markupsafe import Markup

from pages.charts.chart import Chart
from pages.page.questions.kinds import Question
from pages.reproduce.program import Number
from pages.reproduce.recipe import Recipe

Block = Markup | Chart


@dataclass
class Drawing:
    """A step that is drawn again begins with a copy of what there was before it, so nothing stands in it twice."""

    recipe: Recipe = field(default_factory=Recipe)
    head: list[Block] = field(default_factory=list)  # the title and its text; one list for all copies
    shown: list[Block] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    number: Number | None = None  # that the code behind this view prints
    pictured: str | None = None  # the weights that a script draws, as it names them

    def copy(self) -> "Drawing":
        return replace(self, recipe=self.recipe.copy(), shown=list(self.shown), asked=list(self.asked))
