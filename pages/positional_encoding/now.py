"""The end of the path: questions from memory, and an explanation tested by experiments."""

from pages.memory.now import asks, ending
from pages.memory.positional_encoding import QUESTIONS
from pages.positional_encoding.explained import draw as explain

STEP = ending("You can now say how a model knows word order")
draw = asks(QUESTIONS, explain)
