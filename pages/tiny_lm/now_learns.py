"""The end of the second part: three questions from memory, and what was seen."""

from pages.memory.now import asks, ending
from pages.memory.tiny_lm import QUESTIONS_LEARNS

STEP = ending("You can now say how a model learns", explains=False)
draw = asks(QUESTIONS_LEARNS)
