"""Each sentence of a step at random settings is true of the numbers in view, by rules that know nothing of the page."""

import os
import re
from collections import Counter
from importlib import import_module

import pytest

from tests.answers.settings import settings
from tests.answers.view import Picture, plain
from tests.app.steps import step
from tests.app.test_every_step import STEPS
from tests.sentences.rules import RULES, not_as_drawn, not_chosen, not_in_view, wrong_in

TIERS = (  # settings of a step, and their seed: one that nobody has seen
    pytest.param(2, 0, id="of everybody"),
    pytest.param(12, 1, id="of the night", marks=pytest.mark.nightly),
    pytest.param(12, None, id="exhaustive", marks=pytest.mark.exhaustive),
)
ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z“])|\n|\t")
BAD = ("nothing_of_the_program_is_read", "nouns_agree_with_their_numbers")  # match what is wrong


def said_in(seen):
    """Yield each sentence of a step, its pictures’ and its questions’, with what is said of right and wrong answers."""
    texts = [*(block for block in seen.html if "<pre" not in block), *(chart.alt for chart in seen.charts)]
    for question in seen.page.asked:
        mistakes = [getattr(mistake, "text", mistake) for mistake in getattr(question, "mistakes", ())]
        texts += [question.text, question.why, *getattr(question, "options", ()), *mistakes]
    for text in map(plain, texts):
        yield from filter(None, {text, *ENDS.split(text)} if "\t" in text else ENDS.split(text))


def false_in(lesson, name, count, seed):
    """Return what is false in a step at so many settings, and how often each rule was asked."""
    wrong, asked, said = [], Counter(), import_module(f"pages.{lesson}.{name}").STEP
    for link, variants in settings(lesson, name, count, seed):
        seen = step(lesson, name, variants=variants, **link)
        pictures = [Picture(chart) for chart in seen.charts]
        problems = *not_chosen(seen, pictures), *not_in_view(seen, said), *not_as_drawn(seen, pictures)
        wrong += [f"{lesson}/{name} {link} {dict(variants)}\n  {problem}" for problem in problems]
        for sentence in dict.fromkeys(said_in(seen)):
            for rule, problem in wrong_in(sentence, pictures):
                asked[rule] += 1
                wrong += [f"{lesson}/{name} {link} {dict(variants)}\n  {sentence}\n  {rule}: {problem}"] * bool(problem)
    return wrong, asked


@pytest.mark.parametrize(("lesson", "name"), STEPS)
@pytest.mark.parametrize(("count", "seed"), TIERS)
def test_what_a_step_says_is_true(lesson, name, count, seed):
    seed = int(os.environ.get("SEED") or int.from_bytes(os.urandom(4))) if seed is None else seed
    assert not (found := false_in(lesson, name, count, seed)[0]), f"SEED={seed}\n" + "\n".join(found)


SELDOM = {"rows_without_a_key_are_counted", "each_weight_of_a_map_is_the_same"}  # said of few settings


@pytest.mark.nightly
def test_no_rule_is_without_a_sentence():
    """A sentence in other words takes its rule with it, unless it is missed here."""
    asked = sum((false_in(*one, 7, 5)[1] for one in STEPS), Counter())
    silent = {name for name, *_ in RULES if not asked[name]}
    assert silent <= {*BAD, *SELDOM}


def test_each_rule_finds_a_sentence_that_is_false():
    false = {
        "nothing_of_the_program_is_read": "Divided by 10<sup>3</sup>.",
        "what_moves_has_moved": "It falls from 1.51 to 1.51.",
        "what_is_between_is_between": "The number, 0.73, is between 0.73 and 0.87.",
        "no_part_is_larger_than_the_whole": "That is 7 of 6 words.",
        "sums_add_up": "So 1 ÷ 3 = 0.34, it is said.",
        "powers_are_powers": "1.50 − 0.50 = 1.00, and e^1.00 is about 3.9.",
        "powers_of_a_chain_are_powers": "scaled score −9.75e^−9.7498 0.00÷ row sum 1.00",
        "nearest_words_stand_in_order": "before cat 0.80, mat 0.90, warm 0.10",
        "both_bars_are_the_numbers_that_are_said": "The weight falls from 0.51 to 0.26.before0.51after0.26",
        "nouns_agree_with_their_numbers": "It reads 1 new tokens.",
    }
    for rule, sentence in false.items():
        assert dict(wrong_in(sentence, []))[rule], sentence
