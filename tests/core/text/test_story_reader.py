"""The reader of stories finds every kind of contradiction, and where it stands."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from attention_core.text.stories import plots, stories
from attention_core.text.story_reader import Fault, read
from attention_core.text.story_words import NAMES
from tests.tiers import first

HEAD = "Tom was a little boy. He had a red drum and a blue kite. "
LOST = (
    f"{HEAD}One sunny day he took the drum and the kite to the park. Suddenly the kite was gone. Then Mia came by. "
    '"What is the matter?" asked Mia. "I lost my blue kite," said Tom. They ran back to the park. '
    'Soon Mia found the blue kite behind the wall. "Thank you, Mia," said Tom. To thank Mia, Tom gave her the red drum.'
    ' "Where did you lose the kite?" asked Tom\'s mother. "In the park," said Tom. They were friends from that day on.'
)
SAVED = (
    "Ida was a kind girl. She had a red box and a blue coat. One fine day she took both things to the zoo. There she "
    "found a lost puppy. It was very cold. Ida gently put it into the red box. Then Max came by. "
    '"What is in the box?" asked Max. "A puppy," said Ida. "I think it is hungry," said Max. So they gave it some milk.'
    ' It ate the milk. At home Ida asked, "May it stay?" "Yes, it may," said her aunt. Soon the puppy was strong again.'
)
PLANTED = {  # what is replaced, by what, and the fault: its kind, and the words there
    "a colour changes": (LOST, "my blue kite", "my green kite", "colour", "green"),
    "the colour of the other thing": (LOST, "my blue kite", "my red kite", "colour", "red"),
    "the second thing changes its colour": (LOST, "her the red drum", "her the blue drum", "colour", "blue"),
    "two things of one colour": (LOST, "a blue kite", "a red kite", "colour", "red"),
    "a pronoun of the wrong sex": (LOST, "day he took", "day she took", "pronoun", "she"),
    "a pronoun of the wrong sex for the other": (LOST, "gave her", "gave him", "pronoun", "him"),
    "a boy named as a girl": (LOST, "Tom was", "Lily was", "pronoun", "boy"),
    "an animal is a person": (SAVED, "put it into", "put her into", "sentence", "Ida gently"),
    "an animal is he": (SAVED, "think it is", "think he is", "pronoun", "he"),
    "another person speaks": (LOST, 'kite," said Tom', 'kite," said Mia', "speaker", "Mia"),
    "one who is not there speaks": (LOST, 'kite," said Tom', 'kite," said Leo', "speaker", "Leo"),
    "one who is not there is thanked": (LOST, "you, Mia", "you, Zoe", "name", "Zoe"),
    "two persons of one name": (LOST, "Then Mia", "Then Tom", "name", "Tom"),
    "another place is recalled": (LOST, '"In the park', '"At the zoo', "place", "At"),
    "another place to go back to": (LOST, "back to the park", "back to the farm", "place", "farm"),
    "a wrong preposition": (LOST, '"In the park', '"At the park', "place", "At"),
    "another thing": (LOST, "lose the kite", "lose the drum", "thing", "drum"),
    "another animal": (SAVED, '"A puppy', '"A lamb', "thing", "lamb"),
    "found before it is lost": (LOST, "Suddenly the kite was gone. ", "", "order", "Then Mia"),
    "no sentence": (LOST, "They ran back", "Banana back", "sentence", "Banana"),
    "a sentence breaks off": (LOST, "gave her the red drum", "gave her the", "sentence", "To thank"),
    "no end": (LOST, LOST[LOST.index("They ran") :], "", "end", ""),
}


@pytest.mark.parametrize("text", [LOST, SAVED], ids=["lost", "saved"])
def test_a_story_without_contradiction_has_no_fault(text):
    assert read(text) is None


@pytest.mark.parametrize(("text", "old", "new", "kind", "words"), PLANTED.values(), ids=PLANTED)
def test_a_planted_contradiction_is_found_where_it_stands(text, old, new, kind, words):
    assert text.count(old) == 1
    changed = text.replace(old, new)
    fault = read(changed)
    assert fault is not None
    assert (fault.kind, changed[fault.at : fault.at + len(words)]) == (kind, words)


@pytest.mark.parametrize("text", ["", "Once", "The cat sat on the mat.", "\n", LOST + " " + LOST])
def test_what_is_no_story_has_a_fault(text):
    assert read(text) is not None


def test_the_order_of_the_first_things_does_not_matter():
    assert read(LOST.replace("a red drum and a blue kite", "a blue kite and a red drum")) is None
    assert read(LOST.replace("the drum and the kite to", "the kite and the drum to")) is None


@pytest.mark.parametrize("seed", first(1, range(10)))
def test_every_word_that_is_known_is_missed_when_another_stands_there(seed):
    """So the facts of a story are those that its words determine, and the reader notices each of them."""
    rng, kinds = np.random.default_rng(seed), Counter()
    for told in islice(stories(rng), 40):
        for fact in told.facts:
            word = told.text[fact.start : fact.stop]
            wrong = [option for option in fact.options if option != word]
            other = wrong[rng.integers(len(wrong))]
            changed = told.text[: fact.start] + other + told.text[fact.stop :]
            assert read(changed) is not None, (changed, other)
            kinds[fact.kind] += 1
    assert min(kinds.values()) > 30


def test_a_name_that_was_never_introduced_is_a_fault():
    for told in islice(stories(np.random.default_rng(9)), 30):
        used = [name for name in NAMES if name in told.text]
        strange = next(name for name in NAMES if name not in used)
        last = max(fact.start for fact in told.facts if fact.kind in ("name", "speaker"))
        stop = last + next(len(name) for name in used if told.text.startswith(name, last))
        fault = read(told.text[:last] + strange + told.text[stop:])
        assert fault is not None
        assert fault.kind in ("name", "speaker")


def test_all_plots_are_read():
    told = {}
    for one in islice(stories(np.random.default_rng(2)), 60):
        told.setdefault(one.plot, one.text)
    assert set(told) == set(plots())
    assert [text for text in told.values() if read(text)] == []


def test_a_fault_has_a_kind_and_a_place():
    assert Fault._fields == ("kind", "at")
