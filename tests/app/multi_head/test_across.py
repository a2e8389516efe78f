"""across: heads between two sentences."""

import attention_core as core
from attention_core.experiments.multi_head.several_heads import hand_set_heads
from attention_core.experiments.qkv.one_head import hand_set_embedding
from pages.multi_head.across import SECOND
from pages.multi_head.scene import SENTENCE as FIRST
from tests.app.multi_head.scene import close, step
from tests.app.visits import heatmap, main


def test_a_hand_made_head_finds_each_word_in_the_other_sentence():
    seen = step("across", text="the cat sat on the warm mat and it meowed", weights="trained")
    weights = heatmap(main(seen))
    x, context = (hand_set_embedding(text.split(), 32, 18) for text in (FIRST, SECOND))
    _, wanted = core.multi_head_attention(x, *hand_set_heads(), 4, context=context)
    close(weights.values, wanted[1])
    rows, columns = FIRST.split(), SECOND.split()
    for row, word in enumerate(rows):
        if word in columns:
            assert columns[weights.values[row].argmax()] == word
            assert weights.values[row, [other == word for other in columns]].sum() > 0.9
