"""Mutants that were killed and must stay so, which is no score: path, what stands there once, what is put there."""

SAMPLE = (
    ("attention_core/equations/softmax.py", "np.abs(highest) > HIGH", "np.abs(highest) < HIGH"),
    ("attention_core/equations/masks.py", ">= each[..., None, None]", "> each[..., None, None]"),
    ("attention_core/equations/positions.py", "-2.0 * pairs", "2.0 * pairs"),
    ("attention_core/equations/loss.py", "+ shift[:, 0] - chosen", "- shift[:, 0] - chosen"),
    ("attention_core/model/optimizer.py", "change += epsilon", "change -= epsilon"),
    ("attention_core/text/characters.py", "if visible in SPACES", "if visible not in SPACES"),
    ("attention_core/rows.py", "np.abs(chosen - before)", "np.abs(chosen + before)"),
    ("attention_core/experiments/qkv/wrong_on_purpose.py", "left == 0, 1, left", "left != 0, 1, left"),
    ("attention_core/experiments/scaling/random_scores.py", "mean[-1] - mean[0]", "mean[-1] + mean[0]"),
    ("pages/look/facts.py", "if other < one", "if other > one"),
    ("pages/practice/rate_limit.py", "loops == LOOPS", "loops != LOOPS"),
    ("pages/exercises/lessons/qkv.py", "HALVED, 1 / np.sqrt(2)", "HALVED, 3 / np.sqrt(2)"),
)
