"""The eight stages of the lesson on masks: what each computes, asks and shows; each tells whether all is shown."""

from collections.abc import Callable
from html import escape

import numpy as np
import streamlit as st

from attention_core.hand_set import attend
from attention_core.layers import moved_by_mask, moved_by_word, random_layers, through_layers
from attention_core.leaks import (
    back_in_place,
    distances,
    effects,
    in_order,
    largest_difference,
    rows_one_by_one,
    shuffled_order,
)
from attention_core.masks import additive_mask, flipped, layers_needed, reachable
from attention_core.mistakes import (
    softmax_of_sum,
    softmax_of_zeroed_scores,
    softmax_with_large_number,
    triangle_times_infinity,
    zeroed_after_softmax,
    zeroed_and_divided_again,
)
from attention_core.words import word_vectors
from pages.causal_mask.questions import (
    blocked_question,
    count_question,
    first_question,
    layers_question,
    leak_question,
    multiplied_question,
    reach_question,
    shuffle_question,
    sums_question,
)
from pages.causal_mask.scene import LETTERS, Masked, other_word, places_of, rows_of, turned_over
from pages.causal_mask.views import (
    D_HEAD,
    D_MODEL,
    FORMS,
    MASK_AXES,
    effect_map,
    form_map,
    layers_map,
    lights,
    mask_card,
    masked_map,
    output_map,
    paint_map,
    plain_map,
    reach_map,
    rows_map,
    shares_card,
    tiny,
    two_outputs_card,
    way_map,
    ways_table,
)
from pages.shared import cards
from pages.shared.charts.bars import share_bars, signed_bars
from pages.shared.charts.chart import rung
from pages.shared.charts.heatmap import heatmap
from pages.shared.frame import Page
from pages.shared.markup import number, quoted, typed

CLOSER = ("−10⁹ for −∞", "0 · −∞")
ROWS = ("nothing to look at", "its usual keys")


def chosen_cell(page: Page, scene: Masked, only_row: bool = False) -> tuple[int, int]:
    """Draw the fields for a query and a key, and return the chosen cell."""
    with st.container(horizontal=True):
        row = chosen_word(page, scene, "q", "Query · row", 2)
        column = 0 if only_row else chosen_word(page, scene, "k", "Key · column", 5)
    return row, column


def chosen_word(page: Page, scene: Masked, name: str, label: str, usual: int) -> int:
    """Draw a field for one of the words, and return its place."""
    labels = scene.labels
    return labels.index(page.controls.select(name, label, labels, labels[min(usual, len(labels) - 1)], width=150))


def see(page: Page, scene: Masked) -> bool:
    """Show the weights without the mask and with it, side by side."""
    ready = page.ask(count_question(scene, page.variant("count")))
    first, second = st.columns(2, gap="medium")
    left, right = st.columns([1.18, 1], gap="medium")
    with right if ready else second:
        sentence = st.container()
        row, column = chosen_cell(page, scene)
    with first:
        page.write("<b>Without a mask</b>", "shape")
        untrained = "It was never trained without one; this is what it does all the same."
        page.show(plain_map(scene, row), note=untrained if scene.weights == "trained" else "")
    with second:
        if ready:
            page.write(f"<b>With the mask:</b> {scene.kind}{', painted' if scene.painted else ''}", "shape")
            page.show(masked_map(scene, row, column), picker(page, scene), note=scene.origin)
    if ready:
        with left, st.container(border=True):
            page.write(shares_card(scene, row))
        with sentence:
            page.write(cards.chips(scene.labels, row))
    return ready


def picker(page: Page, scene: Masked) -> Callable[[int, int], None]:
    """Return what a click on a cell does: the fields take its row and its column."""
    return lambda i, j: page.controls.put(q=scene.labels[i], k=scene.labels[j])


def added(page: Page, scene: Masked) -> bool:
    """Show the mask in its forms, and how one score goes through it."""
    form = page.controls.choice("form", "Show", FORMS, FORMS[2])
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        sentence, card = st.container(), st.container(border=True)
        row, column = chosen_cell(page, scene)
    with sentence:
        page.write(cards.chips(scene.labels, row, column))
    with card:
        page.write(mask_card(scene, row, column))
    with left:
        note = "" if form in FORMS[:2] else scene.origin
        page.show(form_map(scene, form, row, column), picker(page, scene), note=note)
    st.header("Look closer", anchor=False)
    closer = page.controls.choice("closer", "Look closer", CLOSER, CLOSER[0], label_visibility="collapsed")
    if closer == CLOSER[0]:
        large_number(page, scene, row)
    else:
        zero_times_infinity(page, scene)
    return True


