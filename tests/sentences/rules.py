"""What a sentence says, found a second time from the numbers in view: rules that know nothing of the page.

A rule has a pattern and a function of its match, of the sentence and of the pictures beside it, which returns what is
wrong, or None.
"""

import re
from itertools import pairwise

import numpy as np

from tests.answers.view import numbers, plain, rounded
from tests.app.calculations import wrong_calculations
from tests.app.steps import TEXT_ENDS

RULES = []
NUMBER = r"[−-]?\d[\d,]*(?:\.\d+)?"


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
    """Yield each rule that applies to a sentence or to a table, with what is wrong by it, or None."""
    for name, pattern, check in RULES:
        for found in pattern.finditer(sentence) if "\t" not in sentence or r"\t" in pattern.pattern else ():
            yield name, check(found, sentence, pictures)


# what needs no picture


@rule(
    r"</?[a-z]+[ >]|&(?:lt|gt|amp|nbsp);|(?<![\w␣])nan(?![\w␣])|\bNone\b(?=[,.)]|$)|−0\.0*(?![\d])|\{\w*\}|\binf\b"
    r"|“below |“−?\d+\.\d+”|\bby (?:nothing\b|0\.0+(?!\d))"
)
def nothing_of_the_program_is_read(found, sentence, pictures):
    return f"markup, or a number that is none: {found[0]}"


MOVES = "falls|rises|goes|goes down|loss of this text|loss of the first half|grows|shrinks"


@rule(rf"({MOVES}) from ({NUMBER})[^,;]*? to ({NUMBER})(?!\w|\.\d)")
def what_moves_has_moved(found, sentence, pictures):
    before, after = value(found[2]), value(found[3])
    ways = {"falls": after < before, "shrinks": after < before, "rises": after > before, "grows": after > before}
    ways["loss of the first half"] = after < before  # on which a model is trained
    return None if ways.get(found[1], after != before) else f"it {found[1]} from {before} to {after}"


@rule(rf"({NUMBER}), is between ({NUMBER}) and ({NUMBER})")
def what_is_between_is_between(found, sentence, pictures):
    own, low, high = map(value, found.groups())
    return None if low < own < high else f"{own} is not between {low} and {high}"


@rule(rf"(?<!Entry )\b({NUMBER}) of (?:all |the )?({NUMBER})\b(?! \w+ of)")
def no_part_is_larger_than_the_whole(found, sentence, pictures):
    part, whole = map(value, found.groups())
    counted = part == int(part) and whole == int(whole)
    return f"{part} of {whole}" if counted and part > whole else None


@rule(r"^[^\t]*[=≈][^\t]*$")
def sums_add_up(found, sentence, pictures):
    return ", ".join(wrong_calculations(sentence)) or None


# what a map shows

ROLES = {"query": ("q", "a"), "key": ("k", "b")}  # with the controls that choose a word for each
ROLE_OF = r'\b(query|key) of “?<b class="(\w+)">'


def not_chosen(seen, pictures):
    """Yield each word in a role's colour or outlined in the first map with its axis, and seed, that is not chosen."""
    said, made = "".join(seen.html), seen.page.controls.known
    yield from (f"{one} of a {role}" for one, role in re.findall(ROLE_OF, said) if one != role)
    seeds = re.findall(r"[(,] ?seed (\d+)[).]", said)
    yield from (f"seed {one}" for one in seeds if "seed" in made and int(one) != made["seed"].value)
    for place, (role, controls) in enumerate(ROLES.items()):
        known = [str(made[name].value) for name in controls if name in made]
        told = map(plain, re.findall(rf'<b class="{role}">(.*?)</b>', said))
        words = [word for word in told if " " not in word]  # what has spaces explains the term
        for data in [one.data for one in pictures if "mark" in one.data and one.data.columns[place] == role][:1]:
            words += data.loc[(data["mark"].to_numpy() & (place + 1)) > 0, role].tolist()
        yield from (f"“{word}” as {role}, but chosen is {known}" for word in words if known and word not in known)


