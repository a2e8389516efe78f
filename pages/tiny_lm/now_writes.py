"""The end of the first part: three questions from memory, and what was seen."""

from pages.memory.now import asks, ending
from pages.memory.tiny_lm import QUESTIONS_WRITES

STEP = ending("You can now say how a model writes a text", explains=False)
draw = asks(QUESTIONS_WRITES)
