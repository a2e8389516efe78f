"""The end of the path: three questions from memory, and what was seen."""

from pages.memory.now import asks, ending
from pages.memory.scaling import QUESTIONS

STEP = ending("You can now say why scores are divided")
draw = asks(QUESTIONS)
