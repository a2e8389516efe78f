"""Models to look into: those that ship, by the core alone, and odd ones of a student's own."""

from unittest.mock import patch

from pages.tiny_lm import model_in_view
from pages.tiny_lm.model_in_view import OWN
from tests.app.steps import step


def step_with(own, name, **link):
    """Return what a step draws for a student who has a model of their own."""
    with patch.object(model_in_view, "own_model", lambda: own):
        return step("tiny_lm", name, model=OWN, **link)
