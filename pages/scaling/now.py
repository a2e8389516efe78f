"""The end of the path: questions from memory, and an explanation tested by experiments."""

from pages.memory.now import asks, ending
from pages.memory.scaling import QUESTIONS
from pages.scaling.explained import draw as explain

STEP = ending("You can now say why scores are divided")
draw = asks(QUESTIONS, explain)
