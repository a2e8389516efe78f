"""What a sentence says, found a second time from the numbers in view: rules that know nothing of the page.

A rule has a pattern and a function of its match, of the sentence and of the pictures beside it, which returns what is
wrong, or None.
"""

import re

import numpy as np

from tests.answers.view import numbers, rounded

RULES = []
NUMBER = r"[−-]?\d[\d,]*(?:\.\d+)?"
NOUNS = "rows|words|weights|cells|keys|queries|tokens|layers|heads|steps|numbers|characters|vectors|trials|positions"
NOUNS += "|columns|entries|pairs|models|texts|examples|predictions|others|letters|features|pieces|bytes|runs|scores"


def rule(pattern):
    def register(check):
        RULES.append((check.__name__, re.compile(pattern), check))
        return check

    return register


def value(text):
    return numbers(text)[0]


def digits(text):
    return len(text.partition(".")[2])


def wrong_in(sentence, pictures):
    """Yield each rule that applies to a sentence, with what is wrong by it, or None."""
    for name, pattern, check in RULES:
        for found in pattern.finditer(sentence):
            yield name, check(found, sentence, pictures)


# what needs no picture


@rule(
    rf"(?<![\d.,])1 (?:{NOUNS})\b(?! of)|\bother 1 \w+|(?<![\d.,])[01] of [01]\b(?![.,]\d)"
    rf"|\b[Oo]nly 0 |\bof 0 (?:{NOUNS})\b"
)
def counts_are_read_aloud(found, sentence, pictures):
    return f"bad English: {found[0]}"


@rule(r"</?[a-z]+[ >]|&(?:lt|gt|amp|nbsp);|(?<![\w␣])nan(?![\w␣])|\bNone\b(?=[,.)]|$)|−0\.0*(?![\d])|\{\w*\}|\binf\b")
def nothing_of_the_program_is_read(found, sentence, pictures):
    return f"markup, or a number that is none: {found[0]}"


@rule(rf"\b(falls|rises|goes|grows|shrinks) from ({NUMBER}) (?:at [^,;]*? )?to ({NUMBER})(?!\w|\.\d)")
def what_moves_has_moved(found, sentence, pictures):
    before, after = value(found[2]), value(found[3])
    way = {"falls": after < before, "shrinks": after < before, "goes": after != before}.get(found[1], after > before)
    return None if way else f"it {found[1]} from {before} to {after}"


@rule(rf"({NUMBER}), is between ({NUMBER}) and ({NUMBER})")
def what_is_between_is_between(found, sentence, pictures):
    own, low, high = map(value, found.groups())
    return None if low < own < high else f"{own} is not between {low} and {high}"


@rule(rf"\b({NUMBER}) of (?:all |the )?({NUMBER})\b(?! \w+ of)")
def no_part_is_larger_than_the_whole(found, sentence, pictures):
    part, whole = map(value, found.groups())
    counted = part == int(part) and whole == int(whole)
    return f"{part} of {whole}" if counted and part > whole else None


@rule(rf"(?<![\d.·×÷+√^(−-] )(?<![\d.√^(−-])({NUMBER}) ([−+·×÷]) \(?({NUMBER})\)? = ({NUMBER})(?![\w%^])(?! [·×÷+−] )")
def sums_add_up(found, sentence, pictures):
    left, right, result = value(found[1]), value(found[3]), value(found[4])
    sign = {"−": left - right, "+": left + right, "·": left * right, "×": left * right, "÷": left / (right or np.nan)}[
        found[2]
    ]
    units = [0.5 * 10.0 ** -digits(found[i]) * (digits(found[i]) > 0) for i in (1, 3, 4)]
    reach = {"−": (1, 1), "+": (1, 1), "·": (abs(right), abs(left)), "×": (abs(right), abs(left))}
    a, b = reach.get(found[2], (abs(1 / (right or 1)), abs(left / (right or 1) ** 2)))
    allowed = units[0] * a + units[1] * b + max(units[2], 0.5 * 10.0 ** -digits(found[4])) + 1e-9
    return None if abs(sign - result) <= allowed else f"{found[0]}: {sign:g}"


# what a map shows


def maps(pictures):
    numbered = [picture for picture in pictures if {"i", "j"} <= {*picture.data.columns}]
    return [picture for picture in numbered if picture.data.iloc[:, 2].dtype.kind == "f"]


def rows_of(word, pictures):
    """Return the rows of all maps whose name is a word, as names and numbers."""
    tables = [one.table for one in maps(pictures)]
    return [
        (list(table.columns), table.iloc[i].to_numpy())
        for table in tables
        for i, name in enumerate(table.index)
        if name == word
    ]


