"""A class: its words can be read aloud and not be found by trying, its key opens it alone, a tab has one vote."""

from types import SimpleNamespace

import pytest

from pages.class_room import room
from pages.class_room.record import Record
from pages.class_room.room import Poll, Tries
from pages.class_room.seats import done_in, written
from pages.class_room.store import IDLE, Unavailable
from pages.class_room.walls import Item, item_of
from pages.class_room.walls import written as item_text


def free():
    return Tries(1000)


def test_a_word_has_four_signs_that_look_like_no_others_and_is_no_word_of_a_language():
    found = {room.new_word() for _ in range(500)}
    assert len(found) > 490
    assert not set("".join(found)) & set("01OI")
    assert all(room.word_in(word) == word and not word.isalpha() for word in found)


@pytest.mark.parametrize("typed", ["", "K7Q", "K7Q22", "K0Q2", "KIQ2", "K7Q2\x00", "Ｋ7Q2", "x" * 10**6, "é7Q2", "<b>"])
def test_what_is_no_word_is_none(typed):
    assert room.word_in(typed) == ""
    assert room.word_in(" k7-q 2\n") == "K7Q2"


def test_a_key_is_its_classes_own_and_is_kept_as_a_hash_alone(store):
    (word, key), (other, second) = (room.open_class(store, free()) for _ in range(2))
    assert room.find_class(store, word, free())
    assert room.find_class(store, word, free(), key)
    for wrong in (second, key[:-1], key + "x", word, "é", "\ud800"):
        assert not room.find_class(store, word, free(), wrong)
    assert key not in str(store.read(word, room.SECRET))
    assert len(key) >= 22
    store.close(word)
    assert not room.find_class(store, word, free(), key)
    assert room.find_class(store, other, free(), second)


def test_words_that_are_none_may_be_tried_a_few_times_by_a_session_and_by_all(store):
    word, _ = room.open_class(store, free())
    own = Tries(5)
    for wrong in ("2222", "2223", "2224", "2225", "2225", "2225", "2226"):  # a word that was tried counts once
        assert not room.find_class(store, wrong, own)
    with pytest.raises(Unavailable, match="Too many"):
        room.find_class(store, word, own)
    assert room.find_class(store, word, free())
    for i in range(20 - 5):
        assert not room.find_class(store, f"22{i}", Tries(5))
    late = Tries(5)  # whoever is right at once comes in, or a few who guess would keep all others out
    assert room.find_class(store, word, late)
    assert not room.find_class(store, "2229", late)
    with pytest.raises(Unavailable, match="Too many"):
        room.find_class(store, word, late)


def test_an_address_has_a_share_of_the_places_for_classes_which_grows_with_the_tabs_in_them(store, monkeypatch):
    monkeypatch.setattr(room, "HELD", 3)
    words = [room.open_class(store, free(), "one")[0] for _ in range(3)]
    with pytest.raises(Unavailable, match="network"):
        room.open_class(store, free(), "one")
    assert room.open_class(store, free(), "another")
    for i in range(room.JOINED):
        room.say_here(store, words[0], f"{i}")
    words.append(room.open_class(store, free(), "one")[0])
    with pytest.raises(Unavailable, match="network"):
        room.open_class(store, free(), "one")
    store.close(words[1])
    words.append(room.open_class(store, free(), "one")[0])
    monkeypatch.setattr(room, "HALF", 4)
    [room.say_here(store, words[0], f"{i}") for i in range(9 * room.JOINED)]
    now = room.time.monotonic()
    monkeypatch.setattr(room.time, "monotonic", lambda: now + IDLE + 1)
    words.append(room.open_class(store, free(), "one")[0])  # in place of the oldest in which nobody is
    assert [room.find_class(store, word, free()) for word in words] == [True, False, False, True, True, True]


def test_a_session_opens_so_many_classes_and_what_one_address_tries_is_not_counted_for_another(store, monkeypatch):
    with pytest.raises(Unavailable, match="Too many"):
        [room.open_class(store, own) for own in [Tries(3, 3600)] * 4]
    monkeypatch.setitem(room.MAY, "opened", 2)
    words = [room.open_class(store, free(), address)[0] for address in ("one", "one", "another")]
    with pytest.raises(Unavailable, match="Wait"):
        room.open_class(store, free(), "one")
    for i in range(20):
        room.find_class(store, f"22{i}", free(), address="one")
    tries = free()
    tries.note("a word that was none")
    assert room.find_class(store, words[0], tries, address="another")
    with pytest.raises(Unavailable, match="Too many"):
        room.find_class(store, words[0], tries, address="one")


def test_ten_thousand_votes_of_a_tab_count_once_and_what_is_no_answer_never(store):
    word, _ = room.open_class(store, free())
    shelf = room.shelf_of("qkv_ratio", 1)
    for i in range(10_000 if type(store).__name__ == "SqliteStore" else 500):
        store.put(word, shelf, "tab", room.vote_of("mark", i % 3))
    store.put(word, shelf, "other", room.vote_of("mark", 2))
    store.put(word, shelf, "elsewhere", room.vote_of("other numbers", 2))
    for name, text in (("a", "no vote"), ("b", "[]"), ("c", '["mark", 9]'), ("d", "[" * 900), ("e", '{"a": 1}')):
        store.put(word, shelf, name, text)
    found = room.counted(store.read(word, shelf).values(), "mark", lambda given: given if given in (0, 1, 2) else None)
    assert sorted(found.given) == [9999 % 3 if type(store).__name__ == "SqliteStore" else 499 % 3, 2]
    assert found.elsewhere == 6
    assert store.read(word, room.shelf_of("qkv_ratio", 2)) == {}


NOTHING = [None, "", "5", "[]", '["a"]', "[1, 2]", "[[], []]", "[" * 9999]
NOTHING += ['["a", 1, 3, "open"]', '["a", 1, 1, "x"]', '["a", "b", "c", false]', '["a", "b", 1, 2]', '["q", {}, 1, 0]']
NOTHING += ['["q", [], 1e99, 0]', '["q", [["a", "1", null, true, ""]], 1, 0]', '[{"a": 7, "b": 1.0}, {"x": "1"}]']


@pytest.mark.parametrize("text", NOTHING)
def test_what_no_page_wrote_is_no_question_item_record_or_progress_of_a_seat(text):
    assert [kind.of(text) for kind in (Poll, Item, Record)] == [None] * 3
    assert done_in(text) == ({}, {})
    assert Poll.of(Poll("a", 1, 2, "shown").text) == Poll("a", 1, 2, "shown")
    assert Item.of(item_text(Item("a", "b", 0.5, True))) == Item("a", "b", 0.5, True)
    number = SimpleNamespace(value=0.5, what="a variance")
    page = SimpleNamespace(controls=SimpleNamespace(known={}, made={}), view=SimpleNamespace(number=number))
    assert item_of(page) == Item("", "a variance", 0.5)
    done = {"qkv_ratio": "told"}, {"attention_weights": 2}
    assert done_in(written(dict(zip(("answered", "solved"), done, strict=True)))) == done


def test_a_tab_is_here_while_it_gives_signs(store):
    word, _ = room.open_class(store, free())
    now = round(store.clock())
    store.clock = lambda: now
    for tab in ("a", "b", "c"):
        room.say_here(store, word, tab)
    room.say_here(store, word, "c", here=False)
    store.put(word, room.HERE, "d", "nonsense")
    for later, here in ((room.ABSENT - 1, 2), (room.ABSENT, 0)):
        store.clock = lambda later=later: now + later
        assert room.n_here(store, word) == here