BLOCK = re.compile(r'<div class="(ledger|meters pair|meters|chain)">(.*?)</div>')
BAR = re.compile(r'width:([\d.]+)%"></i></span><span class="n">(?:<b>)?([^<]+)<')
LINE = re.compile(
    r'class="gloss">(.*?)</(?:span|b)> <span class="soft">(.*?)</span></span><span class="n[^>]*>(.*?)</span>'
)
PRODUCT = re.compile(
    rf'">({NUMBER})</span><span class="sign">×</span><span class="n [^>]*>({NUMBER})<.*?"n">({NUMBER})<'
)
PAIRS = re.compile(r"pair (\d+)</span>(?:(?!pair \d).)*?over all (\d+) pairs")


def not_as_drawn(seen, pictures):
    """Yield each bar that is not as long as its number, each line of a card that gives another one, and each shade."""
    told = [*seen.html, *(text for one in seen.page.asked for text in (one.why, *getattr(one, "mistakes", ())))]
    blocks = BLOCK.findall(html := " ".join(map(str, told)))
    yield from (f"pair {last} of {count}" for last, count in PAIRS.findall(html) if int(last) + 1 != int(count))
    for (kind, inside), (_, after) in pairwise([*blocks, ("", "")]):
        bars = [(float(wide), abs(value(size)), 0.51 * 10.0 ** -digits(size)) for wide, size in BAR.findall(inside)]
        wide, sizes, reach = np.array(bars or [(0, 0, 0)]).T
        unit = 100 if kind == "meters" else (100 if "pair" in kind else 50) / max(sizes.max(), 0.5)
        if (np.abs(wide - unit * sizes) > 0.06 + 2 * unit * reach).any() and (sizes.max() > 0.5 or kind == "meters"):
            yield f"bars of {wide} % for {sizes}"
        for a, b, c in [map(value, found) for found in PRODUCT.findall(inside)]:
            if abs(a * b - c) > 0.0051 * (abs(a) + abs(b) + 1):
                yield f"{a} × {b} = {c}"
        steps = [(plain(what), plain(how), value(size)) for what, how, size in LINE.findall(inside) if numbers(size)]
        for (_, _, before), (what, how, then) in pairwise(steps):
            by = re.fullmatch(rf"÷ √({NUMBER})|− ({NUMBER})", how if "√" in how else what)
            if by and abs((before / value(by[1]) ** 0.5 if by[1] else before - value(by[2])) - then) > 0.0102:
                yield f"{before} {by[0]} gives {then}"
        parts = [value(size) for _, size in BAR.findall(inside)] + numbers(plain(inside).partition("others")[2])
        for total in [value(size) for _, _, size in LINE.findall(after)[:1] if kind == "ledger"]:
            if abs(sum(parts) - total) > 0.0051 * (len(parts) + 2):
                yield f"{parts} add up to {total}"
    for _, row in [row for one in pictures if "shade" in one.data for row in one.data.groupby("i")]:
        part = row.iloc[:, 2].astype(float).fillna(0).clip(lower=0)
        most = part[np.isfinite(part)].max()
        if most > 1e-300 and np.abs(row["shade"] - (part / most).clip(upper=1)).max() > 0.0102 / most:
            yield "a shade is not the part of its number in the largest of its row"


def not_in_view(seen, said):
    """Yield each longer word of a usual text that a step says (its title, its text) though another text is in view."""
    words = set(re.findall(r"\w{4,}", " ".join((said.claim, said.text, said.asks, said.then))))
    for name, one in seen.page.controls.known.items():
        if seen.page.controls.ends.get(name) == TEXT_ENDS and one.value:
            yield from (f"“{word}”" for word in (words & {*one.default.split()}) - {*one.value.split(), "because"})


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