def bars_of(pictures):
    """Return the names and numbers of pictures that have one number for each name."""
    rows = []
    for picture in pictures:
        names = [column for column in picture.data.columns if column in ("label", "word", "key", "token", "name")]
        sizes = [column for column in picture.data.columns if column in ("weight", "value", "probability", "size")]
        if names and sizes and not {"i", "j"} <= {*picture.data.columns}:
            rows.append((picture.data[names[0]].tolist(), picture.data[sizes[0]].to_numpy()))
    return rows


def is_largest(row, names, shown, more=0):
    """Return whether exactly these names have the largest number of a row, and it is the one that is said."""
    keys, own = row
    seen = rounded(np.nan_to_num(own.astype(float), nan=-np.inf), digits(shown))
    best = {key for key, size in zip(keys, seen, strict=True) if size == seen.max()}
    return abs(seen.max() - value(shown)) < 1e-9 and {*names} <= best and len(names) + more == len(best)


@rule(rf"“([^”]*)” attends (most|only) to (“[^:]*): ({NUMBER})")
def attends_most_to_what_has_the_largest_weight(found, sentence, pictures):
    more = re.search(r"and (\d+) more", found[3])
    names = re.findall("“([^”]*)”", found[3])
    rows = rows_of(found[1], pictures) or bars_of(pictures)
    if not rows or any(is_largest(row, names, found[4], int(more[1]) if more else 0) for row in rows):
        return None
    return f"no row of “{found[1]}” has its largest weight on {names} alone"


@rule(rf"“([^”]*)” gives each key the weight ({NUMBER})")
def each_weight_is_the_same(found, sentence, pictures):
    rows = rows_of(found[1], pictures)
    same = [(rounded(np.nan_to_num(own), 2) == value(found[2])).all() for _, own in rows]
    return None if any(same) or not rows else "the weights differ"


@rule(rf"\b(The|the|One of the|one of the) largest weights? is ({NUMBER}), from “([^”]*)” to “([^”]*)”")
def the_largest_weight_of_a_map_is_the_largest(found, sentence, pictures):
    told = [picture for picture in maps(pictures) if found[0] in picture.alt]
    for table in [picture.table for picture in told]:
        seen = rounded(np.nan_to_num(table.to_numpy(float)), 2)
        weighs = (seen > 0).sum(axis=1) > 1 if "Apart from rows" in sentence else np.ones(len(seen), bool)
        best = seen[weighs].max()
        several = (seen[weighs] == best).sum() > 1
        if value(found[2]) == best == table.round(2).loc[[found[3]], [found[4]]].to_numpy().max() and several == (
            "ne of" in found[1]
        ):
            return None
    return "it is not" if told else None


@rule(rf"furthest from zero: ({NUMBER}), in row “([^”]*)”, column “([^”]*)”(, among others)?")
def furthest_from_zero_is_furthest(found, sentence, pictures):
    told = [picture for picture in maps(pictures) if found[0] in picture.alt and found[2] in picture.table.index]
    for table in [picture.table for picture in told]:
        sizes = rounded(np.abs(np.nan_to_num(table.to_numpy(float))), 2)
        several = (sizes == sizes.max()).sum() > 1
        if abs(value(found[1])) == sizes.max() and several == bool(found[4]):
            return None
    return "it is not" if told else None


@rule(rf"Each weight is ({NUMBER})\.")
def each_weight_of_a_map_is_the_same(found, sentence, pictures):
    told = [picture.table.to_numpy(float) for picture in maps(pictures) if found[0] in picture.alt]
    return None if not told or any((rounded(one, 2) == value(found[1])).all() for one in told) else "they differ"


@rule(rf"Removing (“[^,]*) changes it most(?:, by |, each by )({NUMBER})")
def what_is_removed_changes_it_most(found, sentence, pictures):
    rows = rows_of("effect", pictures)
    return None if any(is_largest(row, re.findall("“([^”]*)”", found[1]), found[2]) for row in rows) else "it does not"


@rule(rf"(?:largest weight is|largest probability is) ({NUMBER}): (“.*?)\.(?: |$)")
def the_largest_bar_is_the_largest(found, sentence, pictures):
    rows = bars_of(pictures)
    more = re.search(r"and (\d+) more", found[2])
    names = re.findall("“([^”]*)”", found[2])
    if not rows or any(is_largest(row, names, found[1], int(more[1]) if more else 0) for row in rows):
        return None
    return "it is not"
