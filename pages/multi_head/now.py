"""The end of the path: questions from memory, and an explanation tested by experiments."""

from pages.memory.multi_head import QUESTIONS
from pages.memory.now import asks, ending
from pages.multi_head.explained import draw as explain

STEP = ending("You can now say what a head does")
draw = asks(QUESTIONS, explain)