@rule(rf"“([^”]*)” attends (most|only|least) to (“[^:]*): ({NUMBER})")
def attends_most_to_what_has_the_largest_weight(found, sentence, pictures):
    more, names = re.search(r"and (\d+) more", found[3]), re.findall("“([^”]*)”", found[3])
    rows = rows_of(found[1], pictures) or bars_of(pictures)
    halves = [(keys, own + off) for keys, own in rows for off in (-1e-9, 1e-9)]
    if not rows or any(is_largest(row, names, found[4], int(more[1]) if more else 0) for row in halves):
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
    for table in [picture.table + off for picture in told for off in (-1e-9, 1e-9)]:  # 0.6950 is a bit less or more
        seen = rounded(np.nan_to_num(table.to_numpy(float)), 2)
        weighs = (seen > 0).sum(axis=1) > 1 if "Apart from rows" in sentence else np.ones(len(seen), bool)
        best = seen[weighs].max()
        several = (seen[weighs] == best).sum() > 1
        named = rounded(table.loc[[found[3]], [found[4]]].to_numpy(float), 2).max()
        if value(found[2]) == best == named and several == ("ne of" in found[1]):
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


@rule(rf"(?:largest weight is|largest probability is) ({NUMBER}): (“.*?)\.(?: |$)")
def the_largest_bar_is_the_largest(found, sentence, pictures):
    rows = bars_of(pictures)
    more = re.search(r"and (\d+) more", found[2])
    names = re.findall("“([^”]*)”", found[2])
    if not rows or any(is_largest(row, names, found[1], int(more[1]) if more else 0) for row in rows):
        return None
    return "it is not"


# what a picture counts, and which of its numbers are said


def compared(pattern, *columns, within=0.0051):
    """Register a function of the match and of the picture with this sentence: what is seen there, and what is said."""

    def register(numbers_of):
        def check(found, sentence, pictures):
            for one in pictures:
                if found[0] in one.alt and {*columns} <= {*one.data.columns}:
                    seen, said = map(np.ravel, numbers_of(found, one))
                    if seen.shape != said.shape or (seen.size and np.abs(seen - said).max() > within):
                        return f"seen are {seen}"
            return None

        RULES.append((numbers_of.__name__, re.compile(pattern), check))
        return numbers_of

    return register


def values(found, *groups):
    return [value(found[i]) for i in groups]


def count_of(words, seen):
    """Return how many of those seen are counted, and what is said: 2 of 5, none of 5, all 5, the only, no."""
    sizes = [int(value(one)) for one in re.findall(NUMBER, words)] or [len(seen) * words.startswith("the only")]
    return [sum(seen), len(seen)], [0 if words.startswith("no") else sizes[0], sizes[-1] if any(sizes) else len(seen)]


HOW_MANY = rf"((?:no|none of|all|the only|{NUMBER} of)(?: {NUMBER})?)"
CELLS = "(cells?|numbers?|weights?|attention weights?|rows? changed)"


@compared(rf"\b(?!more:)(\w+): {HOW_MANY} {CELLS}\b", "i", "j")
def counts_of_cells_are_counted(found, one):
    columns = {"NaN": "text", "True": "text", "Masked": "hidden", "Blocked": "hidden"}
    own = one.data[columns.get(found[1], "moved")]
    own = own == found[1] if own.dtype != bool else own
    return count_of(found[2], own.groupby(one.data["i"]).any() if found[3].startswith("row") else own)


@compared(rf"The other ({NUMBER}) sum to ({NUMBER})", "label", "value", within=0.07)
def the_rest_is_what_is_left(found, one):
    return 1 - one.data["value"].sum(), value(found[2])


@compared(r"The likeliest (?:next|after).*", "label", "value", "highlight")
def the_likeliest_stand_in_order(found, one):
    sizes = rounded(one.data["value"], 2)
    return sizes, sorted(sizes, reverse=True)


