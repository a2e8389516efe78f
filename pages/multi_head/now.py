"""The end of the path: three questions from memory, and what was seen."""

from pages.memory.multi_head import QUESTIONS
from pages.memory.now import asks, ending

STEP = ending("You can now say what a head does")
draw = asks(QUESTIONS)
