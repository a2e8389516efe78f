"""The end of the path: three questions from memory, and what was seen."""

from pages.memory.now import asks, ending
from pages.memory.positional_encoding import QUESTIONS

STEP = ending("You can now say how a model knows word order")
draw = asks(QUESTIONS)
