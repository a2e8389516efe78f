"""The end of the path: questions from memory, and an explanation tested by experiments."""

from pages.causal_mask.explained import draw as explain
from pages.memory.causal_mask import QUESTIONS
from pages.memory.now import asks, ending

STEP = ending("You can now say why models are masked, and where")
draw = asks(QUESTIONS, explain)
