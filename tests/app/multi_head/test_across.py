"""across: heads between two sentences."""

from pages.multi_head.across import SECOND
from pages.multi_head.scene import SENTENCE as FIRST
from tests.app.multi_head.scene import step
from tests.app.visits import heatmap, main


def test_a_hand_made_head_finds_each_word_in_the_other_sentence():
    seen = step("across", text="the cat sat on the warm mat and it meowed", weights="trained")
    weights = heatmap(main(seen))
    rows, columns = FIRST.split(), SECOND.split()
    for row, word in enumerate(rows):
        if word in columns:
            assert columns[weights.values[row].argmax()] == word
            assert weights.values[row, [other == word for other in columns]].sum() > 0.9
