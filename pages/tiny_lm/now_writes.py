"""The end of the first part: two questions from memory, and an explanation."""

from pages.memory.now import asks, ending
from pages.memory.tiny_lm import QUESTIONS_WRITES
from pages.tiny_lm.explained.writes import draw as explain

STEP = ending("You can now say how a model writes a text")
draw = asks(QUESTIONS_WRITES, explain)