@compared("Outlined: no term is larger", "mark")
def no_term_is_larger_than_the_outlined_one(found, one):
    sizes = rounded(one.data.iloc[:, 2], 2)
    return sizes[one.data["mark"] > 0], [sizes.max()]


@rule("^The (?:likeliest|prediction) ")
def a_bar_in_bold_is_said_to_be_bold(found, sentence, pictures):
    unsaid = [one.data for one in pictures if sentence in one.alt and "highlight" in one.data and "old" not in one.alt]
    bold = [word for one in unsaid for word in one.loc[one["highlight"], "label"] if "target" not in word]
    return f"in bold, {bold}" if bold else None


@rule("[Aa] thin outline is a masked cell with weight")
def outlined_cells_have_weight(found, sentence, pictures):
    framed = [one.data[one.data["moved"]] for one in maps(pictures) if "moved" in one.data]
    seen = [rounded(one["weight"].mask(one["hidden"], 0.0), 2) for one in framed]
    return None if all((own > 0).all() for own in seen) else "one of them shows 0.00"


@compared(r"At (?:each|one) distance (?:the|all) numbers (differ by|are)(?: up to)?", "i", "j", within=0)
def numbers_of_one_distance_are_equal(found, one):
    seen, far = one.table.to_numpy(), range(1 - len(one.table), len(one.table))
    return max(np.ptp(np.diagonal(seen, of)) for of in far) > 1.1e-4, found[1] == "differ by"


@compared(rf"({NUMBER}) at the first checkpoint, ({NUMBER}) at the last", "series", "value")
def ends_are_those_of_the_line(found, one):
    return one.data.loc[one.data["kind"] == "line", "value"].iloc[[0, -1]], values(found, 1, 2)


@compared(
    rf"[Tt]he model reads ({NUMBER}) positions? for ({NUMBER}) new \w+: ({NUMBER}) .*? first, ({NUMBER}) for", "step"
)
def positions_are_counted(found, one):
    read = one.data[one.data["kind"] == "computed now"]
    own = (read["to"] - read["from"] + 1).groupby(read["step"]).sum()
    return [own.sum(), len(own), own.iloc[0], own.iloc[-1]], values(found, 1, 2, 3, 4)


@rule(rf"From new \w+ ({NUMBER}) on, the oldest token drops out")
def what_outgrows_the_cache_is_computed_again(found, sentence, pictures):
    first, (_, kept) = int(value(found[1])), [one.data for one in pictures if {"step", "from"} <= {*one.data.columns}]
    now = kept[kept["kind"] == "computed now"]
    own = (now["to"] - now["from"] + 1).groupby(now["step"]).sum().tolist()[1:]  # after the prompt
    return None if all((size > 1) == (place >= first) for place, size in enumerate(own, start=2)) else f"{own}"


@compared(rf"“([^”]*)” is picked: .*?, is between ({NUMBER}) and ({NUMBER})", "start", "end")
def what_is_picked_is_where_the_number_falls(found, one):
    own, said = one.data.loc[one.data["label"] == found[1], ["start", "end"]].to_numpy(), values(found, 2, 3)
    return min(own, key=lambda ends: np.abs(ends - said).max(), default=said), said


@compared(r"No key is left for (.*?): all attention weights are 0 there", "hidden")
def rows_without_a_key_are_counted(found, one):
    named, more = re.findall("“[^”]*”", found[1]), re.search(r"and (\d+) more", found[1])
    return one.data.groupby("i")["hidden"].all().sum(), len(named) + (int(more[1]) if more else 0)


PAIR = r"of ([^\t]*) → ([^\t]*)\t([^\t]*)\t([^\t\n]*)\t?"


@rule(rf"(?m)^(?:score {PAIR}\n)?score {PAIR}\nweight {PAIR}")
def both_maps_say_their_weights(found, sentence, pictures):
    there, back, (asks, key, *told) = (found.groups()[at : at + 4] for at in (0, 4, 8))
    own = [dict(zip(*row, strict=True))[key] for row in rows_of(asks, pictures)][:2]
    if there[0] and (there[:2] != (asks, key) or back[:2] != (key, asks) or there[3] != back[3]):  # of one matrix
        return "the scores are not there and back"
    return None if np.abs(np.subtract(own, [*map(value, told)])).max() < 0.0051 else f"seen are {own}"


