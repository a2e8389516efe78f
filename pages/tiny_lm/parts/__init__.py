"""The model as a diagram of its parts with their shapes: one of them opened, and attention or the MLPs switched off."""

from dataclasses import astuple
from functools import partial

from attention_core.experiments.language.architecture import SWITCHED, boxes, predict_without
from attention_core.model.config import Config
from pages.look.facts import largest
from pages.look.html import number, quoted
from pages.motion.build_up import parts_shown
from pages.page.page import Page
from pages.page.steps import Step
from pages.questions.kinds import Choice
from pages.reproduce.recipe import Short
from pages.tiny_lm.common import SORTED, architecture_note, bet_bars
from pages.tiny_lm.heads_view import draw_heads
from pages.tiny_lm.model_in_view import Subject
from pages.tiny_lm.parts.card import draw_card
from pages.tiny_lm.parts.diagram import draw_diagram, draw_part, label

STEP = Step(
    "model",
    "Attention gathers, MLPs compute at each position alone",
    "The **embedding** gives each token a vector. It goes down the **residual stream**. Each layer adds to it by a "
    "**residual connection**: first attention, then, in most models, an **MLP** (feed-forward layer with a nonlinear "
    "**activation**). The **unembedding** makes logits of the result.",
    asks="The whole model in one picture",
    then="Choose a part, or switch one off.",
    words="part",
    experiment="built off_part",
)

PARTS = (
    "The embedding gives each token a vector. It goes down the residual stream.",
    "In each layer, attention gathers from other positions, and what it returns is added.",
    "Then an MLP computes at each position alone, and what it returns is added.",
)
SHOWN = 3  # tokens of a prediction
WITHOUT = "Without {part}, {token} has the probability {probability}."
ALONE = (
    "Suppose that attention is switched off in all layers, so that {left} to the stream. Which tokens of the prompt "
    "can then change the prediction of the next token?"
)


def draw(page: Page, scene: Subject) -> bool:
    """Ask what is left without attention; then draw the diagram, one part in full, and what a switch changes."""
    short = Short("model.config")
    config = page.recipe.made("config", scene.model.config, Config, lambda: astuple(scene.model.config), short)
    parts = page.recipe.run("parts", boxes, config, len(scene.tokens))
    once = [part for part in parts if part.layer <= 0]  # of the layers, which have equal parts, the first
    names = [label(part) for part in once]
    usual = names.index("MLP" if config.d_hidden else "Q K V")
    adds = [place for place, part in enumerate(once) if part.name.startswith("add")]
    after = 1 if config.norm == "pre" else 2  # the boxes that end what a path passes
    ends = [[part.layer for part in once].index(0), *(place + after for place in adds), len(once)]
    drawn = once[: ends[parts_shown(page, PARTS[: len(ends) - 1]) - 1]]
    columns = page.ask_beside(alone_question(config), partial(draw_diagram, page, scene, drawn, usual), spans=2)
    if not columns:
        return False
    with columns[1]:
        switches = list(SWITCHED)[: 3 if config.d_hidden else 2]
        part = page.controls.choice("off_part", "Switch off in all layers", switches, switches[0])
        whole = page.recipe.run("complete_prediction", predict_without, scene.model, scene.tokens, switches[0])
        left = page.recipe.run("prediction_without", predict_without, scene.model, scene.tokens, part)
        best = largest(whole, SORTED).first
        page.prints(f"probability of {scene.token(best)}, without {part}", left, best)
        said = WITHOUT.format(part=part, token=quoted(scene.token(best)), probability=number(float(left[best])))
        bet_bars(page, scene, left, "prediction", most=SHOWN, whose=said if part != switches[0] else "")
        chosen = names.index(page.controls.select("part", "Part", names, names[usual], width=220))
        draw_part(page, once[chosen], config)
    with columns[0]:
        draw_diagram(page, scene, once, chosen)
        architecture_note(page, scene)
    page.look_closer("Attention of every head", partial(draw_heads, page, scene))
    page.look_closer("Parameters, variants and model card", partial(draw_card, page, scene, config, once[chosen]))
    return True


def alone_question(config: Config) -> Choice:
    """Ask on which tokens the prediction depends once no layer has attention."""
    mistakes = {
        "all of them": "Only attention brings information from other positions. An MLP computes at each one alone.",
        "the last one and its neighbours": "Neighbours are other positions too. Only attention can reach them.",
        "none of them": "The embedding of the last token still goes down its residual stream.",
    }
    why = "Without attention, nothing goes from one position to another. An MLP computes at each position alone."
    text = ALONE.format(left="the MLPs alone add" if config.d_hidden else "no layer adds")
    return Choice.of("alone", text, "only the last one", why, mistakes, len(SWITCHED))