def large_number(page: Page, scene: Masked, row: int) -> None:
    """Compare −10⁹ with −∞ in a row that has keys left, and in one that has none."""
    page.say(
        "Much code writes −10⁹ where −∞ is meant. While a row has a key left the two agree: e to the −10⁹ is too small "
        "for any number of a computer, so it is 0. The difference shows in a row where everything is blocked.",
        "",
    )
    controls = page.controls
    with st.container(horizontal=True, vertical_alignment="bottom"):
        has = controls.choice("row_has", "The row has", ROWS, ROWS[0])
        bits = int(controls.choice("bits", "Bits of a number", ("64", "32"), "64"))
    if has == ROWS[0] and not page.ask(blocked_question(scene, row, bits)):
        return
    cells = [(row, j) for j in scene.place if not scene.blocked[row, j]] if has == ROWS[0] else []
    run = page.recipe.run
    blocked = run("row_blocked", flipped, scene.blocked, cells)
    infinite = run("with_infinity", attend, scene.x, scene.head, run("row_mask", additive_mask, blocked)).weights
    large = run("with_large_number", softmax_with_large_number, scene.plain.scores, blocked, bits).astype(float)
    gap = largest_difference(large[row : row + 1], infinite, [row])
    grid = st.grid(3, min_column_width=250, gap="medium")
    told = {
        "without a mask": (scene.plain.weights, "The row as it is when nothing is blocked."),
        "with −∞": (infinite, "All weights are 0." if blocked[row].all() else "The row with −∞ added."),
        "with −10⁹": (large, f"Largest difference to −∞: {number(gap)}."),
    }
    for title, (weights, sentence) in told.items():
        with grid.cell():
            page.show(share_bars(scene.labels, weights[row], name=title, sentence=sentence, title=title, of="key"))


def zero_times_infinity(page: Page, scene: Masked) -> None:
    """Show the mask that is made by multiplying a triangle of ones by −∞, and what it does."""
    page.say(
        "A tempting line makes the mask by multiplication: ones above the diagonal, zeros elsewhere, times −∞. The "
        "ones become −∞ as they should. But 0 · ∞ is no number, so the allowed cells become NaN, and a softmax that "
        "meets one NaN in a row gives NaN for the whole row. It happens to the best; choose between 0 and −∞ instead, "
        "as `np.where` does.",
        "",
    )
    run, labels = page.recipe.run, scene.labels
    times = run("times_infinity", triangle_times_infinity, len(labels))
    spoilt = run("spoilt", softmax_of_sum, scene.plain.scores, times)
    n_mask, n_weights = int(np.isnan(times).sum()), int(np.isnan(spoilt).sum())
    first, second = st.columns(2, gap="medium")
    for place, name, values, sentence in (
        (first, "triangle times −∞", times, f"{n_mask} of {times.size} cells of this mask are NaN."),
        (second, "weights after it", spoilt, f"{n_weights} of {spoilt.size} weights are NaN: the model says nothing."),
    ):
        texts = np.array([number(value, 0) for value in values.ravel()], dtype=object).reshape(values.shape)
        with place:
            page.write(f"<b>{name}</b>", "shape")
            page.show(
                heatmap(
                    np.isnan(values).astype(float),
                    labels,
                    labels,
                    MASK_AXES._replace(value="NaN"),
                    name=name,
                    sentence=sentence,
                    limit=4.0,
                    amounts=True,
                    hidden=~np.isnan(values),
                    texts=texts,
                    legend=False,
                    small=True,
                )
            )