@rule(rf"In a text of ({NUMBER}) words, this pattern has ({NUMBER}) .*, where a causal mask has ({NUMBER})")
def allowed_cells_of_a_long_text_are_counted(found, sentence, pictures):
    length, pattern, causal = values(found, 1, 2, 3)
    (shown,) = [one.data["hidden"] for one in pictures if one.alt.startswith("The additive mask")]
    few = pattern <= causal or shown.mean() < 0.5 or not pattern % length  # of padding, whole columns are hidden
    return None if causal == length * (length + 1) / 2 and few else f"{length * (length + 1) / 2}"


# what the sentence alone decides


@rule(r"^(?:(Outlined): (?:numbers|weights) that have changed|(No) number has changed|Empty: masked)")
def a_legend_names_what_is_there(found, sentence, pictures):
    column = "moved" if found[1] or found[2] else "hidden"
    own = [one.data[column].any() != bool(found[2]) for one in pictures if sentence in one.alt]
    return None if all(own) else "nothing is marked" if not found[2] else "something is marked"


@rule(rf"^The score is ({NUMBER}), a sum|^What .* wrote into the key adds ({NUMBER})")
def a_part_is_the_largest_bar_and_the_score_their_sum(found, sentence, pictures):
    (sizes,) = [dict(zip(*bars, strict=True)) for bars in bars_of(pictures) if "Σ = score" in bars[0]]
    total = sizes.pop("Σ = score")
    own = total if found[1] else max(size for name, size in sizes.items() if not name.startswith("distance"))
    return None if abs(own - value(found[1] or found[2])) < 0.0051 else f"seen is {own}"


# tables, a line for each row, with tabs between its cells


@rule(r"(?m)^(\d+)\t(\S+)\t([✓✕]) (\S+)\t([✓✕]) (\d+)$")
def a_mark_says_whether_two_cells_are_equal(found, sentence, pictures):
    right = found[4] == found[2].lower(), found[6] == found[1]
    return None if right == (found[3] == "✓", found[5] == "✓") else "it is the other mark"


@rule(r"(masked|allowed), in five ways\n(?:.*\n)+?softmax returns\t(.*)\nafterwards\t(.*)\nattention weight\t(.*)\n")
def a_weight_is_what_softmax_returns_and_what_is_done_afterwards(found, sentence, pictures):
    for before, done, after in zip(*(line.split("\t") for line in found.groups()[1:]), strict=True):
        by = value(done or "1")
        if done and by != (found[1] == "allowed"):
            return f"{done}, though it is {found[1]}"
        if before and value(before) * by != value(after) and not (by and "÷" in done):
            return f"{before} {done} gives {after}"
    return None


@rule(r"By itself, this trial (seems to prove|supports|speaks against|neither supports nor contradicts)")
def a_trial_says_what_its_dots_say(found, sentence, pictures):
    for own in [one.data for one in pictures if "series" in one.data and "eight in ten" in one.alt]:
        dots = own.loc[(own["kind"] == "line") & own["series"].str.startswith("trial "), "value"]
        steps = np.diff(dots)
        moved = (steps > 0).all() or (steps < 0).all() if "prove" in found[1] else abs(steps.sum()) > 1e-9
        return f"{steps}" if moved == ("neither" in found[1]) else None


@rule(rf"({NUMBER}) − \(?({NUMBER})\)? = ({NUMBER}), and e\^({NUMBER}) is (about|more than) ({NUMBER})")
def powers_are_powers(found, sentence, pictures):
    power, size = np.exp(value(found[4])), value(found[6])
    unit = 10.0 ** (-digits(found[6]) or max(0, np.floor(np.log10(size)) - 1))
    near = abs(power - size) < 0.016 * power + unit if found[5] == "about" else power > size
    return None if near and found[3] == found[4] else f"{power}"


