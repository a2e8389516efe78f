"""The reader of stories finds every kind of contradiction, and where it stands."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from attention_core.text.stories import plots, stories
from attention_core.text.story_reader import read
from tests.tiers import first

HEAD = "This is the story of Tom, a little boy. He had a drum and a kite. The drum was red, and the kite was blue. "
LOST = (
    f"{HEAD}One sunny day he took the drum and the kite to the park. But there he lost the kite. Then Mia came by. "
    '"I lost my kite," said Tom. "My kite is blue." "Where were you?" asked Mia. "I was at the park," said Tom. '
    '"Look!" cried Mia. "There is a kite behind the wall! Is your kite blue?" "Yes, it is mine," said Tom. '
    '"Where did you lose the kite?" asked Tom\'s mother. "At the park," said Tom. "And Mia found it behind the wall." '
    "That night Tom had a dream. In it the drum was red, and the kite was blue. They were friends from that day on."
)
SAVED = (
    "Once there was a kind girl named Ida. She had a box and a coat. The coat was blue, and the box was red. "
    "One fine day she took both things to the zoo. There she found a lost puppy. It was very cold. Ida gently put it "
    'next to the box. The box was red. Then Max came by. "What is next to the box?" asked Max. "A puppy," said Ida. '
    'So they gave it some soup. It ate the soup. "What did it eat?" asked Ida\'s sister at home. "Some soup," said '
    'Ida. "We were at the zoo." Soon the puppy was strong again.'
)
PLANTED = {  # what is replaced, by what, and the fault: its kind, and the words there
    "a colour changes": (LOST, "My kite is blue", "My kite is green", "colour", "green"),
    "the colour of the other thing": (LOST, "My kite is blue", "My kite is red", "colour", "red"),
    "the second thing changes its colour": (LOST, "the drum was red", "the drum was blue", "colour", "blue"),
    "two things of one colour": (LOST, "and the kite was blue. One", "and the kite was red. One", "colour", "red"),
    "a pronoun of the wrong sex": (LOST, "day he took", "day she took", "pronoun", "she"),
    "a pronoun of the wrong sex for the other": (LOST, "there he lost", "there she lost", "pronoun", "she"),
    "a boy named as a girl": (LOST, "of Tom", "of Lily", "pronoun", "boy"),
    "an animal is a person": (SAVED, "put it next to", "put her next to", "sentence", "Ida gently"),
    "an animal is she": (SAVED, "lost puppy. It was", "lost puppy. She was", "pronoun", "She"),
    "another person speaks": (LOST, 'kite," said Tom', 'kite," said Mia', "speaker", "Mia"),
    "one who is not there speaks": (LOST, 'kite," said Tom', 'kite," said Leo', "speaker", "Leo"),
    "one who is not there finds it": (LOST, "And Mia found", "And Zoe found", "name", "Zoe"),
    "two persons of one name": (LOST, "Then Mia", "Then Tom", "name", "Tom"),
    "another place is recalled": (LOST, '"At the park', '"At the zoo', "place", "zoo"),
    "another place where one was": (LOST, "was at the park", "was at the barn", "place", "barn"),
    "a wrong preposition": (LOST, '"At the park', '"In the park', "sentence", '"Where did'),
    "another thing": (LOST, "lose the kite", "lose the drum", "thing", "drum"),
    "another animal": (SAVED, '"A puppy', '"A lamb', "thing", "lamb"),
    "found before it is lost": (LOST, "But there he lost the kite. ", "", "order", "Then Mia"),
    "no sentence": (LOST, "But there he", "Banana there he", "sentence", "Banana"),
    "a sentence breaks off": (LOST, "Then Mia came by", "Then Mia", "sentence", "Then"),
    "no end": (LOST, LOST[LOST.index("That night") :], "", "end", ""),
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


def test_a_sentence_that_is_never_told_but_contradicts_nothing_is_accepted():
    """In the plot the friend finds the kite; that its owner finds it is no contradiction, but a third person is one."""
    found = "looked behind the wall and saw a kite. The kite was blue."
    start, stop = LOST.index('"Look!"'), LOST.index('"Where did')
    seen = {who: read(f"{LOST[:start]}{who} {found} {LOST[stop:]}") for who in ("Mia", "Tom", "Zoe")}
    assert seen["Mia"] is seen["Tom"] is None
    assert seen["Zoe"].kind == "name"


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


def test_all_plots_are_read():
    told = {}
    for one in islice(stories(np.random.default_rng(2)), 60):
        told.setdefault(one.plot, one.text)
    assert set(told) == set(plots())
    assert [text for text in told.values() if read(text)] == []