def laboratory(page: Page, scene: Masked) -> bool:
    """Mask the same scores in four ways."""
    run, scores, blocked = page.recipe.run, scene.plain.scores, scene.blocked
    ways = {
        "−∞ before softmax": scene.masked.weights,
        "0 after softmax": run("zeroed", zeroed_after_softmax, scores, blocked),
        "0 after, divided again": run("divided", zeroed_and_divided_again, scores, blocked),
        "scores × 0 or 1": run("multiplied", softmax_of_zeroed_scores, scores, blocked),
    }
    names = list(ways)
    ready = page.ask(multiplied_question(scene, page.variant("multiplied")))
    pictures = [(names[0], names[3])] if ready else [(names[0],)]
    rows = [st.container()]
    more = ready and page.ask(sums_question(scene, page.variant("sums")))
    if more:
        pictures.append((names[1], names[2]))
        rows.append(st.container())
    below = st.container()
    row, column = chosen_cell(page, scene)
    for place, pair in zip(rows, pictures, strict=True):
        with place:
            for cell, name in zip(st.columns(2, gap="medium"), pair, strict=False):
                with cell:
                    page.write(f"<b>{name}</b>", "shape")
                    click = picker(page, scene) if name == names[0] else None
                    whose = scene.origin if name == names[0] else ""
                    page.show(way_map(scene, ways[name], name, row, column, click is not None), click, note=whose)
    if more:
        gap = largest_difference(ways[names[2]], ways[names[0]], list(scene.place))
        with below, st.container(border=True):
            page.write(ways_table(scene, ways, row, column))
        page.say(
            "Zeroing after softmax and dividing again is the mask before softmax by a longer way: the sum of all keys "
            "cancels. The other two are mistakes, and both run without complaint.",
            "",
        )
        page.write(f"Largest difference between −∞ before softmax and dividing again: {tiny(gap)}.", "note")
    return ready