@rule(rf"e\^({NUMBER}) ({NUMBER})(?: · 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?=\s*÷ ?row|row)")
def powers_of_a_chain_are_powers(found, sentence, pictures):
    unit = 10.0 ** int((found[3] or "0").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
    power, said = np.exp(value(found[1])), value(found[2]) * unit
    near = abs(power - said) <= 0.51 * 10.0 ** -digits(found[2]) * unit + 1e-4 * power
    return None if near and (said > 0 or found[1] == "−∞") else f"{power}"


@rule(
    rf"\bThe (?:weight of head [\d.]+ on|prediction) “([^”]*)” (?:goes from ({NUMBER}) to|stays at) ({NUMBER})(, .*)?"
)
def both_runs_say_their_numbers(found, sentence, pictures):
    """The first two rows of the map of runs, or both pictures of a prediction; and which is the likeliest then."""
    if "weight" in found[0]:
        (runs,) = [one.table for one in maps(pictures) if "as it is" in one.table.index]
        own = rounded(runs.iloc[:2, list(runs.columns).index(found[1])], 2)
    else:
        both = [dict(zip(*bars, strict=True)) for bars in bars_of(pictures)[:2]]
        own, (_, after) = rounded([one[found[1]] for one in both], 2), both
        best = [name for name, size in after.items() if rounded(size, 2) == rounded(max(after.values()), 2)]
        end = ", and loses to" if found[1] not in best else ", and is one" if len(best) > 1 else ", and is still"
        other = re.search("loses to “(.*?)”", found[4])
        if not found[4].startswith(end) or (other and other[1] not in best):
            return f"{after}"
    return None if [*own] == [value(found[2] or found[3]), value(found[3])] else f"seen are {own}"


@rule(rf"(?:from ({NUMBER}) to|stays) ((?>{NUMBER}))\.(\S.*)$")  # of its digits none is given back
def both_bars_are_the_numbers_that_are_said(found, sentence, pictures):
    """Not as before and after: they may be two readings of one run, between which nothing was done."""
    both = map(re.escape, (found[1] or found[2], found[2]))
    return None if re.fullmatch("(?!before).+{}.+{}".format(*both), found[3]) else "the bars say otherwise"


@rule(rf"(?:before|after)((?: [^ ]+ {NUMBER},){{1,2}} [^ ]+ {NUMBER})")
def nearest_words_stand_in_order(found, sentence, pictures):
    sizes = [value(one) for one in re.findall(rf" ({NUMBER})(?:,|$)", found[1])]
    return None if sizes == sorted(sizes, reverse=True) else "they do not"


SINGLE = "word|token|row|weight|cell|layer|head|trial|step|position|number|key|model|vector|merge|group|byte|pair|block"
SINGLE += "|column|entry|example|text|run|second|feature|character"
MANY = f"(?:{SINGLE})s|queries|entries|predictions|others|letters|pieces|scores"


@rule(
    rf"(?<!Layer )(?<![\d.,−∞·√^])(?!1 )\d(?:[\d,]*\d)?(?:\.\d+)? (?:{SINGLE})\b(?![-’:])"
    rf"|(?<![−∞·×÷+=(^√-] )(?<![\w.,−∞·×÷+=(^/√-])1 (?:new )?(?:{MANY})\b(?! of)"
    r"|\b[Hh]ead \d\.\d(?:, \d\.\d)* and \d\.\d\b"
    rf"|\bother 1 \w+|(?<![\d.,])[01] of [01]\b(?![.,]\d)|\b[Oo]nly 0 |(?<!score )\bof 0 (?:{MANY})\b"
)
def nouns_agree_with_their_numbers(found, sentence, pictures):
    return f"bad English: {found[0]}"
