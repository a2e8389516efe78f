"""The end of the second part: two questions from memory, and an explanation."""

from pages.memory.now import asks, ending
from pages.memory.tiny_lm import QUESTIONS_LEARNS
from pages.tiny_lm.explained.learns import draw as explain

STEP = ending("You can now say how a model learns")
draw = asks(QUESTIONS_LEARNS, explain)