def leak(page: Page, scene: Masked) -> bool:
    """Exchange a word and light every output that moves."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = chosen_word(page, scene, "changed", "Which word changes", len(scene.words) - 1)
        text = controls.text("new", "It becomes", "dog", width=200)
    new = (text.split() or ["dog"])[0][:40]
    other, note = other_word(page.recipe, scene, new)
    if other is None:
        page.write(escape(note or ""), "note")
        return False
    effect = run("effect", effects, scene.x, other, scene.head, scene.mask)
    plain = run("effect_without", effects, scene.x, other, scene.head)
    if not page.ask(leak_question(scene, effect, plain, column, new)):
        page.write(lights(scene.labels, plain[:, column] != 0, "Without a mask"))
        return False
    page.write(
        lights(scene.labels, plain[:, column] != 0, "Without a mask")
        + lights(scene.labels, effect[:, column] != 0, f"With the mask ({scene.kind})")
    )
    limit = rung(float(max(plain.max(initial=0), effect.max(initial=0))))
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.show(
            effect_map(scene, effect, limit, "every word in turn", column, clickable=True),
            lambda i, j: controls.put(changed=scene.labels[j]),
            note=f"Each column is one experiment: that word becomes {typed(new)}. Grey did not move by a single digit.",
        )
    with right:
        name = "how far each output moves"
        n_moved = int((effect[:, column] != 0).sum())
        told = f"{quoted(scene.labels[column])} becomes {quoted(new)}: {n_moved} of {len(effect)} outputs move."
        page.show(
            signed_bars(
                scene.labels,
                effect[:, column],
                limit=limit,
                name=name,
                sentence=told,
                title=name,
                of="output",
                positive=True,
            ),
            note=scene.origin,
        )
    return True


def paint(page: Page, scene: Masked, painting: str) -> bool:
    """Let the student paint a mask, and show what can reach what through one, two and three layers."""
    controls, run = page.controls, page.recipe.run
    reach = run("reach", reachable, scene.blocked, 3)
    needed = run("needed", layers_needed, reach)
    ready = page.ask(reach_question(scene, needed, page.variant("reach")))
    left, right = st.columns(2, gap="medium")
    with left:
        chart = st.container()
        row, column = chosen_cell(page, scene)
        with st.container(horizontal=True):
            fixed = "paint" in controls.locked
            diagonal = [(i, i) for i in scene.place]
            whole_row = [(row, j) for j in scene.place if not scene.blocked[row, j]]
            for label, key, paint_now, off in (
                ("Flip this cell", "turn", turned_over(painting, [(row, column)]), False),
                ("Block the whole row", "block_row", turned_over(painting, whole_row), not whole_row),
                ("Flip the diagonal", "diagonal", turned_over(painting, diagonal), False),
                ("Wipe the paint off", "wipe", "", not painting),
            ):
                st.button(
                    label,
                    key=f"{page.name}_{key}",
                    type="tertiary" if key == "wipe" else "secondary",
                    disabled=fixed or off,
                    on_click=controls.put,
                    kwargs={"paint": paint_now},
                )
    with chart:
        page.write(f"<b>The mask</b> click a cell to block it or to free it; it began as {scene.kind}", "shape")

        def turn(i: int, j: int) -> None:
            controls.put(q=scene.labels[i], k=scene.labels[j], paint=turned_over(painting, [(i, j)]))

        page.show(paint_map(scene, row, column), turn)
    with right:
        if ready:
            page.write(
                "<b>Layers until a word is heard of</b> a word always keeps itself; grey: not within three", "shape"
            )
            page.show(reach_map(scene, needed, row))
            measure_reach(page, scene, reach, column)
    left, right = st.columns([1.18, 1], gap="medium")
    with left:
        page.write("<b>The weights under this mask</b>", "shape")
        page.show(masked_map(scene, row, column, clickable=False), note=scene.origin)
    with right:
        page.say(
            "**What if nothing is left?** Hide the diagonal under a causal mask too, and the first word may look at "
            "nothing. A row in which every key is blocked has nothing to share. The formula says 0 ÷ 0, and code "
            "that does not look out gives NaN. Here such a row is defined: all its weights are 0, and so is its "
            "output.",
            "",
        )
    return ready


def measure_reach(page: Page, scene: Masked, reach: np.ndarray, column: int) -> None:
    """Change a word under three random layers, and say which outputs move."""
    run = page.recipe.run
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    other = run(
        "layers_other_x", word_vectors, page.recipe.given("changed_words", ["dog"] * len(x)), D_MODEL, scene.seed
    )
    layers = run("layers", random_layers, 3, D_MODEL, D_HEAD, scene.seed)
    moved = run("layers_moved", moved_by_word, x, other, column, layers, scene.mask) > 1e-9
    told = ", ".join(str(int(after.sum())) for after in moved)
    agree = all((moved[i] <= reach[i][:, column]).all() for i in range(3))
    page.write(
        f"Tried on three random layers: {typed(scene.labels[column])} becomes <i>dog</i>, and after layers 1, 2 and 3 "
        f"the words that have moved are {told}. "
        + ("No word moved that this map calls out of reach." if agree else "The map and the trial disagree."),
        "note",
    )


def order(page: Page, scene: Masked) -> bool:
    """Compute the rows one by one, in any order, and compare them with all at once."""
    controls, run = page.controls, page.recipe.run
    rows = rows_of(controls)
    if not page.ask(first_question(scene, page.variant("first"))):
        page.write("<b>All rows at once</b>", "shape")
        with st.columns([1.18, 1])[0]:
            page.show(masked_map(scene, min(2, len(scene.words) - 1), 0, clickable=False), note=scene.origin)
        return False
    places = places_of(rows, len(scene.words))
    computed = run("one_by_one", rows_one_by_one, scene.x, scene.head, scene.mask, places)
    gap = run("gap", largest_difference, computed, scene.masked.weights, places)
    everything = LETTERS[: len(scene.words)]
    mixed = "".join(everything[i] for i in shuffled_order(len(everything), scene.seed))
    with st.container(horizontal=True):
        for label, key, value in (
            ("First to last", "forward", everything),
            ("Last to first", "backward", everything[::-1]),
            ("In a random order", "mixed", mixed),
            ("None yet", "none", "-"),
        ):
            st.button(
                label,
                key=f"{page.name}_{key}",
                type="tertiary" if key == "none" else "secondary",
                disabled="rows" in controls.locked,
                on_click=controls.put,
                kwargs={"rows": value},
            )
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        row, _ = chosen_cell(page, scene, only_row=True)
        st.button(
            "Compute this row now",
            key=f"{page.name}_compute",
            disabled="rows" in controls.locked or row in places,
            on_click=controls.put,
            kwargs={"rows": rows.strip("-") + LETTERS[row]},
        )

    def compute(i: int, j: int) -> None:
        more = {} if i in places else {"rows": rows.strip("-") + LETTERS[i]}
        controls.put(q=scene.labels[i], **more)

    with left:
        page.show(rows_map(scene, places, computed, row), compute, note=f"Click a row to compute it. {scene.origin}")
    with card:
        steps = "".join(
            f"<tr><td>{i + 1}</td><td>{typed(scene.labels[place])}</td>"
            f"<td>{tiny(largest_difference(computed[i : i + 1], scene.masked.weights, [place]))}</td></tr>"
            for i, place in enumerate(places)
        )
        head = "<tr><th>turn</th><th>row</th><th>difference to all at once</th></tr>"
        page.write(
            cards.card(
                "In the order in which you asked",
                f'<div class="wide"><table>{head}{steps}</table></div>',
                f'<p style="margin-top:10px">Largest difference: <b>{tiny(gap)}</b>. '
                f" A row needs its own query, and the keys and values of the "
                "words that it may see: not the result of any other row.</p>",
            )
        )
    return True


def layers(page: Page, scene: Masked) -> bool:
    """Leave out the mask in layers that stand on one another, and compare."""
    controls, run = page.controls, page.recipe.run
    n_layers = controls.slider("layers", "Layers", 1, 4, 3, 1, width=260)
    x = run("layers_x", word_vectors, scene.words, D_MODEL, scene.seed)
    stack = run("layers", random_layers, n_layers, D_MODEL, D_HEAD, scene.seed)
    moved = run("layers_moved", moved_by_mask, x, stack, scene.mask)
    every = moved_by_mask(x, random_layers(4, D_MODEL, D_HEAD, scene.seed), scene.mask)
    if not page.ask(layers_question(scene, every, page.variant("layers"))):
        return False
    left, right = st.columns([1.18, 1], gap="medium")
    with right:
        card = st.container(border=True)
        with st.container(horizontal=True):
            layer = min(controls.whole("layer", "After layer", 1, 4, 1, width=130), n_layers) - 1
            word = chosen_word(page, scene, "word", "Word · column", len(scene.words) - 1)
    without = run("without", through_layers, x, stack)
    under = run("under", through_layers, x, stack, scene.mask)
    with left:
        page.show(
            layers_map(scene, moved, rung(float(every.max(initial=0))), layer, word),
            lambda i, j: controls.put(layer=i + 1, word=scene.labels[j]),
            note=f"How far each word lies from where it would be without the mask. Random matrices, seed {scene.seed}.",
        )
    with card:
        page.write(two_outputs_card(scene, without, under, layer, word))
    page.say(
        "There is one more use of the mask: what stands before is never changed by what comes later, so a model that "
        "writes word after word may keep the keys and values of earlier words instead of computing them again.",
        "",
    )
    return True


def shuffle(page: Page, scene: Masked) -> bool:
    """Shuffle the words with and without the mask, and compare each word's output with what it was."""
    controls, run = page.controls, page.recipe.run
    with st.container(horizontal=True, vertical_alignment="bottom"):
        seed = controls.whole("shuffle", "Which order", 0, 99, 1, width=150)
    new = run("new_order", shuffled_order, len(scene.words), seed)
    new_x = run("new_x", in_order, scene.x, new)
    plain = run("new_plain", attend, new_x, scene.head)
    masked = run("new_masked", attend, new_x, scene.head, scene.mask)
    away = run("away", distances, scene.plain.output, run("back", back_in_place, plain.output, new))
    away_masked = run(
        "away_masked", distances, scene.masked.output, run("back_masked", back_in_place, masked.output, new)
    )
    if not page.ask(shuffle_question(scene, away, away_masked)):
        return False
    shuffled = [scene.labels[i] for i in new]
    still = np.zeros(len(new), dtype=bool)
    limit = rung(float(max(abs(scene.plain.output).max(initial=0), abs(scene.masked.output).max(initial=0))))
    limit = max(limit, rung(float(abs(masked.output).max(initial=0))))
    pictures = (
        ("outputs without a mask", scene.plain.output, scene.labels, still),
        ("shuffled without a mask", plain.output, shuffled, away[new] > 1e-9),
        ("outputs with the mask", scene.masked.output, scene.labels, still),
        ("shuffled with the mask", masked.output, shuffled, away_masked[new] > 1e-9),
    )
    grid = st.grid(2, min_column_width=300, gap="medium")
    for name, values, labels, moved in pictures:
        with grid.cell():
            page.write(f"<b>{name.capitalize()}</b>", "shape")
            page.show(output_map(values, labels, name, limit, moved))
    page.say(
        "Find a word’s row in both pictures of a pair; outlined is what has other numbers than before. So a causal "
        "mask tells a model something of order even where no position was added: the first word sees only itself, the "
        "second two. It tells who stands before whom, not how far apart; that is for the next lesson.",
        "",
    )
    page.write(f"{scene.origin}", "note")
    return True
