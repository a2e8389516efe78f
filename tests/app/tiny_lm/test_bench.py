"""bench: heads switched off or patched, and what changes after them."""

import re
from functools import partial

import numpy as np
import pytest

from attention_core.experiments.inside.patching import head_outputs, looks_without_heads, run_with_heads
from attention_core.model.activations import insides
from pages.tiny_lm.bench.changes import WAYS, link_in_view, usual_other
from pages.tiny_lm.bench.two_runs import LAST
from tests.app.steps import step
from tests.app.tiny_lm.models import close, named
from tests.app.visits import heatmap, said

show = partial(step, "tiny_lm", "bench", model="Small Stories")
PATCH, MEAN, OFF = WAYS


def opened(seen):
    """Return the model in view, the other prompt, the outputs there, and the link on which the step opens."""
    subject = seen.scene
    inside, other = insides(subject.model, subject.tokens), usual_other(subject)
    outputs = head_outputs(subject.model, other)
    without = looks_without_heads(subject.model, subject.tokens, outputs)
    return subject, inside, other, outputs, link_in_view(inside, without)


def head_of(place, n_heads):
    return place[0] * n_heads + place[1]


def test_it_opens_with_the_head_patched_on_which_a_later_head_depends_most():
    seen = show()
    subject, inside, other, outputs, link = opened(seen)
    assert [subject.words[place].strip() for place in (subject.tokens != other).nonzero()[0]] == ["kite"]
    after = run_with_heads(
        subject.model, subject.tokens, [head_of(link.earlier, subject.model.config.n_heads)], outputs
    )
    shown = heatmap(named(seen, f"Head {link.later[0] + 1}.{link.later[1] + 1} from the last token"))
    assert shown.values.shape == (3, LAST)  # so that each label has its room on a phone
    runs = [inside.weights, after.weights, insides(subject.model, other).weights]
    close(shown.values, [weights[link.later][-1, -LAST:] for weights in runs], 1e-4)
    text = said(seen)
    assert "loses to “\u2068␣blue\u2069”" in text  # this one head decides which of the two is asked for
    assert link.without < link.weight / 2
    assert subject.words[link.key].strip() == "red"


def test_it_says_before_which_token_a_patch_changes_nothing():
    seen = show(model="Copy task")
    subject, inside, _, outputs, _ = opened(seen)
    after = run_with_heads(subject.model, subject.tokens, [0], outputs)  # which writes into the key of the answer
    np.testing.assert_array_equal(after.weights[..., :-1, :], inside.weights[..., :-1, :])
    told = "for “\u2068a₉\u2069”. Before it, both are equal: there"
    assert told in said(seen)
    assert told not in said(show(model="Copy task", bench_way="mean"))
    assert named(show(model="Copy task", spot="a₉"), "Head 2.4 from").alt.endswith("Changed at “\u2068a₉\u2069” alone.")


def test_another_prompt_of_the_same_length_is_the_other_run():
    typed = show(model="Copy task", other="a9c7b1e4a", bench_way=PATCH, cut="8")
    assert "loses to “\u20689\u2069”" in said(typed)
    shorter = show(model="Copy task", other="a9c7", bench_way=PATCH)
    assert re.search(r"other prompt has 4 \w+, this one 9\..* reads the usual other prompt\.", said(shorter))
    story = show(story="She had a red kite", other="She had a blue kite", bench_way=PATCH)  # after the start token
    assert "needs as many" not in said(story)
    assert show(story="She ran").scene.tokens[0] == usual_other(show(story="She ran").scene)[0]


@pytest.mark.parametrize(("name", "model"), [("bench", "Pronouns"), ("bench", "your own"), ("copy", "your own")])
def test_a_model_with_one_layer_gives_way_to_one_with_two(name, model):
    why = "has one layer. This step needs two." if model == "Pronouns" else "No model of your own is here."
    assert f"{why} Shown instead: Copy task." in said(seen := step("tiny_lm", name, model=model))
    assert seen.scene.name == "recall"
