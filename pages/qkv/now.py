"""The end of the path: three questions from memory, what was seen, and the whole transformer."""

from pages.memory.now import asks, ending
from pages.memory.qkv import QUESTIONS

STEP = ending("You can now compute attention by hand")
draw = asks(QUESTIONS, whole=True)
