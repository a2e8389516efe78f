"""The end of the path: questions from memory, an explanation tested by experiments, and the whole transformer."""

from pages.memory.now import asks, ending
from pages.memory.qkv import QUESTIONS
from pages.qkv.explained import draw as explain

STEP = ending("You can now compute attention by hand")
draw = asks(QUESTIONS, explain, whole=True)
