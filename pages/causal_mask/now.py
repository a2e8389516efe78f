"""The end of the path: three questions from memory, and what was seen."""

from pages.memory.causal_mask import QUESTIONS
from pages.memory.now import asks, ending

STEP = ending("You can now say why models are masked, and where")
draw = asks(QUESTIONS)
